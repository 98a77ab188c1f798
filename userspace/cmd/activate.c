// SPDX-License-Identifier: GPL-2.0-only
/* noclone activate: bring saved devices back. */
#include "cmd/change.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/table.h"
#include "model/saved.h"
#include "system/devmap.h"
#include "system/lookup.h"
#include "system/users.h"
#include "system/identity.h"
#include "system/module.h"
#include "system/saved-file.h"
#include "cli/output.h"

/* How long others are waited for that look at legs, see activate_lock_legs() */
#define LEGS_SECONDS	10
#define MAX_BLOCK	4096
#define LOOP_TRIES	64

/**
 * struct activation - of one device
 * @o: options
 * @name: of the device
 * @saved: what its file says
 * @findings: of its legs
 * @lock: of its file, or -1
 * @legs: while legs are looked at, or -1
 * @forced: a leg has another signature than the file says
 */
struct activation {
	const struct options *o;
	const char *name;
	struct saved saved;
	struct findings findings;
	int lock, legs;
	bool forced;
};

static void activate_free(struct activation *a)
{
	saved_free(&a->saved);
	findings_free(&a->findings);
	cleanup_close(&a->legs);
	cleanup_close(&a->lock);
}

/*
 * Without the module such a file was a loop device, for which a discard makes a hole.
 * Engine extent has no use for a file with holes, and direct fills them.
 */
static void activate_replace_engines(const char *name, struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		_cleanup_file_facts_ struct file_facts f = { 0 };
		struct target *target = &t->targets[i];

		if (!target->path || target->engine != ENGINE_EXTENT ||
		    file_lookup(target->path, true, &f) || !f.map.nr_gaps)
			continue;
		target->engine = ENGINE_DIRECT;
		log_warn("%s: %s has holes or unwritten extents: it is used with engine direct instead of extent",
			 name, target->path);
	}
}

static int activate_check(struct activation *a)
{
	const bool dry_run = opt(a->o, OPT_DRY_RUN);
	const struct guard guard = {
		.exclusive = !dry_run, .any_signature = true, .readonly = a->saved.readonly,
	};
	_cleanup_free_ char *path = saved_path(a->name);
	struct table *t = &a->saved.table;

	signatures_check(&a->saved.table, !dry_run, &a->findings);
	a->forced = findings_count(&a->findings, FINDING_ERROR);
	activate_replace_engines(a->name, t);
	lint_table(t, &system_facts, 0, &a->findings);
	guard_table(t, &guard, &a->findings);
	findings_log(&a->findings, path, FINDING_OK);
	if (!findings_count(&a->findings, FINDING_ERROR))
		return 0;
	if (!opt(a->o, OPT_FORCE)) {
		log_err("%s is not activated", a->name);
		return -EPERM;
	}
	log_warn("%s: --force: activated nevertheless, if the kernel permits it", a->name);
	return 0;
}

/* What others have taken since the checks is found again before the device runs. */
static int activate_load(struct activation *a, const struct table *t)
{
	struct change_unused unused = {
		.known = &a->findings, .table = t, .readonly = a->saved.readonly,
	};
	const struct devmap_check check = { .loaded = change_still_unused, .data = &unused };
	int r = devmap_create(a->name, a->saved.uuid, t, a->saved.readonly, &check, &a->legs);

	/* with udev late, it is active */
	return r == -ETIMEDOUT ? 0 : r;
}

/*
 * A file system on the device may know its logical block, so keep that of noclone-file:
 * what direct I/O on the file is aligned to.
 */
static uint32_t activate_loop_block(const struct target *t)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	uint64_t borders = (t->legs->start | t->length) << SECTOR_SHIFT;

	if (t->engine == ENGINE_BUFFERED || file_lookup(t->path, false, &f))
		return SECTOR_SIZE;
	return f.align > SECTOR_SIZE && f.align <= MAX_BLOCK &&
	       !(borders % f.align) ? f.align : SECTOR_SIZE;
}

/*
 * The loop device stays open until the tool ends; then the mapped device holds it, and the
 * kernel detaches it at its last close.  Return: its path: a new string, or NULL after a
 * message.
 */
