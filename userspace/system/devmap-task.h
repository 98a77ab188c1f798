/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libdevmapper's tasks, for devmap-query.c and devmap-change.c: these and
 * devmap-task.c are the only files that know libdevmapper.
 */
#ifndef NOCLONE_DEVMAP_TASK_H
#define NOCLONE_DEVMAP_TASK_H

#include <stdbool.h>

struct dm_task;

/* NULL if @name is not one that device-mapper can use. */
struct dm_task *devmap_task_new(int type, const char *name);
void devmap_task_cleanup(struct dm_task **dmt);
/* Run a task that changes something: 0, or a negative errno after a message. */
int devmap_task_run(struct dm_task *dmt, const char *doing, const char *name);
/* The same for a task whose uevent makes udev add, rename or remove nodes. */
int devmap_task_run_udev(struct dm_task *dmt, const char *doing,
			 const char *name);
const char *devmap_strerror(int err);

bool devmap_driver_loaded(void);
/*
 * A task that only looks.  Without a driver there is nothing to see, and asking
 * libdm anyway would load it, which a dry run must not do.
 */
struct dm_task *devmap_query_new(int type, const char *name);
/* 0, or a negative errno without a message; -ENODEV without a driver. */
int devmap_query_run(struct dm_task *dmt);

#define DEVMAP_CREATING	"creating"

#define _cleanup_task_ __attribute__((cleanup(devmap_task_cleanup)))

/**
 * struct kmsg - a place in the kernel log
 * @fd: /dev/kmsg, positioned; -1 if it cannot be read
 */
struct kmsg {
	int fd;
};

/* Remember the end of the log. */
void kmsg_mark(struct kmsg *k);
/* What device-mapper said since the mark, one sentence per line, or NULL. */
char *kmsg_read(struct kmsg *k);
void kmsg_close(struct kmsg *k);

/*
 * The sentence in a record of /dev/kmsg, without prefix and keys: NULL if it
 * is not about device-mapper.  The caller frees it.
 */
char *kmsg_sentence(const char *record);

#endif /* NOCLONE_DEVMAP_TASK_H */
