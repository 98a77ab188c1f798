// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the program that made a mapped device: the UUID of the device begins with a word for the
 * program.
 */
#include "model/origin.h"

#include <ctype.h>
#include <string.h>

#include "base/util.h"
#include "model/name.h"

#define LVM_PREFIX	"LVM-"
/*
 * The UUID of a logical volume is "LVM-", the identifier of its volume group, and the identifier of
 * the volume. Each identifier has 32 characters.
 */
#define LVM_GROUP_LENGTH	36
#define LVM_UUID_LENGTH	68

/*
 * The words in UUIDs that differ from the name of the program. A UUID that begins with "part", such
 * as "part1-mpath-...", belongs to a partition.
 */
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
