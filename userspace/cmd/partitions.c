// SPDX-License-Identifier: GPL-2.0-only
/*
 * The partition devices of an image.
 *
 * If the device of the image has a target of this module, a partition device has the target
 * noclone-linear, and so the fast path. kpartx would use dm's own linear target, which gets the
 * fast path only if the policy of the host includes the device. lsblk, libblkid and the udev rules
 * recognise a partition device by its UUID and by the device below it, not by its target.
 */
#include "cmd/partitions.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/name.h"
#include "model/partition.h"
#include "model/plan.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"
#include "system/guard.h"
#include "system/partition-read.h"
#include "system/saved-file.h"
#include "system/uses.h"
#include "cli/output.h"
#include "cmd/change.h"

/* First part: partition devices that exist. */

void partitions_free(struct partition_devices *parts)
{
	unsigned int i;

	for (i = 0; i < parts->nr; i++)
		devmap_device_free(&parts->dev[i]);
	free(parts->dev);
	memset(parts, 0, sizeof(*parts));
}

static void partitions_add(struct partition_devices *parts, struct devmap_device *dev)
{
	GROW(parts->dev, parts->nr);
	parts->dev[parts->nr++] = *dev;
	*dev = (struct devmap_device) { 0 };
}

static bool partitions_have(const struct partition_devices *parts, dev_t devno)
{
	unsigned int i;

	for (i = 0; i < parts->nr; i++)
		if (parts->dev[i].devno == devno)
			return true;
	return false;
}

/*
 * Add the device @name if it has the UUID of a partition device of @disk. @has_table: if true, add
 * the device only if it has a live or inactive table; if false, only if it has neither
 */
static void partitions_add_name(struct partition_devices *parts, const struct devmap_device *disk,
				const char *name, bool has_table)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	if (!devmap_info(name, &dev) && name_uuid_partition_of(dev.uuid, disk->uuid) &&
	    (dev.live_table || dev.inactive_table) == has_table)
		partitions_add(parts, &dev);
}

/*
 * Add the partition devices that stand on @disk. A partition device may have been renamed, so its
 * name is not compared. A device that does not stand on @disk is not added, even if it has the name
 * and UUID of a partition device.
 */
static void partitions_add_holders(struct partition_devices *parts,
				   const struct devmap_device *disk)
{
	_cleanup_names_ struct names holders = { 0 };
	unsigned int i;

	uses_holders(disk->devno, &holders);
	for (i = 0; i < holders.nr; i++) {
		_cleanup_free_ char *name =
			blockdev_mapped_name(blockdev_kernel_number(holders.name[i]));

		if (name)
			partitions_add_name(parts, disk, name, true);
	}
}

/*
 * Add the partition devices without a table, which a killed command has left. They stand on no
 * device, so their names are compared.
 */
static int partitions_add_leftovers(struct partition_devices *parts,
				    const struct devmap_device *disk)
{
	_cleanup_free_ char *prefix = partition_prefix(disk->name);
	_cleanup_names_ struct names names = { 0 };
	int r = devmap_names(&names);
	unsigned int i;

	if (r)
		log_err("cannot list devices: %s", devmap_reason(r));
	for (i = 0; i < names.nr; i++)
		if (str_starts(names.name[i], prefix))
			partitions_add_name(parts, disk, names.name[i], false);
	return r;
}

static int partitions_compare(const void *a, const void *b)
{
	const struct devmap_device *one = a, *other = b;

	/*
	 * the UUIDs differ only in the number of the partition. The number has no leading zeroes,
	 * so the longer UUID has the larger number
	 */
	return strlen(one->uuid) != strlen(other->uuid) ?
	       (strlen(one->uuid) > strlen(other->uuid) ? 1 : -1) : strcmp(one->uuid, other->uuid);
}

/*
 * Find the partition devices of @disk. A @disk without a UUID, or one that is itself a partition
 * device, has no partition devices. For devices without a table, one ioctl lists the names of all
 * devices, and only a name that begins like the name of a partition device needs another ioctl.
 */
int partitions_find(const struct devmap_device *disk, struct partition_devices *found)
{
	int r;

	if (!*disk->uuid || name_uuid_of_disk(disk->uuid))
		return 0;
	partitions_add_holders(found, disk);
	r = partitions_add_leftovers(found, disk);
	if (found->nr)
		qsort(found->dev, found->nr, sizeof(*found->dev), partitions_compare);
	return r;
}

