// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone resize: what is to be done.  All that can be known to fail is found here,
 * before anything has changed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/name.h"
#include "model/plan.h"
#include "model/resize.h"
#include "system/blockdev.h"
#include "system/guard.h"
#include "system/identity.h"
#include "system/saved-file.h"
#include "cli/confirm.h"
#include "cli/load.h"
#include "cli/problem-log.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/resize-room.h"
#include "cmd/resize-shrink.h"
#include "cmd/resize-run.h"
#include "cmd/save.h"

static void resize_free(struct resize *r)
{
	devmap_device_free(&r->dev);
	live_free(&r->live);
	table_free(&r->new);
	table_free(&r->direct);
	filesystem_free(&r->fs);
	filesystem_plan_free(&r->plan);
	if (r->lock >= 0)
		close(r->lock);
}

/* What is known of the device may be old by the time that the lock is there. */
static int lock(struct resize *r)
{
	_cleanup_free_ char *name = xstrdup(r->dev.name);

	r->lock = saved_file_lock(name);
	if (r->lock < 0)
		return r->lock;
	devmap_device_free(&r->dev);
	r->dev = (struct devmap_device) { 0 };
	return select_device(name, &r->dev);
}

static int look(struct resize *r, const char *word)
{
	_cleanup_free_ char *why = NULL, *resume = NULL;
	int e = select_device(word, &r->dev);

	if (!e && !opt(r->o, OPT_DRY_RUN))
		e = lock(r);
	if (!e)
		e = select_check_owner(r->o, &r->dev);
	if (e)
		return e;
	resume = name_command("resume", r->dev.name);
	if (r->dev.suspended)
		why = xasprintf("it is suspended; to resume it: %s", resume);
	else if (r->dev.inactive_table)
		why = xstrdup("another program has loaded a table: \"dmsetup clear\" drops that");
	if (why)
		return resize_refuse(r, -EBUSY, why);
	live_get(r->dev.name, &r->live);
	r->running = &r->live.table;
	why = resize_objection(&r->live.table);
	if (why)
		return resize_refuse(r, -EOPNOTSUPP, why);
	r->old_sectors = table_sectors(&r->live.table);
	r->saved = save_is_current(&r->dev, &r->live.table);
	return 0;
}

/* The engine extent pins the file, so it has to let go of it while the file grows. */
static void plan_growth(struct resize *r, const struct growth_room *room)
{
	const struct target *last = resize_last(&r->new);
	uint64_t bytes = (last->file_start + last->length) << SECTOR_SHIFT;
	uint64_t block = room->room.block;
	unsigned int i;

	r->file_bytes = room->file_bytes;
	bytes = (bytes + block - 1) / block * block;
	if (bytes <= r->file_bytes)
		return;
	r->growth = (struct growth) {
		.path = resize_last(&r->live.table)->path,
		.id = resize_last(&r->live.table)->id,
		.bytes = bytes,
		.kind = opt(r->o, OPT_ALLOCATE) || last->engine == ENGINE_EXTENT ?
			GROWTH_WRITTEN : opt(r->o, OPT_SPARSE) ? GROWTH_SPARSE :
			GROWTH_RESERVED,
	};
	if (last->engine != ENGINE_EXTENT)
		return;
	table_copy(&r->live.table, &r->direct);
	for (i = 0; i < r->direct.nr; i++) {
		struct target *t = &r->direct.targets[i];

		if (!t->path || t->engine != ENGINE_EXTENT)
			continue;
		t->engine = ENGINE_DIRECT;
		/* it is the default, which the kernel does not name when it prints the table */
		t->engine_given = false;
	}
}

/* What is in the way of the room is worth a word. */
static int refuse_size(const struct resize *r, const struct growth_room *room,
		       const char *why)
{
	if (room->next && !room->nr_legs)
		log_err("%s: %s; after it comes %s", r->dev.name, why, room->next);
	else
		resize_refuse(r, -ENOSPC, why);
	return -ENOSPC;
}

