/* SPDX-License-Identifier: GPL-2.0-only */
/* An fstatfs() that says that each file is on another file system; "-Wl,--wrap" puts it in place. */
#ifndef NOCLONE_FILE_SYSTEM_H
#define NOCLONE_FILE_SYSTEM_H

#include <stdint.h>
#include <sys/vfs.h>

/* If it is not 0, this is the type of each file system for fstatfs(). */
static uint32_t file_system;

int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int r = __real_fstatfs(fd, fs);

	if (file_system)
		fs->f_type = file_system;
	return r;
}

#endif /* NOCLONE_FILE_SYSTEM_H */
