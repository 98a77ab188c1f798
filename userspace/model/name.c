// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names and UUIDs that a mapped device may have.
 *
 * A name becomes a file of /dev/mapper, where "control" is dm's own node.  For all but
 * some characters libdevmapper gives the kernel four, \\x20 for a blank, and shows the
 * one: two devices would look the same.  The tool has names as the kernel has them.
 */
#include "model/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noclone-path.h"
#include "dm-noclone.h"
#include "base/util.h"

/* Paths as a table holds them. */
char *path_encode(const char *path)
{
	struct strbuf b = { 0 };
	char to[NOCLONE_PATH_GROWTH];

	for (; *path; path++)
		strbuf_add(&b, "%.*s", (int)noclone_path_encode(*path, to), to);
	return strbuf_take(&b);
}

#define DM_NAME_MAX	127
#define DM_UUID_MAX	128
#define PLAIN_WORDS	"has other characters than letters, digits and #+-.:=@_: leave those out"

/* Those that libdevmapper leaves as they are. */
#define NAME_PLAIN \
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#+-.:=@_"

/* dmsetup's own UUIDs, with four characters for one, can be saved. */
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

	/* the name may be too long, or have bytes that no UUID of a saved device has */
	return xasprintf("%s --setuuid %s", rename, uuid_problem(uuid) ?
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
		return "is no name: give one, for example data";
	if (strchr(name, '/'))
		return "contains a slash: give the name only, without a path";
	if (!name_is_plain(name))
		return PLAIN_WORDS;
	/* directories, dm's own node in /dev/mapper, and options */
	if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "control") || *name == '-')
		return "is no name that a device can have: give another one";
	if (strlen(name) > DM_NAME_MAX)
		return "is longer than the kernel's 127 characters: give a shorter name";
	return NULL;
}

const char *uuid_problem(const char *uuid)
{
	if (!strcmp(uuid, NOCLONE_UUID_PREFIX))
		return "is empty: leave --uuid out for a random one";
	if (uuid[strspn(uuid, UUID_KEPT)])
		return PLAIN_WORDS;
	if (strlen(uuid) > DM_UUID_MAX)
		return "is longer than the kernel's 128 characters: give a shorter UUID";
	return NULL;
}

/* Which program has made a mapped device: the beginning of its UUID tells. */
#define LVM_PREFIX	"LVM-"
/* With the identifiers of the volume group and of the volume, 32 characters each */
#define LVM_GROUP_LENGTH	36
#define LVM_UUID_LENGTH	68

/* Where the word is not the name of the program; "part1-mpath-..." is a partition. */
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
