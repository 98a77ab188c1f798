/* SPDX-License-Identifier: GPL-2.0-only */
/* The users of a block device, of some of its sectors, or of a file. */
#ifndef NOCLONE_USES_H
#define NOCLONE_USES_H

#include <sys/types.h>

#include "base/util.h"
#include "model/facts.h"

/**
 * enum use_kind - how a device or file is used
 * @USE_MOUNT: a file system on the device is mounted
 * @USE_SWAP: the device is a swap area
 * @USE_HOLDER: another device, such as a mapped device, is built on the device
 * @USE_EXCLUSIVE: the kernel or a program has the device open exclusively
 * @USE_SIGNATURE: the device is not in use, but contains data of a known type
 * @USE_PROCESS: a process has the device open
 * @USE_LOOP: a loop device is built on the device
 * @USE_UNREADABLE: the device cannot be read, so its content is not known
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
 * @harmless: the user is a mapped device or loop device that uses only other sectors of the device;
 *	with @surely of struct use_query, also a holder whose sectors are not known
 * @devno: for a process, the device number of the block device that it has open; for a holder, the
 *	device number of the holder; otherwise 0
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
 * Find the uses that keep a block device open for a long time, so that its removal fails: mounts,
 * swap, holders and loop devices.
 */
void uses_find_lasting(struct uses *uses, dev_t devno);
/*
 * Find the uses of uses_find_lasting(), and the processes that have the device open. Such a process
 * may close the device a moment later. Without root, not all of these processes are found. If no
 * use is found, look for mounts in other mount namespaces.
 */
void uses_find_open(struct uses *uses, dev_t devno);

/*
 * Find the processes that have the block device @device open; 0 stands for all block devices. If
 * @writing is true, leave out processes that cannot write, the process that serves the disk, and
 * this process. Without root, some processes are not found.
 */
void uses_find_openers(struct uses *uses, dev_t device, bool writing);

/*
 * Find the processes that may write to a file. @counted: a mapped device of this tool also has the
 * file open, so the kernel cannot tell whether there is another writer, and only /proc can show the
 * processes. /proc does not show a file that is open in io_uring, or whose descriptor is in a
 * message that waits in a socket.
 */
void uses_find_writers(struct uses *uses, const struct file_facts *facts, bool counted);

/**
 * struct use_query - a question about the users of some sectors
 * @facts: the device
 * @first: the first of these sectors
 * @sectors: the number of sectors
 * @self: the number of the mapped device whose own use does not count, or 0
 * @live: find only mounts, swap, holders and loop devices: neither open the device exclusively nor
 *	look for a signature
 * @exclusive: try to open the device exclusively as well, unless @live is set
 * @surely: count a holder only if it is certain that the holder has one of these sectors
 * @known: the number of sectors, from @first on, that have expected data; no signature is looked
 *	for in them
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
 * Find the holders of a device, of its partitions, and of the disk that contains the device if the
 * device is a partition. @holders: gets the names of these holders in sysfs
 */
void uses_holders(dev_t devno, struct names *holders);
void uses_collect(struct uses *uses, const struct use_query *query);
/*
 * Is it certain that a holder of the device @facts, other than @self, or a loop device on it has
 * the sector?
 */
bool uses_hold(const struct device_facts *facts, uint64_t sector, dev_t self);
/* Do both devices have a common sector? A disk has common sectors with its partitions. */
bool uses_share(const struct device_facts *facts, dev_t devno);

/**
 * uses_collect_file - find swap, loop devices and noclone-file targets on a file
 * @uses: filled in
 * @facts: the file
 * @self: the mapped device whose own use does not count, or 0
 * @shares: the caller can share the file with devices that only read it and do not pin it, so these
 *	devices do not count
 */
void uses_collect_file(struct uses *uses, const struct file_facts *facts,
		       dev_t self, bool shares);
/*
 * Take a lease of an open file. @kind: F_WRLCK, which the kernel refuses if another process has the
 * file open; or F_RDLCK, which the kernel refuses only if the file is open for writing
 *
 * Return: 0; -EAGAIN if the file is open in this way; or another negative errno if this is not
 * known, because the file system, or its server, grants no lease.
 */
int uses_lease(int fd, int kind);
/*
 * Does the live table of the mapped device @devno pin the file? If this is not known, return true.
 * If @devno is 0, return false.
 */
bool uses_pin_file(const struct file_facts *f, dev_t devno);

#endif /* NOCLONE_USES_H */
