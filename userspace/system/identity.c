// SPDX-License-Identifier: GPL-2.0-only
/* What a block device is, from udev and from what is on it. */
#include "system/identity.h"

#include <blkid/blkid.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libudev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "system/lookup.h"

/* libblkid looks for no LVM or RAID in what is not larger than a diskette. */
#define DISKETTE_SECTORS	2880

void signature_free(struct signature *s)
{
	free(s->type);
	free(s->id);
	free(s->label);
}

static char *identity_value_of(blkid_probe p, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(p, name, &value, NULL) || !*value ? NULL : xstrdup(value);
}

static void identity_take(blkid_probe p, struct signature *s)
{
	s->type = identity_value_of(p, "TYPE");
	s->id = identity_value_of(p, s->type ? "UUID" : "PTUUID");
	s->label = identity_value_of(p, "LABEL");
	if (!s->type)
		s->type = identity_value_of(p, "PTTYPE");
}

/* Where the signature is; at no sector if that is not known. */
static uint64_t identity_sector_of(blkid_probe p)
{
	_cleanup_free_ char *offset = identity_value_of(p, "SBMAGIC_OFFSET");

	if (!offset)
		offset = identity_value_of(p, "PTMAGIC_OFFSET");
	return offset ? strtoull(offset, NULL, 10) >> SECTOR_SHIFT : UINT64_MAX;
}

static bool identity_set_probe(blkid_probe p, int fd, uint64_t first, uint64_t sectors)
{
	if (!p || blkid_probe_set_device(p, fd, first << SECTOR_SHIFT, sectors << SECTOR_SHIFT))
		return false;
	blkid_probe_enable_superblocks(p, 1);
	blkid_probe_set_superblocks_flags(p, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_UUID | BLKID_SUBLKS_MAGIC);
	blkid_probe_enable_partitions(p, 1);
	blkid_probe_set_partitions_flags(p, BLKID_PARTS_MAGIC);
	return true;
}

/*
 * The signature in these sectors; with @is_known, the first one that is not known.  Of
 * several that contradict each other none is certain.
 * Return: 1 if there is one, 0 if not, or a negative errno: -ENOSPC if there is no such sector.
 */
static int identity_read(const char *path, uint64_t first, uint64_t sectors,
			 identity_test is_known, void *data, struct signature *s)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	blkid_probe p;
	int found = -1;

	if (fd < 0)
		return -errno;
	/* what a mapped device writes, before and after, is not in the cache of its legs */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = blkid_new_probe();
	if (identity_set_probe(p, fd, first, sectors))
		do
			found = is_known ? blkid_do_probe(p) : blkid_do_safeprobe(p);
		while (!found && is_known && is_known(identity_sector_of(p), data));
	if (!found)
		identity_take(p, s);
	else if (found == -2)
		s->type = xstrdup("ambiguous");
	blkid_free_probe(p);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (found == -1)
		return (uint64_t)lseek(fd, 0, SEEK_END) >> SECTOR_SHIFT < first + sectors ?
		       -ENOSPC : -EIO;
	return s->type != NULL;
}

int identity_probe(const struct device_facts *f, uint64_t first, uint64_t sectors,
		   identity_test is_known, void *data, struct signature *s)
{
	uint64_t room = f->sectors - MIN(first, f->sectors);

	return identity_read(f->path, first, MIN(MAX(sectors, DISKETTE_SECTORS + 1ULL), room),
			     is_known, data, s);
}

/*
 * What to recognize a part by: "ext4 0c6f...", one word each, SIGNATURE_NONE without a
 * signature: a new string, or NULL with errno set.
 */
static char *identity_signature(const char *path, uint64_t first, uint64_t sectors)
{
	_cleanup_signature_ struct signature s = { 0 };
	int r = identity_read(path, first, sectors, NULL, NULL, &s);
	char *text, *c;

	if (r < 0) {
		errno = -r;
		return NULL;
	}
	text = xasprintf("%s %s", r ? s.type : SIGNATURE_NONE, s.id ? s.id : "");
	for (c = text; *c; c++)
		if (isspace((unsigned char)*c))
			*c = '_';
	text[r ? strlen(s.type) : strlen(SIGNATURE_NONE)] = s.id ? ' ' : 0;
	return text;
}

/*
 * Do several devices have this link?  Namespaces of NVMe may share one that is made of their
 * common serial number, and each boot may make it lead to another of them.
 */
static bool identity_is_shared(struct udev_device *dev, const char *link)
{
	struct udev_enumerate *e = udev_enumerate_new(udev_device_get_udev(dev));
	struct udev_list_entry *entry;
	unsigned int i;
	bool shared;

	/* alone, first, last or between others */
	for (i = 0; i < 4; i++) {
		_cleanup_free_ char *links = xasprintf("%s%s%s", i & 1 ? "* " : "", link,
						       i & 2 ? " *" : "");

		udev_enumerate_add_match_property(e, "DEVLINKS", links);
	}
	udev_enumerate_add_match_subsystem(e, "block");
	udev_enumerate_scan_devices(e);
	entry = udev_enumerate_get_list_entry(e);
	shared = entry && udev_list_entry_get_next(entry);
	udev_enumerate_unref(e);
	return shared;
}

/*
 * The best of the device's links, in this order of preference.  Not by what is on it:
 * the file system of a mapped device is, for udev, on its first leg, too.  A multipath
 * device has the name that /etc/multipath/bindings gives it, of which an initramfs has
 * a copy of its own: by its UUID, and so its partitions.
 */
