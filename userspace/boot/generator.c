// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-generator: tells systemd what the saved devices need.
 *
 *	noclone-generator NORMAL [EARLY LATE [TABLES [CRYPTTAB]]]
 *
 * For each file NAME.table it adds the dependencies to noclone-device@NAME.service, has
 * the boot start it, and has a unit that waits for /dev/mapper/NAME start it as well.  See
 * systemd.generator(7): this runs before anything else, and it must not fail: what is
 * wrong goes to the kernel log, and the rest is done nevertheless.  A table that cannot
 * be read gets its unit, too: that one fails with the reason.
 *
 * systemd starts the unit when the units of its legs are there, and mounts what its backing
 * files are on.  blockdev@.target is what a mount of a device waits for; so does this unit
 * for a leg that is a mapped device.
 */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "model/saved.h"
#include "model/table.h"

#ifndef UNIT_DIR
#define UNIT_DIR	"/usr/lib/systemd/system"
#endif
#define TEMPLATE	UNIT_DIR "/noclone-device@.service"
#define MAPPER_DIR	"/dev/mapper/"
#define FILE_MAX	(16U << 20)
/* systemd has no unit with a longer name. */
#define UNIT_NAME_MAX	255

static void generator_complain(const char *path)
{
	const char *why = read_text_problem(path, errno);
	FILE *log = fopen("/dev/kmsg", "we");

	fprintf(log ? log : stderr, "<3>noclone-generator: %s: %s\n", path, why);
	if (log)
		fclose(log);
}

static void generator_make_folder(const char *folder)
{
	if (mkdir(folder, 0755) && errno != EEXIST)
		generator_complain(folder);
}

/* The unit of a path below /dev, "dev-sda.device": a new string; NULL if it has none. */
static char *generator_device_unit(const char *path)
{
	_cleanup_free_ char *escaped = saved_escape(path + 1);
	_cleanup_free_ char *unit = xasprintf("%s.device", escaped);

	return str_starts(path, "/dev/") && strlen(unit) <= UNIT_NAME_MAX ? xstrdup(unit) : NULL;
}

/*
 * systemd has no device unit for an encrypted device without a file system, as a leg may be,
 * so the unit that opens it is waited for.
 */
static bool generator_is_in_crypttab(const char *crypttab, const char *name)
{
	FILE *file = setmntent(crypttab, "re");
	bool found = false;
	struct mntent *m;

	while (file && !found && (m = getmntent(file)))
		if (!strcmp(m->mnt_fsname, name) && !hasmntopt(m, "noauto"))
			found = true;
	if (file)
		endmntent(file);
	return found;
}

static void generator_write_leg(FILE *file, const char *device, const char *crypttab)
{
	const char *mapped = str_starts(device, MAPPER_DIR) ? device + strlen(MAPPER_DIR) : NULL;
	_cleanup_free_ char *unit = generator_device_unit(device);
	_cleanup_free_ char *path = saved_escape(device + 1);
	_cleanup_free_ char *name = saved_escape(mapped ? mapped : "");

	if (!unit)
		return;
	if (mapped && generator_is_in_crypttab(crypttab, mapped))
		fprintf(file, "Requires=systemd-cryptsetup@%s.service\nAfter=systemd-cryptsetup@%s.service\n",
			name, name);
	else
		fprintf(file, "BindsTo=%s\nAfter=%s\n", unit, unit);
	if (mapped)
		fprintf(file, "After=blockdev@%s.target\n", path);
}

/*
 * A path is in quotes, as its blanks are no separators, and has %% for %, which begins a
 * specifier.  No unit file can have one with a line break.
 */
static void generator_write_path(FILE *file, const char *path)
{
	if (strpbrk(path, "\r\n"))
		return;
	fputs("RequiresMountsFor=\"", file);
	for (; *path; path++)
		fprintf(file, "%s%c", *path == '%' ? "%" : strchr("\"\\", *path) ? "\\" : "",
			*path);
	fputs("\"\n", file);
}

/* The part of the unit that depends on the table. */
static void generator_write(FILE *file, const struct table *t, const char *crypttab)
{
	struct target *target = NULL;
	unsigned int i;

	fputs("# Made by noclone-generator of the device's table file\n[Unit]\n", file);
	while ((target = table_next_leg(t, target, &i)))
		if (target->path)
			generator_write_path(file, target->path);
		else
			generator_write_leg(file, target->legs[i].device, crypttab);
}

static void generator_write_drop_in(const char *folder, const struct table *t,
				    const char *crypttab)
{
	_cleanup_free_ char *path = xasprintf("%s/50-members.conf", folder);
	FILE *file;

	generator_make_folder(folder);
	file = fopen(path, "wxe");
	if (file)
		generator_write(file, t, crypttab);
	if (!file || fclose(file))
		generator_complain(path);
}

/* @unit starts when @wanting does: as a link in its folder of that kind. */
static void generator_link_unit(const char *out, const char *wanting, const char *kind,
				const char *unit)
{
	_cleanup_free_ char *folder = xasprintf("%s/%s.%s", out, wanting, kind);
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, unit);

	generator_make_folder(folder);
	/* two legs may be on one disk */
	if (symlink(TEMPLATE, path) && errno != EEXIST)
		generator_complain(path);
}

static void generator_generate(const char *out, const char *tables, const char *crypttab,
			       const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s" SAVED_SUFFIX, tables, name);
	_cleanup_free_ char *text = read_text_file(path, FILE_MAX);
	_cleanup_findings_ struct findings ignored = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *node = xasprintf("/dev/mapper/%s", name);
	_cleanup_free_ char *device = generator_device_unit(node);
	_cleanup_free_ char *unit = saved_unit_name(name);
	_cleanup_free_ char *folder = xasprintf("%s/%s.d", out, unit);
	struct target *target = NULL;
	unsigned int i;

	if (!text)
		generator_complain(path);
	table_parse(&t, text ? text : "", &ignored);
	generator_write_drop_in(folder, &t, crypttab);
	/* nothing waits for this one; a mount that needs the device waits for that */
	generator_link_unit(out, "local-fs.target", "wants", unit);
	generator_link_unit(out, device, "requires", unit);
	/* a disk that comes after the boot has waited for it starts the unit once more */
	while ((target = table_next_leg(&t, target, &i))) {
		_cleanup_free_ char *leg = target->path ? NULL :
			generator_device_unit(target->legs[i].device);

		if (leg)
			generator_link_unit(out, leg, "wants", unit);
	}
}

int main(int argc, char **argv)
{
	const char *tables = argc > 4 ? argv[4] : SAVED_DIR;
	const char *crypttab = argc > 5 ? argv[5] : "/etc/crypttab";
	_cleanup_dir_ DIR *dir = argc > 1 ? opendir(tables) : NULL;
	const char *entry;

	if (!dir && argc > 1 && errno != ENOENT)
		generator_complain(tables);
	while ((entry = read_name(dir))) {
		_cleanup_free_ char *name = saved_name(entry);

		if (name)
			generator_generate(argv[1], tables, crypttab, name);
	}
	return 0;
}
