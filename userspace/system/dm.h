/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device-mapper operations.  dm.c is the only file that knows libdevmapper;
 * everybody else sees names, tables and errnos.
 *
 * Every function returns 0 or a negative errno.  The ones that change
 * something have told the user what went wrong, in the kernel's words where
 * there are any, before they return an error; the ones that only look have not.
 */
#ifndef NOCLONE_DM_H
#define NOCLONE_DM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/table.h"

/**
 * struct dm_config - how to talk to device-mapper
 * @udev_sync: wait for udev
 * @udev_timeout: seconds to wait at most
 */
struct dm_config {
	bool udev_sync;
	unsigned int udev_timeout;
};

struct dm_device {
	char *name;
	char *uuid;
	dev_t devno;
	bool suspended;
	bool live_table;
	bool inactive_table;
	bool readonly;
	bool deferred_remove;
	int32_t open_count;
	uint32_t event_nr;
	uint32_t target_count;
};

/* A target as the kernel prints it, for status as well as for table lines. */
struct dm_line {
	uint64_t start;
	uint64_t length;
	char *type;
	char *params;
};

struct dm_lines {
	struct dm_line *line;
	unsigned int nr;
};

struct dm_target_version {
	char *name;
	uint32_t version[3];
};

/**
 * struct dm_suspend_how - what a suspend leaves out
 * @noflush: do not wait for I/O that was queued, only for what was started
 * @nolockfs: do not freeze the file system
 */
struct dm_suspend_how {
	bool noflush;
	bool nolockfs;
};

void dm_setup(const struct dm_config *config);

int dm_get(const char *name, struct dm_device *dev);
int dm_names(char ***names, unsigned int *nr);
int dm_get_table(const char *name, struct dm_lines *lines);
int dm_get_status(const char *name, struct dm_lines *lines);
int dm_versions(char **library, char **driver);
int dm_target_versions(struct dm_target_version **versions, unsigned int *nr);

int dm_create(const char *name, const char *uuid, const struct table *t,
	      bool readonly);
int dm_reload(const char *name, const struct table *t, bool readonly,
	      const struct dm_suspend_how *how);
int dm_remove(const char *name, bool retry, bool deferred);
int dm_rename(const char *name, const char *new_name);
int dm_suspend(const char *name, const struct dm_suspend_how *how);
int dm_resume(const char *name);
int dm_message(const char *name, uint64_t sector, const char *message,
	       char **response);

void dm_device_free(struct dm_device *dev);
void dm_lines_free(struct dm_lines *lines);

#define _cleanup_dm_device_ __attribute__((cleanup(dm_device_free)))
#define _cleanup_dm_lines_ __attribute__((cleanup(dm_lines_free)))

#endif /* NOCLONE_DM_H */
