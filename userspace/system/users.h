/* SPDX-License-Identifier: GPL-2.0-only */
/* The users of a block device, of sectors of one, or of a file. */
#ifndef NOCLONE_USERS_H
#define NOCLONE_USERS_H

#include <sys/types.h>

#include "model/table.h"

/**
 * enum use_kind - how a device is in use
 * @USE_MOUNT: a file system on it is mounted
 * @USE_SWAP: swap
 * @USE_HOLDER: another device stands on it
 * @USE_EXCLUSIVE: something in the kernel has it open exclusively
 * @USE_SIGNATURE: not in use, but it holds data of a known type
 * @USE_PROCESS: a process has it open
 * @USE_LOOP: it is under a loop device
 * @USE_UNREADABLE: what it holds is not known
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
 * @kind: how
 * @by: mount point, name of the holder, type of the signature, ...
 * @harmless: a mapped or loop device that has other sectors of the same device
 * @devno: of a process: the device
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
/* "mounted at /mnt": a new string */
char *use_describe(const struct use *use);
/* What ends that use, if a command does: a new string, or NULL. */
char *use_remedy(const struct use *use);
void uses_free(struct uses *uses);

#define _cleanup_uses_ __attribute__((cleanup(uses_free)))

/*
 * What keeps a block device open, and makes its removal fail: mounts, swap, holders and
 * loop devices.
 */
void open_uses_lasting(struct uses *uses, dev_t devno);
/*
 * These and processes, which may have closed it a moment later and are not all found without
 * root; and, if there are none, mounts in other mount namespaces.
 */
void open_uses_collect(struct uses *uses, dev_t devno);

/*
 * The processes that have a block device open, this one or with 0 any; with @writing those
 * that may write, without the server of a disk and this process.  Not complete without root.
 */
void openers_find(struct uses *uses, dev_t device, bool writing);

/*
 * The processes that may write to a file.  @counted: a device has it open as well, so that only
 * /proc tells, which shows no file that is in io_uring or in a socket.
 */
void file_writers_find(struct uses *uses, const struct file_facts *facts, bool counted);

/**
 * struct use_query - the sectors to look at
 * @facts: the device
 * @first: first sector
 * @sectors: how many
 * @self: mapped device whose own use does not count, or 0
 * @live: look for mounts, swap, holders and loop devices only, not for signatures
 * @exclusive: try to open the device exclusively as well
 * @surely: holders count that surely have the sectors, not those that may have them
 * @known: how many at the start have what is expected: no signature is looked for in them
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

void device_uses_collect(struct uses *uses, const struct use_query *query);
/* Is the sector one that a device on @facts, other than @self, surely has? */
bool device_uses_hold(const struct device_facts *facts, uint64_t sector, dev_t self);
/* Do the two devices share sectors?  A disk shares with its partitions. */
bool device_uses_share(const struct device_facts *facts, dev_t devno);

/**
 * file_uses_collect - swap, loop devices and noclone-file targets on a file
 * @uses: filled in
 * @facts: the file
 * @self: mapped device whose own use does not count, or 0
 * @shares: nor does that of devices that share the file with one that only reads
 */
void file_uses_collect(struct uses *uses, const struct file_facts *facts,
		       dev_t self, bool shares);
/* Does mapped device @devno, if not 0, pin the file? */
bool file_uses_is_pinned(const struct file_facts *f, dev_t devno);

/* May a table be put on its devices and files? */

/**
 * struct guard - what to look at
 * @self: the mapped device that the table is for, or 0
 * @exclusive: also try exclusive opens (not for a dry run)
 * @any_signature: neither signatures on the devices count, nor processes that write
 * @activates: the table is that of a saved device: signatures in its legs do not count, nor
 *	those on the rest of the disks that its file records
 * @loaded: the table is loaded already: only mounts, swap, holders and other users of a file
 * @saved: parts of saved devices that are not active count
 * @readonly: the table only reads
 */
struct guard {
	dev_t self;
	bool exclusive;
	bool any_signature;
	bool activates;
	bool loaded;
	bool saved;
	bool readonly;
};

/**
 * guard_table - find out who uses the devices and files of a table
 * @t: table; its devices exist
 * @g: what to look at
 * @findings: gets an error for everything that forbids it
 */
void guard_table(const struct table *t, const struct guard *g,
		 struct findings *findings);

/* Parts of disks and files, and who has them. */

/**
 * struct part - a leg or backing file
 * @name: of the mapped device that has it, or NULL
 * @saved: UUID of a saved device, which may be active, or NULL
 * @range: of a disk; of a file only the sectors
 * @file: the file, unknown for a leg
 * @missing: path of a file that is not there, NULL otherwise
 */
struct part {
	char *name;
	char *saved;
	struct disk_range range;
	struct file_id file;
	char *missing;
};

struct parts {
	struct part *part;
	unsigned int nr;
};

/* Those of a table whose disk is there, and files. */
void parts_add_table(struct parts *parts, const char *name, const struct table *t);
/* Do they have the sector of the device? */
bool parts_have_sector(const struct parts *parts, const struct device_facts *f, uint64_t sector);
/* Add the parts of all saved devices; part_counts() says which count. */
void parts_add_saved(struct parts *parts);
/*
 * An active device holds its legs, under any name, and its saved table is its past.  That is asked
 * of the few parts that are in question, as there may be thousands.
 */
bool part_counts(const struct part *part);
void parts_free(struct parts *parts);
#define _cleanup_parts_ __attribute__((cleanup(parts_free)))

#endif /* NOCLONE_USERS_H */
