// SPDX-License-Identifier: GPL-2.0-only
/* noclone create */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/name.h"
#include "system/lookup.h"
#include "system/saved-file.h"
#include "cli/build.h"
#include "cli/select.h"
#include "cmd/change.h"
#include "cmd/cmd.h"

/*
 * @requested with the prefix of our devices, or a random one if that is NULL: a new
 * string, or NULL after a message.
 */
static char *create_new_uuid(const char *requested)
{
	_cleanup_free_ char *random = requested ? NULL : read_line_of("/proc/sys/kernel/random/uuid");
	const char *rest = requested ? requested : random, *wrong;
	char *uuid;

	if (!rest) {
		log_err("no UUID: cannot read /proc/sys/kernel/random/uuid; give one with --uuid");
		return NULL;
	}
	uuid = xasprintf("%s%s", str_starts(rest, NOCLONE_UUID_PREFIX) ? "" : NOCLONE_UUID_PREFIX,
			 rest);
	wrong = uuid_problem(uuid);
	if (!wrong)
		return uuid;
	log_err("--uuid \"%s\" %s", uuid, wrong);
	free(uuid);
	return NULL;
}

/* Each command that makes a device has the lock until the device has its table. */
static bool create_remove_leftover(struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !change_lock(c, c->dev.name) && c->lock >= 0 && !devmap_info(c->dev.name, &dev) &&
	       str_starts(dev.uuid, NOCLONE_UUID_PREFIX) && devmap_remove_unfinished(&dev);
}

/*
 * A device that never had a table is not in sysfs.  sysfs also answers the dry run of a user who may
 * not ask device-mapper.
 */
static int create_check_absent(struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device seen = { 0 };
	const char *name = c->dev.name;
	int r = devmap_info(name, &seen);
	_cleanup_free_ char *save = name_noclone("save", name);

	if (devmap_is_absent(r) || (!r && !seen.live_table && create_remove_leftover(c)) ||
	    (!seen.live_table && !blockdev_mapped_number(name)))
		return 0;
	log_err("%s exists; \"noclone reload\" gives it a new table, \"%s\" saves it",
		name, save);
	return -EEXIST;
}

/* A saved device with that UUID would be taken for this one. */
static int create_check_saved(const struct change *c)
{
	_cleanup_free_ char *path = saved_path(c->dev.name);
	_cleanup_free_ char *file = saved_file_of(c->dev.name, c->dev.uuid);
	_cleanup_free_ char *forget = file ? name_noclone("remove --forget", file) : NULL;

	if (opt(c->o, OPT_FORCE))
		return 0;
	if (saved_file_misplaced(c->dev.name))
		log_err("%s: %s", path, saved_file_misplaced(c->dev.name));
	else if (saved_file_exists(c->dev.name))
		log_err("%s is saved in %s: noclone activate brings it back; --force makes another device, and with --persist replaces that file",
			c->dev.name, path);
	else if (file)
		log_err("--uuid %s is that of %s, a saved device: %s gives that up",
			c->dev.uuid, file, forget);
	else
		return 0;
	return -EEXIST;
}

/* NULL, or what is wrong with the command line: a new string. */
static char *create_usage(const struct build *b, const char *name)
{
	const char *wrong = name_problem(name);

	if (!wrong && opt(b->options, OPT_PERSIST))
		wrong = saved_name_problem(name);
	return wrong ? xasprintf("\"%s\" %s", name, wrong) : build_usage(b);
}

static int create_look(struct change *c)
{
	int r = opt(c->o, OPT_DRY_RUN) ? 0 : devmap_permitted();

	if (r)
		log_err("creating %s failed: %s", c->dev.name, devmap_reason(r));
	return r ? : create_check_absent(c) ? : create_check_saved(c);
}

/* Another process may have made the device, or saved one, before it gave up the lock. */
static int create_begin(struct change *c)
{
	int r = change_lock(c, c->dev.name) ? : create_look(c);

	if (r || !opt(c->o, OPT_PERSIST))
		return r;
	c->add = true;
	c->as_is = opt(c->o, OPT_FORCE);
	return change_read_file(c);
}

static int create(struct change *c, const struct build *b)
{
	/* a mistake leaves no lock behind */
	int r = create_look(c) ? : build_table(b, &c->backing, &c->table, &c->findings) ? :
		change_check(c) ? : create_begin(c);

	if (r)
		return r;
	return opt(c->o, OPT_DRY_RUN) ? change_print(c, "", "") : change_run(c);
}

int cmd_create(const struct options *o, int argc, char **argv)
{
	const struct build build = { .options = o, .argc = argc - 1, .argv = argv + 1 };
	_cleanup_free_ char *name = select_new_name(argv[0]);
	_cleanup_free_ char *wrong = create_usage(&build, name);
	_cleanup_change_ struct change c = CHANGE_INIT(o, "create");

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	c.dev.name = xstrdup(name);
	c.readonly = opt(o, OPT_READONLY);
	c.dev.uuid = create_new_uuid(o->uuid);
	if (!c.dev.uuid)
		return o->uuid ? EXIT_USAGE : EXIT_FAILED;
	if (create(&c, &build))
		return EXIT_FAILED;
	if (opt(o, OPT_PERSIST) && !opt(o, OPT_DRY_RUN))
		saved_unit("start", c.dev.name);
	return EXIT_OK;
}
