// SPDX-License-Identifier: GPL-2.0-only
/* Find the program that made a mapped device, by the begin of the UUID of the device. */
#include "model/origin.h"

#include <ctype.h>
#include <string.h>

#include "base/util.h"
#include "model/name.h"

#define LVM_PREFIX	"LVM-"
/* The UUID of a volume has the identifiers of its group and of the volume, 32 characters each. */
#define LVM_GROUP_LENGTH	36
#define LVM_UUID_LENGTH	68

/* Words in UUIDs that differ from the name of the program. "part1-mpath-..." is a partition. */
static const struct {
	const char *prefix, *program;
} programs[] = {
	{ "mpath-", "multipath" },
	{ "CRYPT-", "cryptsetup" },
	{ "part", "kpartx" },
};

char *origin_of_uuid(const char *uuid)
{
	size_t i, length = strcspn(uuid, "-");
	char *word;

	if (!length || !uuid[length])
		return NULL;
	if (name_uuid_is_noclone(uuid))
		return xstrdup("noclone");
	for (i = 0; i < ARRAY_SIZE(programs); i++)
		if (str_starts(uuid, programs[i].prefix))
			return xstrdup(programs[i].program);
	word = xstrndup(uuid, length);
	for (i = 0; i < length; i++)
		word[i] = tolower((unsigned char)word[i]);
	return word;
}

bool origin_is_lvm(const char *uuid)
{
	return str_starts(uuid, LVM_PREFIX);
}

bool origin_is_lvm_name(const char *uuid)
{
	return origin_is_lvm(uuid) && strlen(uuid) == LVM_UUID_LENGTH;
}

bool origin_same_group(const char *uuid, const char *other)
{
	return origin_is_lvm(uuid) && !strncmp(uuid, other, LVM_GROUP_LENGTH);
}