static int plan_new_table(struct resize *r, const struct resize_size *size,
		      const struct leg_spec *specs, unsigned int nr)
{
	_cleanup_room_ struct growth_room room = { 0 };
	const struct target *last = resize_last(&r->live.table);
	_cleanup_free_ char *why = NULL;
	int e;

	if (nr && last->kind != TARGET_LINEAR)
		return resize_refuse(r, -EINVAL, "devices can be added to a linear one only: reload gives it another table");
	e = resize_check_files(r, &r->live.table);
	if (e)
		return e;
	e = room_find(&room, last, specs, nr, size->how == RESIZE_MAX);
	if (e)
		return e;
	why = resize_table(&r->live.table, size, &room.room, &r->new);
	if (why)
		return refuse_size(r, &room, why);
	r->sectors = table_sectors(&r->new);
	if (nr && r->sectors < r->old_sectors)
		return resize_refuse(r, -EINVAL, "devices can only be added to a device that grows");
	if (last->path && r->sectors > r->old_sectors)
		plan_growth(r, &room);
	table_rename_devices(&r->new, identity_path);
	return 0;
}

static int plan_filesystem(struct resize *r)
{
	_cleanup_free_ char *device = xasprintf("/dev/mapper/%s", r->dev.name);
	_cleanup_free_ char *why = NULL;
	int e;

	/* without udev it may have another node only */
	if (access(device, F_OK)) {
		free(device);
		device = xasprintf("/dev/dm-%u", minor(r->dev.devno));
	}
	e = filesystem_probe(device, r->dev.devno, &r->fs);
	if (e) {
		log_err("%s: cannot look what is on it: %s", device, strerror(-e));
		return e;
	}
	if (!opt(r->o, OPT_RESIZEFS))
		return 0;
	why = filesystem_plan(&r->fs, r->old_sectors, r->sectors, &r->plan);
	return why ? resize_refuse(r, -EOPNOTSUPP, why) : 0;
}

static void check_new_leg(const struct resize *r, const char *device, uint32_t block,
			  struct problems *problems)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	if (blockdev_lookup(device, &f))
		return;
	if (f.readonly && !r->dev.readonly)
		problem_add(problems, PROBLEM_ERROR, 0, "%s is read-only", device);
	/* a file system that was made for smaller ones may not even be mounted again */
	if (f.logical_block > block)
		problem_add(problems, PROBLEM_ERROR, 0,
			    "%s has logical blocks of %u bytes, %s of %u: what is on that may not be usable any more",
			    device, f.logical_block, r->dev.name, block);
}

static void check_new_legs(const struct resize *r, struct problems *problems)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	unsigned int i, j;

	if (r->new.nr == r->live.table.nr || blockdev_lookup_number(r->dev.devno, &f))
		return;
	for (i = r->live.table.nr; i < r->new.nr; i++)
		for (j = 0; j < r->new.targets[i].nr_legs; j++)
			check_new_leg(r, r->new.targets[i].legs[j].device,
				      f.logical_block, problems);
}

static void check_growth(const struct resize *r, struct problems *problems)
{
	const struct target *last = resize_last(&r->live.table);
	const struct target *same = &r->new.targets[r->live.table.nr - 1];
	const struct guard guard = {
		.self = r->dev.devno, .saved = true, .readonly = r->dev.readonly,
	};

	guard_table(&r->new, &guard, problems);
	check_new_legs(r, problems);
	room_check(last, target_leg_length(same) - target_leg_length(last), problems);
	/* a file that has to grow is not yet what the table needs */
	if (!r->growth.bytes)
		resize_lint(r, problems);
}

static int check(const struct resize *r, struct problems *problems)
{
	if (r->sectors > r->old_sectors)
		check_growth(r, problems);
	else if (r->sectors < r->old_sectors)
		shrink_check(r->o, &r->dev, &r->fs, r->old_sectors, r->sectors, problems);
	problems_log_errors(problems, r->dev.name);
	if (resize_is_cycle(r))
		return resize_refuse(r, -ELOOP, "refused: a device cannot be built on itself");
	return load_overridden(r->o, problems) ? 0 : -EPERM;
}

