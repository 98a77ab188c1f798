/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signatures on a device or in a file.  All reads of legs and backing files are here: each is made
 * by a process that can be left behind, and none is made of a device that is suspended.
 */
#ifndef NOCLONE_CONTENT_H
#define NOCLONE_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"

/**
 * struct signature - a file system, volume or partition table
 * @type: ext4, LVM2_member, gpt, ...; "ambiguous" if several contradict each other
 * @id: its UUID, or NULL
 * @label: its label, or NULL
 * @sector: the sector of its magic number; UINT64_MAX if libblkid does not tell
 */
struct signature {
	char *type, *id, *label;
	uint64_t sector;
};

/**
 * struct content - the answer to a read
 * @signature: the signatures that were found
 * @nr: their number
 * @problem: after an error: why the read failed, for a sentence "cannot be read: ..."
 */
struct content {
	struct signature *signature;
	unsigned int nr;
	char *problem;
};

void content_free(struct content *c);

#define _cleanup_content_ __attribute__((cleanup(content_free)))

/* "ext4 0c6f...", one word each, or SIGNATURE_NONE without a signature: a new string. */
char *signature_words(const struct signature *s);

/*
 * Each returns 0 or a negative errno: -EBUSY if the device or one below it is suspended,
 * -ETIMEDOUT if it does not answer, -EINTR after a signal, -ENOSPC if there are no such sectors.
 */

/* Look for one signature in some sectors of a device. */
int content_read(const char *path, uint64_t first, uint64_t sectors, struct content *c);
/* Look for one that begins in some sectors, which may be too few for libblkid. */
int content_read_part(const struct device_facts *f, uint64_t first, uint64_t sectors,
		      struct content *c);
/* Look for one in a backing file; sectors beyond its end do not count. */
int content_read_file(const char *path, uint64_t first, uint64_t sectors, struct content *c);
/* Look for all signatures of a whole device, in the order in which libblkid finds them. */
int content_read_all(const struct device_facts *f, struct content *c);
/*
 * Look for a GPT; its backup at the end of the device is enough. mkfs and mkswap leave that backup
 * behind: it means something only on a device without any other signature.
 */
int content_read_gpt_backup(const struct device_facts *f, struct content *c);
/* Does the device answer?  NULL, or why not: a new string.  An error of the disk is an answer. */
char *content_silence(const char *path);
/* Does the file system of a backing file answer?  Likewise; a missing file is an answer. */
char *content_file_silence(const char *path);

#endif /* NOCLONE_CONTENT_H */
