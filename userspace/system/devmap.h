/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device-mapper operations. devmap.c is the only file that calls libdevmapper.
 *
 * A function that returns an int returns 0 or a negative errno. A function that changes something
 * logs its errors, together with the sentences about the device in the kernel log. A function that
 * only reads logs nothing.
 */
#ifndef NOCLONE_DEVMAP_H
#define NOCLONE_DEVMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/util.h"
#include "model/table.h"

/* @udev_sync: wait for udev, for at most @udev_timeout seconds */
void devmap_setup(bool udev_sync, unsigned int udev_timeout);
/*
 * Close the control node that libdevmapper keeps open. The caller does this before it starts a
 * process that closes all inherited files, because libdevmapper in that process would use the
 * closed file.
 */
void devmap_release(void);
/* Return: what an error of these functions means, in words for the user. */
const char *devmap_reason(int r);
/* May this process use device-mapper? */
int devmap_permitted(void);

/**
 * struct devmap_device - the state of a mapped device when it was read
 * @name: its name; other programs may give this name to another device
 * @uuid: its UUID, which never changes; empty if the device has no UUID, NULL if only the name is
 *	known
 * @devno: its number, which the kernel gives to another device after the removal of this one
 * @diskseq: for a device without a UUID, a number that no other disk gets until the next boot; or
 *	NULL
 * @suspended: the device is suspended
 * @live_table: it has a live table
 * @inactive_table: it has an inactive table, which was loaded and does not run
 * @readonly: it cannot be written
 * @deferred_remove: the kernel removes the device when the last user closes it
 * @open_count: the number of users that have the device open
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

/* DEVMAP_INACTIVE_TABLE is the table that is loaded and is not yet live. */
enum devmap_what { DEVMAP_TABLE, DEVMAP_INACTIVE_TABLE, DEVMAP_STATUS };

int devmap_info(const char *name, struct devmap_device *dev);
/*
 * Read the present state of a device. All functions that take a struct devmap_device find the
 * device by its UUID, or by its number if it has no UUID, so a rename of the device does not
 * matter. They use the name only if @uuid is NULL.
 */
int devmap_look(const struct devmap_device *dev, struct devmap_device *now);
/* Are both the same device, and do they have the same name? */
bool devmap_same(const struct devmap_device *a, const struct devmap_device *b);
/*
 * Are @before and @loaded the same device? A table was loaded between the two reads. The first
 * table of a device gives the device a disk, and with the disk a diskseq, so @before may have no
 * diskseq.
 */
bool devmap_same_loaded(const struct devmap_device *before, const struct devmap_device *loaded);
/* Return: the name of the device that has this UUID and a live table, a new string, or NULL. */
char *devmap_name_of_uuid(const char *uuid);
/* Does this error of devmap_info() mean that there is no such device? */
bool devmap_is_absent(int r);
/* Read the names of all mapped devices, sorted. */
int devmap_names(struct names *names);
/*
 * Read the targets of a device. With DEVMAP_STATUS, the member @params of each target is its status
 * line, which is not parsed.
 */
int devmap_table(const char *name, enum devmap_what what, struct table *t);
int devmap_table_of(const struct devmap_device *dev, enum devmap_what what, struct table *t);
/* Read the table and, with the same ioctl, the state of the device. @now gets no diskseq. */
int devmap_look_table(const struct devmap_device *dev, enum devmap_what what,
		      struct devmap_device *now, struct table *t);
/*
 * devmap_send() sends a message that changes something, and devmap_ask() a message that only asks.
 * The target must know the message; otherwise dm complains in the kernel log. @answer gets the
 * answer of the target, a new string, or NULL if there is no answer.
 */
int devmap_send(const struct devmap_device *dev, uint64_t sector, const char *message);
int devmap_ask(const struct devmap_device *dev, uint64_t sector, const char *message,
	       char **answer);
/*
 * Return: "vg0/lv" for a mapper name "vg0-lv" or "vg0-lv-real", a new string; NULL if the name is
 * not of this form.
 */
char *devmap_lv_of_name(const char *name);
/*
 * Set @library and @driver to the versions of libdevmapper and of the driver, as new strings.
 * @driver is set to NULL if the driver is not loaded.
 */
void devmap_versions(char **library, char **driver);

/*
 * A check of the inactive table before this table becomes live, and two options of the change. If
 * the check fails, the device keeps its old table.
 */
struct devmap_check {
	/* Return: 0, or a negative errno after a message. */
	int (*check_loaded)(void *data);
	void *data;
	bool alone;	/* refuse a device that another process is changing */
	bool noscan;	/* the udev rules of other programs ignore a new device */
};

/*
 * DEVMAP_UDEV_LATE: the kernel has made the change, but udev has not confirmed the change in time.
 * No errno has this number, so a time-out of a disk or of a file system is a different result.
 */
#define DEVMAP_UDEV_LATE	(-4096)

/* Has the kernel made the change, whether or not udev has confirmed it? @r: the result of a change */
static inline bool devmap_is_done(int r)
{
	return !r || r == DEVMAP_UDEV_LATE;
}

/*
 * A late udev does not end a loop over several devices. @r: the result for one device; @late: gets
 * @r if @r is DEVMAP_UDEV_LATE. Return: 0 if @r is DEVMAP_UDEV_LATE, otherwise @r.
 */
static inline int devmap_note_late(int r, int *late)
{
	if (r != DEVMAP_UDEV_LATE)
		return r;
	*late = r;
	return 0;
}

/**
 * devmap_create() - make a device
 * @check: a check of the table before it becomes live
 * @lock: a file descriptor that locks the legs; the function closes it and sets it to -1 as soon as
 *	the kernel holds the legs
 *
 * Return: 0, or a negative errno; DEVMAP_UDEV_LATE if the device is complete, but udev has not
 * answered.
 */
int devmap_create(const char *name, const char *uuid, const struct table *t,
		  bool readonly, const struct devmap_check *check, int *lock);
int devmap_reload(const struct devmap_device *dev, const struct table *t, bool readonly,
		  const struct devmap_check *check);
/*
 * Remove a device, and try again for some seconds while the device is in use. A device without a
 * UUID is compared with @dev just before the ioctl, but another process may replace the device
 * between the comparison and the ioctl.
 */
int devmap_remove(const struct devmap_device *dev);
/* Remove a device, unless another process has removed it meanwhile. */
int devmap_remove_existing(const struct devmap_device *dev);
/*
 * Wait for some seconds until a device is open at most @most times.
 *
 * Return: 0, -EBUSY if it is open more often, or another negative errno after a message.
 */
int devmap_wait_closed(const struct devmap_device *dev, int most);
/* Let the kernel remove a device later: as soon as the last user of the device closes it. */
int devmap_remove_when_unused(const struct devmap_device *dev);
/*
 * Remove a device that a killed command has left without a table.
 *
 * Return: true if @dev was such a device and is removed. Context: The caller holds the lock of the
 * name, so no other command is about to load a table for the device.
 */
bool devmap_remove_unfinished(const struct devmap_device *dev);

void devmap_device_free(struct devmap_device *dev);

#define _cleanup_devmap_device_ __attribute__((cleanup(devmap_device_free)))

#endif /* NOCLONE_DEVMAP_H */
