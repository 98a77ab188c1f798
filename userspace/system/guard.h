/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a device, and whether that forbids putting a table on it. */
#ifndef NOCLONE_GUARD_H
#define NOCLONE_GUARD_H

#include "model/facts.h"
#include "model/problems.h"
#include "model/table.h"

/**
 * enum use_kind - how a device is in use
 * @USE_MOUNT: a file system on it is mounted
 * @USE_SWAP: swap
 * @USE_HOLDER: another device stands on it
 * @USE_EXCLUSIVE: something in the kernel has it open exclusively
 * @USE_SIGNATURE: not in use now, but it holds data of a known kind
 */
enum use_kind {
	USE_MOUNT,
	USE_SWAP,
	USE_HOLDER,
	USE_EXCLUSIVE,
	USE_SIGNATURE,
};

/**
 * struct use - one use of a device
 * @kind: how
 * @by: mount point, name of the holder, type of the signature, ...
 * @harmless: a dm device that maps other sectors of the same device
 */
struct use {
	enum use_kind kind;
	char *by;
	bool harmless;
};

struct uses {
	struct use *use;
	unsigned int nr;
};

/**
 * struct use_query - what is asked
 * @facts: the device
 * @first: first sector that is wanted
 * @sectors: how many
 * @self: dm device whose own use does not count, or 0
 * @exclusive: try to open the device exclusively as well
 */
struct use_query {
	const struct device_facts *facts;
	uint64_t first;
	uint64_t sectors;
	dev_t self;
	bool exclusive;
};

void uses_add(struct uses *uses, enum use_kind kind, const char *by,
	      bool harmless);
void uses_collect(struct uses *uses, const struct use_query *query);
const char *use_kind_name(enum use_kind kind);
/* "mounted at /mnt": a new string */
char *use_describe(const struct use *use);
void uses_free(struct uses *uses);

#define _cleanup_uses_ __attribute__((cleanup(uses_free)))

/**
 * guard_table - may this table be put on its devices?
 * @t: table; its devices exist
 * @self: the dm device it is for, or 0
 * @exclusive: also try exclusive opens (not for a dry run)
 * @problems: gets an error for everything that forbids it
 */
void guard_table(const struct table *t, dev_t self, bool exclusive,
		 struct problems *problems);

#endif /* NOCLONE_GUARD_H */
