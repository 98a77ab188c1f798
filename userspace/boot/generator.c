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
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "model/boot-unit.h"
#include "model/finding.h"
#include "model/saved.h"
#include "model/table.h"

#ifndef UNIT_DIR
#define UNIT_DIR	"/usr/lib/systemd/system"
#endif
#define TEMPLATE	UNIT_DIR "/noclone-device@.service"
#define FILE_MAX	(16U << 20)

static void generator_complain(const char *path)
{
	const char *why = read_text_problem(errno);
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

static void generator_write_file(const char *folder, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	FILE *file;

	generator_make_folder(folder);
	file = fopen(path, "wxe");
	if (!file || fputs(text, file) < 0)
		generator_complain(path);
	if (file && fclose(file))
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

/* A disk that comes after the boot has waited for it starts the unit once more. */
static void generator_link_legs(const char *out, const struct target *t, const char *unit)
{
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++) {
		_cleanup_free_ char *leg = boot_unit_leg(&t->legs[i]);

		if (leg)
			generator_link_unit(out, leg, "wants", unit);
	}
}

static void generator_generate(const char *out, const char *tables, const char *crypttab,
			       const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s" SAVED_SUFFIX, tables, name);
	_cleanup_free_ char *text = read_text_file(path, FILE_MAX);
	_cleanup_findings_ struct findings ignored = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *node = xasprintf("/dev/mapper/%s", name);
	_cleanup_free_ char *device = boot_unit_device(node);
	_cleanup_free_ char *unit = boot_unit_service(name);
	_cleanup_free_ char *folder = xasprintf("%s/%s.d", out, unit);
	_cleanup_free_ char *drop_in = NULL;
	unsigned int i;

	if (!text)
		generator_complain(path);
	table_parse(&t, text ? text : "", &ignored);
	drop_in = boot_unit_print(&t, crypttab);
	generator_write_file(folder, "50-members.conf", drop_in);
	/* nothing waits for this one; a mount that needs the device waits for that */
	generator_link_unit(out, "local-fs.target", "wants", unit);
	generator_link_unit(out, device, "requires", unit);
	for (i = 0; i < t.nr; i++)
		generator_link_legs(out, &t.targets[i], unit);
}

int main(int argc, char **argv)
{
	const char *tables = argc > 4 ? argv[4] : SAVED_DIR;
	_cleanup_free_ char *crypttab = read_text_file(argc > 5 ? argv[5] : "/etc/crypttab",
						       FILE_MAX);
	_cleanup_dir_ DIR *dir = argc > 1 ? opendir(tables) : NULL;
	const char *entry;

	if (!dir && argc > 1 && errno != ENOENT)
		generator_complain(tables);
	while ((entry = read_name(dir))) {
		_cleanup_free_ char *name = saved_name(entry);

		if (name)
			generator_generate(argv[1], tables, crypttab ? crypttab : "", name);
	}
	return 0;
}
