// SPDX-License-Identifier: GPL-2.0-only
/* noclone save: keep an active device for the next boot. */
#include "cmd/save.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
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

static void add_signatures(struct saved *s)
{
	unsigned int i, j;

	for (i = 0; i < s->table.nr; i++)
		for (j = 0; j < s->table.targets[i].nr_legs; j++) {
			const struct target *t = &s->table.targets[i];
			_cleanup_facts_ struct device_facts f = { 0 };
			_cleanup_free_ char *found = NULL;

			if (blockdev_lookup(t->legs[j].device, &f))
				continue;
			found = identity_signature(f.path, t->legs[j].start,
						   target_leg_length(t));
			if (found)
				saved_add_signature(s, &t->legs[j], found);
			else
				log_warn("%s: cannot be read: %s", f.path, strerror(errno));
		}
}

/* A device without targets of ours runs on a stand-in, or is none of ours. */
static int check_table(const struct options *o, const char *name, const struct table *t)
{
	if (opt(o, OPT_FORCE) || table_has_noclone(t))
		return 0;
	log_err("%s has no target of this module, and would come back so: noclone convert %s first, or give --force",
		name, name);
	return -EOPNOTSUPP;
}

static int check_file(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_free_ char *text = saved_file_text(dev->name);
	_cleanup_free_ char *path = saved_path(dev->name);
	_cleanup_saved_ struct saved old = { 0 };

	if (text)
		saved_parse_keywords(&old, text, &ignored);
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
	r = check_table(o, dev->name, &s->table);
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
	add_signatures(s);
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

int save_device(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *path = saved_path(name);
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *text = NULL;
	const char *wrong = saved_name_problem(name);
	int r;

	if (wrong) {
		log_err("\"%s\" %s", name, wrong);
		return -EINVAL;
	}
	if (select_device(name, &dev) || select_check_owner(o, &dev))
		return -ENXIO;
	r = collect(o, &dev, &s);
	if (r)
		return r;
	text = saved_print(&s, name);
	if (!saved_is_readable(text, name)) {
		log_err("%s cannot be saved: the UUID has a blank, or the name of a leg or an argument has a \"#\", which begins a comment in a table",
			name);
		return -EINVAL;
	}
	if (opt(o, OPT_DRY_RUN)) {
		print_file(o, name, path, text);
		return 0;
	}
	r = saved_file_write(name, text);
	if (r)
		log_err("writing %s failed: %s", path, strerror(-r));
	else
		log_note("%s: saved in %s%s", name, path, access("/run/systemd/system", F_OK) ?
			 "" : "; systemd knows of it after \"systemctl daemon-reload\", or the next boot");
	return r;
}

/* Legs may be replaced while a device is active; then the file is about others. */
static bool is_on_saved_legs(const char *name, const char *text)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_table_ struct table live = { 0 }, saved = { 0 };

	table_parse(&saved, text, &ignored);
	if (live_table(name, &live) || !live.nr || !saved.nr)
		return false;
	table_rename_devices(&live, identity_number);
	table_rename_devices(&saved, identity_number);
	return table_sectors(&live) == table_sectors(&saved) &&
	       table_same_mapping(&live, &saved);
}

void save_signatures(const char *name)
{
	_cleanup_free_ char *text = saved_file_text(name), *new = NULL;
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_saved_ struct saved now = { 0 };
	int r;

	if (!text || !is_on_saved_legs(name, text))
		return;
	table_parse(&now.table, text, &ignored);
	add_signatures(&now);
	new = saved_with_signatures(&now, text);
	if (!strcmp(new, text))
		return;
	r = saved_file_write(name, new);
	if (r)
		log_verbose("%s: its signatures are not saved: %s", name, strerror(-r));
}

void save_hint(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);

	if (saved_file_exists(name))
		log_note("%s has the table from before: \"noclone save %s\" keeps the new one",
			 path, name);
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
