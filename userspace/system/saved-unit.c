// SPDX-License-Identifier: GPL-2.0-only
/*
 * The systemd unit of a saved device. This unit removes the device at the right time during a
 * shutdown.
 *
 * The unit must also be active if the user has activated the device with a command, or has saved an
 * active device. A rule of udev could start the unit. But udev may process an event at any later
 * time, and an event that comes after "noclone deactivate" would activate the device again. So the
 * tool itself starts the unit, and waits until the unit is active.
 */
#include "system/saved-unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/saved.h"

/* noclone-device@.service sets this variable. */
#define IN_UNIT		"NOCLONE_UNIT"
/*
 * WAIT_SECONDS: the longest wait for systemctl, whose job may wait for the unit of a leg that is
 * missing.
 */
#define WAIT_SECONDS	"10"

/*
 * Start or stop the unit. With --job-mode=fail, a job that conflicts with a shutdown fails. With
 * the default mode, such a job would cancel the shutdown.
 */
void saved_unit(const char *verb, const char *name)
{
	_cleanup_child_output_ struct child_output output = { 0 };
	_cleanup_free_ char *unit = saved_unit_name(name);
	sigset_t before;
	char *argv[] = {
		(char *)"timeout", (char *)WAIT_SECONDS, (char *)"systemctl", (char *)verb,
		(char *)"--job-mode=fail", (char *)"--quiet", (char *)"--", unit, NULL,
	};

	if (getenv(IN_UNIT) || access("/run/systemd/system", F_OK))
		return;
	/* if ^C ended systemctl, the result of the job would be unknown */
	stop_block(&before);
	if (child_run(argv, true, &output) || output.status)
		log_verbose("systemctl %s %s failed", verb, unit);
	stop_unblock(&before);
}
