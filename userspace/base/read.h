/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading files and descriptors as a whole. */
#ifndef NOCLONE_READ_H
#define NOCLONE_READ_H

#include <dirent.h>
#include <stddef.h>

/*
 * All that @fd gives, with a zero byte behind it; NULL with errno set, EFBIG beyond @limit.
 * @length may be NULL.
 */
char *read_bytes(int fd, size_t limit, size_t *length);
/*
 * The text of a regular file; NULL with errno set, also for a file with a zero byte, where
 * the text would seem to end.
 */
char *read_text_file(const char *path, size_t limit);
/* Why read_text_file() has failed. */
const char *read_text_problem(int err);
/* The first line of a small file such as a sysfs attribute; NULL with errno set. */
char *read_line_of(const char *path);

/* The next name that does not begin with a dot; NULL at the end, and if @dir is NULL. */
const char *read_name(DIR *dir);

void cleanup_close(int *fd);
void cleanup_dir(DIR **dir);

#define _cleanup_close_	__attribute__((cleanup(cleanup_close)))
#define _cleanup_dir_	__attribute__((cleanup(cleanup_dir)))

#endif /* NOCLONE_READ_H */
