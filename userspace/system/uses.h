/* SPDX-License-Identifier: GPL-2.0-only */
/* The users of a block device, of some of its sectors, or of a file. */
#ifndef NOCLONE_USES_H
#define NOCLONE_USES_H

#include <sys/types.h>

#include "base/util.h"
#include "model/facts.h"

/**
 * enum use_kind - how a device is used
 * @USE_MOUNT: a file system on the device is mounted
 * @USE_SWAP: the device is a swap area
 * @USE_HOLDER: another device stands on the device
 * @USE_EXCLUSIVE: a part of the kernel has the device open exclusively
 * @USE_SIGNATURE: the device is not in use, but contains data of a known type
 * @USE_PROCESS: a process has the device open
 * @USE_LOOP: a loop device stands on the device
 * @USE_UNREADABLE: the content of the device is not known
 */
enum use_kind {
	USE_MOUNT,
	USE_SWAP,
	USE_HOLDER,
	USE_EXCLUSIVE,
	USE_SIGNATURE,
	USE_PROCESS,
	USE_LOOP,
	USE_UNREADABLE,
};

/**
 * struct use - one use of a device
 * @kind: the kind of use
 * @by: the mount point, name of the holder, type of the signature, ...
 * @harmless: the user is a mapped device or loop device on other sectors of the device
 * @devno: for a process, the device that it has open; for a holder, the number of the holder
 */
struct use {
	enum use_kind kind;
	char *by;
	bool harmless;
	dev_t devno;
};

struct uses {
	struct use *use;
	unsigned int nr;
};

const char *use_kind_name(enum use_kind kind);
/* Return: a use in words, such as "mounted at /mnt", a new string. */
char *use_describe(const struct use *use);
/* Return: a command that ends the use, a new string, or NULL. */
char *use_remedy(const struct use *use);
void uses_free(struct uses *uses);

#define _cleanup_uses_ __attribute__((cleanup(uses_free)))

/*
 * Find the uses that keep a block device open for long, so that its removal fails: mounts, swap,
 * holders and loop devices.
 */
void uses_find_lasting(struct uses *uses, dev_t devno);
/*
 * Find the uses of uses_find_lasting(), and the processes that have the device open. Such a process
 * may close the device a moment later, and not all of them are found without root. If nothing is
 * found, look for mounts in other mount namespaces.
 */
void uses_find_open(struct uses *uses, dev_t devno);

/*
 * Find the processes that have a block device open; 0 stands for any device. If @writing is true,
 * find only processes that may write, except for the server of a disk and for this process. Without
 * root, some processes are missed.
 */
void uses_find_openers(struct uses *uses, dev_t device, bool writing);

/*
 * Find the processes that may write to a file. @counted: a device also has the file open, so only
 * /proc can show the processes. /proc shows no file that is in io_uring or in a socket.
 */
void uses_find_writers(struct uses *uses, const struct file_facts *facts, bool counted);

/**
 * struct use_query - a question about the users of some sectors
 * @facts: the device
 * @first: the first sector
 * @sectors: the number of sectors
 * @self: the mapped device whose own use does not count, or 0
 * @live: find mounts, swap, holders and loop devices only, but no signatures
 * @exclusive: try to open the device exclusively as well
 * @surely: count only those holders for which it is certain that they have the sectors
 * @known: the number of sectors at the start that have expected data; no signature is looked for in
 *	these sectors
 */
struct use_query {
	const struct device_facts *facts;
	uint64_t first;
	uint64_t sectors;
	dev_t self;
	bool live;
	bool exclusive;
	bool surely;
	uint64_t known;
};

/*
 * Find the holders of a device, of its partitions, and of the disk that it is a part of. @holders:
 * their names in sysfs are added
 */
void uses_holders(dev_t devno, struct names *holders);
void uses_collect(struct uses *uses, const struct use_query *query);
/* Does a device on @facts, other than @self, certainly have this sector? */
bool uses_hold(const struct device_facts *facts, uint64_t sector, dev_t self);
/* Do both devices share sectors? A disk shares sectors with its partitions. */
bool uses_share(const struct device_facts *facts, dev_t devno);

/**
 * uses_collect_file - find swap, loop devices and noclone-file targets on a file
 * @uses: filled in
 * @facts: the file
 * @self: the mapped device whose own use does not count, or 0
 * @shares: devices that only read, and do not pin the file, do not count
 */
void uses_collect_file(struct uses *uses, const struct file_facts *facts,
		       dev_t self, bool shares);
/* Does the mapped device @devno pin the file? @devno may be 0. */
bool uses_pin_file(const struct file_facts *f, dev_t devno);

#endif /* NOCLONE_USES_H */
