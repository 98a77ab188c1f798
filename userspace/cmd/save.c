// SPDX-License-Identifier: GPL-2.0-only
/* noclone save: keep an active device for the next boot. */
#include "cmd/change.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "model/name.h"
#include "system/saved-file.h"
#include "cli/output.h"
#include "cli/select.h"

/*
 * May the device be saved?  The path of a backing file may lead to another one by now, and
 * the file with its name may be the only record of another device.
 */
static int save_check(const struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_free_ char *lost = live_lost_file(&c->dev, true);
	_cleanup_free_ char *setuuid = name_command_setuuid(name);

	if (!*c->dev.uuid)
		log_err("%s has no UUID, by which its file is known: \"%s\" gives it one", name,
			setuuid);
	else if (opt(c->o, OPT_FORCE))
		return 0;
	else if (lost)
		log_err("%s: %s", name, lost);
	else if (c->damage && saved_file_misplaced(name))
		log_err("%s: %s", c->path, saved_file_misplaced(name));
	else if (c->saved ? !c->old.uuid : saved_file_exists(name))
		log_err("%s was saved for a different device named %s, or cannot be read: --force replaces it, and that device does not come back",
			c->path, name);
	else
		return 0;
	return -EINVAL;
}

static void save_print(const struct change *c)
{
	struct json_object *out = output_new("save");

	output_add_bool(out, "dry_run", true);
	output_add_string(out, "name", c->dev.name);
	output_add_string(out, "file", c->path);
	json_object_object_add(out, "lines", output_lines(c->text));
	if (!output_print(c->o, out))
		fputs(c->text, stdout);
}

int cmd_save(const struct options *o, const char *word)
{
	_cleanup_change_ struct change c = CHANGE_INIT(o, "save");
	_cleanup_free_ char *name = select_name(word);
	const char *wrong = saved_name_problem(name);
	bool writes;
	int r;

	if (wrong) {
		log_err("\"%s\" %s", name, wrong);
		return -EINVAL;
	}
	c.add = true;
	c.as_is = opt(o, OPT_FORCE);
	r = change_begin(&c, name) ? : select_check_owner(o, &c.dev) ? : save_check(&c) ? :
	    change_stage_file(&c, &c.live.table);
	if (!r && opt(o, OPT_DRY_RUN))
		save_print(&c);
	if (r || opt(o, OPT_DRY_RUN))
		return r;
	writes = c.staged;
	r = change_commit_file(&c);
	if (r)
		return r;
	/* a file that is up to date is not written, and is accepted nevertheless */
	saved_file_set_forced(name, false);
	if (writes)
		log_note("%s: saved in %s%s", name, c.path, access("/run/systemd/system", F_OK) ? "" :
		 "; systemd knows of it after \"systemctl daemon-reload\", or the next boot");
	/* the unit waits for the lock */
	change_end_file(&c);
	saved_unit("start", name);
	return 0;
}
