/* SPDX-License-Identifier: GPL-2.0-only */
/* The identity of a file, whatever its path is. */
#ifndef NOCLONE_FILE_ID_H
#define NOCLONE_FILE_ID_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct file_id - a file's numbers, as stat(2) gives them
 * @known: the numbers are valid
 * @filesystem: st_dev
 * @inode: st_ino; 0 for a file that does not exist yet
 */
struct file_id {
	bool known;
	dev_t filesystem;
	ino_t inode;
};

static inline bool file_id_same(const struct file_id *a,
				const struct file_id *b)
{
	return a->known && b->known && a->filesystem == b->filesystem &&
	       a->inode == b->inode;
}

/* Not the opposite of file_id_same(): for an unknown file both are false. */
static inline bool file_id_differs(const struct file_id *a,
				   const struct file_id *b)
{
	return a->known && b->known && !file_id_same(a, b);
}

#endif /* NOCLONE_FILE_ID_H */