static char *activate_attach_loop(const struct target *t, bool readonly)
{
	const int mode = (readonly ? O_RDONLY : O_RDWR) | O_CLOEXEC;
	_cleanup_close_ int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	_cleanup_close_ int file = open(t->path, mode);
	const struct loop_config config = {
		.fd = file, .block_size = activate_loop_block(t),
		.info.lo_offset = t->legs->start << SECTOR_SHIFT,
		.info.lo_sizelimit = t->length << SECTOR_SHIFT,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR | (readonly ? LO_FLAGS_READ_ONLY : 0) |
				 (t->engine == ENGINE_BUFFERED ? 0 : LO_FLAGS_DIRECT_IO),
	};
	unsigned int tries;

	for (tries = 0; file >= 0 && tries < LOOP_TRIES; tries++) {
		char *path = xasprintf("/dev/loop%d", ioctl(control, LOOP_CTL_GET_FREE));
		int fd = open(path, mode);

		if (fd >= 0 && !ioctl(fd, LOOP_CONFIGURE, &config))
			return path;
		free(path);
		/* others may take the free device that we were told of */
		if (fd < 0 || errno != EBUSY)
			break;
		close(fd);
	}
	log_err("cannot put a loop device on %s: %s", t->path, strerror(errno));
	return NULL;
}

/* The same sectors without the module.  Return: 0, or a negative errno after a message. */
static int activate_stand_in_table(const struct saved *s, struct table *table)
{
	unsigned int i;

	for (i = 0; i < s->table.nr; i++) {
		const struct target *t = &s->table.targets[i];
		_cleanup_free_ char *loop = t->path ?
			activate_attach_loop(t, s->readonly) : NULL;

		if (t->path && !loop)
			return -ENODEV;
		exchange_add_stock(table, t, loop);
	}
	return 0;
}

/* Without the module, or with an older one that does not know all of the table. */
static const char *activate_stand_in(struct activation *a)
{
	const bool loop = table_has_file(&a->saved.table);
	_cleanup_table_ struct table t = { 0 };

	if (opt(a->o, OPT_STRICT)) {
		log_err("%s is not activated: without the module only dm's own targets could be used, and --strict forbids that",
			a->name);
		return NULL;
	}
	if (activate_stand_in_table(&a->saved, &t) || activate_load(a, &t))
		return NULL;
	log_warn("%s runs without this module, on %s, until %s", a->name, loop ?
		 "loop devices" : "dm's own targets", loop ?
		 "it is deactivated and activated again" : "noclone convert changes that");
	return loop ? "activated with loop devices" : "activated with stock targets";
}

static const char *activate_create(struct activation *a)
{
	const struct table *t = &a->saved.table;
	int r = module_load_for(t);

	/* the user has interrupted modprobe */
	if (r == -EINTR)
		return NULL;
	if (r)
		return activate_stand_in(a);
	r = activate_load(a, t);
	/* a newer tool may have saved it */
	if (r == -EINVAL && table_has_noclone(t))
		return activate_stand_in(a);
	if (r)
		return NULL;
	live_warn_stand_in(a->name);
	return "activated";
}

static const char *activate_print_plan(const struct activation *a)
{
	const struct saved *s = &a->saved;
	_cleanup_free_ char *quoted = shell_quote(s->uuid);
	_cleanup_free_ char *options = xasprintf("%s --uuid %s",
		s->readonly ? " --readonly" : "", quoted);
	_cleanup_free_ char *line = dry_run_dmsetup("create", a->name, options, &s->table);

	dry_run(a->o, "activate", a->name, s->uuid, &s->table, &a->findings, line);
	return "";
}

/* A device that has the name already.  Return: its state, or NULL after a message. */
static const char *activate_existing(const struct activation *a,
				     const struct devmap_device *dev)
{
	if (strcmp(a->saved.uuid, dev->uuid))
		log_err("%s: another device has that name (UUID %s): rename or remove it",
			a->name, *dev->uuid ? dev->uuid : "none");
	else if (dev->live_table)
		return "active already";
	else
		log_err("%s has no table: noclone remove %s, then activate it again", a->name,
			a->name);
	return NULL;
}

