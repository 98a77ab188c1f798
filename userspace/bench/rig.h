/* SPDX-License-Identifier: GPL-2.0-only */
/* The user's devices, and the temporary mapped devices over them. */
#ifndef NOCLONE_BENCH_RIG_H
#define NOCLONE_BENCH_RIG_H

#include "model/facts.h"
#include "cli/options.h"
#include "model/status.h"
#include "model/table.h"

enum bench_row { ROW_RAW, ROW_STOCK, ROW_NOCLONE, NR_ROWS };

/**
 * struct mapped - one of the temporary devices
 * @name: its name
 * @uuid: its UUID
 * @table: its table
 * @made: it exists
 */
struct mapped {
	char *name;
	char *uuid;
	struct table table;
	bool made;
};

/**
 * struct bench_rig - what is measured
 * @write: the devices are written
 * @facts: the user's devices
 * @nr: how many
 * @mapped: the devices over them; that of ROW_RAW is unused
 */
struct bench_rig {
	bool write;
	struct device_facts *facts;
	unsigned int nr;
	struct mapped mapped[NR_ROWS];
};

/**
 * rig_prepare - look at the devices and lay out the tables
 * @rig: filled in
 * @o: options
 * @argc: number of devices
 * @argv: devices
 *
 * Refuses what is in use, what is no block device, and writing without
 * --yes-destroy.  Changes nothing.
 *
 * Return: 0, or a negative errno after a message.
 */
int rig_prepare(struct bench_rig *rig, const struct options *o, int argc,
		char **argv);
/* Bytes of the smallest I/O that all devices take, at least 4 KiB. */
uint32_t rig_block(const struct bench_rig *rig);
/* Name of a row's target; NULL for the raw devices. */
const char *rig_target(const struct bench_rig *rig, enum bench_row row);
/* "raw", or the target: what the row is called in a table */
const char *rig_title(const struct bench_rig *rig, enum bench_row row);
/* The equivalent dmsetup command line: a new string. */
char *rig_dmsetup(const struct bench_rig *rig, enum bench_row row);
/* The file name for fio: a new string. */
char *rig_filename(const struct bench_rig *rig, enum bench_row row);

/* Make the mapped devices; 0 or a negative errno after a message. */
int rig_make(struct bench_rig *rig);
/* Remove what was made; a negative errno after a message if something is left. */
int rig_remove(struct bench_rig *rig);
/*
 * Are the names that fio will open still the same block devices?  fio would make
 * a regular file of a name that is gone.  0, or a negative errno after a message.
 */
int rig_check(const struct bench_rig *rig, enum bench_row row);
/* Status of the noclone device: 0 or a negative errno. */
int rig_status(const struct bench_rig *rig, struct status *s);
void rig_free(struct bench_rig *rig);

#endif /* NOCLONE_BENCH_RIG_H */
