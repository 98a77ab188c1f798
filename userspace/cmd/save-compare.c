// SPDX-License-Identifier: GPL-2.0-only
/* Is the device that runs the one that is saved, and with the same table? */
#include "cmd/save.h"

#include <linux/major.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/problems.h"
#include "model/table-compare.h"
#include "model/table-parse.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/saved-file.h"
#include "cmd/signatures.h"

static void parse_keywords(struct saved *s, const char *text)
{
	_cleanup_problems_ struct problems ignored = { 0 };

	if (text)
		saved_parse_keywords(s, text, &ignored);
}

static void read_keywords(const char *name, struct saved *s)
{
	_cleanup_free_ char *text = saved_file_text(name);

	parse_keywords(s, text);
}

/* One that was written by hand has no UUID, and is about its name. */
bool save_is_twin(const char *name, const struct devmap_device *dev)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_keywords(name, &s);
	return s.uuid && *dev->uuid && strcmp(name, dev->name) &&
	       saved_is_device(&s, dev->uuid);
}

struct twin {
	const struct devmap_device *dev;
	char *name;
};

static void look_for_twin(const char *name, void *data)
{
	struct twin *twin = data;

	if (!twin->name && save_is_twin(name, twin->dev))
		twin->name = xstrdup(name);
}

char *save_twin(const struct devmap_device *dev)
{
	struct twin twin = { .dev = dev };

	saved_file_for_each(look_for_twin, &twin);
	return twin.name;
}

char *save_file_trouble(const char *name)
{
	_cleanup_troubles_ struct troubles troubles = { 0 };
	_cleanup_live_ struct live live = { 0 };
	unsigned int i;

	live_get(name, &live);
	live_troubles(&live, &troubles);
	for (i = 0; i < troubles.nr; i++)
		switch (troubles.trouble[i].kind) {
		case TROUBLE_DELETED:
		case TROUBLE_REPLACED:
		case TROUBLE_MISSING:
			return xstrdup(troubles.trouble[i].text);
		default:
			break;
		}
	return NULL;
}

static bool is_missing(const struct target *t, const void *data __unused)
{
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++) {
		_cleanup_facts_ struct device_facts f = { 0 };

		if (blockdev_lookup(t->legs[i].device, &f))
			return true;
	}
	return false;
}

/* A name by a UUID leads to the device itself as long as that is active. */
static bool is_itself(const struct target *t, const void *data)
{
	const dev_t *own = data;
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++) {
		_cleanup_facts_ struct device_facts f = { 0 };

		if (!blockdev_lookup(t->legs[i].device, &f) && f.devno == *own)
			return true;
	}
	return false;
}

static bool is_same_file(const char *a, const char *b)
{
	const struct file_id first = file_id_at(a), second = file_id_at(b);

	return file_id_same(&first, &second);
}

/* By its name, too: the file of a loop device may have been deleted or replaced since. */
static bool is_loop_on(const char *device, const char *path)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_free_ char *file = NULL, *gone = xasprintf("%s (deleted)", path);

	if (blockdev_lookup(device, &f) || major(f.devno) != LOOP_MAJOR)
		return false;
	file = blockdev_attribute(f.devno, "loop/backing_file");
	return file && (!strcmp(file, path) || !strcmp(file, gone) ||
			is_same_file(file, path));
}

/* Legs may be replaced while a device is active; then the file is about others. */
static enum save_match compare(const struct devmap_device *dev, const char *text)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_table_ struct table live = { 0 }, saved = { 0 };
	_cleanup_free_ char *trouble = NULL;

	table_parse(&saved, text, &ignored);
	if (live_table(dev->name, &live) || !live.nr || !saved.nr ||
	    saved_has_stand_in(&saved, &live, is_loop_on) ||
	    table_any(&saved, is_itself, &dev->devno))
		return SAVE_UNKNOWN;
	if (table_any(&saved, is_missing, NULL))
		return SAVE_GONE;
	table_rename_devices(&live, identity_number);
	table_rename_devices(&saved, identity_number);
	if (!table_same_mapping(&live, &saved) ||
	    table_sectors(&live) < table_sectors(&saved))
		return SAVE_OTHER;
	/* what its path names by now says nothing about the device */
	trouble = save_file_trouble(dev->name);
	if (trouble)
		return SAVE_UNKNOWN;
	return table_sectors(&live) == table_sectors(&saved) ? SAVE_SAME : SAVE_GROWN;
}

static void replace(const char *name, const char *old, const char *new)
{
	int r = strcmp(old, new) ? saved_file_write(name, new) : 0;

	/* at shutdown the file system may be read-only already */
	if (r)
		log_warn("%s: its file is not brought up to date: %s", name, strerror(-r));
}