int partitions_check_none(const struct devmap_device *disk)
{
	_cleanup_partitions_ struct partition_devices parts = { 0 };
	_cleanup_strbuf_ struct strbuf names = { 0 };
	int r = partitions_find(disk, &parts);
	unsigned int i;

	if (r || !parts.nr)
		return r;
	for (i = 0; i < parts.nr; i++) {
		_cleanup_free_ char *name = shell_quote(parts.dev[i].name);

		strbuf_add(&names, " %s", name);
	}
	log_err("%s has partitions, and their devices would map other data: run \"noclone remove%s\" first",
		disk->name, names.text);
	return -EBUSY;
}

char *partitions_numbers(const struct devmap_device *disk, const struct partition_devices *parts)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < parts->nr; i++)
		strbuf_add(&b, " %u", name_uuid_partition_of(parts->dev[i].uuid, disk->uuid));
	return strbuf_take(&b);
}

struct json_object *partitions_list(const struct partition_devices *parts)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < parts->nr; i++) {
		struct json_object *o = json_object_new_object();

		output_add_device(o, &parts->dev[i]);
		json_object_array_add(array, o);
	}
	return array;
}

void partitions_drop_uses(const struct partition_devices *parts, struct uses *uses)
{
	unsigned int i, nr = 0;

	for (i = 0; i < uses->nr; i++)
		if (uses->use[i].kind == USE_HOLDER && partitions_have(parts, uses->use[i].devno))
			free(uses->use[i].by);
		else
			uses->use[nr++] = uses->use[i];
	uses->nr = nr;
}

/*
 * Return: the number of partition devices that have the device of the image open. A killed command
 * may have left a partition device with an inactive table only, which also has the device open.
 */
static int partitions_count_open(const struct partition_devices *parts)
{
	unsigned int i;
	int nr = 0;

	for (i = 0; i < parts->nr; i++)
		nr += parts->dev[i].live_table || parts->dev[i].inactive_table;
	return nr;
}

bool partitions_others_use(const struct devmap_device *dev, const struct partition_devices *parts,
			   bool waits)
{
	const int by_parts = partitions_count_open(parts);
	_cleanup_uses_ struct uses lasting = { 0 };

	if (!dev->open_count)
		return false;
	uses_find_lasting(&lasting, dev->devno);
	partitions_drop_uses(parts, &lasting);
	if (lasting.nr || dev->open_count <= by_parts)
		return lasting.nr;
	return !waits || devmap_wait_closed(dev, by_parts) == -EBUSY;
}

bool partitions_are_used(const struct devmap_device *disk)
{
	_cleanup_partitions_ struct partition_devices parts = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	uses_find_lasting(&uses, disk->devno);
	if (!uses.nr || partitions_find(disk, &parts))
		return uses.nr;
	partitions_drop_uses(&parts, &uses);
	for (i = 0; i < parts.nr; i++)
		uses_find_lasting(&uses, parts.dev[i].devno);
	return uses.nr;
}

char *partitions_disk_of(const struct devmap_device *dev)
{
	const char *uuid = name_uuid_is_noclone(dev->uuid) ? name_uuid_of_disk(dev->uuid) : NULL;
	_cleanup_partitions_ struct partition_devices parts = { 0 };
	_cleanup_devmap_device_ struct devmap_device disk = { 0 };

	if (!uuid || devmap_look(&(struct devmap_device) { .uuid = (char *)uuid }, &disk))
		return NULL;
	/*
	 * a partition device with a table is a holder of the disk, and holders are found even if the
	 * list of all devices cannot be read
	 */
	partitions_find(&disk, &parts);
	return partitions_have(&parts, dev->devno) ? xstrdup(disk.name) : NULL;
}

/* Second part: partition devices that are planned. */

static const struct change_needs partitions_needs = { .command = "create", .creates = true };
static const struct change_needs partitions_needs_saved = {
	.command = "activate", .creates = true, .from_saved = true,
};

/*
 * The initial value of @part, the change of a partition device. @c: the change of the device of the
 * image
 */
#define PARTITIONS_INIT(part, c)	\
	CHANGE_INIT(part, (c)->o, (c)->needs->from_saved ? &partitions_needs_saved :	\
							  &partitions_needs)

/*
 * Set the members of @part, the change of a partition device. @c: the change of the device of the
 * image; @device: the device of the image, as a path or a number
 */
static void partitions_prepare(struct change *part, const struct change *c,
			       const struct partition *p, const char *device)
{
	part->readonly = c->readonly;
	part->noscan = c->noscan;
	part->dev.name = partition_name(c->dev.name, p->nr);
	part->dev.uuid = partition_uuid(c->dev.uuid, p->nr);
	partition_add_target(&part->table, p, device, &c->table);
}

