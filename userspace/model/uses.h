/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a device or file. */
#ifndef NOCLONE_USES_H
#define NOCLONE_USES_H

#include <stdbool.h>

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

void uses_add(struct uses *uses, enum use_kind kind, const char *by,
	      bool harmless);
const char *use_kind_name(enum use_kind kind);
/* "mounted at /mnt": a new string */
char *use_describe(const struct use *use);
/* What ends that use, if a command does: a new string, or NULL. */
char *use_remedy(const struct use *use);
void uses_free(struct uses *uses);

#define _cleanup_uses_ __attribute__((cleanup(uses_free)))

#endif /* NOCLONE_USES_H */
