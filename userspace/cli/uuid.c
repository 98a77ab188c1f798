// SPDX-License-Identifier: GPL-2.0-only
/* The DM UUID of a new device. */
#include "cli/uuid.h"

#include "dm-noclone.h"
#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/name.h"

static char *create_new_uuid(const char *requested)
{
	_cleanup_free_ char *random = NULL;

	if (requested && str_starts(requested, NOCLONE_UUID_PREFIX))
		return xstrdup(requested);
	if (!requested)
		random = read_line_of("/proc/sys/kernel/random/uuid");
	if (!requested && !random)
		return NULL;
	return xasprintf("%s%s", NOCLONE_UUID_PREFIX, requested ? requested : random);
}

char *uuid_make(const char *requested)
{
	char *uuid = create_new_uuid(requested);
	const char *wrong = uuid ? uuid_problem(uuid) : NULL;

	if (uuid && !wrong)
		return uuid;
	if (uuid)
		log_err("--uuid \"%s\" %s", uuid, wrong);
	else
		log_err("no UUID: cannot read /proc/sys/kernel/random/uuid; give one with --uuid");
	cleanup_free(&uuid);
	return NULL;
}