/*
 * Does an existing device with the table @live begin at the first sector of the planned partition
 * on @disk? The sizes may differ, because the partition may have grown since the device was made.
 */
static bool partitions_begins_at(const struct devmap_device *disk, const struct table *live,
				 const struct change *part)
{
	const struct target *t = live->targets, *planned = part->table.targets;

	return live->nr == 1 && t->nr_legs == 1 && !t->path &&
	       blockdev_number(t->legs->device) == disk->devno &&
	       t->legs->start == planned->legs->start;
}

/*
 * Does the partition device of @part already exist? It may have been renamed, so it is found by its
 * UUID. A device with this UUID may be the wrong one, if a user has made it by hand, or if it was
 * made for an older partition table.
 *
 * Return: 1 if the partition device exists, 0 if it does not exist, or -EEXIST after a message if a
 * wrong device has its UUID.
 */
static int partitions_look(const struct change *part, const struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device disk = { 0 }, now = { 0 };
	_cleanup_table_ struct table live = { 0 };

	/*
	 * return 0 as if the device did not exist, if it cannot be read, or is the leftover of a
	 * killed command: then partitions_check() calls partitions_check_name()
	 */
	if (devmap_look_table(&(struct devmap_device) { .uuid = part->dev.uuid }, DEVMAP_TABLE,
			      &now, &live) ||
	    (!now.live_table && !strcmp(now.name, part->dev.name)))
		return 0;
	if (part->needs->from_saved && !devmap_look(&c->dev, &disk) &&
	    partitions_begins_at(&disk, &live, part))
		return 1;
	log_err("%s has the UUID of the partition %s, and does not map the sectors of this partition: remove %s first",
		now.name, part->dev.name, now.name);
	return -EEXIST;
}

/*
 * Check that a missing partition device can get its name and its UUID. Return: 0, or -EEXIST after
 * a message.
 */
static int partitions_check_name(struct change *part, const struct change *c)
{
	const char *name = part->dev.name;
	const char *wrong = name_problem(name) ? : name_uuid_problem(part->dev.uuid);
	_cleanup_free_ char *forget = name_noclone("remove --forget", name);

	if (wrong)
		log_err("\"%s\" %s", name_problem(name) ? name : part->dev.uuid, wrong);
	else if (!change_make_name_free(part))
		log_err("%s exists, and the partition of %s would have this name: remove or rename %s",
			name, c->dev.name, name);
	else if (!c->needs->from_saved && !opt(c->o, OPT_FORCE) && saved_file_exists(name))
		log_err("%s is saved, and a partition of %s would have the same name: \"%s\" removes the saved file",
			name, c->dev.name, forget);
	else
		return 0;
	return -EEXIST;
}

/*
 * Check that a partition device exists, or can be made. Return: 1 if it exists, 0 if it can be
 * made, or -EEXIST after a message.
 */
static int partitions_check(struct change *part, const struct change *c)
{
	return partitions_look(part, c) ? : partitions_check_name(part, c);
}

/*
 * Describe in @parts where the image lies in the backing file of the target @t. Return: 0, or a
 * negative errno after a message.
 */
static int partitions_set_file(struct partition_table *parts, const struct target *t)
{
	_cleanup_free_ char *name = name_encode_path(t->path), *why = NULL;
	_cleanup_file_facts_ struct file_facts f = { 0 };
	int r = file_lookup(t->path, false, &f);

	if (r) {
		why = facts_file_error(&f, r);
		log_err("%s: %s", name, why);
		return r;
	}
	parts->path = xstrdup(t->path);
	parts->first = t->legs->start;
	parts->sectors = t->length;
	parts->block = plan_file_block(t->engine, &f);
	return 0;
}

static int partitions_set_device(struct partition_table *parts, const struct devmap_device *disk)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	int r = blockdev_lookup_number(disk->devno, &f);

	if (r) {
		log_err("%s: %s", disk->name, strerror(-r));
		return r;
	}
	blockdev_limits(&f);
	parts->readonly = disk->readonly;
	parts->path = xstrdup(f.path);
	parts->device = true;
	parts->sectors = f.sectors;
	parts->block = f.logical_block;
	return 0;
}

/*
 * Read the partition table of an image. If @disk, the device of the image, exists, the partition
 * table is read from @disk, because programs change the partition table through this device.
 * Otherwise it is read from the backing file of the target @t. If @t is NULL, @disk must exist.
 *
 * Return: 0, or a negative errno after a message.
 */
