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

#include "base/log.h"
#include "base/util.h"
#include "model/saved.h"
#include "system/blockdev.h"

/* libblkid looks for no LVM or RAID in what is not larger than a diskette. */
#define DISKETTE_SECTORS	2880

struct probe {
	int fd;
	blkid_probe blkid;
};

static void identity_close_probe(struct probe *p)
{
	blkid_free_probe(p->blkid);
	if (p->fd >= 0)
		close(p->fd);
}

#define _cleanup_probe_ __attribute__((cleanup(identity_close_probe)))

/* Return: 0, or a negative errno; the probe has to be closed then as well. */
static int identity_open_probe(struct probe *p, const char *path, uint64_t first, uint64_t sectors)
{
	p->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (p->fd < 0)
		return -errno;
	p->blkid = blkid_new_probe();
	if (!p->blkid)
		return -ENOMEM;
	/* what a mapped device has written is not in the cache of its legs */
	posix_fadvise(p->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (blkid_probe_set_device(p->blkid, p->fd, first << SECTOR_SHIFT,
				   sectors << SECTOR_SHIFT))
		return -EIO;
	blkid_probe_enable_superblocks(p->blkid, 1);
	blkid_probe_set_superblocks_flags(p->blkid, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_UUID | BLKID_SUBLKS_MAGIC);
	blkid_probe_enable_partitions(p->blkid, 1);
	blkid_probe_set_partitions_flags(p->blkid, BLKID_PARTS_MAGIC);
	return 0;
}

static char *identity_value_of(const struct probe *p, const char *name)
{
	const char *value;

	if (blkid_probe_lookup_value(p->blkid, name, &value, NULL))
		return NULL;
	return xstrdup(value);
}

/* Return: 1 if there is a signature, 2 if there are several, 0, or a negative errno. */
static int identity_run_probe(struct probe *p)
{
	switch (blkid_do_safeprobe(p->blkid)) {
	case 0:
		return 1;
	case 1:
		return 0;
	case -2:
		return 2;
	default:
		return -EIO;
	}
}

static int identity_take_type(const struct probe *p, char **type, char **label)
{
	*type = identity_value_of(p, "TYPE");
	if (!*type)
		*type = identity_value_of(p, "PTTYPE");
	*label = identity_value_of(p, "LABEL");
	return *type ? 1 : 0;
}

int identity_probe(const struct device_facts *f, uint64_t first, uint64_t sectors,
		   char **type, char **label)
{
	uint64_t room = f->sectors - MIN(first, f->sectors);
	_cleanup_probe_ struct probe p = { .fd = -1 };
	int r = identity_open_probe(&p, f->path, first,
				    MIN(MAX(sectors, DISKETTE_SECTORS + 1ULL), room));

	*type = NULL;
	*label = NULL;
	if (!r)
		r = identity_run_probe(&p);
	if (r == 2)
		*type = xstrdup("several conflicting signatures");
	return r == 1 ? identity_take_type(&p, type, label) : MIN(r, 1);
}

/* Where the signature is; at no sector if that is not known. */
static uint64_t identity_sector_of(const struct probe *p)
{
	_cleanup_free_ char *offset = identity_value_of(p, "SBMAGIC_OFFSET");

	if (!offset)
		offset = identity_value_of(p, "PTMAGIC_OFFSET");
	return offset ? strtoull(offset, NULL, 10) >> SECTOR_SHIFT : UINT64_MAX;
}

int identity_find(const struct device_facts *f, identity_test is_known, void *data,
		  char **type, char **label)
{
	_cleanup_probe_ struct probe p = { .fd = -1 };
	int r = identity_open_probe(&p, f->path, 0, f->sectors), found;

	*type = NULL;
	*label = NULL;
	if (r)
		return r;
	do
		found = blkid_do_probe(p.blkid);
	while (!found && is_known(identity_sector_of(&p), data));
	if (found)
		return found < 0 ? -EIO : 0;
	return identity_take_type(&p, type, label);
}

/* "ext4 0c6f...", one word each; of several signatures none is certain. */
static char *identity_signature_words(const struct probe *probe, int found)
{
	_cleanup_free_ char *type = identity_value_of(probe, "TYPE"), *id = identity_value_of(probe, "UUID");
	char *c;

	if (found == 2)
		return xstrdup("ambiguous");
	if (!type) {
		type = identity_value_of(probe, "PTTYPE");
		free(id);
		id = identity_value_of(probe, "PTUUID");
	}
	if (!type)
		return xstrdup(SIGNATURE_NONE);
	for (c = type; *c; c++)
		*c = isspace((unsigned char)*c) ? '_' : *c;
	for (c = id; c && *c; c++)
		*c = isspace((unsigned char)*c) ? '_' : *c;
	return xasprintf("%s%s%s", type, id && *id ? " " : "", id ? id : "");
}

/*
 * What to recognize the same part of a device by: type and UUID of its signature,
 * SIGNATURE_NONE without one: a new string, or NULL with errno set.
 */
static char *identity_signature(const char *path, uint64_t first, uint64_t sectors)
{
	_cleanup_probe_ struct probe p = { .fd = -1 };
	int r = identity_open_probe(&p, path, first, sectors);
	char *text = NULL;

	if (!r)
		r = identity_run_probe(&p);
	if (r >= 0)
		text = r ? identity_signature_words(&p, r) : xstrdup(SIGNATURE_NONE);
	/* nor does the cache notice what an active device writes later */
	if (p.fd >= 0)
		posix_fadvise(p.fd, 0, 0, POSIX_FADV_DONTNEED);
	if (r < 0)
		errno = -r;
	return text;
}

static char *identity_property(struct udev_device *dev, const char *name)
{
	const char *value = udev_device_get_property_value(dev, name);

	return value && *value ? xstrdup(value) : NULL;
}

/* Does the link lead to the device?  Two with the same serial number share one. */
static bool identity_leads_to(const char *link, dev_t devno)
{
	struct stat st;

	return !stat(link, &st) && S_ISBLK(st.st_mode) && st.st_rdev == devno;
}

static bool identity_has_link(struct udev *udev, const char *syspath, const char *link)
{
	struct udev_device *dev = udev_device_new_from_syspath(udev, syspath);
	struct udev_list_entry *entry = NULL;

	if (dev)
		entry = udev_list_entry_get_by_name(udev_device_get_devlinks_list_entry(dev),
						    link);
	udev_device_unref(dev);
	return entry;
}

/*
 * Do several devices have this link?  Namespaces of NVMe may share one that is made of their
 * common serial number, and each boot may make it lead to another of them.
 */
static bool identity_is_shared(struct udev_device *dev, const char *link)
{
	struct udev *udev = udev_device_get_udev(dev);
	struct udev_enumerate *e = udev_enumerate_new(udev);
	struct udev_list_entry *entry = NULL;
	bool shared = false;

	if (!e)
		return false;
	if (udev_enumerate_add_match_subsystem(e, "block") >= 0 &&
	    udev_enumerate_scan_devices(e) >= 0)
		entry = udev_enumerate_get_list_entry(e);
	for (; entry && !shared; entry = udev_list_entry_get_next(entry)) {
		const char *syspath = udev_list_entry_get_name(entry);

		shared = strcmp(syspath, udev_device_get_syspath(dev)) &&
			 identity_has_link(udev, syspath, link);
	}
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

			/* in a table "#" begins a comment */
			if (str_starts(link, order[i]) && identity_leads_to(link, devno) &&
			    !strchr(link, '#') &&
			    !str_starts(link, "/dev/disk/by-id/lvm-pv-") &&
			    !identity_is_shared(dev, link))
				return xstrdup(link);
		}
	return NULL;
}

