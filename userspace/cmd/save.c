// SPDX-License-Identifier: GPL-2.0-only
/* noclone save: keep an active device for the next boot. */
#include "cmd/save.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/lint.h"
#include "model/problems.h"
#include "model/table-compare.h"
#include "model/table-parse.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/saved-file.h"
#include "cli/output.h"
#include "cli/problem-log.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/signatures.h"

/* A device without targets of ours runs on a stand-in, or is none of ours. */
static int check_table(const struct options *o, const struct devmap_device *dev,
		       const struct table *t)
{
	const char *name = dev->name;
	bool is_loop = save_is_stand_in(dev, t);

	if (opt(o, OPT_FORCE) || (table_has_noclone(t) && !is_loop))
		return 0;
	if (is_loop) {
		log_err("%s runs on a loop device until it is deactivated and activated again; saved now, it would lose its backing file, unless --force is given",
			name);
		return -EOPNOTSUPP;
	}
	log_err("%s has no target of this module, and would come back so: noclone convert %s first, or give --force",
		name, name);
	return -EOPNOTSUPP;
}

/* What the file of a device says of it; nothing if there is none. */
static void read_keywords(const char *name, struct saved *s)
{
	_cleanup_free_ char *text = saved_file_text(name);
	_cleanup_problems_ struct problems ignored = { 0 };

	if (text)
		saved_parse_keywords(s, text, &ignored);
}

static int check_file(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *path = saved_path(dev->name);
	_cleanup_saved_ struct saved old = { 0 };

	read_keywords(dev->name, &old);
	if (opt(o, OPT_FORCE) || !old.uuid || saved_is_device(&old, dev->uuid))
		return 0;
	log_err("%s is about another device (UUID %s): --force replaces it", path,
		old.uuid);
	return -EEXIST;
}

/* The path of a backing file may be that of another one by now. */
static int check_paths(const struct options *o, const char *name)
{
	_cleanup_troubles_ struct troubles troubles = { 0 };
	_cleanup_live_ struct live live = { 0 };
	int r = live_get(name, &live);
	unsigned int i;

	live_troubles(&live, &troubles);
	for (i = 0; !r && i < troubles.nr; i++) {
		if (troubles.trouble[i].kind == TROUBLE_STRIPE)
			continue;
		log_err("%s: %s", name, troubles.trouble[i].text);
		r = opt(o, OPT_FORCE) ? 0 : -ESTALE;
	}
	return r;
}

static int collect(const struct options *o, const struct devmap_device *dev,
		   struct saved *s)
{
	_cleanup_problems_ struct problems problems = { 0 };
	int r = live_table(dev->name, &s->table);

	if (r) {
		log_err("%s: cannot read its table: %s", dev->name, strerror(-r));
		return r;
	}
	r = check_table(o, dev, &s->table);
	if (!r)
		r = check_paths(o, dev->name);
	if (!r)
		r = check_file(o, dev);
	if (r)
		return r;
	table_rename_devices(&s->table, identity_persistent);
	lint_names(&s->table, &problems);
	problems_log(&problems, dev->name);
	s->uuid = xstrdup(dev->uuid);
	s->readonly = dev->readonly;
	signatures_record(s);
	return 0;
}

static void print_file(const struct options *o, const char *name, const char *path,
		       const char *text)
{
	struct json_object *out;

	if (!opt(o, OPT_JSON)) {
		fputs(text, stdout);
		return;
	}
	out = output_new("save");
	output_add_bool(out, "dry_run", true);
	output_add_string(out, "name", name);
	output_add_string(out, "file", path);
	json_object_object_add(out, "lines", output_lines(text));
	output_print(out);
	json_object_put(out);
}

/* udev looks once more: 90-dm-noclone-device.rules starts the unit of a saved device. */
static void tell_udev(dev_t devno)
{
	bool systemd = !access("/run/systemd/system", F_OK);
	_cleanup_free_ char *path = blockdev_sysfs(devno, "uevent");
	_cleanup_close_ int fd = systemd ? open(path, O_WRONLY | O_CLOEXEC) : -1;

	if (systemd && (fd < 0 || write(fd, "change", strlen("change")) < 0))
		log_verbose("%s: %s", path, strerror(errno));
}

struct twin {
	const struct devmap_device *dev;
	char *name;
};

/* One that was written by hand has no UUID, and is about its name. */
static void look_for_twin(const char *name, void *data)
{
	_cleanup_saved_ struct saved s = { 0 };
	struct twin *twin = data;

	read_keywords(name, &s);
	if (!twin->name && s.uuid && strcmp(name, twin->dev->name) &&
	    saved_is_device(&s, twin->dev->uuid))
		twin->name = xstrdup(name);
}

/* The other name that a device is saved under: a new string, or NULL. */
static char *twin_of(const struct devmap_device *dev)
{
	struct twin twin = { .dev = dev };

	if (*dev->uuid)
		saved_file_for_each(look_for_twin, &twin);
	return twin.name;
}

/* Of a device that was renamed: both would be activated at boot, and one would fail. */
static int check_twin(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *path = NULL, *name = opt(o, OPT_FORCE) ? NULL : twin_of(dev);

	if (!name)
		return 0;
	path = saved_path(name);
	log_err("%s is saved as %s in %s: if that is its old name, \"noclone remove --forget %s\" first; --force keeps both",
		dev->name, name, path, name);
	return -EEXIST;
}

