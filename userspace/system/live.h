/* SPDX-License-Identifier: GPL-2.0-only */
/* The live table of a mapped device, and its status. */
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
 * @table: the table; noclone-file targets have their inode
 * @raw: the status as the kernel prints it
 * @status: the parsed status of each target. For a stock target it has the module's answer to the
 *	message "fastpath". It is empty if there is no answer, and for targets of other modules
 */
struct live {
	struct table table;
	struct table raw;
	struct status *status;
};

/* Return: 0 or a negative errno. The caller calls live_free() in both cases. */
int live_get(const char *name, struct live *live);
int live_get_of(const struct devmap_device *dev, struct live *live);
/* Read the live table, and set @now to the present state of the device. */
int live_look(const char *name, struct devmap_device *now, struct live *live);
/* Return: the status of the first target with a fast path, or NULL. */
const struct status *live_status(const struct live *live);
/* Return: "on" or "off:reason", a new string, or NULL if no target has a fast path. */
char *live_fastpath(const struct live *live);
/* After a load: warn if the engine that runs is not the requested one. */
void live_warn_stand_in(const char *name);
/* Find the faults below the device. */
void live_below(const struct live *live, struct findings *findings);
/*
 * Find out whether the path of a backing file leads to another file, or to no file. With @renamed,
 * a file with another name also counts.
 *
 * Return: the reason, and how to keep the data, a new string, or NULL.
 */
char *live_lost_file(const struct devmap_device *dev, bool renamed);
/*
 * Find out whether a backing file must not be extended because it has become shorter than the
 * device. After an extension, the end of the device would read as zeroes. @id: the device number
 * and inode number of the file, or NULL for each file.
 *
 * Return: the reason, a new string, or NULL.
 */
char *live_short_file(const struct live *live, const struct file_id *id);
void live_free(struct live *live);

#define _cleanup_live_ __attribute__((cleanup(live_free)))

#endif /* NOCLONE_LIVE_H */