static int partitions_read(struct partition_table *parts, const struct target *t,
			   const struct devmap_device *disk)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	bool exists = !devmap_look(disk, &now) && now.live_table;
	_cleanup_free_ char *name = NULL, *why = NULL;
	int r;

	if (!exists && !t) {
		log_err("%s: another process has removed the device meanwhile: try again",
			disk->name);
		return -EAGAIN;
	}
	r = exists ? partitions_set_device(parts, &now) : partitions_set_file(parts, t);
	if (r)
		return r;
	name = exists ? xstrdup(now.name) : name_encode_path(parts->path);
	r = partition_read(parts, &why);
	if (r) {
		log_err("%s: cannot be read: %s", name, why);
		return r;
	}
	why = partition_objection(parts);
	if (why)
		log_err("%s: %s", name, why);
	return why ? -EINVAL : 0;
}

/* Return: a planned partition device as a JSON object for a dry run. */
static struct json_object *partitions_describe_one(const struct change *part)
{
	_cleanup_free_ char *table = table_print(&part->table, false, NULL);
	struct json_object *o = json_object_new_object();

	output_add_string(o, "name", part->dev.name);
	output_add_string(o, "uuid", part->dev.uuid);
	json_object_object_add(o, "table", output_lines(table));
	return o;
}

/*
 * Add a planned partition device to @c->parts.json and @words, which become the output of a dry
 * run.
 */
static void partitions_describe(struct change *c, const struct change *part, struct strbuf *words)
{
	_cleanup_free_ char *command = change_words(part);

	strbuf_add(words, " && %s", command);
	json_object_array_add(c->parts.json, partitions_describe_one(part));
}

/*
 * Check that each partition device exists, or can be made. In a dry run, also describe those that
 * do not exist yet. Return: 0, or a negative errno after a message.
 */
static int partitions_plan_all(struct change *c)
{
	_cleanup_free_ char *device = xasprintf("/dev/mapper/%s", c->dev.name);
	_cleanup_strbuf_ struct strbuf words = { 0 };
	unsigned int i;
	int r = 0;

	if (opt(c->o, OPT_DRY_RUN))
		c->parts.json = json_object_new_array();
	for (i = 0; i < c->parts.table.nr && r >= 0; i++) {
		_cleanup_change_ struct change part = PARTITIONS_INIT(part, c);

		if (c->parts.table.part[i].extended)
			continue;
		partitions_prepare(&part, c, &c->parts.table.part[i], device);
		r = partitions_check(&part, c);
		if (!r && c->parts.json)
			partitions_describe(c, &part, &words);
	}
	if (c->parts.json)
		c->parts.words = strbuf_take(&words);
	return MIN(r, 0);
}

int partitions_plan(struct change *c)
{
	const struct target *t = c->table.targets;
	_cleanup_free_ char *name = NULL;
	int r;

	/* if the table could not be planned, it has findings, which change_check() reports later */
	if (!c->table.nr)
		return 0;
	if (backing_is_new(&c->backing)) {
		name = name_encode_path(t->path);
		log_err("%s: the file does not exist yet, so it has no partition table: leave --partitions out",
			name);
		return -ENOENT;
	}
	c->parts.table.readonly = c->readonly;
	c->parts.table.optional = c->needs->from_saved;
	/*
	 * if the module is missing, an active device may run on a loop device, and its target has
	 * no path
	 */
	r = partitions_read(&c->parts.table, t->path ? t : NULL, &c->dev);
	if (r)
		return r;
	c->parts.make = partitions_make;
	return partitions_plan_all(c);
}

/* Third part: make the partition devices. */

/*
 * Make the partition device of @p unless it already exists, and add the new device to @made.
 *
 * Return: 0, or a negative errno after a message; DEVMAP_UDEV_LATE if the new device exists, but
 * udev has not answered.
 */
static int partitions_make_one(const struct change *c, const struct partition *p,
			       const struct devmap_device *disk, struct partition_devices *made)
{
	_cleanup_free_ char *device = xasprintf("%u:%u", major(disk->devno), minor(disk->devno));
	_cleanup_change_ struct change part = PARTITIONS_INIT(part, c);
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	const struct guard guard = { .recheck = true, .readonly = true };
	int r;

	partitions_prepare(&part, c, p, device);
	part.image = disk;
	r = change_file_lock(&part.file, part.dev.name) ? : partitions_check(&part, c);
	if (r)
		return MIN(r, 0);
	/*
	 * a read-only device may have users already, such as another partition device on the same
	 * sectors: these users are found now, so the check after the load accepts them
	 */
	if (c->readonly)
		guard_table(&part.table, &guard, &part.results.findings);
	r = change_switch(&part);
	if (devmap_is_done(r) && !devmap_look(&part.dev, &now))
		partitions_add(made, &now);
	return r;
}