static void identity_ask_udev(dev_t devno, struct identity *id)
{
	struct udev *udev = udev_new();
	struct udev_device *dev;

	if (!udev)
		return;
	dev = udev_device_new_from_devnum(udev, 'b', devno);
	if (dev) {
		id->model = identity_property(dev, "ID_MODEL");
		id->wwn = identity_property(dev, "ID_WWN");
		if (!id->wwn)
			id->wwn = identity_property(dev, "ID_SERIAL");
		id->persistent = identity_stable_link(dev);
		udev_device_unref(dev);
	}
	udev_unref(udev);
}

void identity_lookup(const struct device_facts *f, struct identity *id)
{
	memset(id, 0, sizeof(*id));
	identity_ask_udev(f->devno, id);
	if (!id->model)
		id->model = blockdev_attribute(f->disk, "device/model");
	identity_probe(f, 0, f->sectors, &id->type, &id->label);
}

void identity_free(struct identity *id)
{
	free(id->model);
	free(id->wwn);
	free(id->persistent);
	free(id->type);
	free(id->label);
	memset(id, 0, sizeof(*id));
}

char *identity_path(const char *name, void *ctx __unused)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	if (blockdev_lookup(name, &f))
		return xstrdup(name);
	return xstrdup(f.path);
}

char *identity_persistent(const char *name, void *ctx __unused)
{
	_cleanup_identity_ struct identity id = { 0 };
	_cleanup_facts_ struct device_facts f = { 0 };

	if (blockdev_lookup(name, &f))
		return xstrdup(name);
	identity_ask_udev(f.devno, &id);
	return xstrdup(id.persistent ? id.persistent : f.path);
}

