// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names and UUIDs that a mapped device may have.
 *
 * A name becomes a file in /dev/mapper, where "control" is dm's own node. libdevmapper encodes most
 * special characters: it gives "\x20" to the kernel for a blank, and decodes "\x20" to a blank when
 * it shows the name. Two different names of the kernel may look the same after they are decoded, so
 * the tool uses the names of the kernel.
 */
#include "model/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noclone-path.h"
#include "dm-noclone.h"
#include "base/util.h"

/* Encode the path of a file for a table. */
char *name_encode_path(const char *path)
{
	struct strbuf b = { 0 };
	char to[NOCLONE_PATH_GROWTH];

	for (; *path; path++)
		strbuf_add(&b, "%.*s", (int)noclone_path_encode(*path, to), to);
	return strbuf_take(&b);
}

#define DM_NAME_MAX	127
#define DM_UUID_MAX	128
#define PLAIN_WORDS	"has characters that are not allowed: use only letters, digits and #+-.:=@_"

/* NAME_PLAIN: the characters that libdevmapper does not encode. */
#define NAME_PLAIN \
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#+-.:=@_"

/*
 * UUID_KEPT: the characters that the UUID of a saved device may have. A UUID that was given to
 * dmsetup may have encoded characters, which begin with a backslash.
 */
#define UUID_KEPT	NAME_PLAIN "\\"

bool name_is_plain(const char *name)
{
	return !name[strspn(name, NAME_PLAIN)];
}

const char *name_dmsetup(const char *name)
{
	return name_is_plain(name) ? "dmsetup" : "dmsetup --manglename none";
}

char *name_command(const char *verb, const char *name)
{
	_cleanup_free_ char *quoted = shell_quote(name);

	return xasprintf("%s %s %s", name_dmsetup(name), verb, quoted);
}

char *name_noclone(const char *verb, const char *name)
{
	_cleanup_free_ char *quoted = shell_quote(name);

	return xasprintf("noclone %s %s%s", verb, *name == '-' ? "-- " : "", quoted);
}

char *name_command_setuuid(const char *name)
{
	_cleanup_free_ char *uuid = xasprintf(NOCLONE_UUID_PREFIX "%s", name);
	_cleanup_free_ char *quoted = shell_quote(uuid), *rename = name_command("rename", name);

	/*
	 * the name may be too long for a UUID, or have bytes that no UUID of a saved device may
	 * have
	 */
	return xasprintf("%s --setuuid %s", rename, name_uuid_problem(uuid) ?
			 NOCLONE_UUID_PREFIX "$(cat /proc/sys/kernel/random/uuid)" : quoted);
}

char *name_encode(const char *word)
{
	struct strbuf b = { 0 };

	for (; *word; word++) {
		if (strchr(NAME_PLAIN, *word))
			strbuf_putc(&b, *word, 1);
		else
			strbuf_add(&b, "\\x%02x", (unsigned char)*word);
	}
	return strbuf_take(&b);
}

char *name_decode(const char *name)
{
	struct strbuf b = { 0 };
	unsigned int c;

	for (; *name; name++)
		if (sscanf(name, "\\x%2x", &c) == 1 && c && !strchr(NAME_PLAIN, c) &&
		    isxdigit((unsigned char)name[2]) && isxdigit((unsigned char)name[3])) {
			strbuf_putc(&b, c, 1);
			name += strlen("x20");
		} else {
			strbuf_putc(&b, *name, 1);
		}
	return strbuf_take(&b);
}

const char *name_problem(const char *name)
{
	if (!*name)
		return "is no name: give a name, for example \"data\"";
	if (strchr(name, '/'))
		return "contains a slash: give the name only, without a path";
	if (!name_is_plain(name))
		return PLAIN_WORDS;
	/*
	 * refuse the names of folders, the name of dm's own node in /dev/mapper, and words that
	 * look like options
	 */
	if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "control") || *name == '-')
		return "is no name that a device can have: give another name";
	if (strlen(name) > DM_NAME_MAX)
		return "is longer than the 127 characters that the kernel allows: give a shorter name";
	return NULL;
}

#define PARTITION_PREFIX	"part"
#define PARTITION_DIGITS	9

/*
 * Split the UUID of a device. @nr: set to the number of the partition, or to 0 if the device is not
 * a partition
 *
 * Return: for a partition, the UUID of the device that has the partition table; for other devices,
 * @uuid itself.
 */
static const char *name_split_uuid(const char *uuid, unsigned int *nr)
{
	const bool is_part = str_starts(uuid, PARTITION_PREFIX);
	const char *digits = is_part ? uuid + strlen(PARTITION_PREFIX) : "";
	size_t length = strspn(digits, "0123456789");

	*nr = 0;
	if (!length || length > PARTITION_DIGITS || *digits == '0' || digits[length] != '-')
		return uuid;
	*nr = strtoul(digits, NULL, 10);
	return digits + length + 1;
}

bool name_uuid_is_noclone(const char *uuid)
{
	unsigned int nr;

	return str_starts(name_split_uuid(uuid, &nr), NOCLONE_UUID_PREFIX);
}

const char *name_uuid_of_disk(const char *uuid)
{
	unsigned int nr;
	const char *disk = name_split_uuid(uuid, &nr);

	return nr ? disk : NULL;
}

unsigned int name_uuid_partition_of(const char *uuid, const char *disk)
{
	unsigned int nr;

	return *disk && !strcmp(name_split_uuid(uuid, &nr), disk) ? nr : 0;
}

const char *name_uuid_problem(const char *uuid)
{
	unsigned int nr;

	if (!strcmp(name_split_uuid(uuid, &nr), NOCLONE_UUID_PREFIX))
		return "has nothing after the prefix: leave --uuid out for a random UUID";
	if (uuid[strspn(uuid, UUID_KEPT)])
		return PLAIN_WORDS;
	if (strlen(uuid) > DM_UUID_MAX)
		return "is longer than the 128 characters that the kernel allows: give a shorter UUID";
	return NULL;
}
