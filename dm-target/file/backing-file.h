/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_BACKING_FILE_H
#define DM_NOCLONE_BACKING_FILE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct noclone_file_c;

/* A file in use, shared by all targets of one mapped device that use it */
struct noclone_backing {
	struct list_head node;		/* in the list of all */
	struct inode *inode;		/* identity */
	struct file *file;		/* the only one of ours that may be writable: see pin.c */
	struct gendisk *disk;		/* mapped device; no other may use the file */
	struct list_head users;		/* targets; those of one table in ascending order */
	struct mutex mark_lock;		/* guards @marked */
	bool marked;			/* S_SWAPFILE is set, by us */
	bool pinned;			/* marked, and open for writing nowhere else */
	bool ran;			/* bios have bypassed the page cache since the last pin */
	bool dying;			/* the last user is releasing it */
	u32 pin_nr;			/* times pinned */
};

int noclone_backing_open(struct noclone_file_c *fc);
void noclone_backing_close(struct noclone_file_c *fc);
struct noclone_file_c *noclone_backing_next(const struct noclone_file_c *fc,
					    struct noclone_file_c *after);

#endif /* DM_NOCLONE_BACKING_FILE_H */
