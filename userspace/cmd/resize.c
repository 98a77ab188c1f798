// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone resize: extend a running device.
 *
 * Conditions that make the command fail are found before anything changes, if possible. Then the
 * backing file is extended, the new table replaces the old one by one suspend and resume, and the
 * file system is extended last. Each step can be undone until the new table runs. If the file
 * system cannot be extended then, the user can extend it later.
 */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/name.h"
#include "model/plan.h"
#include "model/resize.h"
#include "model/table-target.h"
#include "system/blockdev.h"
#include "system/lookup.h"
#include "system/content.h"
#include "system/file-lookup.h"
#include "system/live.h"
#include "system/parts-saved.h"
#include "system/parts.h"
#include "cli/build.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/change.h"
#include "cmd/cmd.h"
#include "cmd/partitions.h"

/**
 * struct resize - the data of the command
 * @c: the change of the device
 * @node: the path of the device node
 * @last: the last target of the live table; this target becomes longer, or new targets follow it
 * @room: the room into which the last target can grow
 * @next: the name of the mapped device or partition that keeps the target from growing further: the
 *	first one behind the leg that has the least room. NULL if this leg can grow to the end of
 *	its device
 * @sectors: the requested size
 * @grows: the requested size is larger than the present size
 * @mounted: with --resizefs: the file system on the device is mounted
 */
struct resize {
	struct change c;
	char *node;
	const struct target *last;
	struct resize_room room;
	char *next;
	uint64_t sectors;
	bool grows;
	bool mounted;
};

/* Log a sentence about the device. Return: @error. */
static int resize_refuse(const struct resize *r, int error, const char *sentence)
{
	log_err("%s: %s", r->c.dev.name, sentence);
	return error;
}

static int resize_refuse_lookup(const char *name, int error)
{
	log_err("%s: %s", name, strerror(-error));
	return error;
}

static int resize_begin(struct resize *r, const char *word)
{
	_cleanup_free_ char *why = NULL;
	int e = change_begin(&r->c, word) ? : select_check_owner(r->c.o, &r->c.dev);

	if (e)
		return e;
	if (r->c.dev.readonly && opt(r->c.o, OPT_RESIZEFS))
		return resize_refuse(r, -EROFS, "it is read-only, and --resizefs would change its file system: leave --resizefs out");
	why = resize_objection(&r->c.live.table) ? : live_short_file(&r->c.live, NULL);
	if (why)
		return resize_refuse(r, -EOPNOTSUPP, why);
	r->last = &r->c.live.table.targets[r->c.live.table.nr - 1];
	r->node = xasprintf("/dev/mapper/%s", r->c.dev.name);
	/* without udev, /dev/dm-N may be the only node of the device */
	if (access(r->node, F_OK)) {
		free(r->node);
		r->node = xasprintf("/dev/dm-%u", minor(r->c.dev.devno));
	}
	return 0;
}

/*
 * Add the parts of disks that all mapped devices use. It is an error if the table of a device
 * cannot be read, because this device may use any sectors.
 */
static int resize_add_mapped(const struct resize *r, struct parts *parts)
{
	_cleanup_names_ struct names names = { 0 };
	int e = devmap_names(&names);
	unsigned int i;

	if (e)
		return resize_refuse_lookup(r->c.dev.name, e);
	for (i = 0; i < names.nr; i++) {
		_cleanup_table_ struct table t = { 0 };
		int unread = devmap_table(names.name[i], DEVMAP_TABLE, &t);

		if (unread && !devmap_is_absent(unread))
			e = resize_refuse_lookup(names.name[i], unread);
		parts_add_table(parts, names.name[i], &t);
	}
	return e;
}

/*
 * If a leg is on a whole disk, add the partitions of this disk, which the leg must not grow into.
 * If the leg is on a partition, add nothing, because the leg may use all of this partition.
 */
static void resize_add_partitions(const struct device_facts *f, struct parts *parts)
{
	_cleanup_free_ char *pattern = blockdev_sysfs(f->devno, "*/partition");
	glob_t found = { 0 };
	size_t i;

	glob(pattern, 0, NULL, &found);
	for (i = 0; f->disk == f->devno && i < found.gl_pathc; i++) {
		_cleanup_facts_ struct device_facts part = { 0 };
		char *name = found.gl_pathv[i];

		*strrchr(name, '/') = 0;
		name = strrchr(name, '/') + 1;
		if (blockdev_lookup_number(blockdev_kernel_number(name), &part))
			continue;
		GROW(parts->part, parts->nr);
		parts->part[parts->nr++] = (struct part) {
			.name = xstrdup(name),
			.range = { f->disk, part.offset, part.offset + part.sectors },
		};
	}
	globfree(&found);
}

