// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dependencies of the unit of a saved device: systemd starts it when the units of its
 * legs are there, and mounts what its backing files are on.  blockdev@.target is what a
 * mount of a device waits for; so does this unit for a leg that is a mapped device.
 */
#include "model/boot-unit.h"

#include <ctype.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* systemd has no unit with a longer name. */
#define UNIT_NAME_MAX	255
#define MAPPER_DIR	"/dev/mapper/"

static bool boot_unit_is_plain(char c)
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
		else if (boot_unit_is_plain(*at) && (*at != '.' || b.len))
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

/*
 * A path as a word of a list: in quotes, as its blanks are no separators, and with %% for %,
 * which begins a specifier.  NULL if it has a line break, which no unit file can have.
 */
static char *boot_unit_quote(const char *path)
{
	struct strbuf b = { 0 };

	if (strpbrk(path, "\r\n"))
		return NULL;
	strbuf_putc(&b, '"', 1);
	for (; *path; path++)
		strbuf_add(&b, "%s%c", *path == '%' ? "%" : strchr("\"\\", *path) ? "\\" : "",
			   *path);
	strbuf_putc(&b, '"', 1);
	return strbuf_take(&b);
}

char *boot_unit_leg(const struct leg *leg)
{
	char *unit = str_starts(leg->device, "/dev/") ? boot_unit_device(leg->device) : NULL;

	if (!unit || strlen(unit) <= UNIT_NAME_MAX)
		return unit;
	free(unit);
	return NULL;
}

/* Does a line begin with that name, without the option noauto in its fourth word? */
static bool boot_unit_is_in_crypttab(const char *crypttab, const char *name)
{
	const char *at;

	for (at = crypttab; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		_cleanup_free_ char *line = xstrndup(at, strcspn(at, "\n"));
		_cleanup_words_ struct words w = { 0 };

		words_split(&w, line);
		if (w.nr && !strcmp(w.word[0], name))
			return w.nr < 4 || !hasmntopt(&(struct mntent){ .mnt_opts = w.word[3] },
						      "noauto");
	}
	return false;
}

static void boot_unit_add_leg(struct strbuf *b, const struct leg *leg, const char *crypttab)
{
	const char *mapped = str_starts(leg->device, MAPPER_DIR) ?
			     leg->device + strlen(MAPPER_DIR) : NULL;
	_cleanup_free_ char *unit = boot_unit_leg(leg);
	_cleanup_free_ char *path = boot_unit_escape(leg->device, true);
	_cleanup_free_ char *name = mapped ? boot_unit_escape(mapped, false) : NULL;

	if (!unit)
		return;
	if (mapped && boot_unit_is_in_crypttab(crypttab, mapped))
		strbuf_add(b, "Requires=systemd-cryptsetup@%s.service\nAfter=systemd-cryptsetup@%s.service\n",
			   name, name);
	else
		strbuf_add(b, "BindsTo=%s\nAfter=%s\n", unit, unit);
	if (mapped)
		strbuf_add(b, "After=blockdev@%s.target\n", path);
}

static void boot_unit_add_target(struct strbuf *b, const struct target *t,
				 const char *crypttab)
{
	_cleanup_free_ char *path = t->path ? boot_unit_quote(t->path) : NULL;
	unsigned int i;

	if (path)
		strbuf_add(b, "RequiresMountsFor=%s\n", path);
	for (i = 0; i < t->nr_legs; i++)
		boot_unit_add_leg(b, &t->legs[i], crypttab);
}

char *boot_unit_print(const struct table *t, const char *crypttab)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "# Made by noclone-generator of the device's table file\n[Unit]\n");
	for (i = 0; i < t->nr; i++)
		boot_unit_add_target(&b, &t->targets[i], crypttab);
	return strbuf_take(&b);
}