static bool agreed(const struct resize *r)
{
	_cleanup_free_ char *lost = NULL;

	if (r->sectors >= r->old_sectors)
		return true;
	lost = size_format(r->old_sectors - r->sectors);
	return confirm(r->o, "%s loses its last %s, and the data there", r->dev.name, lost);
}

/*
 * A question may wait for an hour. By then somebody may have mounted what is on the
 * device, or made another file system.
 */
static int agree(struct resize *r)
{
	_cleanup_problems_ struct problems problems = { 0 };
	int e;

	if (!agreed(r))
		return -ECANCELED;
	if (r->sectors >= r->old_sectors || opt(r->o, OPT_YES))
		return 0;
	filesystem_free(&r->fs);
	filesystem_plan_free(&r->plan);
	e = plan_filesystem(r);
	return e ? e : check(r, &problems);
}

static int go(struct resize *r, const struct problems *problems)
{
	int e;

	if (opt(r->o, OPT_DRY_RUN)) {
		resize_print_steps(r, problems);
		return 0;
	}
	if (r->sectors == r->old_sectors)
		log_note("%s has that size already", r->dev.name);
	e = agree(r);
	if (e)
		return e;
	r->known = problems;
	stop_hold();
	e = resize_run(r);
	stop_release();
	return e;
}

static int resize(struct resize *r, const char *word, const struct resize_size *size,
		  const struct leg_spec *specs, unsigned int nr)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_free_ char *wrong = NULL;
	int e = look(r, word);

	if (!e)
		e = plan_new_table(r, size, specs, nr);
	if (e)
		return e;
	wrong = shrink_usage(r->o, size, r->dev.name, r->old_sectors, r->sectors);
	if (wrong) {
		log_err("%s", wrong);
		return -EINVAL;
	}
	e = plan_filesystem(r);
	if (!e)
		e = check(r, &problems);
	return e ? e : go(r, &problems);
}

static bool is_size(const char *word)
{
	struct resize_size size;

	return !resize_parse(&size, word);
}

/* NULL, or what is wrong with the words: a new string. */
static char *parse_words(int argc, char **argv, struct resize_size *size,
			 struct leg_spec *specs)
{
	const char *wrong = resize_parse(size, argv[1]);
	int i;

	if (wrong && is_size(argv[0]))
		return xasprintf("the name comes before the size: noclone resize %s %s",
				 argv[1], argv[0]);
	if (wrong)
		return xasprintf("%s: %s; expected SIZE, +SIZE, -SIZE or max", argv[1], wrong);
	if (argc > 2 && size->how == RESIZE_LESS)
		return xstrdup("devices can only be added to a device that grows");
	for (i = 2; i < argc; i++) {
		wrong = leg_spec_parse(&specs[i - 2], argv[i]);
		if (wrong)
			return xasprintf("\"%s\": %s; expected DEV[:START[+LEN]]", argv[i],
					 wrong);
	}
	return NULL;
}

int cmd_resize(const struct options *o, int argc, char **argv)
{
	struct plan_request legs = { .nr_legs = argc - 2 };
	__attribute__((cleanup(resize_free))) struct resize r = { .o = o, .lock = -1 };
	_cleanup_free_ char *wrong = NULL;
	struct resize_size size;
	int e;

	legs.legs = xzalloc(argc * sizeof(*legs.legs));
	wrong = parse_words(argc, argv, &size, legs.legs);
	if (!wrong && opt(o, OPT_SPARSE) && opt(o, OPT_ALLOCATE))
		wrong = xstrdup("--sparse and --allocate are opposites: give one of them");
	if (wrong)
		log_err("%s", wrong);
	e = wrong ? -EINVAL : resize(&r, argv[0], &size, legs.legs, argc - 2);
	plan_request_free(&legs);
	if (wrong)
		return EXIT_USAGE;
	return e ? EXIT_FAILED : EXIT_OK;
}