/* With the lock, unless nothing is to be written. */
static int save(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *path = saved_path(dev->name);
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *text = NULL;
	int r = collect(o, dev, &s);

	if (r)
		return r;
	text = saved_print(&s, dev->name);
	if (!saved_is_readable(text, dev->name)) {
		log_err("%s cannot be saved: the UUID has a blank, or the name of a leg or an argument has a \"#\", which begins a comment in a table",
			dev->name);
		return -EINVAL;
	}
	if (opt(o, OPT_DRY_RUN)) {
		print_file(o, dev->name, path, text);
		return 0;
	}
	r = saved_file_write(dev->name, text);
	if (r) {
		log_err("writing %s failed: %s", path, strerror(-r));
		return r;
	}
	saved_file_set_forced(dev->name, false);
	tell_udev(dev->devno);
	log_note("%s: saved in %s%s", dev->name, path, access("/run/systemd/system", F_OK) ?
		 "" : "; systemd knows of it after \"systemctl daemon-reload\", or the next boot");
	return 0;
}

static int find_device(const struct options *o, const char *name, struct devmap_device *dev)
{
	const char *wrong = saved_name_problem(name);

	if (wrong) {
		log_err("\"%s\" %s", name, wrong);
		return -EINVAL;
	}
	if (select_device(name, dev) || select_check_owner(o, dev))
		return -ENXIO;
	return check_twin(o, dev);
}

int save_locked(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	int r = find_device(o, name, &dev);

	return r ? r : save(o, &dev);
}

int save_device(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_close_ int lock = -1;
	int r = find_device(o, name, &dev);

	if (r)
		return r;
	lock = opt(o, OPT_DRY_RUN) ? -1 : saved_file_lock(name);
	if (lock < 0 && !opt(o, OPT_DRY_RUN))
		return lock;
	return save(o, &dev);
}

/* A name by a UUID leads to the device itself as long as that is active. */
static bool is_missing(const struct target *t, const void *data)
{
	const dev_t *own = data;
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++) {
		_cleanup_facts_ struct device_facts f = { 0 };

		if (blockdev_lookup(t->legs[i].device, &f) || f.devno == *own)
			return true;
	}
	return false;
}

/* Legs may be replaced while a device is active; then the file is about others. */
static enum save_match compare(const struct devmap_device *dev, const char *text)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_table_ struct table live = { 0 }, saved = { 0 };

	table_parse(&saved, text, &ignored);
	if (live_table(dev->name, &live) || !live.nr || !saved.nr ||
	    saved_has_stand_in(&saved, &live) || table_any(&saved, is_missing, &dev->devno))
		return SAVE_UNKNOWN;
	table_rename_devices(&live, identity_number);
	table_rename_devices(&saved, identity_number);
	if (!table_same_mapping(&live, &saved) ||
	    table_sectors(&live) < table_sectors(&saved))
		return SAVE_OTHER;
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

enum save_match save_refresh(const struct devmap_device *dev, bool dry_run)
{
	_cleanup_free_ char *text = saved_file_text(dev->name), *outdated = NULL;
	enum save_match match = text ? compare(dev, text) : SAVE_UNKNOWN;

	if (match == SAVE_SAME && !dry_run)
		renew_signatures(dev->name, text);
	if (match != SAVE_OTHER || dry_run)
		return match;
	outdated = saved_with_outdated(text);
	replace(dev->name, text, outdated);
	return match;
}

static bool is_about(const char *text, const struct devmap_device *dev)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_saved_ struct saved s = { 0 };

	saved_parse_keywords(&s, text, &ignored);
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
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_saved_ struct saved s = { 0 };

	if (text)
		saved_parse_keywords(&s, text, &ignored);
	/* a signature that was overridden has to be noticed again */
	if (!s.uuid || s.outdated || !saved_is_device(&s, dev->uuid) ||
	    saved_file_is_forced(dev->name) || !table_has_noclone(live))
		return false;
	twin = twin_of(dev);
	return !twin && compare(dev, text) == SAVE_SAME;
}

bool save_is_stand_in(const struct devmap_device *dev, const struct table *live)
{
	_cleanup_free_ char *text = saved_file_text(dev->name);
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_table_ struct table saved = { 0 };

	if (text)
		table_parse(&saved, text, &ignored);
	return text && is_about(text, dev) && saved_has_stand_in(&saved, live);
}

void save_hint(const char *name, bool locked)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *path = saved_path(name);
	_cleanup_close_ int lock = -1;
	_cleanup_free_ char *text = saved_file_text(name);
	bool outdated;

	if (!text || devmap_info(name, &dev) || !is_about(text, &dev))
		return;
	lock = locked ? -1 : saved_file_lock(name);
	outdated = (locked || lock >= 0) && save_refresh(&dev, false) == SAVE_OTHER;
	log_note("%s has the table from before%s: \"noclone save %s\" keeps the new one",
		 path, outdated ? ", which is not activated any more" : "", name);
}

int cmd_save(const struct options *o, int argc, char **argv)
{
	int i, r = EXIT_OK;

	for (i = 0; i < argc; i++) {
		_cleanup_free_ char *name = select_name(argv[i]);

		if (save_device(o, name))
			r = EXIT_FAILED;
	}
	return r;
}
