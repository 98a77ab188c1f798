// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names and UUIDs that a mapped device may have.
 *
 * A name becomes a file of /dev/mapper, where "control" is dm's own node.  libdevmapper
 * encodes blanks and the like in it, but a control character would be printed by
 * everybody who lists devices.
 */
#include "model/name.h"

#include <ctype.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"

#define DM_NAME_MAX	127
#define DM_UUID_MAX	128

static bool has_control(const char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			return true;
	return false;
}

/* libdevmapper writes all but these as four characters: \\x20. */
static size_t encoded_length(const char *name)
{
	size_t length = 0;

	for (; *name; name++)
		length += isalnum((unsigned char)*name) || strchr("#+-.:=@_", *name) ? 1 : 4;
	return length;
}

const char *name_problem(const char *name)
{
	if (!*name)
		return "is no name: give one, for example data";
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return "is a directory: give another name";
	if (!strcmp(name, "control"))
		return "is the name of device-mapper's own node /dev/mapper/control: give another name";
	if (strchr(name, '/'))
		return "contains a slash: give the name only, without a path";
	if (has_control(name))
		return "contains a control character: give a name that can be printed";
	if (strlen(name) > DM_NAME_MAX)
		return "is longer than the kernel's 127 characters: give a shorter name";
	if (encoded_length(name) > DM_NAME_MAX)
		return "is longer than 127 characters as device-mapper encodes it: give a shorter name";
	return NULL;
}

const char *uuid_problem(const char *uuid)
{
	if (!strcmp(uuid, NOCLONE_UUID_PREFIX))
		return "is empty: leave --uuid out for a random one";
	if (has_control(uuid))
		return "contains a control character: give a UUID that can be printed";
	if (strchr(uuid, '/'))
		return "contains a slash: udev makes a link of the UUID";
	if (strlen(uuid) > DM_UUID_MAX)
		return "is longer than the kernel's 128 characters: give a shorter UUID";
	return NULL;
}
