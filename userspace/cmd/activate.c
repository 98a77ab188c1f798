// SPDX-License-Identifier: GPL-2.0-only
/* noclone activate: activate a saved device. activate-loop.c has the loop over devices. */
#include "cmd/activate.h"
#include "cmd/change.h"
#include "cmd/partitions.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/exchange.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "system/content.h"
#include "system/file-lookup.h"
#include "system/live.h"
#include "system/signatures.h"
#include "system/module.h"
#include "system/saved-file.h"
#include "system/sysfs.h"
#include "cli/output.h"

#define MAX_BLOCK	4096
#define LOOP_TRIES	64
#define LOOP_CONTROL	"/dev/loop-control"

static const struct change_needs activate_needs = {
	.command = "activate", .creates = true, .from_saved = true,
};

/*
 * Does the file have holes or unwritten extents? A file can get holes while the module is missing:
 * a loop device then takes the place of the target, and a discard on the loop device makes a hole
 * in the file. Engine extent refuses such a file. Engine direct accepts the file, and a write to a
 * hole allocates the blocks.
 */
static bool activate_has_holes(const struct target *target)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };

	return !file_lookup(target->path, true, &f) && f.map.nr_gaps;
}

/*
 * Replace engines that cannot be used: engine extent for a file with holes, and engine sync, which
 * only debug builds of the module have. An older version of the tool may have saved a table with
 * engine sync.
 */
static void activate_replace_engines(const char *name, struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		struct target *target = &t->targets[i];

		if (!target->path)
			continue;
		if (target->engine == ENGINE_SYNC) {
			target->engine = ENGINE_BUFFERED;
			log_warn("%s: the file %s is used with engine buffered instead of engine sync, because engine sync is for debug builds only",
				 name, target->path);
		} else if (target->engine == ENGINE_EXTENT && activate_has_holes(target)) {
			target->engine = ENGINE_DIRECT;
			log_warn("%s: the file %s is used with engine direct instead of engine extent, because the file has holes or unwritten extents",
				 name, target->path);
		}
	}
}

/*
 * Make the partition devices. activate_create() takes -EINVAL for a module that does not know the
 * table of the device, so another error takes the place of -EINVAL.
 */
static int activate_make_partitions(struct change *c)
{
	int r = partitions_make(c);

	return r == -EINVAL ? -EBUSY : r;
}

/* Create the device, load its table, resume the device, and make its partition devices. */
static int activate_switch(struct change *c)
{
	int r;

	if (c->parts.make)
		stop_hold();
	r = change_switch_all(c);
	if (c->parts.make)
		stop_release();
	/* DEVMAP_UDEV_LATE: the device is active, only udev has not answered in time */
	return r == DEVMAP_UDEV_LATE ? 0 : r;
}

/*
 * Return: the size of a logical block for the loop device. A file system on the device may depend
 * on this size, so the loop device gets the same size as noclone-file: the alignment of direct I/O
 * on the file, or 512 bytes with engine buffered.
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
 * Make a loop device for the sectors of a target with a backing file. The tool keeps the loop
 * device open until the tool ends. By then, the mapped device has the loop device open. The kernel
 * detaches the file when the last user closes the loop device.
 *
 * Return: the path of the loop device, a new string, or NULL after a message.
 */
static char *activate_attach_loop(const struct target *t, bool readonly)
{
	const int mode = (readonly ? O_RDONLY : O_RDWR) | O_CLOEXEC;
	const uint32_t block = activate_loop_block(t);
	_cleanup_close_ int control = open(LOOP_CONTROL, O_RDWR | O_CLOEXEC);
	_cleanup_close_ int file = control < 0 ? -1 : open(t->path, mode);
	const struct loop_config config = {
		.fd = file, .block_size = block,
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
		/* another process may take the free loop device first */
		if (fd < 0 || errno != EBUSY)
			break;
		close(fd);
	}
	log_err("cannot put a loop device on %s: %s%s", t->path,
		control < 0 ? LOOP_CONTROL ": " : "", strerror(errno));
	return NULL;
}

/*
 * Replace the table by a table that maps the same sectors with dm's own targets, so that the module
 * is not needed. Each file gets a loop device.
 *
 * Return: 0, or a negative errno after a message.
 */
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

/*
 * Activate the device with dm's own targets. @refused: the module is loaded and refuses the table,
 * because a newer version of the tool has saved the table; otherwise the module cannot be loaded
 */
static const char *activate_with_stock(struct change *c, bool refused)
{
	const char *why = refused ? "the loaded module dm-noclone refuses its table" :
				    "the module dm-noclone cannot be loaded";
	const char *when = refused ? "a module that accepts the table" : "the module";
	const bool loop = table_has_file(&c->table);

	if (opt(c->o, OPT_STRICT)) {
		log_err("%s is not activated: %s, and --strict forbids dm's own targets",
			c->dev.name, why);
		return NULL;
	}
	if (activate_exchange(c) || activate_switch(c))
		return NULL;
	log_warn("%s runs on %s, because %s; when %s is loaded, %s", c->dev.name,
		 loop ? "loop devices" : "dm's own targets", why, when, loop ?
		 "deactivate the device and activate it again" : "run \"noclone convert\"");
	return loop ? "activated with loop devices" : "activated with stock targets";
}

