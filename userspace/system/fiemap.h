/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the file system where the parts of a file are. */
#ifndef NOCLONE_FIEMAP_H
#define NOCLONE_FIEMAP_H

#include "model/file-map.h"

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

#endif /* NOCLONE_FIEMAP_H */
