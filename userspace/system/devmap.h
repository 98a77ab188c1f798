/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device-mapper operations; devmap.c is the only file that knows libdevmapper.
 *
 * Every function returns 0 or a negative errno.  The ones that change something
 * have logged what went wrong, in the kernel's words where there are any, before
 * they return an error; the ones that only look log nothing.
 */
#ifndef NOCLONE_DEVMAP_H
#define NOCLONE_DEVMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/status.h"

/* @udev_sync: wait for udev, at most @udev_timeout seconds. */
void devmap_setup(bool udev_sync, unsigned int udev_timeout);
/* libdevmapper keeps its control node open: close it before a process is made that closes all files. */
void devmap_release(void);
/* What an error of these functions means to a user. */
const char *devmap_reason(int r);
/* May this process use device-mapper? */
int devmap_permitted(void);

/**
 * struct devmap_device - a mapped device when it was looked at
 * @name: its name, which other programs may give to another device
 * @uuid: its UUID, which stays; empty if it has none, NULL if only the name is known
 * @devno: its number, which the kernel gives to another device when this one is gone
 * @diskseq: without a UUID: a number that no other disk gets until the next boot, or NULL
 * @suspended: it is suspended
 * @live_table: it has a table that runs
 * @inactive_table: it has a table that was loaded and does not run
 * @readonly: it cannot be written
 * @deferred_remove: it goes when its last user closes it
 * @open_count: how often it is open
 */
struct devmap_device {
	char *name;
	char *uuid;
	dev_t devno;
	char *diskseq;
	bool suspended;
	bool live_table;
	bool inactive_table;
	bool readonly;
	bool deferred_remove;
	int32_t open_count;
};

/* The inactive table is loaded and does not run yet. */
enum devmap_what { DEVMAP_TABLE, DEVMAP_INACTIVE_TABLE, DEVMAP_STATUS };

int devmap_info(const char *name, struct devmap_device *dev);
/*
 * What has become of a device: by its UUID or number, so that renames do not matter.  The same goes
 * for all functions that take a device.
 */
int devmap_look(const struct devmap_device *dev, struct devmap_device *now);
/* Is it the same device, also under the same name? */
bool devmap_same(const struct devmap_device *a, const struct devmap_device *b);
/*
 * Is it the same device after a table was loaded?  With its first one a device gets its disk, and
 * with that its diskseq.
 */
bool devmap_same_loaded(const struct devmap_device *before, const struct devmap_device *loaded);
/* The device with that UUID and a table: a new string, or NULL. */
char *devmap_name_of_uuid(const char *uuid);
/* Does that error of devmap_info() say that there is no such device? */
bool devmap_is_absent(int r);
/* Those of all mapped devices, sorted. */
int devmap_names(struct names *names);
/* Its targets; what they print as their status is in params, and not understood. */
int devmap_table(const char *name, enum devmap_what what, struct table *t);
int devmap_table_of(const struct devmap_device *dev, enum devmap_what what, struct table *t);
/* One ioctl for the table and for what devmap_look() tells, but for the diskseq. */
int devmap_look_table(const struct devmap_device *dev, enum devmap_what what,
		      struct devmap_device *now, struct table *t);
/*
 * A message that changes something, and one that only asks.  The target must know it, else dm
 * complains in the kernel log.  @answer gets a new string, or NULL.
 */
int devmap_send(const struct devmap_device *dev, uint64_t sector, const char *message);
int devmap_ask(const struct devmap_device *dev, uint64_t sector, const char *message,
	       char **answer);
/* "vg0/lv" for a mapper name "vg0-lv", and also for "vg0-lv-real": a new string. */
char *devmap_lv_of_name(const char *name);
/* New strings; NULL without a driver. */
void devmap_versions(char **library, char **driver);

/* A look at the inactive table before the switch; if it fails, nothing is switched. */
struct devmap_check {
	/* Return: 0, or a negative errno after a message. */
	int (*loaded)(void *data);
	void *data;
	bool alone;	/* refuse a device that another process is changing */
};

/**
 * devmap_create() - make a device
 * @check: a look at the table before it runs
 * @lock: file descriptor to close as soon as the kernel holds the legs, -1 then
 *
 * Return: 0, or a negative errno; -ETIMEDOUT: done in the kernel, but udev has not
 * answered.
 */
int devmap_create(const char *name, const char *uuid, const struct table *t,
		  bool readonly, const struct devmap_check *check, int *lock);
int devmap_reload(const struct devmap_device *dev, const struct table *t, bool readonly,
		  const struct devmap_check *check);
/*
 * Tries again for some seconds if it is in use.  Without a UUID, the device is compared with @dev
 * just before: another process may remove it and make another one between that and the ioctl.
 */
int devmap_remove(const struct devmap_device *dev);
/*
 * A command that is killed leaves a device that never had a table.  Return: true if @dev was
 * one and is gone.  Context: the lock of the name, so that no other command is about to load
 * a table.
 */
bool devmap_remove_unfinished(const struct devmap_device *dev);

/*
 * The sentence in a record of /dev/kmsg, without prefix and keys: a new string, NULL if it
 * is not about device-mapper.
 */
char *devmap_kernel_sentence(const char *record);
/* Is a sentence of the kernel log about that device?  @devno: its number, or 0 */
bool devmap_sentence_names(const char *sentence, const char *name, dev_t devno);

void devmap_device_free(struct devmap_device *dev);

#define _cleanup_devmap_device_ __attribute__((cleanup(devmap_device_free)))

/**
 * struct live - a live table with its status
 * @table: the table; noclone-file targets have their inode
 * @raw: the status as the kernel prints it
 * @status: the same parsed, for stock targets with what the module says of the
 *	device; empty for targets of other modules, and without an answer
 */
struct live {
	struct table table;
	struct table raw;
	struct status *status;
};

/* Return: 0 or a negative errno; live_free() in any case. */
int live_get(const char *name, struct live *live);
int live_get_of(const struct devmap_device *dev, struct live *live);
/* This also tells what the device is now. */
int live_look(const char *name, struct devmap_device *now, struct live *live);
/* The status of the first target that has a fast path, NULL if none has. */
const struct status *live_status(const struct live *live);
/* "on", "off:reason", or NULL if no target has a fast path: a new string. */
char *live_fastpath(const struct live *live);
/* After a load: warn if another engine runs than the requested one. */
void live_warn_stand_in(const char *name);
/* What is wrong below it. */
void live_below(const struct live *live, struct findings *findings);
/*
 * Why the path of a backing file leads to another file, or to none, and how to keep the data: a
 * new string, or NULL.  @renamed: also for a file that only has another name.
 */
char *live_lost_file(const struct devmap_device *dev, bool renamed);
/*
 * Why a backing file must not grow: it has become shorter than the device, and the end would read
 * as zeroes.  A new string, or NULL.  @id: of that file, or NULL for each.
 */
char *live_short_file(const struct live *live, const struct file_id *id);
void live_free(struct live *live);

#define _cleanup_live_ __attribute__((cleanup(live_free)))

#endif /* NOCLONE_DEVMAP_H */