/*
 * Load the module if it is not loaded, and make the device. Return: the state, or NULL after a
 * message.
 */
static const char *activate_create(struct change *c)
{
	int r = module_load_for(&c->table);

	/* a signal of the user has stopped modprobe */
	if (r == -EINTR)
		return NULL;
	if (r)
		return activate_with_stock(c, false);
	r = activate_switch(c);
	/*
	 * -EINVAL: a newer version of the tool may have saved a table that the module does not know
	 */
	if (r == -EINVAL && table_has_noclone(&c->table))
		return activate_with_stock(c, true);
	if (r)
		return NULL;
	/* a target noclone-file may run with another engine than the requested one */
	live_warn_engine(c->dev.name);
	return "activated";
}

/*
 * Make the missing partition devices of an active device: a command may have been killed, or the
 * user may have removed a partition device. If the table of the active device has targets of this
 * module, the partition devices get such targets; otherwise they get dm's own targets. If the
 * active device is read-only, they are read-only as well.
 *
 * Return: the state, or NULL after a message.
 */
static const char *activate_partitions(struct change *c, const struct devmap_device *dev)
{
	int r = devmap_table_of(dev, DEVMAP_TABLE, &c->table);

	if (r) {
		log_err("%s: %s", dev->name, devmap_reason(r));
		return NULL;
	}
	c->readonly = dev->readonly;
	if (partitions_plan(c))
		return NULL;
	if (opt(c->o, OPT_DRY_RUN) && *c->parts.words) {
		output_dry_run_parts(c->o, c->needs->command, c->dev.name, NULL, NULL, NULL,
				     json_object_get(c->parts.json),
				     c->parts.words + strlen(" && "));
		return "";
	}
	if (opt(c->o, OPT_DRY_RUN))
		return "active already";
	stop_hold();
	r = partitions_make(c);
	stop_release();
	if (!devmap_is_done(r))
		return NULL;
	return json_object_array_length(c->parts.json) ? "activated its partitions" : "active already";
}

/*
 * Does the kernel remove the active device or one of its partition devices when the last user
 * closes it? Then the device is active, but does not stay active. Return: true after a message.
 */
static bool activate_is_removed_later(const struct change *c, const struct devmap_device *dev)
{
	_cleanup_partitions_ struct partition_devices parts = { 0 };
	const struct devmap_device *found = dev->deferred_remove ? dev : NULL;
	_cleanup_free_ char *message = NULL;
	unsigned int i;

	if (c->file.old.partitions)
		partitions_find(dev, &parts);
	for (i = 0; i < parts.nr && !found; i++)
		found = parts.dev[i].deferred_remove ? &parts.dev[i] : NULL;
	if (!found)
		return false;
	message = name_command("message", found->name);
	log_err("%s is active, but the kernel removes the device when its last user closes it: \"%s 0 @cancel_deferred_remove\" keeps the device",
		found->name, message);
	return true;
}

/*
 * A mapped device already has the name of the saved device. Return: the state of the saved device,
 * or NULL after a message.
 */
static const char *activate_existing(struct change *c, const struct devmap_device *dev)
{
	_cleanup_free_ char *remove = name_noclone("remove", dev->name);

	if (strcmp(c->dev.uuid, dev->uuid))
		log_err("%s: another device has this name (its UUID is %s): rename or remove the other device",
			dev->name, *dev->uuid ? dev->uuid : "none");
	else if (dev->live_table && activate_is_removed_later(c, dev))
		return NULL;
	else if (dev->live_table)
		return c->file.old.partitions ? activate_partitions(c, dev) : "active already";
	else
		log_err("%s has no table: remove the device with \"%s\", then activate the device again", dev->name, remove);
	return NULL;
}

/* Is the device active under another name? Return: true after a message. */
static bool activate_is_renamed(const struct change *c)
{
	_cleanup_free_ char *other = devmap_name_of_uuid(c->dev.uuid);
	_cleanup_free_ char *file = other ? saved_file_of(other, c->dev.uuid) : NULL;
	_cleanup_free_ char *rename = other ? name_command("rename", other) : NULL;
	_cleanup_free_ char *quoted = shell_quote(c->dev.name);

	if (file && strcmp(file, c->dev.name))
		log_err("%s and the saved file of %s have the same UUID: if %s is the right name of the device, remove the other file with \"rm %s\"",
			c->file.path, file, file, c->file.path);
	else if (other)
		log_err("%s is active under the name %s: \"%s %s\" gives the device its saved name again",
			c->dev.name, other, rename, quoted);
	return other;
}

