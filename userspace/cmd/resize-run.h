/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone resize: what its parts share. */
#ifndef NOCLONE_RESIZE_RUN_H
#define NOCLONE_RESIZE_RUN_H

#include "model/problems.h"
#include "model/table.h"
#include "system/devmap.h"
#include "system/file-growth.h"
#include "system/filesystem.h"
#include "system/live.h"
#include "cli/options.h"

/**
 * struct resize - one run
 * @o: options
 * @dev: the device
 * @live: its table
 * @new: the table that it is to get
 * @old_sectors: its size
 * @sectors: size that it is to get
 * @growth: its file
 * @file_bytes: size of that now
 * @direct: @live with the engine direct, if the file is pinned and has to grow; else empty
 * @fs: what is on it
 * @plan: how that is resized, with --resizefs
 * @udev_late: done, but udev has not confirmed it
 * @lock: held until the end, but for a dry run
 * @running: the table of these that is in use: another one is somebody else's
 * @known: what --force has overridden
 * @saved: there is a file that has it as it is, and is to have its new size
 */
struct resize {
	const struct options *o;
	struct devmap_device dev;
	struct live live;
	struct table new;
	uint64_t old_sectors, sectors;
	struct growth growth;
	uint64_t file_bytes;
	struct table direct;
	struct filesystem fs;
	struct filesystem_plan plan;
	bool udev_late;
	int lock;
	const struct table *running;
	const struct problems *known;
	bool saved;
};

static inline const struct target *resize_last(const struct table *t)
{
	return &t->targets[t->nr - 1];
}

/* Log a sentence about the device.  Return: @error. */
int resize_refuse(const struct resize *r, int error, const char *sentence);
/* Would it be built on itself?  Nobody may have that. */
bool resize_is_cycle(const struct resize *r);
/* Is each path of the live table that of the file in use?  Its new table opens them again. */
int resize_check_files(const struct resize *r, const struct table *live);
/* Check the new table; a file has to be as large as that needs. */
void resize_lint(const struct resize *r, struct problems *problems);

/* What would be done, as shell commands or as JSON. */
void resize_print_steps(const struct resize *r, const struct problems *problems);
/*
 * Do it.
 *
 * Context: stop_hold().
 * Return: 0, or a negative errno after a message.
 */
int resize_run(struct resize *r);

#endif /* NOCLONE_RESIZE_RUN_H */
