/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the running system. */
#ifndef NOCLONE_FILE_LOOKUP_H
#define NOCLONE_FILE_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"
#include "model/file-map.h"

/**
 * file_lookup - read the facts about a file
 * @path: a path; symbolic links are followed
 * @map: read the extents as well, which opens the file and writes its cache back
 * @facts: filled in
 *
 * A process that can be left behind reads the facts, because the file system may not answer.
 *
 * Return: 0 or a negative errno. If silence_ask() has failed, @facts->silence has the reason.
 */
int file_lookup(const char *path, bool map, struct file_facts *facts);

/* Return: the absolute path without links, even if only its last part does not exist; or NULL. */
char *file_real_path(const char *path);

/* Return: the device number and inode number of an open file. */
struct file_id file_id_of_fd(int fd);
/*
 * Return: the device number and inode number of the file that a path leads to. They are unknown in
 * the cases in which file_lookup() leaves them unknown.
 */
struct file_id file_id_of(const char *path);

/**
 * file_read_map - read the map of a file
 * @fd: the file
 * @bytes: its size
 * @map: filled in
 *
 * FIEMAP writes dirty pages back first. A file system without FIEMAP is asked by SEEK_HOLE, which
 * does not report shared blocks.
 *
 * Return: 0 or a negative errno.
 */
int file_read_map(int fd, uint64_t bytes, struct file_map *map);

#endif /* NOCLONE_FILE_LOOKUP_H */