/*
 * Report a new saved file that an interrupted command has left beside the old one, for example
 * after a power cut. The device may have had the table of the old file or of the new file at that
 * moment. It is safe to activate the table of the old file: steps of a change that need the new
 * table, such as the growth of the file system, come only after the new file has replaced the old
 * one.
 */
static void activate_say_leftover(const struct change *c)
{
	_cleanup_free_ char *new = saved_file_leftover(c->dev.name, c->dev.uuid);

	if (new)
		log_warn("an interrupted command has left %s: if the table in this file is right, deactivate the device, run \"mv %s %s\", and activate the device; if the table is wrong, run \"rm %s\"",
			 new, new, c->file.path, new);
}

/*
 * Lock and read the saved file. A device that is not saved is refused before the lock is taken,
 * because taking the lock creates a lock file, /run/noclone/NAME.lock. saved_file_peek() calls
 * saved_parse(), and returns the first error as the damage.
 */
static int activate_read(struct change *c)
{
	const char *name = c->dev.name;
	int r;

	c->file.path = saved_path(name);
	if (!saved_file_exists(name)) {
		log_err("%s is not saved: the file %s does not exist; if the device is active, \"noclone save\" writes this file",
			name, c->file.path);
		return -ENOENT;
	}
	r = change_file_lock(&c->file, name);
	if (r)
		return r;
	c->file.damage = saved_file_peek(name, &c->file.old);
	if (c->file.damage) {
		log_err("%s", c->file.damage);
		return -EINVAL;
	}
	c->dev.uuid = xstrdup(c->file.old.uuid);
	c->readonly = c->file.old.readonly;
	c->noscan = c->file.old.noscan;
	return 0;
}

/*
 * Check that the file systems with the backing files answer. If a file system does not answer, the
 * kernel would wait for it when the table is loaded.
 */
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

/*
 * Plan the partition devices. Tell the user if the partition table has other partitions than the
 * saved file lists: the generator adds dependencies only for the listed partitions, so systemd does
 * not order mounts of other partitions.
 *
 * Return: 0, or a negative errno after a message.
 */
static int activate_plan_partitions(struct change *c)
{
	const char *saved = c->file.old.partitions;
	int r = saved ? partitions_plan(c) : 0;
	_cleanup_free_ char *now = partition_numbers(&c->parts.table);
	_cleanup_free_ char *save = name_noclone("save", c->dev.name);

	if (saved && !r && strcmp(saved, now))
		log_note("%s: the partition table now has %s%s, but the file %s lists%s: \"%s\" writes the new numbers",
			 c->dev.name, *now ? "the partitions" : "no partitions", now, c->file.path,
			 saved, save);
	if (c->parts.make)
		c->parts.make = activate_make_partitions;
	return r;
}

/*
 * No mapped device has the name of the saved device. Check the table of the saved file, and make
 * the device. Return: the state, "" if a plan was printed, or NULL after a message.
 */
static const char *activate_absent(struct change *c)
{
	const char *state;

	if (activate_is_renamed(c) || !activate_files_answer(&c->file.old.table))
		return NULL;
	activate_say_leftover(c);
	/*
	 * do not copy the table: findings name lines of the saved file, and a copy has no line
	 * numbers
	 */
	c->table = c->file.old.table;
	c->file.old.table = (struct table) { 0 };
	activate_replace_engines(c->dev.name, &c->table);
	if (change_check(c) || activate_plan_partitions(c))
		return NULL;
	if (opt(c->o, OPT_DRY_RUN))
		return change_print(c, "", "") ? NULL : "";
	/*
	 * set this mark before the change, because a signal may end the tool just after the change
	 */
	saved_file_set_forced(c->dev.name, c->results.forced);
	state = activate_create(c);
	if (!state)
		saved_file_set_forced(c->dev.name, false);
	return state;
}

const char *activate_device(const struct options *o, const char *name)
{
	_cleanup_change_ struct change c = CHANGE_INIT(c, o, &activate_needs);
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	int r;

	c.dev.name = xstrdup(name);
	if (activate_read(&c))
		return NULL;
	r = devmap_info(name, &dev);
	/* if dev is the leftover of an interrupted command, it has the saved UUID and no table */
	if (!r && strcmp(c.dev.uuid, dev.uuid))
		return activate_existing(&c, &dev);
	if (!r && !change_remove_leftover(&c, &dev))
		return activate_existing(&c, &dev);
	if (!r || devmap_is_absent(r))
		return activate_absent(&c);
	log_err("%s: %s", name, devmap_reason(r));
	return NULL;
}

bool activate_is_ready(const char *name)
{
	_cleanup_free_ char *missing = signatures_missing(&saved_file_get(name)->saved.table);

	return !missing;
}