/* The device may be active under another name.  Return: true after a message. */
static bool activate_is_renamed(const struct activation *a)
{
	_cleanup_free_ char *other = devmap_name_of_uuid(a->saved.uuid);
	_cleanup_free_ char *path = saved_path(a->name);
	_cleanup_free_ char *file = other ? saved_file_of(other, a->saved.uuid) : NULL;

	if (file && strcmp(file, a->name))
		log_err("%s has the UUID of %s, which is saved in a file of its own: if that one is the device, \"rm %s\"",
			path, file, path);
	else if (other)
		log_err("%s is active under the name %s: \"dmsetup rename %s %s\" gives it back its name",
			a->name, other, other, a->name);
	return other;
}

/*
 * A power cut between a change and the new file: the device had one table or the other.
 * The old one may be activated, because what follows a change waits for the new file.
 */
static void activate_say_leftover(const char *name, const char *uuid)
{
	_cleanup_free_ char *path = saved_path(name), *new = saved_file_leftover(name, uuid);

	if (new)
		log_warn("%s is what a command has left that was interrupted: if the device had that table, deactivate it, \"mv %s %s\" and activate it; if not, \"rm %s\"",
			 new, new, path, new);
}

/* A device that is not saved leaves no file of a lock behind. */
static int activate_read(struct activation *a)
{
	if (!opt(a->o, OPT_DRY_RUN) && saved_file_exists(a->name)) {
		a->lock = saved_file_lock(a->name);
		if (a->lock < 0)
			return a->lock;
	}
	return saved_file_read(a->name, &a->saved);
}

/*
 * The in-use check opens a leg exclusively, which makes the checks and table loads of other
 * processes fail: at boot many devices come at once.  Goes on without the lock after a
 * while, because a disk that does not answer must not stop the others.
 */
static void activate_lock_legs(struct activation *a)
{
	if (opt(a->o, OPT_DRY_RUN))
		return;
	a->legs = run_lock_for(RUN_DIR "/legs", LEGS_SECONDS);
	if (a->legs < 0)
		log_verbose("going on without the lock of the legs: %s", strerror(-a->legs));
}

static const char *activate_absent(struct activation *a)
{
	const char *state;

	if (activate_is_renamed(a))
		return NULL;
	activate_say_leftover(a->name, a->saved.uuid);
	activate_lock_legs(a);
	if (activate_check(a))
		return NULL;
	if (opt(a->o, OPT_DRY_RUN))
		return activate_print_plan(a);
	state = activate_create(a);
	if (state)
		saved_file_set_forced(a->name, a->forced);
	return state;
}

static const char *activate(const struct options *o, const char *name)
{
	__attribute__((cleanup(activate_free))) struct activation a = {
		.o = o, .name = name, .lock = -1, .legs = -1,
	};
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	int r = activate_read(&a);

	if (r)
		return NULL;
	r = devmap_info(name, &dev);
	/* what a command that was killed has left goes first */
	if (!r && (opt(o, OPT_DRY_RUN) || strcmp(a.saved.uuid, dev.uuid) ||
		   !devmap_remove_unfinished(&dev)))
		return activate_existing(&a, &dev);
	if (!r || devmap_is_absent(r))
		return activate_absent(&a);
	log_err("%s: %s", name, devmap_reason(r));
	return NULL;
}

/* Do its legs exist?  Another saved device may be one of them. */
static bool activate_is_ready(const char *name)
{
	_cleanup_free_ char *why = NULL, *missing = NULL;
	_cleanup_saved_ struct saved s = { 0 };

	why = saved_file_peek(name, &s);
	missing = signatures_missing(&s.table);
	return !missing;
}

int cmd_activate(const struct options *o, int argc, char **argv)
{
	static const struct each_saved e = {
		"activate", "start", activate_is_ready, activate,
	};

	return each_saved(&e, o, argc, argv);
}
