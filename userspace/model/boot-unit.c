// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dependencies of the unit of a saved device: systemd starts it when the units of its
 * legs are there, and mounts what its backing files are on.  blockdev@.target is what a
 * mount of a device waits for; so does this unit for a leg that is a mapped device.
 */
#include "model/boot-unit.h"

#include <ctype.h>
#include <mntent.h>
#include <string.h>

#include "base/util.h"

/* systemd has no unit with a longer name. */
#define UNIT_NAME_MAX	255
#define MAPPER_DIR	"/dev/mapper/"

static bool is_plain(char c)
{
	return isascii(c) && (isalnum(c) || strchr(":_.", c));
}

char *boot_unit_escape(const char *text, bool path)
{
	struct strbuf b = { 0 };
	const char *at = text;

	if (path)
		at += strspn(at, "/");
	for (; *at; at++) {
		/* of several slashes in a path the last one counts, at its end none */
		if (path && *at == '/' && (at[1] == '/' || !at[1]))
			continue;
		if (*at == '/')
			strbuf_putc(&b, '-', 1);
		else if (is_plain(*at) && (*at != '.' || b.len))
			strbuf_putc(&b, *at, 1);
		else
			strbuf_add(&b, "\\x%02x", (unsigned char)*at);
	}
	if (!b.len)
		strbuf_putc(&b, '-', 1);
	return strbuf_take(&b);
}

char *boot_unit_service(const char *name)
{
	_cleanup_free_ char *instance = boot_unit_escape(name, false);

	return xasprintf(BOOT_UNIT_PREFIX "%s.service", instance);
}

char *boot_unit_device(const char *path)
{
	_cleanup_free_ char *escaped = boot_unit_escape(path, true);

	return xasprintf("%s.device", escaped);
}

/* A value as udev writes it into the name of a link. */
static void add_link_value(struct strbuf *b, const char *value)
{
	for (; *value; value++)
		if (!isascii(*value) || isalnum(*value) || strchr("#+-.:=@_", *value))
			strbuf_putc(b, *value, 1);
		else
			strbuf_add(b, "\\x%02x", (unsigned char)*value);
}

/* The path that udev makes for a leg: a new string, NULL if there is none. */
static char *leg_path(const char *device)
{
	static const char * const tags[] = { "UUID", "LABEL", "PARTUUID", "PARTLABEL" };
	const char *equals = strchr(device, '=');
	struct strbuf b = { 0 };
	unsigned int i;
	const char *c;

	if (*device == '/')
		return xstrdup(device);
	for (i = 0; equals && i < ARRAY_SIZE(tags); i++) {
		if (strlen(tags[i]) != (size_t)(equals - device) ||
		    strncmp(device, tags[i], equals - device))
			continue;
		strbuf_add(&b, "/dev/disk/by-");
		for (c = tags[i]; *c; c++)
			strbuf_putc(&b, tolower(*c), 1);
		strbuf_putc(&b, '/', 1);
		add_link_value(&b, equals + 1);
		return strbuf_take(&b);
	}
	return NULL;
}

/* @text in a unit file, where % begins a specifier. */
static char *no_specifiers(const char *text)
{
	struct strbuf b = { 0 };

	for (; *text; text++)
		strbuf_putc(&b, *text, *text == '%' ? 2 : 1);
	return strbuf_take(&b);
}

/*
 * A path as a word of a list: in quotes, as its blanks are no separators.  NULL if
 * it has a line break, which no unit file can have.
 */
static char *quoted_path(const char *path)
{
	_cleanup_free_ char *plain = no_specifiers(path);
	struct strbuf b = { 0 };
	const char *at;

	if (strpbrk(path, "\r\n"))
		return NULL;
	strbuf_putc(&b, '"', 1);
	for (at = plain; *at; at++)
		strbuf_add(&b, "%s%c", strchr("\"\\", *at) ? "\\" : "", *at);
	strbuf_putc(&b, '"', 1);
	return strbuf_take(&b);
}

/* The device unit of a path: a new string.  A number is no name, and has none. */
static char *leg_unit(const char *path)
{
	_cleanup_free_ char *unit = path ? boot_unit_device(path) : NULL;

	return unit && str_starts(path, "/dev/") && strlen(unit) <= UNIT_NAME_MAX ?
	       xstrdup(unit) : NULL;
}

/* Among the options, which are the fourth word of a line of crypttab */
static bool has_noauto(const char *line)
{
	_cleanup_free_ char *text = xasprintf("%.*s", (int)strcspn(line, "\n"), line);
	_cleanup_words_ struct words w = { 0 };

	words_split(&w, text);
	return w.nr > 3 && hasmntopt(&(struct mntent){ .mnt_opts = w.word[3] }, "noauto");
}

/* Is /dev/mapper/NAME what a line begins with, and opened without being asked to? */
static bool is_in_crypttab(const char *crypttab, const char *path)
{
	const char *name, *at = crypttab;
	size_t length;

	if (!str_starts(path, MAPPER_DIR))
		return false;
	name = path + strlen(MAPPER_DIR);
	length = strlen(name);
	for (; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *word = at + strspn(at, " \t");

		if (strcspn(word, " \t\n") == length && !strncmp(word, name, length))
			return !has_noauto(word);
	}
	return false;
}

static void add_leg(struct strbuf *b, const struct leg *leg, const char *crypttab)
{
	_cleanup_free_ char *path = leg_path(leg->device), *unit = leg_unit(path);
	_cleanup_free_ char *escaped = path ? boot_unit_escape(path, true) : NULL;

	if (!unit)
		return;
	if (is_in_crypttab(crypttab, path)) {
		_cleanup_free_ char *name = boot_unit_escape(path + strlen(MAPPER_DIR), false);

		strbuf_add(b, "Requires=systemd-cryptsetup@%s.service\nAfter=systemd-cryptsetup@%s.service\n",
			   name, name);
	} else {
		strbuf_add(b, "BindsTo=%s\nAfter=%s\n", unit, unit);
	}
	if (str_starts(path, MAPPER_DIR))
		strbuf_add(b, "After=blockdev@%s.target\n", escaped);
}

static void add_target(struct strbuf *b, const struct target *t, const char *crypttab)
{
	_cleanup_free_ char *path = t->path ? quoted_path(t->path) : NULL;
	unsigned int i;

	if (path)
		strbuf_add(b, "RequiresMountsFor=%s\n", path);
	for (i = 0; i < t->nr_legs; i++)
		add_leg(b, &t->legs[i], crypttab);
}

void boot_unit_for_each_leg(const struct table *t,
			    void (*visit)(const char *unit, void *data), void *data)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++)
		for (j = 0; j < t->targets[i].nr_legs; j++) {
			_cleanup_free_ char *path = leg_path(t->targets[i].legs[j].device);
			_cleanup_free_ char *unit = leg_unit(path);

			if (unit)
				visit(unit, data);
		}
}

char *boot_unit_print(const struct table *t, const char *crypttab)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "# Made by noclone-generator of the device's table file\n[Unit]\n");
	for (i = 0; i < t->nr; i++)
		add_target(&b, &t->targets[i], crypttab);
	return strbuf_take(&b);
}
