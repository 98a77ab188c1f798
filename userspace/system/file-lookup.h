/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about files of the running system. */
#ifndef NOCLONE_FILE_LOOKUP_H
#define NOCLONE_FILE_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"
#include "model/file-map.h"

/**
 * file_lookup - read the facts about a file
 * @path: a path; symbolic links are followed
 * @map: read the extents as well: this opens the file, and writes its dirty pages back
 * @facts: filled in
 *
 * A separate process reads the facts. If the file system does not answer, the command leaves this
 * process behind.
 *
 * Return: 0 or a negative errno. If silence_ask() has failed, @facts->silence says why.
 */
int file_lookup(const char *path, bool map, struct file_facts *facts);

/*
 * Return: the absolute path without symbolic links, a new string, or NULL. All parts of the path
 * have to exist, except for the last one.
 */
char *file_real_path(const char *path);

/* Return: the device number and inode number of an open file. */
struct file_id file_id_of_fd(int fd);
/*
 * Return: the device number and inode number of the file that a path leads to. They are unknown if
 * file_lookup() fails.
 */
struct file_id file_id_of(const char *path);

/**
 * file_read_map - read the map of a file
 * @fd: the file
 * @bytes: its size
 * @map: filled in
 *
 * FIEMAP writes dirty pages back first. If the file system does not support FIEMAP, the function
 * uses SEEK_HOLE, which does not report shared blocks.
 *
 * Return: 0 or a negative errno.
 */
int file_read_map(int fd, uint64_t bytes, struct file_map *map);

#endif /* NOCLONE_FILE_LOOKUP_H */
