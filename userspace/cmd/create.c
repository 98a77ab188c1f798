// SPDX-License-Identifier: GPL-2.0-only
/* noclone create: make a new mapped device. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "system/blockdev.h"
#include "system/saved-file.h"
#include "system/saved-unit.h"
#include "cli/build.h"
#include "cli/select.h"
#include "cmd/change.h"
#include "cmd/cmd.h"
#include "cmd/partitions.h"

static const struct change_needs create_needs = { .command = "create", .creates = true };

/*
 * Make the UUID of a new device: the prefix of our devices, followed by @requested, or by a random
 * UUID if @requested is NULL. If @requested already begins with the prefix, no prefix is added.
 *
 * Return: a new string, or NULL after a message.
 */
static char *create_new_uuid(const char *requested)
{
	_cleanup_free_ char *random = requested ? NULL : read_line_of("/proc/sys/kernel/random/uuid");
	const char *rest = requested ? requested : random, *wrong;
	char *uuid;

	if (!rest) {
		log_err("cannot read a UUID from /proc/sys/kernel/random/uuid: give a UUID with --uuid");
		return NULL;
	}
	uuid = xasprintf("%s%s", name_uuid_is_noclone(rest) ? "" : NOCLONE_UUID_PREFIX,
			 rest);
	wrong = name_uuid_problem(uuid);
	if (!wrong)
		return uuid;
	log_err("--uuid \"%s\" %s", uuid, wrong);
	free(uuid);
	return NULL;
}

/*
 * Make sure that no device has the name. change_make_name_free() removes a device of this name that
 * an interrupted command has left without a table; any other device of this name is an error.
 */
static int create_free_name(struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_free_ char *save = name_noclone("save", name);
	_cleanup_free_ char *remove = name_noclone("remove", name);

	if (change_make_name_free(c))
		return 0;
	/* a killed command may have made the device with only some of its partition devices */
	if (opt(c->o, OPT_PARTITIONS)) {
		log_err("%s exists; \"%s\" removes it and its partitions", name, remove);
		return -EEXIST;
	}
	log_err("%s exists; \"noclone reload\" gives the device a new table, and \"%s\" saves the device",
		name, save);
	return -EEXIST;
}

/* Check that no device has the requested UUID, because the tool finds a device by its UUID. */
static int create_check_uuid(const struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device other = { 0 };

	if (!c->o->uuid || devmap_look(&(struct devmap_device) { .uuid = c->dev.uuid }, &other) ||
	    !strcmp(other.name, c->dev.name))
		return 0;
	log_err("--uuid %s is the UUID of %s: give another UUID, or leave --uuid out", c->dev.uuid,
		other.name);
	return -EEXIST;
}

/*
 * Check that no saved device has the name or the UUID of the new device, because the tool would
 * take the new device for the saved one. Check also that no saved device has a partition of this
 * name, because the saved device could not be activated then.
 */
static int create_check_saved(const struct change *c)
{
	_cleanup_free_ char *path = saved_path(c->dev.name);
	_cleanup_free_ char *file = saved_file_of(c->dev.name, c->dev.uuid);
	_cleanup_free_ char *forget = file ? name_noclone("remove --forget", file) : NULL;
	_cleanup_free_ char *disk = saved_file_with_partition(c->dev.name);

	if (opt(c->o, OPT_FORCE))
		return 0;
	if (saved_file_misplaced(c->dev.name))
		log_err("%s: %s", path, saved_file_misplaced(c->dev.name));
	else if (saved_file_exists(c->dev.name))
		log_err("%s is saved in %s: \"noclone activate\" brings the saved device back; --force makes another device, and --force --persist also replaces the saved file",
			c->dev.name, path);
	else if (file)
		log_err("--uuid %s is the UUID of the saved device %s: \"%s\" removes the file of the saved device",
			c->dev.uuid, file, forget);
	else if (disk)
		log_err("%s is the name of a partition of the saved device %s: use another name",
			c->dev.name, disk);
	else
		return 0;
	return -EEXIST;
}

/*
 * Check the words of the command line, without looking at devices. name_problem() refuses a name
 * that is empty, too long or "control", that begins with "-", or that has a slash or an unusual
 * character. saved_name_problem() also refuses a name that begins with a dot, or that is too long
 * for a unit of systemd. build_usage() checks the target and its legs.
 *
 * Return: what is wrong, a new string, or NULL.
 */
static char *create_usage(const struct build *b, const char *name)
{
	const char *wrong = name_problem(name);

	if (!wrong && opt(b->options, OPT_PERSIST))
		wrong = saved_name_problem(name);
	return wrong ? xasprintf("\"%s\" %s", name, wrong) : build_usage(b);
}

