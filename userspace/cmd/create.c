// SPDX-License-Identifier: GPL-2.0-only
/* noclone create */
#include <errno.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/table.h"
#include "system/backing.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/live.h"
#include "system/saved-file.h"
#include "cli/build.h"
#include "cli/output.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cmd/cmd.h"
#include "cmd/saved-update.h"

/* The DM UUID of a new device. */
static char *create_random_uuid(const char *requested)
{
	_cleanup_free_ char *random = NULL;

	if (requested && str_starts(requested, NOCLONE_UUID_PREFIX))
		return xstrdup(requested);
	if (!requested)
		random = read_line_of("/proc/sys/kernel/random/uuid");
	if (!requested && !random)
		return NULL;
	return xasprintf("%s%s", NOCLONE_UUID_PREFIX, requested ? requested : random);
}

/*
 * @requested with the prefix of our devices, or a random one if that is NULL: a new
 * string, or NULL after a message.
 */
static char *create_new_uuid(const char *requested)
{
	char *uuid = create_random_uuid(requested);
	const char *wrong = uuid ? uuid_problem(uuid) : NULL;

	if (uuid && !wrong)
		return uuid;
	if (uuid)
		log_err("--uuid \"%s\" %s", uuid, wrong);
	else
		log_err("no UUID: cannot read /proc/sys/kernel/random/uuid; give one with --uuid");
	cleanup_free(&uuid);
	return NULL;
}

static void create_dry_run(const struct options *o, const char *name,
			   const char *uuid, const struct table *t,
			   const struct findings *findings, const char *save)
{
	_cleanup_free_ char *quoted = shell_quote(uuid);
	_cleanup_free_ char *options = xasprintf("%s%s --uuid %s",
		opt(o, OPT_READONLY) ? " --readonly" : "",
		opt(o, OPT_NOUDEVSYNC) ? " --noudevsync" : "", quoted);
	_cleanup_free_ char *create = dry_run_dmsetup("create", name, options, t);
	_cleanup_free_ char *line = xasprintf("%s%s", create, save);

	dry_run(o, "create", name, uuid, t, findings, line);
}

static int create(const struct options *o, const char *name, const char *uuid,
		  const struct table *t, const struct backing *backing,
		  const struct findings *known)
{
	_cleanup_free_ char *size = size_format_short(table_sectors(t));
	struct load_check unused = {
		.known = known, .table = t, .saved = !backing_is_new(backing),
		.readonly = opt(o, OPT_READONLY),
	};
	const struct devmap_check check = { .loaded = load_still_unused, .data = &unused };
	int r = devmap_create(name, uuid, t, opt(o, OPT_READONLY), &check, NULL);

	if (!r) {
		log_verbose("%s: %s in %u target%s, UUID %s", name, size,
			    t->nr, t->nr == 1 ? "" : "s", uuid);
		live_warn_stand_in(name);
	}
	return r;
}

/* Each command that makes a device has the lock until the device has its table. */
static bool create_remove_leftover(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device seen = { 0 }, dev = { 0 };
	_cleanup_close_ int lock = -1;

	if (opt(o, OPT_DRY_RUN) || saved_name_problem(name) ||
	    devmap_info(name, &seen) || seen.live_table)
		return false;
	lock = saved_file_lock(name);
	return lock >= 0 && !devmap_info(name, &dev) &&
	       str_starts(dev.uuid, NOCLONE_UUID_PREFIX) && devmap_remove_unfinished(&dev);
}

/* The command that made the device may have been killed before it named the file. */
static bool create_is_unsaved(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *staged = devmap_info(name, &dev) ? NULL :
				      saved_file_leftover(name, dev.uuid);

	return staged;
}

static bool create_device_exists(const struct options *o, const char *name)
{
	/* one that never had a table is not in sysfs */
	if (create_remove_leftover(o, name) || !blockdev_mapped_number(name))
		return false;
	if (create_is_unsaved(name))
		log_err("%s exists, but the command that made it was interrupted: \"noclone save %s\" saves it",
			name, name);
	else
		log_err("%s exists; \"noclone reload\" gives it a new table", name);
	return true;
}

/* A saved device with that UUID would be taken for this one. */
static bool create_check_saved_uuid(const struct options *o, const char *name,
				    const char *uuid)
{
	_cleanup_free_ char *file = saved_file_of(name, uuid);

	if (!file || opt(o, OPT_FORCE))
		return true;
	log_err("--uuid %s is that of %s, a saved device: noclone remove --forget %s gives that up",
		uuid, file, file);
	return false;
}

