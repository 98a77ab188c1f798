// SPDX-License-Identifier: GPL-2.0-only
/* noclone save: save an active device, so that the next boot activates it. */
#include "cmd/change.h"
#include "cmd/cmd.h"
#include "cmd/partitions.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "system/live.h"
#include "system/identity.h"
#include "system/saved-file.h"
#include "system/saved-unit.h"
#include "cli/output.h"
#include "cli/select.h"

/*
 * May the device be saved? The path of a backing file may lead to another file now, and an existing
 * saved file with this name may be the only record of another device.
 */
static int save_check(const struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_free_ char *lost = live_lost_file(&c->dev, true);
	_cleanup_free_ char *setuuid = name_command_setuuid(name);
	_cleanup_free_ char *disk = partitions_disk_of(&c->dev);
	_cleanup_free_ char *save = disk ? name_noclone("save", disk) : NULL;
	_cleanup_free_ char *other = disk ? NULL : saved_file_with_partition(name);
	_cleanup_free_ char *rename = name_command("rename", name);

	if (!*c->dev.uuid)
		log_err("%s has no UUID, and its saved file needs a UUID: \"%s\" gives the device a UUID", name,
			setuuid);
	else if (opt(c->o, OPT_FORCE))
		return 0;
	else if (disk)
		log_err("%s is a partition of %s: \"%s\" saves both", name, disk, save);
	else if (lost)
		log_err("%s: %s", name, lost);
	else if (c->file.damage && saved_file_misplaced(name))
		log_err("%s: %s", c->file.path, saved_file_misplaced(name));
	else if (c->file.exists ? !c->file.old.uuid : saved_file_exists(name))
		log_err("%s cannot be read, or belongs to another device that had the name %s before (its UUID differs): --force replaces the file, and then that other device does not come back at boot",
			c->file.path, name);
	else if (other)
		log_err("%s is the name of a partition of the saved device %s: \"%s NEWNAME\" gives the device another name",
			name, other, rename);
	else
		return 0;
	return -EINVAL;
}

/* Check that no saved device has the name of a partition that the device will have at boot. */
static int save_check_partitions(const struct change *c)
{
	_cleanup_names_ struct names saved = { 0 };
	unsigned int i;

	if (!c->file.partitions || opt(c->o, OPT_FORCE))
		return 0;
	saved_file_names(&saved);
	for (i = 0; i < saved.nr; i++) {
		_cleanup_free_ char *path = saved_path(saved.name[i]), *quoted = shell_quote(path);

		if (!partition_has_name(c->dev.name, c->file.partitions, saved.name[i]))
			continue;
		log_err("%s is saved, and a partition of %s has the same name: \"rm %s\" removes the saved file",
			saved.name[i], c->dev.name, quoted);
		return -EEXIST;
	}
	return 0;
}

/*
 * Find out which partition devices the device has, and whether the udev rules of other programs
 * ignore the device. The old saved file also tells whether these rules ignore the device, because
 * the database of udev does not know this if udev did not run when the device was made.
 *
 * Only a target on a file may have saved partitions. If the module was missing at boot, the device
 * of an image runs on a loop device, and only --force saves its table.
 */
static int save_find_properties(struct change *c)
{
	_cleanup_partitions_ struct partition_devices parts = { 0 };
	const struct table *t = &c->live.table;
	int r = partitions_find(&c->dev, &parts);

	c->file.noscan = (c->file.exists && c->file.old.noscan) ||
			 identity_is_noscan(c->dev.devno);
	if (parts.nr && t->nr == 1 && t->targets->path)
		c->file.partitions = partitions_numbers(&c->dev, &parts);
	return r ? : save_check_partitions(c);
}

static void save_print(const struct change *c)
{
	struct json_object *out = output_new("save");

	output_add_bool(out, "dry_run", true);
	output_add_string(out, "name", c->dev.name);
	output_add_string(out, "file", c->file.path);
	json_object_object_add(out, "lines", output_lines(c->file.text));
	if (!output_print(c->o, out))
		fputs(c->file.text, stdout);
}

static void save_report(const struct change *c)
{
	struct json_object *out = output_device("save", &c->dev);

	output_add_string(out, "file", c->file.path);
	output_print(c->o, out);
}

static const struct change_needs save_needs = { .command = "save" };

int cmd_save(const struct options *o, const char *word)
{
	_cleanup_change_ struct change c = CHANGE_INIT(c, o, &save_needs);
	_cleanup_free_ char *name = select_name(word);
	const char *wrong = saved_name_problem(name);
	bool writes;
	int r;

	if (wrong) {
		log_err("\"%s\" %s", name, wrong);
		return -EINVAL;
	}
	c.file.adds = true;
	c.file.as_is = opt(o, OPT_FORCE);
	r = change_begin(&c, name) ? : select_check_owner(o, &c.dev) ? : save_check(&c) ? :
	    save_find_properties(&c) ? :
	    change_file_stage(&c.file, &c.live.table, c.readonly);
	if (!r && opt(o, OPT_DRY_RUN))
		save_print(&c);
	if (r || opt(o, OPT_DRY_RUN))
		return r;
	writes = c.file.staged;
	r = change_file_commit(&c.file);
	if (r)
		return r;
	/*
	 * even if the saved file was up to date and was not written, the user has accepted the
	 * signatures
	 */
	saved_file_set_forced(name, false);
	if (writes)
		log_note("%s is saved in %s%s", name, c.file.path, access("/run/systemd/system", F_OK) ? "" :
		 "; systemd knows the device after \"systemctl daemon-reload\" or the next boot");
	/* release the lock first, because the unit waits for the lock */
	change_file_end(&c.file);
	saved_unit("start", name);
	save_report(&c);
	return 0;
}
