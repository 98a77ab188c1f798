// SPDX-License-Identifier: GPL-2.0-only
/*
 * The unit of a saved device, which removes the device at the right time at shutdown.
 *
 * The unit of a device must also be active if the user has activated the device, or has saved an
 * active device. A rule of udev could start the unit, but the event of udev may come at any later
 * time: after "noclone deactivate", such an event would bring the device back. So the tool starts
 * the unit and waits until the unit is active.
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
/* WAIT_SECONDS: a job may wait for the unit of a missing leg. */
#define WAIT_SECONDS	"10"

/*
 * Start or stop the unit. A job that conflicts with the shutdown fails, and does not cancel the
 * shutdown.
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
	/* ^C would leave a job with an unknown result */
	stop_block(&before);
	if (child_run(argv, true, &output) || output.status)
		log_verbose("systemctl %s %s failed", verb, unit);
	stop_unblock(&before);
}