static char *identity_stable_link(struct udev_device *dev)
{
	static const char * const order[] = {
		"/dev/disk/by-id/dm-uuid-mpath-", "/dev/disk/by-id/dm-uuid-part",
		"/dev/mapper/", "/dev/disk/by-id/wwn-", "/dev/disk/by-id/nvme-eui",
		"/dev/disk/by-id/", "/dev/disk/by-partuuid/", "/dev/disk/by-path/",
	};
	dev_t devno = udev_device_get_devnum(dev);
	struct udev_list_entry *entry;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		udev_list_entry_foreach(entry,
					udev_device_get_devlinks_list_entry(dev)) {
			const char *link = udev_list_entry_get_name(entry);

			/* two with one serial number share it; "#" begins a comment of a table */
			if (str_starts(link, order[i]) && blockdev_at(link) == devno &&
			    !strchr(link, '#') &&
			    !str_starts(link, "/dev/disk/by-id/lvm-pv-") &&
			    !identity_is_shared(dev, link))
				return xstrdup(link);
		}
	return NULL;
}

char *identity_path(const char *name)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	return xstrdup(blockdev_lookup(name, &f) ? name : f.path);
}

char *identity_persistent(const char *name)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct udev *udev = udev_new();
	struct udev_device *dev;
	char *link = NULL;

	if (!blockdev_lookup(name, &f)) {
		dev = udev_device_new_from_devnum(udev, 'b', f.devno);
		link = dev ? identity_stable_link(dev) : NULL;
		udev_device_unref(dev);
	}
	udev_unref(udev);
	return link ? link : xstrdup(f.path ? f.path : name);
}

char *identity_number(const char *name)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	if (blockdev_lookup(name, &f))
		return xstrdup(name);
	return xasprintf("%u:%u", major(f.devno), minor(f.devno));
}

/* Of a table, dm removes backslashes, a blank ends a word, and "#" begins a comment. */
char *identity_loadable(const char *name)
{
	return strpbrk(name, "\\# \t\n\v\f\r") ? identity_number(name) : xstrdup(name);
}

/* The file, or the node of the leg, if it exists: a new string; NULL with errno set. */
static char *identity_leg_path(const struct target *t, unsigned int leg)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	int r;

	if (t->path)
		return access(t->path, F_OK) ? NULL : xstrdup(t->path);
	r = blockdev_lookup(t->legs[leg].device, &f);
	errno = -r;
	return r ? NULL : xstrdup(f.path);
}

char *signatures_missing(const struct table *t)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		_cleanup_free_ char *path = identity_leg_path(target, i);

		if (!path)
			return xstrdup(target->legs[i].device);
	}
	return NULL;
}

/* A file may be about to grow; libblkid does not read beyond its end. */
static char *identity_file_signature(const struct target *t)
{
	uint64_t start = t->legs->start, end = start + t->length;
	struct stat st;

	if (stat(t->path, &st))
		return NULL;
	end = MIN(end, (uint64_t)st.st_size >> SECTOR_SHIFT);
	return end <= start ? xstrdup(SIGNATURE_NONE) :
	       identity_signature(t->path, start, end - start);
}

/* What a leg has at @path: a new string; NULL with errno set. */
static char *identity_leg_signature(const struct target *t, unsigned int leg, const char *path)
{
	return t->path ? identity_file_signature(t) :
	       identity_signature(path, t->legs[leg].start, target_leg_length(t));
}

int signatures_record(struct table *table, bool planned)
{
	struct target *t = NULL;
	unsigned int i;

	while ((t = table_next_leg(table, t, &i))) {
		_cleanup_free_ char *path = identity_leg_path(t, i);
		char *found = path ? identity_leg_signature(t, i, path) : NULL;

		if (!found && (!planned || !t->path || path)) {
			int r = -errno;

			log_err("%s: cannot be read: %s", t->legs[i].device, strerror(-r));
			return r;
		}
		free(t->legs[i].signature);
		t->legs[i].signature = found ? found : xstrdup(SIGNATURE_NONE);
	}
	return 0;
}

/*
 * @found: what the leg has; @first: what the device has, once its first leg is accepted, and
 * @is_first if this is it
 */
static void identity_judge(const struct target *t, unsigned int leg, bool is_first,
			   const char *found, char **first, struct findings *findings)
{
	enum finding_level level;
	_cleanup_free_ char *why = saved_refusal(t, leg, is_first, found, *first, &level);

	if (why)
		finding_at(findings, level, t->line, "%s%s", why, level == FINDING_ERROR ?
			   " (\"noclone activate --force\" and then \"noclone save\" accept it)" : "");
	else if (is_first)
		*first = xstrdup(found);
}

void signatures_check(struct table *table, bool rename, struct findings *findings)
{
	_cleanup_free_ char *first = NULL;
	struct target *t = NULL;
	bool is_first = true;
	unsigned int i;

	for (; (t = table_next_leg(table, t, &i)); is_first = false) {
		_cleanup_free_ char *path = identity_leg_path(t, i), *found = NULL;

		if (!path)
			continue;
		found = identity_leg_signature(t, i, path);
		if (found)
			identity_judge(t, i, is_first, found, &first, findings);
		else if (errno != ENOSPC)
			finding_at(findings, FINDING_ERROR, t->line, "%s: cannot be read: %s",
				   path, strerror(errno));
		if (!rename || t->path)
			continue;
		free(t->legs[i].device);
		t->legs[i].device = xstrdup(path);
	}
}
