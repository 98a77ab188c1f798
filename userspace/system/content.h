/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signatures on a device or in a file. Only these functions read legs and backing files. A process
 * that can be left behind does each read, and a suspended device is not read.
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
 * @sector: the sector of its magic number, or UINT64_MAX if libblkid does not report it
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

/* Return: type and UUID as two words, "ext4 0c6f...", or SIGNATURE_NONE, a new string. */
char *content_signature_words(const struct signature *s);

/*
 * These functions return 0 or a negative errno: -EBUSY if the device or a device below it is
 * suspended, -ETIMEDOUT if it does not answer, -EINTR after a signal, -ENOSPC if the sectors do not
 * exist.
 */

/* Look for a signature in these sectors of a device. */
int content_read(const char *path, uint64_t first, uint64_t sectors, struct content *c);
/* Look for a signature that begins in these sectors, even if they are too few for libblkid. */
int content_read_part(const struct device_facts *f, uint64_t first, uint64_t sectors,
		      struct content *c);
/* Look for a signature in these sectors of a backing file; sectors beyond its end are ignored. */
int content_read_file(const char *path, uint64_t first, uint64_t sectors, struct content *c);
/* Look for all signatures of a whole device, in the order in which libblkid finds them. */
int content_read_all(const struct device_facts *f, struct content *c);
/*
 * Look for a GPT; its backup at the end of the device is enough. mkfs and mkswap leave the backup
 * behind, so it only counts on a device without any other signature.
 */
int content_read_gpt_backup(const struct device_facts *f, struct content *c);
/*
 * Return: NULL if the device answers, or why not, a new string. An error of the disk is an answer.
 */
char *content_silence(const char *path);
/*
 * Return: NULL if the file system of a backing file answers, or why not. The error that a file is
 * missing is an answer.
 */
char *content_file_silence(const char *path);

#endif /* NOCLONE_CONTENT_H */
