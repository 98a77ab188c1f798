// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-generator: make units of systemd for the saved devices.
 *
 *	noclone-generator NORMAL [EARLY LATE [TABLES [CRYPTTAB]]]
 *
 * For each file NAME.table, the generator adds dependencies to noclone-device@NAME.service, and
 * makes the boot start this unit. A unit that waits for /dev/mapper/NAME also starts
 * noclone-device@NAME.service. See systemd.generator(7). The generator runs before all units, and
 * must not fail: errors go to the kernel log, and the generator continues with the other devices.
 * If the file NAME.table cannot be read, the device gets its unit nevertheless; the unit fails
 * later, and its message gives the reason.
 *
 * systemd starts noclone-device@NAME.service when the device units of the legs are active, and the
 * file systems with the backing files are mounted. A mount of a mapped device waits for the
 * blockdev@.target of this device. If a leg is a mapped device, noclone-device@NAME.service waits
 * for the blockdev@.target of the leg in the same way.
 */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/saved.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"

#ifndef UNIT_DIR
#define UNIT_DIR	"/usr/lib/systemd/system"
#endif
#define TEMPLATE	UNIT_DIR "/noclone-device@.service"
#define MAPPER_DIR	"/dev/mapper/"
#define FILE_MAX	(16U << 20)
/* UNIT_NAME_MAX: the longest name of a unit in systemd. */
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

/* Return: the unit of a path below /dev, such as "dev-sda.device", a new string, or NULL. */
static char *generator_device_unit(const char *path)
{
	_cleanup_free_ char *escaped = saved_escape(path + 1);
	_cleanup_free_ char *unit = xasprintf("%s.device", escaped);

	return str_starts(path, "/dev/") && strlen(unit) <= UNIT_NAME_MAX ? xstrdup(unit) : NULL;
}

/*
 * Does the crypttab have an encrypted device @name that the boot opens? systemd has no device unit
 * for an encrypted device without a file system. So if a leg is such a device,
 * noclone-device@.service waits for the unit that opens the encrypted device.
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

/*
 * Return: the path of a partition device, a new string. @number: the number of the partition, as a
 * word of the saved file
 */
static char *generator_partition(const char *name, const char *number)
{
	return xasprintf(MAPPER_DIR "%s-part%s", name, number);
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
 * Write a dependency on the mounts for a path. The path is in quotes, because a blank is a
 * separator, and has %% for %, because % begins a specifier. A path with a line break is left out,
 * because a unit file cannot contain it.
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

/*
 * Write dependencies for the mounts of partition devices: these mounts end before the device of the
 * image is removed. noclone-device@.service has the same dependencies for mounts of the device of
 * the image.
 */
static void generator_write_partitions(FILE *file, const char *name, const struct names *partitions)
{
	unsigned int i;

	for (i = 0; i < partitions->nr; i++) {
		_cleanup_free_ char *node = generator_partition(name, partitions->name[i]);
		_cleanup_free_ char *path = saved_escape(node + 1);

		fprintf(file, "Before=blockdev@%s.target\nWants=blockdev@%s.target\nPropagatesStopTo=blockdev@%s.target\n",
			path, path, path);
	}
}

/* Write the dependencies that the unit gets because of the content of the saved file. */
static void generator_write(FILE *file, const char *name, const struct saved *s,
			    const struct names *partitions, const char *crypttab)
{
	const struct table *t = &s->table;
	struct target *target = NULL;
	unsigned int i;

	fputs("# Made by noclone-generator from the device's table file\n[Unit]\n", file);
	while ((target = table_next_leg(t, target, &i)))
		if (target->path)
			generator_write_path(file, target->path);
		else
			generator_write_leg(file, target->legs[i].device, crypttab);
	generator_write_partitions(file, name, partitions);
}

static void generator_write_drop_in(const char *folder, const char *name, const struct saved *s,
				    const struct names *partitions, const char *crypttab)
{
	_cleanup_free_ char *path = xasprintf("%s/50-members.conf", folder);
	FILE *file;

	generator_make_folder(folder);
	file = fopen(path, "wxe");
	if (file)
		generator_write(file, name, s, partitions, crypttab);
	if (!file || fclose(file))
		generator_complain(path);
}

/* Make @unit start together with @wanting, by a link in the folder @wanting.@kind. */
static void generator_link_unit(const char *out, const char *wanting, const char *kind,
				const char *unit)
{
	_cleanup_free_ char *folder = xasprintf("%s/%s.%s", out, wanting, kind);
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, unit);

	generator_make_folder(folder);
	/* two legs may be on one disk, and need only one link */
	if (symlink(TEMPLATE, path) && errno != EEXIST)
		generator_complain(path);
}

/*
 * Read the file of one device, and write the units of this device to the folder @out. saved_parse()
 * takes from a damaged file what can be read, and "noclone activate" reports the damage later.
 */
static void generator_generate(const char *out, const char *tables, const char *crypttab,
			       const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s" SAVED_SUFFIX, tables, name);
	_cleanup_free_ char *text = read_text_file(path, FILE_MAX);
	_cleanup_findings_ struct findings ignored = { 0 };
	_cleanup_names_ struct names partitions = { 0 };
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *node = xasprintf("/dev/mapper/%s", name);
	_cleanup_free_ char *device = generator_device_unit(node);
	_cleanup_free_ char *unit = saved_unit_name(name);
	_cleanup_free_ char *folder = xasprintf("%s/%s.d", out, unit);
	struct target *target = NULL;
	unsigned int i;

	if (!text)
		generator_complain(path);
	saved_parse(&s, text ? text : "\n", &ignored);
	names_split(&partitions, s.partitions ? s.partitions : "");
	generator_write_drop_in(folder, name, &s, &partitions, crypttab);
	/*
	 * make the boot start the unit. local-fs.target only wants the unit, so a failure of the
	 * unit does not stop the boot. No mount waits for the unit because of this "wants". A
	 * mount of the device waits, because systemd orders each mount after the target blockdev@
	 * of its device
	 */
	generator_link_unit(out, "local-fs.target", "wants", unit);
	/* @device is not NULL: saved_name_problem() refuses names that are too long for a unit */
	generator_link_unit(out, device, "requires", unit);
	for (i = 0; i < partitions.nr; i++) {
		_cleanup_free_ char *part = generator_partition(name, partitions.name[i]);
		_cleanup_free_ char *part_unit = generator_device_unit(part);

		if (part_unit)
			generator_link_unit(out, part_unit, "requires", unit);
	}
	/*
	 * make each leg start the unit: a disk may appear after the boot has stopped waiting for
	 * it, and the unit is then started once more
	 */
	while ((target = table_next_leg(&s.table, target, &i))) {
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
