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

/* The file that is there already. */
struct old_file {
	char *text;		/* NULL: there is none */
	struct saved saved;	/* what it says */
	bool of_other;		/* is that about another device? */
	bool by_hand;		/* or did noclone not write it, and it may be about another table? */
};

static void old_free(struct old_file *old)
{
	free(old->text);
	saved_free(&old->saved);
}

#define _cleanup_old_ __attribute__((cleanup(old_free)))

static void old_read(struct old_file *old, const struct devmap_device *dev)
{
	_cleanup_problems_ struct problems problems = { 0 };
	enum save_match match = save_refresh(dev, true);
	bool understood;

	old->text = saved_file_text(dev->name);
	if (!old->text)
		return;
	saved_parse(&old->saved, old->text, &problems);
	understood = !problems_count(&problems, PROBLEM_ERROR) &&
		     (match == SAVE_SAME || match == SAVE_GROWN);
	old->of_other = old->saved.uuid && !saved_is_device(&old->saved, dev->uuid);
	old->by_hand = !old->saved.uuid && !understood;
}

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

static int check_file(const struct options *o, const struct devmap_device *dev,
		      const struct old_file *old)
{
	_cleanup_free_ char *path = saved_path(dev->name);

	if (opt(o, OPT_FORCE))
		return 0;
	if (!old->text && saved_file_exists(dev->name)) {
		log_err("%s cannot be read, and its content would be lost: --force replaces it",
			path);
		return -EIO;
	}
	if (!old->of_other)
		return 0;
	log_err("%s was saved for another device (UUID %s): --force replaces it", path,
		old->saved.uuid);
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

/* A lasting name that the file has for the device: the user may have chosen it. */
static const char *chosen_name(const struct table *old, dev_t devno)
{
	unsigned int i, j;

	for (i = 0; i < old->nr; i++)
		for (j = 0; j < old->targets[i].nr_legs; j++) {
			const char *name = old->targets[i].legs[j].device;
			_cleanup_facts_ struct device_facts f = { 0 };

			if (!lint_is_kernel_name(name) && !blockdev_lookup(name, &f) &&
			    f.devno == devno)
				return name;
		}
	return NULL;
}

static void name_leg(struct leg *leg, const struct table *old)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	const char *chosen = blockdev_lookup(leg->device, &f) ? NULL :
							   chosen_name(old, f.devno);
	char *name = chosen ? xstrdup(chosen) : identity_persistent(leg->device, NULL);

	free(leg->device);
	leg->device = name;
}

static void name_legs(struct table *t, const struct devmap_device *dev,
		      const struct old_file *old)
{
	_cleanup_problems_ struct problems problems = { 0 };
	const struct table none = { 0 };
	/* a file that was saved for another device says nothing about this one's disks */
	const struct table *names = saved_is_device(&old->saved, dev->uuid) ?
				    &old->saved.table : &none;
	unsigned int i, j;

	for (i = 0; i < t->nr; i++)
		for (j = 0; j < t->targets[i].nr_legs; j++)
			name_leg(&t->targets[i].legs[j], names);
	lint_names(t, &problems);
	problems_log(&problems, dev->name);
}

static int collect(const struct options *o, const struct devmap_device *dev,
		   const struct old_file *old, struct saved *s)
{
	int r = live_table(dev->name, &s->table);

	if (r) {
		log_err("%s: cannot read its table: %s", dev->name, strerror(-r));
		return r;
	}
	r = check_table(o, dev, &s->table);
	if (!r)
		r = check_paths(o, dev->name);
	if (!r)
		r = check_file(o, dev, old);
	if (r)
		return r;
	name_legs(&s->table, dev, old);
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

/* Of a device that was renamed: both would be activated at boot, and one would fail. */
static int check_twin(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *path = NULL, *name = opt(o, OPT_FORCE) ? NULL : save_twin(dev);

	if (!name)
		return 0;
	path = saved_path(name);
	log_err("%s is saved as %s in %s: if that is its old name, \"noclone remove --forget %s\" first; --force keeps both",
		dev->name, name, path, name);
	return -EEXIST;
}

/* What is replaced may be the only one who knows another device. */
static int keep_other(const char *name, const char *path, const struct old_file *other)
{
	int r = saved_file_write_old(name, other->text);

	if (r)
		log_err("writing %s.old failed: %s", path, strerror(-r));
	else if (!other->of_other)
		log_warn("%s was written by hand, or had another table, and is %s.old now", path, path);
	else
		log_warn("%s was about another device (UUID %s), and is %s.old now", path,
			 other->saved.uuid, path);
	return r;
}

static int write_file(const char *name, const char *path, const char *text,
		      const struct old_file *old)
{
	int r = old->of_other || old->by_hand ? keep_other(name, path, old) : 0;

	if (r)
		return r;
	r = saved_file_write(name, text);
	if (r)
		log_err("writing %s failed: %s", path, strerror(-r));
	return r;
}

/* What is saved of @s, with the comments of the file that is there: a new string. */
static char *new_text(const struct saved *s, const char *name, const struct old_file *old)
{
	char *text = saved_print(s, name), *whole = NULL;

	if (!saved_is_readable(text, name))
		log_err("%s cannot be saved: the UUID has a blank, or the name of a leg or an argument has a \"#\", which begins a comment in a table",
			name);
	else if (old->text && !old->of_other)
		whole = saved_with_comments(text, old->text);
	else
		return text;
	free(text);
	return whole;
}

/* With the lock, unless nothing is to be written. */
static int save(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *path = saved_path(dev->name), *text = NULL;
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_old_ struct old_file old = { 0 };
	int r;

	old_read(&old, dev);
	r = collect(o, dev, &old, &s);
	if (r)
		return r;
	text = new_text(&s, dev->name, &old);
	if (!text)
		return -EINVAL;
	if (opt(o, OPT_DRY_RUN)) {
		print_file(o, dev->name, path, text);
		return 0;
	}
	r = write_file(dev->name, path, text, &old);
	if (r)
		return r;
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
