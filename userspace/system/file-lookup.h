/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the running system, and the system as a source of facts. */
#ifndef NOCLONE_FILE_LOOKUP_H
#define NOCLONE_FILE_LOOKUP_H

#include "model/facts.h"

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

/* What a path leads to, and what is open; not known if that cannot be asked. */
struct file_id file_id_at(const char *path);
struct file_id file_id_open(int fd);

/**
 * fiemap_read - read the map of a file
 * @fd: the file
 * @bytes: its size
 * @map: filled in
 *
 * By FIEMAP, which writes dirty pages back first; where there is none, by
 * SEEK_HOLE, which does not report sharing.
 *
 * Return: 0 or a negative errno.
 */
int fiemap_read(int fd, uint64_t bytes, struct file_map *map);

extern const struct facts_source system_facts;

#endif /* NOCLONE_FILE_LOOKUP_H */
