// SPDX-License-Identifier: GPL-2.0-only
/* noclone save: keep an active device for the next boot. */
#include "cmd/cmd.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/saved.h"
#include "model/table.h"
#include "system/devmap.h"
#include "system/saved-file.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/saved-update.h"

/*
 * May the device be saved?  The path of a backing file may lead to another one by now, and
 * the file with its name may be the only record of another device.
 */
static int save_check(const struct options *o, const struct devmap_device *dev,
		      const struct saved_update *u)
{
	_cleanup_free_ char *lost = live_lost_file(dev->name);

	if (!*dev->uuid)
		log_err("%s has no UUID, by which its file is known: \"dmsetup rename %s --setuuid NOCLONE-%s\" gives it one",
			dev->name, dev->name, dev->name);
	else if (opt(o, OPT_FORCE))
		return 0;
	else if (lost)
		log_err("%s: %s", dev->name, lost);
	else if (u->saved ? !u->old.uuid : saved_file_exists(dev->name))
		log_err("%s was saved for a different device named %s, or cannot be read: --force replaces it, and that device does not come back",
			u->path, dev->name);
	else
		return 0;
	return -EINVAL;
}

static void save_print(const struct options *o, const char *name, const char *text)
{
	_cleanup_free_ char *path = saved_path(name);
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

static void save_report(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);

	log_note("%s: saved in %s%s", name, path, access("/run/systemd/system", F_OK) ? "" :
		 "; systemd knows of it after \"systemctl daemon-reload\", or the next boot");
}

static int save_device(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_saved_update_ struct saved_update u = {
		.add = true, .as_is = opt(o, OPT_FORCE), .lock = -1,
	};
	_cleanup_table_ struct table t = { 0 };
	int r = saved_update_begin(&u, o, dev->name, dev->uuid) ? : save_check(o, dev, &u);

	if (!r)
		r = select_table(dev->name, &t) ? : saved_update_stage(&u, &t, dev->readonly);
	if (r || u.dry_run) {
		if (!r)
			save_print(o, dev->name, u.text);
		return r;
	}
	r = saved_update_commit(&u);
	if (!r)
		save_report(dev->name);
	return r;
}

static int save_word(const struct options *o, const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *name = select_name(word);
	const char *wrong = saved_name_problem(name);
	int r;

	if (wrong) {
		log_err("\"%s\" %s", name, wrong);
		return -EINVAL;
	}
	r = select_device(name, &dev);
	if (!r)
		r = select_check_owner(o, &dev) ? : save_device(o, &dev);
	if (!r && !opt(o, OPT_DRY_RUN))
		saved_unit("start", name);
	return r;
}

int cmd_save(const struct options *o, int argc, char **argv)
{
	int i, r = EXIT_OK;

	for (i = 0; i < argc; i++)
		if (save_word(o, argv[i]))
			r = EXIT_FAILED;
	return r;
}