static uint64_t resize_room_behind(const struct device_facts *f, uint64_t end,
				   const struct parts *parts, const char **next)
{
	const uint64_t from = f->offset + end;
	uint64_t to = f->offset + f->sectors;
	unsigned int i;

	*next = NULL;
	for (i = 0; i < parts->nr; i++) {
		const struct part *p = &parts->part[i];

		if (p->range.disk != f->disk || p->range.end <= from || p->range.first >= to ||
		    !part_counts(p))
			continue;
		to = MAX(p->range.first, from);
		*next = p->name;
	}
	return to > from ? to - from : 0;
}

/* Find the room behind the legs of the last target. The leg with the least room decides. */
static int resize_find_behind_legs(struct resize *r)
{
	_cleanup_parts_ struct parts used = { 0 };
	uint64_t least = UINT64_MAX;
	int e = resize_add_mapped(r, &used);
	unsigned int i;

	parts_add_saved(&used);
	for (i = 0; i < r->last->nr_legs && !e; i++) {
		const struct leg *leg = &r->last->legs[i];
		_cleanup_facts_ struct device_facts f = { 0 };
		const char *next;
		uint64_t sectors;

		e = blockdev_lookup(leg->device, &f);
		if (e)
			return resize_refuse_lookup(leg->device, e);
		resize_add_partitions(&f, &used);
		blockdev_limits(&f);
		r->room.block = MAX(r->room.block, (uint64_t)f.logical_block);
		sectors = resize_room_behind(&f, leg->start + target_leg_length(r->last), &used,
					     &next);
		if (sectors >= least)
			continue;
		least = sectors;
		free(r->next);
		r->next = next ? xstrdup(next) : NULL;
	}
	r->room.free = resize_legs_room(r->last, least);
	return e;
}

/*
 * Find the room in the backing file of the last target. @is_max: the device grows to the present
 * end of the file. Otherwise the file can be extended, and only its file system limits its growth.
 */
static int resize_find_in_file(struct resize *r, bool is_max)
{
	_cleanup_free_ char *name = name_encode_path(r->last->path);
	_cleanup_file_facts_ struct file_facts f = { 0 };
	uint64_t end = r->last->legs->start + r->last->length, sectors;
	int e = file_lookup(r->last->path, false, &f);

	if (e) {
		_cleanup_free_ char *why = facts_file_error(&f, e);

		log_err("%s: %s", name, why);
		return e;
	}
	r->room.block = plan_file_unit(r->last->engine, &f);
	sectors = f.bytes / r->room.block * r->room.block >> SECTOR_SHIFT;
	r->room.free = !is_max ? TABLE_MAX_SECTORS : sectors > end ? sectors - end : 0;
	return 0;
}

static int resize_complete_spec(struct resize *r, struct leg_spec *spec)
{
	_cleanup_facts_ struct device_facts f = { 0 }, own = { 0 };
	int e = blockdev_lookup(spec->device, &f) ? :
		blockdev_lookup_number(r->c.dev.devno, &own);

	if (e)
		return resize_refuse_lookup(spec->device, e);
	if (spec->start >= f.sectors || spec->length > f.sectors - spec->start) {
		_cleanup_free_ char *has = size_format(f.sectors);

		log_err("%s is too small for the given START and LEN: the device has %s", spec->device, has);
		return -ENOSPC;
	}
	blockdev_limits(&f);
	blockdev_limits(&own);
	/* a file system that was made for smaller logical blocks may be impossible to mount */
	if (f.logical_block > own.logical_block && !opt(r->c.o, OPT_FORCE)) {
		log_err("%s has logical blocks of %u bytes, and %s has logical blocks of %u bytes: data on the device may become unusable; --force continues",
			spec->device, f.logical_block, r->c.dev.name, own.logical_block);
		return -EPERM;
	}
	r->room.block = MAX(r->room.block, (uint64_t)f.logical_block);
	if (!spec->length)
		spec->length = f.sectors - spec->start;
	free(spec->device);
	spec->device = xstrdup(f.path);
	return 0;
}