static bool create_check_saved(const struct options *o, const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	const char *wrong = saved_name_problem(name);

	if (opt(o, OPT_PERSIST) && wrong) {
		log_err("\"%s\" %s", name, wrong);
		return false;
	}
	if (!saved_file_exists(name) || opt(o, OPT_FORCE))
		return true;
	log_err("%s is saved in %s: noclone activate brings it back; --force makes another one, whose file replaces that with --persist",
		name, path);
	return false;
}

static int create_refuse_words(const char *wrong)
{
	log_err("%s", wrong);
	return EXIT_USAGE;
}

static int create_check_name(const char *name)
{
	const char *wrong = name_problem(name);
	_cleanup_free_ char *sentence = wrong ? xasprintf("\"%s\" %s", name, wrong) : NULL;

	return wrong ? create_refuse_words(sentence) : EXIT_OK;
}

static int create_check_words(const struct build *b, const char *name)
{
	_cleanup_free_ char *wrong = build_usage(b);

	if (create_device_exists(b->options, name) || !create_check_saved(b->options, name))
		return EXIT_FAILED;
	return wrong ? create_refuse_words(wrong) : EXIT_OK;
}

static int create_lock(const struct options *o, const char *name, struct saved_update *u)
{
	if (opt(o, OPT_DRY_RUN) || saved_name_problem(name))
		return 0;
	u->lock = saved_file_lock(name);
	return MIN(u->lock, 0);
}

/*
 * With --persist, its file is written before there is a device, and named when there is.
 * The process that had the lock may have saved another device of that name, or UUID.
 */
static int create_begin(const struct options *o, const char *name, const char *uuid,
			struct saved_update *u)
{
	int r;

	u->add = opt(o, OPT_PERSIST);
	r = u->add ? saved_update_begin(u, o, name, uuid) : create_lock(o, name, u);
	u->as_is = opt(o, OPT_FORCE);
	if (!r && u->add && !(create_check_saved(o, name) && create_check_saved_uuid(o, name, uuid)))
		r = -EEXIST;
	return r;
}

static int create_saved(const struct build *b, const char *name, const char *uuid,
			const struct table *t, struct backing *backing,
			const struct findings *findings)
{
	_cleanup_saved_update_ struct saved_update u = SAVED_UPDATE_INIT;
	const struct options *o = b->options;
	bool good = false;
	int r = create_begin(o, name, uuid, &u);

	if (r)
		return r;
	r = load_begin(b, t, backing);
	if (!r)
		r = saved_update_stage(&u, t, opt(o, OPT_READONLY));
	if (!r) {
		r = create(o, name, uuid, t, backing, findings);
		/* with udev late, the device is complete */
		good = !r || r == -ETIMEDOUT;
	}
	if (good)
		r = saved_update_commit(&u) ? : r;
	saved_update_end(&u);
	load_end(backing, good);
	return r;
}

static int create_plan(const struct options *o, const char *name, const char *uuid,
		       const struct table *t, const struct findings *findings)
{
	_cleanup_saved_update_ struct saved_update u = SAVED_UPDATE_INIT;
	int r = create_begin(o, name, uuid, &u);

	if (!r)
		r = saved_update_stage(&u, t, opt(o, OPT_READONLY));
	if (!r)
		create_dry_run(o, name, uuid, t, findings, saved_update_words(&u));
	return r;
}

int cmd_create(const struct options *o, int argc, char **argv)
{
	const struct build build = {
		.options = o, .choose_chunk = true, .argc = argc - 1, .argv = argv + 1,
	};
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_backing_ struct backing backing = { .fd = -1 };
	_cleanup_table_ struct table t = { 0 };
	const char *name = argv[0];
	_cleanup_free_ char *uuid = NULL;
	int r;

	r = create_check_name(name);
	if (!r)
		r = create_check_words(&build, name);
	if (r)
		return r;
	uuid = create_new_uuid(o->uuid);
	if (!uuid)
		return o->uuid ? EXIT_USAGE : EXIT_FAILED;
	if (!create_check_saved_uuid(o, name, uuid))
		return EXIT_FAILED;
	if (load_prepare(&build, &backing, &t, &findings))
		return EXIT_FAILED;
	if (opt(o, OPT_DRY_RUN)) {
		backing_announce(&backing);
		return create_plan(o, name, uuid, &t, &findings) ? EXIT_FAILED : EXIT_OK;
	}
	r = devmap_permitted();
	if (r) {
		log_err("creating %s failed: %s", name, devmap_reason(r));
		return EXIT_FAILED;
	}
	r = create_saved(&build, name, uuid, &t, &backing, &findings);
	if (!r && opt(o, OPT_PERSIST))
		saved_unit("start", name);
	return r ? EXIT_FAILED : EXIT_OK;
}
