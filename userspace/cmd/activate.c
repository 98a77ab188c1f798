// SPDX-License-Identifier: GPL-2.0-only
/* noclone activate: bring saved devices back; and the devices that deactivate works on. */
#include "cmd/change.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/child.h"
#include "base/util.h"
#include "model/name.h"
#include "system/lookup.h"
#include "system/content.h"
#include "system/signatures.h"
#include "system/module.h"
#include "system/saved-file.h"
#include "system/sysfs.h"
#include "cli/output.h"
#include "cli/select.h"

#define MAX_BLOCK	4096
#define LOOP_TRIES	64

/*
 * Without the module such a file was a loop device, for which a discard makes a hole.
 * Engine extent has no use for a file with holes, and direct fills them.
 */
static bool activate_has_holes(const struct target *target)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };

	return !file_lookup(target->path, true, &f) && f.map.nr_gaps;
}

/* An older version of the tool could save a table with engine sync. */
static void activate_replace_engines(const char *name, struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		struct target *target = &t->targets[i];

		if (!target->path)
			continue;
		if (target->engine == ENGINE_SYNC) {
			target->engine = ENGINE_BUFFERED;
			log_warn("%s: %s is used with engine buffered instead of sync, which is for debug builds only",
				 name, target->path);
		} else if (target->engine == ENGINE_EXTENT && activate_has_holes(target)) {
			target->engine = ENGINE_DIRECT;
			log_warn("%s: %s has holes or unwritten extents: it is used with engine direct instead of extent",
				 name, target->path);
		}
	}
}

static int activate_load(struct change *c)
{
	int r = change_switch(c);

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

		if (fd >= 0 && !ioctl(fd, LOOP_CONFIGURE, &config)) {
			sysfs_forget();
			return path;
		}
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
static int activate_exchange(struct change *c)
{
	struct table table = { 0 };
	unsigned int i;

	for (i = 0; i < c->table.nr; i++) {
		const struct target *t = &c->table.targets[i];
		_cleanup_free_ char *loop = t->path ?
			activate_attach_loop(t, c->readonly) : NULL;

		if (t->path && !loop)
			break;
		exchange_add_stock(&table, t, loop);
	}
	if (i < c->table.nr) {
		table_free(&table);
		return -ENODEV;
	}
	table_free(&c->table);
	c->table = table;
	return 0;
}

/* Without the module, or with an older one that does not know all of the table. */
static const char *activate_stand_in(struct change *c)
{
	const bool loop = table_has_file(&c->table);

	if (opt(c->o, OPT_STRICT)) {
		log_err("%s is not activated: without the module only dm's own targets could be used, and --strict forbids that",
			c->dev.name);
		return NULL;
	}
	if (activate_exchange(c) || activate_load(c))
		return NULL;
	log_warn("%s runs without this module, on %s, until %s", c->dev.name, loop ?
		 "loop devices" : "dm's own targets", loop ?
		 "it is deactivated and activated again" : "noclone convert changes that");
	return loop ? "activated with loop devices" : "activated with stock targets";
}

static const char *activate_create(struct change *c)
{
	int r = module_load_for(&c->table);

	/* the user has interrupted modprobe */
	if (r == -EINTR)
		return NULL;
	if (r)
		return activate_stand_in(c);
	r = activate_load(c);
	/* a newer tool may have saved it */
	if (r == -EINVAL && table_has_noclone(&c->table))
		return activate_stand_in(c);
	if (r)
		return NULL;
	live_warn_stand_in(c->dev.name);
	return "activated";
}

/* A device that has the name already.  Return: its state, or NULL after a message. */
static const char *activate_existing(const char *uuid, const struct devmap_device *dev)
{
	_cleanup_free_ char *remove = name_noclone("remove", dev->name);

	if (strcmp(uuid, dev->uuid))
		log_err("%s: another device has that name (UUID %s): rename or remove it",
			dev->name, *dev->uuid ? dev->uuid : "none");
	else if (dev->live_table)
		return "active already";
	else
		log_err("%s has no table: %s, then activate it again", dev->name, remove);
	return NULL;
}

/* The device may be active under another name.  Return: true after a message. */
static bool activate_is_renamed(const struct change *c)
{
	_cleanup_free_ char *other = devmap_name_of_uuid(c->dev.uuid);
	_cleanup_free_ char *file = other ? saved_file_of(other, c->dev.uuid) : NULL;
	_cleanup_free_ char *rename = other ? name_command("rename", other) : NULL;
	_cleanup_free_ char *quoted = shell_quote(c->dev.name);

	if (file && strcmp(file, c->dev.name))
		log_err("%s has the UUID of %s, which is saved in a file of its own: if that one is the device, \"rm %s\"",
			c->path, file, c->path);
	else if (other)
		log_err("%s is active under the name %s: \"%s %s\" gives it back its name",
			c->dev.name, other, rename, quoted);
	return other;
}

/*
 * A power cut between a change and the new file: the device had one table or the other.
 * The old one may be activated, because what follows a change waits for the new file.
 */
static void activate_say_leftover(const struct change *c)
{
	_cleanup_free_ char *new = saved_file_leftover(c->dev.name, c->dev.uuid);

	if (new)
		log_warn("%s is what a command has left that was interrupted: if the device had that table, deactivate it, \"mv %s %s\" and activate it; if not, \"rm %s\"",
			 new, new, c->path, new);
}

/* A device that is not saved leaves no file of a lock behind. */
static int activate_read(struct change *c)
{
	const char *name = c->dev.name;
	int r;

	c->path = saved_path(name);
	if (!saved_file_exists(name)) {
		log_err("%s is not saved: there is no %s; \"noclone save\" writes it while the device is active",
			name, c->path);
		return -ENOENT;
	}
	r = change_lock(c, name);
	if (r)
		return r;
	c->damage = saved_file_peek(name, &c->old);
	if (c->damage) {
		log_err("%s", c->damage);
		return -EINVAL;
	}
	c->dev.uuid = xstrdup(c->old.uuid);
	c->readonly = c->old.readonly;
	return 0;
}

/* The file system of a backing file may not answer, and the kernel would wait for it. */
static bool activate_files_answer(const struct table *t)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		_cleanup_free_ char *silence = target->path ?
			content_file_silence(target->path) : NULL;

		if (silence) {
			log_err("%s: cannot be read: %s", target->path, silence);
			return false;
		}
	}
	return true;
}

