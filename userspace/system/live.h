/* SPDX-License-Identifier: GPL-2.0-only */
/* The live table and the status of a mapped device. */
#ifndef NOCLONE_LIVE_H
#define NOCLONE_LIVE_H

#include <stdbool.h>

#include "model/facts.h"
#include "model/finding.h"
#include "model/status.h"
#include "model/table.h"
#include "system/devmap.h"

/**
 * struct live - a live table with its status
 * @table: the table; each noclone-file target has the inode of its file, if the module reports it
 * @raw: the status lines as the kernel prints them
 * @status: the parsed status of each target in @raw. The status of a stock target comes from the
 *	module, which answers the message "fastpath". The status is empty for a stock target without
 *	an answer, and for a target of another module
 */
struct live {
	struct table table;
	struct table raw;
	struct status *status;
};

/* Return: 0 or a negative errno. The caller calls live_free() in both cases. */
int live_get(const char *name, struct live *live);
int live_get_of(const struct devmap_device *dev, struct live *live);
/* A rename does not change the number, so this function cannot read another device of the name. */
int live_get_number(dev_t devno, struct live *live);
/* Read the live table and the status, and set @now to the present state of the device. */
int live_look(const char *name, struct devmap_device *now, struct live *live);
/* Return: the status of the first target that has a fast path, on or off; or NULL. */
const struct status *live_status(const struct live *live);
/* Return: "on" or "off:reason", a new string, or NULL if no target has a fast path. */
char *live_fastpath(const struct live *live);
/*
 * Warn about each target that runs with another engine than the requested one. The caller has just
 * loaded the table.
 */
void live_warn_engine(const char *name);
/* Find the faults of the disks and files below the device. */
void live_below(const struct live *live, struct findings *findings);
/*
 * Find out whether the device has lost its backing file: the file is deleted, or the path now leads
 * to another file. If @renamed is set, a file that only has another name now also counts as lost.
 *
 * Return: a sentence that says what has happened to the file, and how to keep the data, a new
 * string, or NULL.
 */
char *live_lost_file(const struct devmap_device *dev, bool renamed);
/*
 * Find out whether a backing file must not be extended because it has become shorter than the
 * device. After an extension, the end of the device would read as zeroes. @id: the device number
 * and inode number of the file to check, or NULL for all files of the device.
 *
 * Return: the reason, a new string, or NULL.
 */
char *live_short_file(const struct live *live, const struct file_id *id);
void live_free(struct live *live);

#define _cleanup_live_ __attribute__((cleanup(live_free)))

#endif /* NOCLONE_LIVE_H */
