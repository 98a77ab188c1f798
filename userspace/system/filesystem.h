/* SPDX-License-Identifier: GPL-2.0-only */
/* The file system on a device: how large it is, and the programs that change that. */
#ifndef NOCLONE_FILESYSTEM_H
#define NOCLONE_FILESYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct filesystem - what is on a device
 * @device: path
 * @type: ext4, xfs, LVM2_member, dos, ...; NULL if nothing known is on it
 * @sectors: its size; 0 if libblkid does not say it
 * @mounted: where, or NULL
 */
struct filesystem {
	char *device;
	char *type;
	uint64_t sectors;
	char *mounted;
};

/* Return: 0 or a negative errno. */
int filesystem_probe(const char *device, dev_t devno, struct filesystem *fs);

/* The command lines that resize it: to be run before and after the device is resized. */
#define FILESYSTEM_MAX_WORDS	5
#define FILESYSTEM_MAX_STEPS	2

struct filesystem_step {
	char *argv[FILESYSTEM_MAX_WORDS + 1];
	int max_status;		/* an exit status up to this is success */
};

struct filesystem_plan {
	struct filesystem_step before[FILESYSTEM_MAX_STEPS];
	unsigned int nr_before;
	struct filesystem_step after[FILESYSTEM_MAX_STEPS];
	unsigned int nr_after;
};

/**
 * filesystem_plan - how to resize it
 * @fs: the file system
 * @old: sectors of its device
 * @sectors: sectors that the device is to have
 * @plan: filled in
 *
 * Return: NULL, or why that cannot be done, with the way out: a new string.
 */
char *filesystem_plan(const struct filesystem *fs, uint64_t old, uint64_t sectors,
		      struct filesystem_plan *plan);
/* What has to be done by hand after its device has grown: a new string, or NULL. */
char *filesystem_advice(const struct filesystem *fs);
/* The step as a command line: a new string. */
char *filesystem_step_words(const struct filesystem_step *step);
/* Return: 0, or a negative errno after a message. */
int filesystem_run(const struct filesystem_step *step, unsigned int nr);

void filesystem_free(struct filesystem *fs);
void filesystem_plan_free(struct filesystem_plan *plan);

#define _cleanup_filesystem_ __attribute__((cleanup(filesystem_free)))
#define _cleanup_filesystem_plan_ __attribute__((cleanup(filesystem_plan_free)))

#endif /* NOCLONE_FILESYSTEM_H */
