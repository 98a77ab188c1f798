/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the running system: facts, and who uses them. */
#ifndef NOCLONE_FILE_H
#define NOCLONE_FILE_H

#include "model/facts.h"
#include "system/guard.h"

/**
 * file_lookup - facts about a file
 * @path: absolute or not; symbolic links are followed
 * @map: look at its extents as well, which opens it and writes its cache back
 * @facts: filled in
 *
 * Return: 0 or a negative errno.
 */
int file_lookup(const char *path, bool map, struct file_facts *facts);

/* Absolute and without links, also if only the last part is missing; or NULL. */
char *file_real_path(const char *path);

/**
 * file_uses - swap, loop devices and other devices of ours on a file
 * @uses: filled in
 * @facts: the file
 * @self: dm device whose own use does not count, or 0
 */
void file_uses(struct uses *uses, const struct file_facts *facts, dev_t self);
/* Does dm device @devno, if not 0, keep the file in its place on the disk? */
bool file_is_pinned_by(const struct file_facts *f, dev_t devno);

#endif /* NOCLONE_FILE_H */
