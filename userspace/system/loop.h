/* SPDX-License-Identifier: GPL-2.0-only */
/* Loop devices, as a stand-in for noclone-file. */
#ifndef NOCLONE_LOOP_H
#define NOCLONE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct loop_request - a loop device
 * @path: the file
 * @offset: first byte used
 * @bytes: how many
 * @block: logical block in bytes
 * @readonly: nothing may be written
 * @direct: by direct I/O, if the file system can
 */
struct loop_request {
	const char *path;
	uint64_t offset;
	uint64_t bytes;
	uint32_t block;
	bool readonly;
	bool direct;
};

/**
 * loop_attach - put a loop device on a part of a file
 * @req: which
 * @fd: set to the loop device; it goes when this and all other users have closed it
 *
 * Return: its path: a new string, or NULL after a message.
 */
char *loop_attach(const struct loop_request *req, int *fd);

#endif /* NOCLONE_LOOP_H */