static int resize_find_room(struct resize *r, bool is_max, const struct plan_request *added)
{
	unsigned int i;
	int e = r->last->path ? resize_find_in_file(r, is_max) : resize_find_behind_legs(r);

	for (i = 0; i < added->nr_legs && !e; i++)
		e = resize_complete_spec(r, &added->legs[i]);
	r->room.leg = added->legs;
	r->room.nr_legs = added->nr_legs;
	return e;
}

/* Refuse to extend the file of a read-only device, whose user expects that the file stays the same. */
static int resize_refuse_readonly(const struct resize *r, uint64_t bytes)
{
	_cleanup_free_ char *path = shell_quote(r->last->path);
	_cleanup_free_ char *resize = name_noclone("resize", r->c.dev.name);

	log_err("%s: it is read-only, and this size needs a longer file: run \"truncate --size %llu %s\" first, then \"%s max\"",
		r->c.dev.name, (unsigned long long)bytes, path, resize);
	return -EROFS;
}

static int resize_plan_file(struct resize *r)
{
	const struct target *last = &r->c.table.targets[r->c.table.nr - 1];
	uint64_t block = r->room.block;
	uint64_t bytes = (last->legs->start + last->length) << SECTOR_SHIFT;
	struct file_request req = {
		.path = last->path,
		.bytes = (bytes + block - 1) / block * block,
		.allocate = opt(r->c.o, OPT_ALLOCATE),
		.engine = last->engine,
	};
	_cleanup_file_facts_ struct file_facts f = { 0 };

	if (!last->path || (!file_lookup(last->path, false, &f) && f.bytes >= req.bytes))
		return 0;
	if (r->c.dev.readonly)
		return resize_refuse_readonly(r, req.bytes);
	if (last->engine == ENGINE_EXTENT)
		return resize_refuse(r, -ETXTBSY, "engine extent has pinned its file: reload the device with --engine direct first, and with --engine extent after the resize");
	r->c.backing.running = true;
	return backing_plan(&r->c.backing, &req, r->c.dev.devno);
}

/*
 * If the device is a partition device, let it grow only to the size of the partition in the
 * partition table. Behind the partition are other partitions, or the backup of a GPT.
 */
static int resize_limit_partition(struct resize *r, const struct resize_size *size,
				  const struct plan_request *added)
{
	_cleanup_free_ char *disk = partitions_disk_of(&r->c.dev), *resize = NULL;
	uint64_t sectors, now = table_sectors(&r->c.live.table);
	int e;

	if (!disk)
		return 0;
	resize = name_noclone("resize", r->c.dev.name);
	if (size->how != RESIZE_MAX || added->nr_legs || r->c.live.table.nr != 1) {
		log_err("%s is a partition of %s: change the partition table with sfdisk, then \"%s max\" gives it the size in the table",
			r->c.dev.name, disk, resize);
		return -EINVAL;
	}
	e = partitions_size(&r->c.dev, r->last->legs->start, &sectors);
	if (e)
		return e;
	if (sectors < now) {
		log_err("%s is larger than its entry in the partition table of %s, and \"noclone resize\" makes no device smaller: remove %s with its partitions, and create it again",
			r->c.dev.name, disk, disk);
		return -EINVAL;
	}
	r->room.free = MIN(r->room.free, sectors - now);
	r->c.partition = true;
	return 0;
}

static int resize_plan(struct resize *r, const struct resize_size *size,
		       const struct plan_request *added)
{
	struct change *c = &r->c;
	_cleanup_free_ char *why = NULL, *other = NULL;
	int e;

	if (added->nr_legs && r->last->kind != TARGET_LINEAR)
		return resize_refuse(r, -EINVAL, "devices can be added only to a linear device: \"noclone reload\" gives the device another table");
	e = resize_find_room(r, size->how == RESIZE_MAX, added) ? :
		resize_limit_partition(r, size, added);
	if (e)
		return e;
	why = resize_table(&c->live.table, size, &r->room, &c->table);
	if (why && r->next && !added->nr_legs)
		log_err("%s: %s; the sectors after its last sector belong to %s", c->dev.name, why, r->next);
	else if (why)
		resize_refuse(r, -ENOSPC, why);
	if (why)
		return -ENOSPC;
	r->sectors = table_sectors(&c->table);
	r->grows = r->sectors > table_sectors(&c->live.table);
	/*
	 * the new table opens the backing files by their paths, which may lead to other files now
	 */
	other = change_data(c, &system_facts, false);
	if (other)
		return resize_refuse(r, -ESTALE, other);
	return r->grows ? resize_plan_file(r) : 0;
}

