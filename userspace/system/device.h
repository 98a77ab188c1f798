/* SPDX-License-Identifier: GPL-2.0-only */
/* Block devices of the running system: names, facts, what they are. */
#ifndef NOCLONE_DEVICE_H
#define NOCLONE_DEVICE_H

#include "model/facts.h"
#include "model/table.h"

/* The running system as a source of facts.  Opens no device. */
extern const struct facts_source device_source;

/**
 * device_lookup - facts about a device
 * @name: path, major:minor, or UUID=, LABEL=, PARTUUID=, PARTLABEL=
 * @facts: filled in
 *
 * Return: 0 or a negative errno.
 */
int device_lookup(const char *name, struct device_facts *facts);
int device_lookup_number(dev_t devno, struct device_facts *facts);

/* /sys/dev/block/MAJOR:MINOR, plus @attribute; the caller frees it. */
char *device_sysfs(dev_t devno, const char *attribute);
/* Name of a dm device from sysfs, so without an ioctl; NULL if it is none. */
char *device_dm_name(dev_t devno);
/* Number of the dm device of that name, from sysfs; 0 if there is none. */
dev_t device_dm_number(const char *name);

/**
 * struct device_identity - what a device is
 * @model: vendor's name for it
 * @wwn: world wide name or serial
 * @stable: a name that survives a reboot
 * @type: ext4, LVM2_member, ... or the partition table's type
 * @label: file system label
 *
 * Each is NULL if unknown.
 */
struct device_identity {
	char *model;
	char *wwn;
	char *stable;
	char *type;
	char *label;
};

void device_identify(const struct device_facts *facts,
		     struct device_identity *id);
void device_identity_free(struct device_identity *id);

/**
 * device_probe - look for a signature in a part of a device
 * @path: device, opened read-only
 * @first: first sector
 * @sectors: how many
 * @type: set to its type, or NULL
 * @label: set to its label, or NULL
 *
 * Return: 1 if there is one, 0 if not, or a negative errno.
 */
int device_probe(const char *path, uint64_t first, uint64_t sectors,
		 char **type, char **label);

/* Namers for table_print(): canonical path, stable name, major:minor. */
char *device_name_path(const char *name, void *ctx);
char *device_name_stable(const char *name, void *ctx);
char *device_name_number(const char *name, void *ctx);

#define _cleanup_identity_ __attribute__((cleanup(device_identity_free)))

#endif /* NOCLONE_DEVICE_H */