/*
 * Check that the partition table has not changed since it was planned, because another process may
 * have written to the backing file. Check also that the device of the image exists under its old
 * name, because the names of the partition devices begin with it. @disk: set to the present state
 * of the device
 */
static int partitions_check_again(const struct change *c, struct devmap_device *disk)
{
	_cleanup_partition_table_ struct partition_table now = {
		.optional = c->parts.table.optional,
	};
	int r = partitions_read(&now, NULL, &c->dev);

	if (r)
		return r;
	if (devmap_look(&c->dev, disk) || strcmp(disk->name, c->dev.name))
		log_err("%s: another process has removed or renamed the device meanwhile: try again",
			c->dev.name);
	else if (!partition_same(&c->parts.table, &now))
		log_err("%s: another process has changed its partition table meanwhile: try again",
			c->dev.name);
	else
		return 0;
	return -EAGAIN;
}

static int partitions_make_all(const struct change *c, struct partition_devices *made)
{
	_cleanup_devmap_device_ struct devmap_device disk = { 0 };
	int r = partitions_check_again(c, &disk), late = 0;
	unsigned int i;

	for (i = 0; i < c->parts.table.nr && !r; i++) {
		if (c->parts.table.part[i].extended)
			continue;
		r = partitions_make_one(c, &c->parts.table.part[i], &disk, made);
		r = devmap_note_late(r, &late);
		if (!r && stop_requested()) {
			log_err("%s: a signal has stopped the command", c->dev.name);
			r = -EINTR;
		}
	}
	return r ? r : late;
}

int partitions_make(struct change *c)
{
	_cleanup_partitions_ struct partition_devices made = { 0 };
	int r = partitions_make_all(c, &made);

	if (devmap_is_done(r))
		c->parts.json = partitions_list(&made);
	while (!devmap_is_done(r) && made.nr) {
		devmap_remove_existing(&made.dev[--made.nr]);
		devmap_device_free(&made.dev[made.nr]);
	}
	return r;
}

/* Fourth part: changes of the partition table. */

int partitions_size(const struct devmap_device *dev, uint64_t start, uint64_t *sectors)
{
	const char *uuid = name_uuid_of_disk(dev->uuid);
	_cleanup_partition_table_ struct partition_table parts = { 0 };
	_cleanup_devmap_device_ struct devmap_device disk = { 0 };
	int r = devmap_look(&(struct devmap_device) { .uuid = (char *)uuid }, &disk);
	unsigned int i;

	if (r)
		log_err("%s: %s", dev->name, devmap_reason(r));
	r = r ? : partitions_read(&parts, NULL, &disk);
	if (r)
		return r;
	for (i = 0; i < parts.nr; i++)
		if (parts.part[i].nr == name_uuid_partition_of(dev->uuid, uuid) &&
		    parts.part[i].start == start && !parts.part[i].extended) {
			*sectors = parts.part[i].sectors;
			return 0;
		}
	log_err("%s: in the partition table of %s, this partition no longer begins at sector %llu: remove %s with its partitions, and create it again",
		dev->name, disk.name, (unsigned long long)start, disk.name);
	return -ESTALE;
}

/* Return: the partition with the last sectors, or NULL. */
static const struct partition *partitions_last(const struct partition_table *parts)
{
	const struct partition *last = NULL;
	unsigned int i;

	for (i = 0; i < parts->nr; i++)
		if (!parts->part[i].extended && (!last || parts->part[i].start > last->start))
			last = &parts->part[i];
	return last;
}

char *partitions_grow_words(const struct devmap_device *disk)
{
	_cleanup_partition_table_ struct partition_table parts = { 0 };
	_cleanup_partitions_ struct partition_devices found = { 0 };
	_cleanup_free_ char *node = xasprintf("/dev/mapper/%s", disk->name), *resize = NULL;
	_cleanup_free_ char *quoted = shell_quote(node);
	const struct partition *last;
	struct strbuf b = { 0 };
	unsigned int i;

	if (partitions_find(disk, &found) || !found.nr || partitions_read(&parts, NULL, disk))
		return NULL;
	last = partitions_last(&parts);
	strbuf_add(&b, "echo ', +' | sfdisk --no-reread --no-tell-kernel -N %u %s", last->nr, quoted);
	for (i = 0; i < found.nr && !resize; i++)
		if (name_uuid_partition_of(found.dev[i].uuid, disk->uuid) == last->nr)
			resize = name_noclone("resize", found.dev[i].name);
	if (resize)
		strbuf_add(&b, " && %s max", resize);
	return strbuf_take(&b);
}