/*
 * The following functions extend the file system on the device. fsadm(8) of lvm2 extends ext2,
 * ext3, ext4 and xfs, also inside LUKS. The tool calls fsadm as lvextend does: a file system that
 * is not mounted is checked before the device grows, because resize2fs requires this check.
 */

/*
 * FSADM_MOUNTED: the exit status of "fsadm check" for a mounted file system, which fsadm does not
 * check.
 */
#define FSADM_MOUNTED	3
#define FSADM_LINES	5

/* Log the first lines of the output, which usually have the reason of a failure. */
static void resize_fsadm_log(char *text)
{
	unsigned int left = FSADM_LINES;
	char *save = NULL, *line;

	for (line = strtok_r(text, "\r\n", &save); line && left--;
	     line = strtok_r(NULL, "\r\n", &save))
		log_err("  %s", line);
}

/*
 * Run fsadm. @changes: false for "fsadm --dry-run". Return: 0, FSADM_MOUNTED, or a negative errno
 * after a message.
 */
static int resize_fsadm(const struct resize *r, bool changes, char *verb, char *size)
{
	char *argv[] = {
		"fsadm", changes ? verb : "--dry-run", changes ? r->node : verb,
		changes ? NULL : r->node, size, NULL,
	};
	_cleanup_child_output_ struct child_output output = { 0 };
	int e;

	stop_hold();
	e = child_run(argv, changes, &output);
	if (changes)
		stop_release();
	else
		stop_deliver();
	if (e == -ENOENT)
		log_err("--resizefs needs fsadm: install lvm2, or leave --resizefs out");
	else if (e)
		log_err("fsadm %s %s: %s", verb, r->node, strerror(-e));
	if (e || !output.status)
		return e;
	if (WIFEXITED(output.status) && WEXITSTATUS(output.status) == FSADM_MOUNTED)
		return FSADM_MOUNTED;
	log_err("fsadm %s %s failed:", verb, r->node);
	resize_fsadm_log(*output.err ? output.err : output.out);
	return -EIO;
}

/*
 * Find out by dry runs of fsadm whether the file system can be extended. "fsadm check" shows
 * whether the file system is mounted, because fsadm does not check a mounted file system. A dry run
 * of "fsadm resize" is possible only if the file system is mounted.
 */
static int resize_plan_filesystem(struct resize *r)
{
	_cleanup_free_ char *size = xasprintf("%llub", (unsigned long long)r->sectors << SECTOR_SHIFT);
	int e = resize_fsadm(r, false, "check", NULL);

	r->mounted = e == FSADM_MOUNTED;
	if (r->mounted)
		e = resize_fsadm(r, false, "resize", size);
	if (e < 0 && e != -ENOENT && e != -EINTR)
		log_err("%s: fsadm does not know the content of this device: leave --resizefs out, and make the content larger afterwards with its own tools",
			r->c.dev.name);
	return e;
}

static int resize_print(struct resize *r)
{
	_cleanup_free_ char *node = shell_quote(r->node);
	const bool fs = opt(r->c.o, OPT_RESIZEFS);
	_cleanup_free_ char *check = fs && !r->mounted ?
		xasprintf("fsadm check %s || [ $? -eq %d ] && ", node, FSADM_MOUNTED) : xstrdup("");
	_cleanup_free_ char *after = fs ? xasprintf(" && fsadm resize %s", node) : xstrdup("");
	_cleanup_free_ char *name = shell_quote(r->c.dev.name);
	_cleanup_free_ char *only = fs ? xasprintf("%sfsadm resize %s", check, node) :
		xasprintf("# %s has this size already", name);

	if (r->grows)
		return change_print(&r->c, check, after);
	output_dry_run(r->c.o, r->c.needs->command, r->c.dev.name, NULL, &r->c.table, NULL, only);
	return 0;
}

