// SPDX-License-Identifier: GPL-2.0-only
/*
 * The unit of a saved device, which removes the device in its turn at shutdown.
 *
 * The unit of a device that is activated by hand, or is saved while it is active, has to
 * be active as well.  A rule of udev could start it, but its event comes at any later time:
 * after "noclone deactivate", it would bring the device back.  So the tool starts the unit
 * and waits for it.
 */
#include "system/saved-unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/boot-unit.h"

/* noclone-device@.service sets it. */
#define IN_UNIT		"NOCLONE_UNIT"
/* A job may wait for the unit of a leg, which is missing. */
#define WAIT_SECONDS	"10"

/* A job that conflicts with one of a shutdown fails instead of cancelling that. */
static void saved_unit_run(const char *verb, const char *name)
{
	_cleanup_free_ char *unit = boot_unit_service(name), *said = NULL;
	char *argv[] = {
		(char *)"timeout", (char *)WAIT_SECONDS, (char *)"systemctl", (char *)verb,
		(char *)"--job-mode=fail", (char *)"--quiet", (char *)"--", unit, NULL,
	};

	if (getenv(IN_UNIT) || access("/run/systemd/system", F_OK))
		return;
	said = child_read(argv);
	if (!said)
		log_verbose("systemctl %s %s failed", verb, unit);
}

void saved_unit_start(const char *name)
{
	saved_unit_run("start", name);
}

void saved_unit_stop(const char *name)
{
	saved_unit_run("stop", name);
}