static void renew_signatures(const char *name, const char *text)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_free_ char *new = NULL;
	_cleanup_saved_ struct saved now = { 0 };

	/* by mistake, perhaps: then the next activation has to notice again */
	if (saved_file_is_forced(name))
		return;
	table_parse(&now.table, text, &ignored);
	/* what was known of a leg that cannot be read now is worth more than nothing */
	if (!signatures_record(&now))
		return;
	new = saved_with_signatures(&now, text);
	replace(name, text, new);
}

static void mark_outdated(const char *name, const char *text)
{
	_cleanup_free_ char *outdated = saved_with_outdated(text);

	replace(name, text, outdated);
}

/* What was said of the device when its table was changed holds until it can be compared. */
static bool is_outdated(const char *text)
{
	_cleanup_saved_ struct saved s = { 0 };

	parse_keywords(&s, text);
	return s.outdated;
}

/* @name is that of the file: the device may have been renamed. */
static enum save_match refresh(const char *name, const struct devmap_device *dev, bool dry_run)
{
	_cleanup_free_ char *text = saved_file_text(name);
	enum save_match match = text ? compare(dev, text) : SAVE_UNKNOWN;

	if (match == SAVE_GONE && is_outdated(text))
		return SAVE_OTHER;
	if (match == SAVE_SAME && !dry_run)
		renew_signatures(name, text);
	else if (match == SAVE_OTHER && !dry_run)
		mark_outdated(name, text);
	return match;
}

bool save_is_outdated(const char *name)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_keywords(name, &s);
	return s.outdated;
}

enum save_match save_refresh(const struct devmap_device *dev, bool dry_run)
{
	return refresh(dev->name, dev, dry_run);
}

static bool is_about(const char *text, const struct devmap_device *dev)
{
	_cleanup_saved_ struct saved s = { 0 };

	parse_keywords(&s, text);
	return saved_is_device(&s, dev->uuid);
}

bool save_is_of_other(const struct devmap_device *dev)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_keywords(dev->name, &s);
	return s.uuid && !saved_is_device(&s, dev->uuid);
}

bool save_is_current(const struct devmap_device *dev, const struct table *live)
{
	_cleanup_free_ char *text = saved_file_text(dev->name), *twin = NULL;
	_cleanup_saved_ struct saved s = { 0 };

	parse_keywords(&s, text);
	/* a signature that was overridden has to be noticed again */
	if (!s.uuid || s.outdated || !saved_is_device(&s, dev->uuid) ||
	    saved_file_is_forced(dev->name) || !table_has_noclone(live))
		return false;
	twin = save_twin(dev);
	return !twin && compare(dev, text) == SAVE_SAME;
}

bool save_is_stand_in(const struct devmap_device *dev, const struct table *live)
{
	_cleanup_free_ char *text = saved_file_text(dev->name);
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_table_ struct table saved = { 0 };

	if (text)
		table_parse(&saved, text, &ignored);
	return text && is_about(text, dev) && saved_has_stand_in(&saved, live, is_loop_on);
}

/*
 * Its table has just been changed: a leg that is gone is none of those that it has now.
 * The next boot uses what the file says in the end.
 */
static bool marks_outdated(const char *file, const struct devmap_device *dev)
{
	enum save_match match = refresh(file, dev, false);
	_cleanup_free_ char *text = saved_file_text(file);

	if (match == SAVE_GONE && text)
		mark_outdated(file, text);
	return save_is_outdated(file);
}

static void hint(const char *file, const struct devmap_device *dev, bool locked)
{
	_cleanup_free_ char *path = saved_path(file);
	_cleanup_close_ int lock = locked ? -1 : saved_file_lock(file);
	bool outdated = (locked || lock >= 0) && marks_outdated(file, dev);
	/* it would not be saved twice */
	_cleanup_free_ char *first = !strcmp(file, dev->name) ? xstrdup("") :
		xasprintf("noclone remove --forget %s, and ", file);

	log_note("%s has the table from before%s: \"%snoclone save %s\" keeps the new one",
		 path, outdated ? ", which is not activated any more" : "", first, dev->name);
}

static void hint_twin(const char *file, void *data)
{
	if (save_is_twin(file, data))
		hint(file, data, false);
}

void save_hint_twins(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	if (!devmap_info(name, &dev))
		saved_file_for_each(hint_twin, &dev);
}

/* One that dmsetup has made may have no UUID; saved, its file has none either. */
static bool may_be_about(const char *text, const struct devmap_device *dev)
{
	_cleanup_saved_ struct saved s = { 0 };

	parse_keywords(&s, text);
	return saved_is_device(&s, dev->uuid) || (!s.uuid && !*dev->uuid);
}

void save_hint(const char *name, bool locked)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *text = saved_file_text(name);

	if (!devmap_info(name, &dev) && text && may_be_about(text, &dev))
		hint(name, &dev, locked);
	save_hint_twins(name);
}
