// SPDX-License-Identifier: GPL-2.0-only
/* Device-mapper operations that only look. */
#include <errno.h>
#include <libdevmapper.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "system/devmap-task.h"
#include "system/devmap.h"

int devmap_info(const char *name, struct devmap_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(DM_DEVICE_INFO, name);
	struct dm_info info;
	int r;

	memset(dev, 0, sizeof(*dev));
	r = devmap_query_run(dmt);
	if (r)
		return r;
	if (!dm_task_get_info(dmt, &info) || !info.exists)
		return -ENXIO;

	dev->name = xstrdup(dm_task_get_name(dmt));
	dev->uuid = xstrdup(dm_task_get_uuid(dmt));
	dev->devno = makedev(info.major, info.minor);
	dev->suspended = info.suspended;
	dev->live_table = info.live_table;
	dev->inactive_table = info.inactive_table;
	dev->readonly = info.read_only;
	dev->deferred_remove = info.deferred_remove;
	dev->open_count = info.open_count;
	dev->event_nr = info.event_nr;
	dev->target_count = info.target_count;
	return 0;
}

char *devmap_name_of_uuid(const char *uuid)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(DM_DEVICE_INFO, NULL);
	struct dm_info info;

	if (!dmt || !dm_task_set_uuid(dmt, uuid) || devmap_query_run(dmt) ||
	    !dm_task_get_info(dmt, &info) || !info.exists || !info.live_table)
		return NULL;
	return xstrdup(dm_task_get_name(dmt));
}

bool devmap_is_absent(int r)
{
	return r == -ENXIO || r == -ENODEV;
}

static int devmap_compare_names(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

static int devmap_list_names(char ***names, unsigned int *nr)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(DM_DEVICE_LIST, NULL);
	struct dm_names *entry;
	int r;

	*names = NULL;
	*nr = 0;
	r = devmap_query_run(dmt);
	if (r)
		return r;
	entry = dm_task_get_names(dmt);
	/* an empty list is one entry without a number */
	while (entry && entry->dev) {
		GROW(*names, *nr);
		(*names)[(*nr)++] = xstrdup(entry->name);
		if (!entry->next)
			break;
		entry = (struct dm_names *)((char *)entry + entry->next);
	}
	if (*nr)
		qsort(*names, *nr, sizeof(**names), devmap_compare_names);
	return 0;
}

int devmap_for_each(devmap_visitor visit, void *data)
{
	unsigned int i, nr;
	char **names;
	int r = devmap_list_names(&names, &nr);

	for (i = 0; i < nr; i++) {
		visit(names[i], data);
		free(names[i]);
	}
	free(names);
	return r;
}

static int devmap_get_targets(int type, const char *name, bool inactive,
			      struct devmap_targets *targets)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(type, name);
	char *target_type, *params;
	uint64_t start, length;
	struct dm_info info;
	void *next = NULL;
	int r;

	memset(targets, 0, sizeof(*targets));
	if (dmt && (!dm_task_no_flush(dmt) ||
		    (inactive && !dm_task_query_inactive_table(dmt))))
		return -EINVAL;
	r = devmap_query_run(dmt);
	if (r)
		return r;
	if (!dm_task_get_info(dmt, &info) || !info.exists)
		return -ENXIO;
	do {
		next = dm_get_next_target(dmt, next, &start, &length,
					  &target_type, &params);
		if (!target_type)
			break;
		GROW(targets->target, targets->nr);
		targets->target[targets->nr++] = (struct devmap_target) {
			start, length, xstrdup(target_type), xstrdup(params)
		};
	} while (next);
	return 0;
}

int devmap_table(const char *name, struct devmap_targets *targets)
{
	return devmap_get_targets(DM_DEVICE_TABLE, name, false, targets);
}

int devmap_inactive_table(const char *name, struct devmap_targets *targets)
{
	return devmap_get_targets(DM_DEVICE_TABLE, name, true, targets);
}

int devmap_status(const char *name, struct devmap_targets *targets)
{
	return devmap_get_targets(DM_DEVICE_STATUS, name, false, targets);
}

int devmap_ask(const char *name, uint64_t sector, const char *message,
	       char **answer)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(DM_DEVICE_TARGET_MSG, name);
	const char *text;
	int r;

	*answer = NULL;
	if (dmt && (!dm_task_set_sector(dmt, sector) ||
		    !dm_task_set_message(dmt, message)))
		return -EINVAL;
	r = devmap_query_run(dmt);
	text = r ? NULL : dm_task_get_message_response(dmt);
	if (text)
		*answer = xstrdup(text);
	return r;
}

char *devmap_lv_of_name(const char *name)
{
	struct dm_pool *pool = dm_pool_create("name", 256);
	char *vg = NULL, *lv = NULL, *layer = NULL, *text = NULL;

	if (pool && dm_split_lvm_name(pool, name, &vg, &lv, &layer) && *lv)
		text = xasprintf("%s/%s", vg, lv);
	if (pool)
		dm_pool_destroy(pool);
	return text;
}

char *devmap_name_of_lv(const char *lv)
{
	_cleanup_free_ char *vg = xstrdup(lv);
	char *slash = strchr(vg, '/'), *name = NULL, *text = NULL;
	struct dm_pool *pool;

	if (!slash || slash == vg || !slash[1] || strchr(slash + 1, '/'))
		return NULL;
	*slash = 0;
	pool = dm_pool_create("name", 256);
	if (pool)
		name = dm_build_dm_name(pool, vg, slash + 1, NULL);
	if (name)
		text = xstrdup(name);
	if (pool)
		dm_pool_destroy(pool);
	return text;
}

int devmap_versions(char **library, char **driver)
{
	char text[64];

	*library = xstrdup(dm_get_library_version(text, sizeof(text)) ?
			   text : "unknown");
	*driver = NULL;
	if (!devmap_driver_loaded() || !dm_driver_version(text, sizeof(text)))
		return -ENODEV;
	*driver = xstrdup(text);
	return 0;
}

void devmap_device_free(struct devmap_device *dev)
{
	free(dev->name);
	free(dev->uuid);
	memset(dev, 0, sizeof(*dev));
}

void devmap_targets_free(struct devmap_targets *targets)
{
	unsigned int i;

	for (i = 0; i < targets->nr; i++) {
		free(targets->target[i].type);
		free(targets->target[i].params);
	}
	free(targets->target);
	memset(targets, 0, sizeof(*targets));
}
