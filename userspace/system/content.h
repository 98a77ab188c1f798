/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signatures on a device or in a file. Only these functions read the content of legs and backing
 * files. A separate process does each read, and the command can leave this process behind if the
 * device or file does not answer. A suspended device is not read.
 */
#ifndef NOCLONE_CONTENT_H
#define NOCLONE_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"

/**
 * struct signature - the signature of a file system, volume or partition table
 * @type: ext4, LVM2_member, gpt, ...; "ambiguous" if several signatures contradict each other
 * @id: its UUID, or NULL
 * @label: its label, or NULL
 * @sector: the sector that has the magic number of the signature, or UINT64_MAX if libblkid does
 *	not report where the magic number is
 */
struct signature {
	char *type, *id, *label;
	uint64_t sector;
};

/**
 * struct content - the result of a read
 * @signature: the signatures that were found
 * @nr: the number of signatures
 * @problem: after an error: why the read failed, as the end of "cannot be read: ..."
 */
struct content {
	struct signature *signature;
	unsigned int nr;
	char *problem;
};

void content_free(struct content *c);

#define _cleanup_content_ __attribute__((cleanup(content_free)))

/*
 * Return: the type and the UUID as two words, "ext4 0c6f...", or only the type if there is no UUID;
 * a new string.
 */
char *content_signature_words(const struct signature *s);

/*
 * The functions content_read...() return 0 or a negative errno: -EBUSY if the device or a device
 * below it is suspended, -ETIMEDOUT if the device or file does not answer, -EINTR after a signal,
 * -ENOSPC if the sectors do not exist.
 */

/* Look for a signature in these sectors of a device. */
int content_read(const char *path, uint64_t first, uint64_t sectors, struct content *c);
/*
 * Look for a signature in these sectors of a device. If they are too few for libblkid, the function
 * also reads sectors behind them.
 */
int content_read_part(const struct device_facts *f, uint64_t first, uint64_t sectors,
		      struct content *c);
/*
 * Look for a signature in these sectors of a backing file. Sectors beyond the end of the file are
 * ignored.
 */
int content_read_file(const char *path, uint64_t first, uint64_t sectors, struct content *c);
/* Look for all signatures of a whole device, in the order in which libblkid finds them. */
int content_read_all(const struct device_facts *f, struct content *c);
/*
 * Look for a GPT; the backup of a GPT at the end of the device is enough. mkfs and mkswap do not
 * erase this backup, so the caller uses this function only for a device that has no other
 * signature.
 */
int content_read_gpt_backup(const struct device_facts *f, struct content *c);
/*
 * Return: NULL if the device answers, or a new string that says why the device does not answer. An
 * I/O error of the disk is an answer.
 */
char *content_silence(const char *path);
/*
 * Return: NULL if the file system of a backing file answers, or a new string that says why the file
 * system does not answer. An error is an answer, for example if the file does not exist.
 */
char *content_file_silence(const char *path);

#endif /* NOCLONE_CONTENT_H */