/* Check that this process can open /dev/mapper/control. A dry run does not need this file. */
static int create_check_permitted(const struct change *c)
{
	int r = opt(c->o, OPT_DRY_RUN) ? 0 : devmap_permitted();

	if (r)
		log_err("creating %s failed: %s", c->dev.name, devmap_reason(r));
	return r;
}

static int create_look(struct change *c)
{
	return create_check_permitted(c) ? : create_free_name(c) ? : create_check_uuid(c) ? :
	       create_check_saved(c);
}

static bool create_is_free(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return devmap_info(name, &dev) && !saved_file_exists(name) && !blockdev_mapped_number(name);
}

/*
 * Choose a name if the user has given "-": "noclone" with the first free number. With @lock, take
 * the lock of the name, so that no other command chooses this name before the device is made. The
 * command first calls this function without @lock, and with @lock only after all checks, so that a
 * wrong command line creates no lock file.
 */
static int create_choose_name(struct change *c, bool lock)
{
	unsigned int n;
	int r;

	for (n = 0;; n++) {
		free(c->dev.name);
		c->dev.name = xasprintf("noclone%u", n);
		if (!create_is_free(c->dev.name))
			continue;
		r = lock ? change_lock_late(c) : 0;
		if (r || !lock || create_is_free(c->dev.name))
			return r;
		change_file_end(&c->file);
	}
}

/*
 * Lock the name, and then check again that it is free: while this command waited for the lock,
 * another process may have made or saved a device of this name. @chosen: the tool chooses the name
 */
static int create_begin(struct change *c, bool chosen)
{
	int r = chosen ? create_choose_name(c, true) : change_lock_late(c);

	if (!r)
		r = create_look(c);
	if (r || !opt(c->o, OPT_PERSIST))
		return r;
	c->file.adds = true;
	if (opt(c->o, OPT_PARTITIONS))
		c->file.partitions = partition_numbers(&c->parts.table);
	c->file.noscan = c->noscan;
	c->file.as_is = opt(c->o, OPT_FORCE);
	return change_file_read(&c->file);
}

/*
 * Make the device. All checks but the last come before the first change: create_look() checks the
 * name, build_table() and change_check() check the table and its legs, and create_begin() checks
 * the name once more, with its lock. Only create_free_name() changes something earlier: it removes
 * the leftover of an interrupted command. The last check is change_check_loaded() in change.c, after
 * the load of the table and before the resume.
 */
static int create(struct change *c, const struct build *b, bool chosen)
{
	/*
	 * create_begin() chooses the name again, because another command may take this name until
	 * then
	 */
	int r = (chosen ? create_check_permitted(c) : create_look(c)) ? :
		build_table(b, &c->backing, &c->table, &c->results.findings);

	if (!r && opt(c->o, OPT_PARTITIONS))
		r = partitions_plan(c);
	/*
	 * create_begin() comes after the checks, because taking the lock creates a lock file, and a
	 * wrong command line must not leave this file behind
	 */
	if (!r)
		r = change_check(c) ? : create_begin(c, chosen);
	if (r)
		return r;
	return opt(c->o, OPT_DRY_RUN) ? change_print(c, "", "") : change_run(c);
}

int cmd_create(const struct options *o, int argc, char **argv)
{
	const struct build build = { .options = o, .argc = argc - 1, .argv = argv + 1 };
	const bool chosen = !strcmp(argv[0], "-");
	_cleanup_change_ struct change c = CHANGE_INIT(c, o, &create_needs);
	_cleanup_free_ char *wrong = NULL;
	int r;

	/* select_new_name() accepts /dev/mapper/NAME in place of NAME */
	if (chosen)
		create_choose_name(&c, false);
	else
		c.dev.name = select_new_name(argv[0]);
	wrong = create_usage(&build, c.dev.name);
	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	c.readonly = opt(o, OPT_READONLY);
	c.noscan = opt(o, OPT_NOSCAN);
	c.dev.uuid = create_new_uuid(o->uuid);
	if (!c.dev.uuid)
		return o->uuid ? EXIT_USAGE : EXIT_FAILED;
	r = create(&c, &build, chosen);
	if (!devmap_is_done(r))
		return EXIT_FAILED;
	/* release the lock first, because the unit of the device waits for the lock */
	change_file_end(&c.file);
	if (opt(o, OPT_PERSIST) && !opt(o, OPT_DRY_RUN))
		saved_unit("start", c.dev.name);
	if (chosen && !opt(o, OPT_DRY_RUN | OPT_JSON))
		printf("/dev/mapper/%s\n", c.dev.name);
	return r ? EXIT_FAILED : EXIT_OK;
}