/* Remind the user that the content of the device does not grow by itself. */
static void resize_report(const struct resize *r)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_content_ struct content s = { 0 };
	_cleanup_free_ char *node = shell_quote(r->node), *parts = NULL;

	if (!r->grows)
		log_note("%s has this size already", r->c.dev.name);
	if (!r->grows || opt(r->c.o, OPT_RESIZEFS))
		return;
	parts = partitions_grow_words(&r->c.dev);
	if (parts) {
		log_note("%s: its partitions keep their places and sizes; to let the last one grow: %s",
			 r->c.dev.name, parts);
		return;
	}
	if (!blockdev_lookup_number(r->c.dev.devno, &f))
		content_read_part(&f, 0, f.sectors, &s);
	if (s.nr || r->c.dev.open_count)
		log_note("%s: %s on the device keeps its size: \"fsadm resize %s\" grows ext2, ext3, ext4 and xfs, also in LUKS; pvresize grows a physical volume; for any other content, use the tools of that content",
			 r->c.dev.name, s.nr ? s.signature->type : "the content", node);
}

/*
 * Extend the device and, if @fs is true, its file system. Context: stop_block(), because a signal
 * between the two steps would end the command without a message, and the file system would be
 * smaller than the device.
 */
static int resize_grow(struct resize *r, bool fs)
{
	int late = r->grows ? change_run(&r->c) : change_finish(&r->c), e;
	_cleanup_free_ char *node = shell_quote(r->node);

	/*
	 * do not extend the file system after an error: if the saved file still has the old size,
	 * the device would be too small for the larger file system after the next boot
	 */
	if (!devmap_is_done(late))
		return late;
	resize_report(r);
	e = fs ? resize_fsadm(r, true, "resize", NULL) : 0;
	if (e)
		log_err("%s: the device has the new size, but the file system still has the old size: \"fsadm resize %s\" makes the file system larger",
			r->c.dev.name, node);
	return e ? e : late;
}

static int resize_run(struct resize *r)
{
	const bool fs = opt(r->c.o, OPT_RESIZEFS);
	sigset_t before;
	int e = 0;

	/*
	 * e2fsck may need minutes, in which other commands do not wait: change_switch() takes the
	 * lock of the legs again, and the check after the load finds legs that were taken meanwhile
	 */
	if (fs)
		change_unlock_legs(&r->c);
	if (fs && !r->mounted)
		e = resize_fsadm(r, true, "check", NULL);
	/*
	 * @e is FSADM_MOUNTED if the file system was mounted after resize_plan_filesystem():
	 * continue without the check
	 */
	if (e < 0)
		return e;
	if (e != FSADM_MOUNTED && fs && stop_requested())
		return resize_refuse(r, -EINTR, "a signal has stopped the command");
	stop_block(&before);
	e = resize_grow(r, fs);
	stop_unblock(&before);
	return e;
}

static int resize(struct resize *r, const char *word, const struct resize_size *size,
		  const struct plan_request *added)
{
	int e = resize_begin(r, word);

	if (!e)
		e = resize_plan(r, size, added);
	if (!e && opt(r->c.o, OPT_RESIZEFS))
		e = resize_plan_filesystem(r);
	if (!e && r->grows)
		e = change_check(&r->c);
	if (e)
		return e;
	return opt(r->c.o, OPT_DRY_RUN) ? resize_print(r) : resize_run(r);
}

/*
 * Parse the words after the name: the size, and devices for new targets. Return: what is wrong with
 * these words, a new string, or NULL.
 */
static char *resize_parse_words(int argc, char **argv, struct resize_size *size,
				struct plan_request *added)
{
	const char *wrong = resize_parse(size, argv[1]);

	if (wrong)
		return xasprintf("%s: %s; expected SIZE, +SIZE or max after the name",
				 shown(argv[1]), wrong);
	return build_legs(added, argc - 2, argv + 2);
}

static const struct change_needs resize_needs = { .command = "resize", .alone = true };

int cmd_resize(const struct options *o, int argc, char **argv)
{
	struct resize r = { .c = CHANGE_INIT(r.c, o, &resize_needs) };
	struct plan_request added = { 0 };
	_cleanup_free_ char *wrong = NULL;
	struct resize_size size;
	int e = 0;

	wrong = resize_parse_words(argc, argv, &size, &added);
	if (wrong)
		log_err("%s", wrong);
	else
		e = resize(&r, argv[0], &size, &added);
	change_end(&r.c);
	free(r.node);
	free(r.next);
	plan_request_free(&added);
	if (wrong)
		return EXIT_USAGE;
	return e ? EXIT_FAILED : EXIT_OK;
}