char *identity_number(const char *name, void *ctx __unused)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	if (blockdev_lookup(name, &f))
		return xstrdup(name);
	return xasprintf("%u:%u", major(f.devno), minor(f.devno));
}

/* Of a table, dm removes backslashes, a blank ends a word, and "#" begins a comment. */
char *identity_loadable(const char *name, void *ctx)
{
	return strpbrk(name, "\\# \t\n\v\f\r") ? identity_number(name, ctx) : xstrdup(name);
}

/* A leg or backing file, whose signature is recorded and compared. */
struct identity_part {
	struct target *t;
	unsigned int leg;
	const char *name;
	char *path;		/* its node, or NULL if it does not exist, */
	int error;		/* for that reason */
};

static void identity_part_free(struct identity_part *p)
{
	free(p->path);
}

#define _cleanup_part_ __attribute__((cleanup(identity_part_free)))

static struct identity_part identity_part_of(const struct table *t, unsigned int nr)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct identity_part p = { .leg = nr };

	p.t = saved_part(t, &p.leg);
	p.name = p.t->path ? p.t->path : p.t->legs[p.leg].device;
	if (p.t->path)
		p.error = access(p.name, F_OK) ? -errno : 0;
	else
		p.error = blockdev_lookup(p.name, &f);
	if (!p.error)
		p.path = xstrdup(p.t->path ? p.name : f.path);
	return p;
}

char *signatures_missing(const struct table *t)
{
	unsigned int i, nr = saved_parts(t);

	for (i = 0; i < nr; i++) {
		_cleanup_part_ struct identity_part p = identity_part_of(t, i);

		if (!p.path)
			return xstrdup(p.name);
	}
	return NULL;
}

/* A file may be about to grow; libblkid does not read beyond its end. */
static char *identity_file_signature(const struct target *t)
{
	uint64_t sectors, end;
	struct stat st;

	if (stat(t->path, &st))
		return NULL;
	sectors = st.st_size >> SECTOR_SHIFT;
	end = MIN(sectors, t->file_start + t->length);
	return end <= t->file_start ? xstrdup(SIGNATURE_NONE) :
	       identity_signature(t->path, t->file_start, end - t->file_start);
}

/* A new string, or NULL with an error. */
static char *identity_find_signature(struct identity_part *p)
{
	const struct target *t = p->t;
	char *found = NULL;

	if (p->path && t->path)
		found = identity_file_signature(t);
	else if (p->path)
		found = identity_signature(p->path, t->legs[p->leg].start, target_leg_length(t));
	if (p->path && !found)
		p->error = -errno;
	return found;
}

int signatures_record(struct saved *s, bool planned)
{
	unsigned int i, nr = saved_parts(&s->table);

	saved_drop_signatures(s);
	for (i = 0; i < nr; i++) {
		_cleanup_part_ struct identity_part p = identity_part_of(&s->table, i);
		_cleanup_free_ char *found = identity_find_signature(&p);

		if (!found && !(planned && p.t->path && !p.path)) {
			log_err("%s: cannot be read: %s", p.name, strerror(-p.error));
			return p.error;
		}
		saved_add_signature(s, found ? found : SIGNATURE_NONE);
	}
	return 0;
}

/* @first: signature of the device, once it is accepted.  Return: is that an error more? */
static bool identity_check_part(const struct saved *s, unsigned int nr,
				struct identity_part *p, char **first,
				struct findings *findings)
{
	_cleanup_free_ char *found = identity_find_signature(p), *why = NULL;
	enum finding_level level = FINDING_NOTE;
	const unsigned int before = findings->nr;

	if (!found) {
		finding_at(findings, FINDING_ERROR, p->t->line, "%s: cannot be read: %s",
			   p->path, strerror(-p->error));
		return false;
	}
	why = saved_refusal(s, nr, found, *first, &level);
	if (why)
		finding_at(findings, level, p->t->line, "%s", why);
	else if (!nr)
		*first = xstrdup(found);
	/* two parts may be on one device, of which it is said once */
	return level == FINDING_ERROR && findings->nr > before;
}

unsigned int signatures_check(struct saved *s, bool rename, struct findings *findings)
{
	_cleanup_free_ char *first = NULL;
	unsigned int i, others = 0;

	for (i = 0; i < s->nr; i++) {
		_cleanup_part_ struct identity_part p = identity_part_of(&s->table, i);

		if (!p.path)
			continue;
		others += identity_check_part(s, i, &p, &first, findings);
		if (!rename || p.t->path)
			continue;
		free(p.t->legs[p.leg].device);
		p.t->legs[p.leg].device = xstrdup(p.path);
	}
	return others;
}