static const char *activate_absent(struct change *c)
{
	const char *state;

	if (activate_is_renamed(c) || !activate_files_answer(&c->old.table))
		return NULL;
	activate_say_leftover(c);
	/* with the lines of the file, that findings are about */
	c->table = c->old.table;
	c->old.table = (struct table) { 0 };
	activate_replace_engines(c->dev.name, &c->table);
	if (change_check(c))
		return NULL;
	if (opt(c->o, OPT_DRY_RUN))
		return change_print(c, "", "") ? NULL : "";
	/* before, as a signal may end the tool behind it */
	saved_file_set_forced(c->dev.name, c->forced);
	state = activate_create(c);
	if (!state)
		saved_file_set_forced(c->dev.name, false);
	return state;
}

static const char *activate_one(const struct options *o, const char *name)
{
	_cleanup_change_ struct change c = CHANGE_INIT(o, "activate");
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	int r;

	c.activates = true;
	c.dev.name = xstrdup(name);
	if (activate_read(&c))
		return NULL;
	r = devmap_info(name, &dev);
	/* what a command that was killed has left goes first */
	if (!r && (opt(o, OPT_DRY_RUN) || strcmp(c.dev.uuid, dev.uuid) ||
		   !devmap_remove_unfinished(&dev)))
		return activate_existing(c.dev.uuid, &dev);
	if (!r || devmap_is_absent(r))
		return activate_absent(&c);
	log_err("%s: %s", name, devmap_reason(r));
	return NULL;
}

/* Do its legs exist?  Another saved device may be one of them. */
static bool activate_is_ready(const char *name)
{
	_cleanup_free_ char *missing = signatures_missing(&saved_file_get(name)->saved.table);

	return !missing;
}

/*
 * Both verbs on saved devices.  One may be built on another, so those that are ready are done
 * first, until none is; the others are tried then to say what is wrong.
 */

struct activate_run {
	const struct options *o;
	bool activates;
	struct names names;
	struct json_object *devices;
	bool failed;
};

static int activate_collect(struct names *names, const struct options *o, int argc, char **argv)
{
	int i;

	if (!argc == !opt(o, OPT_ALL)) {
		log_err(argc ? "give devices or --all, not both" :
			"which devices? Give their names, or --all");
		return EXIT_USAGE;
	}
	if (!argc)
		return saved_file_names(names) ? EXIT_FAILED : EXIT_OK;
	for (i = 0; i < argc; i++) {
		_cleanup_free_ char *name = select_name(argv[i]);
		const char *wrong = saved_name_problem(name);

		if (wrong) {
			log_err("\"%s\" %s", name, wrong);
			return EXIT_USAGE;
		}
		names_add(names, name);
	}
	return EXIT_OK;
}

static void activate_do(struct activate_run *run, const char *name)
{
	const char *state = run->activates ? activate_one(run->o, name) :
					     deactivate_device(run->o, name);
	struct json_object *device;

	run->failed |= !state;
	if (state && !opt(run->o, OPT_DRY_RUN))
		saved_unit(run->activates ? "start" : "stop", name);
	if (state && !*state)
		return;
	device = json_object_new_object();
	output_add_string(device, "name", name);
	output_add_bool(device, "ok", state);
	output_add_string(device, "state", state);
	json_object_array_add(run->devices, device);
	if (state && !opt(run->o, OPT_JSON))
		print_now("%s: %s\n", name, state);
}

/* Return: whether any device was done. */
static bool activate_round(struct activate_run *run, bool ready_only)
{
	bool (*is_ready)(const char *name) = run->activates ? activate_is_ready :
							      deactivate_is_ready;
	bool any = false;
	unsigned int i;

	for (i = 0; i < run->names.nr && !stop_requested(); i++) {
		char *name = run->names.name[i];

		if (!name || (ready_only && !is_ready(name)))
			continue;
		activate_do(run, name);
		free(name);
		run->names.name[i] = NULL;
		any = true;
	}
	return any;
}

static int activate_all(const struct options *o, int argc, char **argv, bool activates)
{
	struct activate_run run = {
		.o = o, .activates = activates, .devices = json_object_new_array(),
	};
	struct json_object *out = output_new(activates ? "activate" : "deactivate");
	int r = activate_collect(&run.names, o, argc, argv);

	json_object_object_add(out, "devices", run.devices);
	while (!r && activate_round(&run, true))
		;
	if (!r) {
		activate_round(&run, false);
		r = run.failed || stop_requested() ? EXIT_FAILED : EXIT_OK;
		if (opt(o, OPT_DRY_RUN))
			output_add_bool(out, "dry_run", true);
		/* of devices that have printed a plan, there is no more to print */
		if (json_object_array_length(run.devices) || !run.names.nr)
			output_print(o, json_object_get(out));
	}
	json_object_put(out);
	names_free(&run.names);
	return r;
}

int cmd_activate(const struct options *o, int argc, char **argv)
{
	return activate_all(o, argc, argv, true);
}

int cmd_deactivate(const struct options *o, int argc, char **argv)
{
	return activate_all(o, argc, argv, false);
}
