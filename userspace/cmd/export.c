// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone export: the same device with the kernel's own linear and striped
 * targets, so that the data can be reached without this module.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table-print.h"
#include "model/table.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/live.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/* noclone-file has no stock equivalent: a loop device has the same bytes. */
static char *loop_command(const struct table *t)
{
	_cleanup_free_ char *path = NULL;
	const struct target *file = &t->targets[0];

	if (t->nr != 1)
		return NULL;
	path = shell_quote(file->path);
	return xasprintf("losetup --find --show --direct-io=on --offset %llu --sizelimit %llu %s",
			 (unsigned long long)file->file_start << SECTOR_SHIFT,
			 (unsigned long long)file->length << SECTOR_SHIFT, path);
}

static void export_file(struct json_object *out, const char *name,
			const struct table *t)
{
	_cleanup_free_ char *loop = loop_command(t);

	log_err("%s: skipped, noclone-file has no stock equivalent: %s", name,
		loop ? loop : "use losetup for each target");
	output_add_string(out, "concise", NULL);
	output_add_string(out, "dmsetup", NULL);
	output_add_bytes(out, "losetup", loop);
}

static struct json_object *export_one(const struct options *o,
				      const struct devmap_device *dev,
				      char **concise)
{
	struct json_object *out = json_object_new_object();
	_cleanup_free_ char *lines = NULL, *command = NULL, *quoted = NULL;
	_cleanup_table_ struct table t = { 0 };

	live_table(dev->name, &t);
	output_add_string(out, "name", dev->name);
	output_add_string(out, "uuid", dev->uuid);
	if (table_has_file(&t)) {
		export_file(out, dev->name, &t);
		return out;
	}
	/* device numbers may change at the next boot */
	table_rename_devices(&t, opt(o, OPT_NUMBERS) ? identity_number :
						       identity_persistent);
	table_rename_devices(&t, identity_loadable);
	*concise = table_concise(&t, dev->name, dev->uuid, dev->readonly);
	lines = table_print(&t, true, NULL, NULL);
	quoted = shell_quote(*concise);
	command = xasprintf("%s create --concise %s", name_dmsetup(dev->name), quoted);
	output_add_string(out, "concise", *concise);
	output_add_string(out, "dmsetup", command);
	json_object_object_add(out, "table", output_lines(lines));
	return out;
}

int cmd_export(const struct options *o, int argc, char **argv)
{
	_cleanup_names_ struct names names = { 0 };
	_cleanup_strbuf_ struct strbuf all = { 0 };
	struct json_object *out, *array;
	int r = EXIT_OK;
	unsigned int i;

	if (select_names(&names, argc, argv, false))
		return EXIT_FAILED;
	out = output_new("export");
	array = json_object_new_array();
	json_object_object_add(out, "devices", array);
	for (i = 0; i < names.nr; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };
		_cleanup_free_ char *concise = NULL;

		if (devmap_info(names.name[i], &dev))
			continue;
		json_object_array_add(array, export_one(o, &dev, &concise));
		if (concise)
			strbuf_add(&all, "%s%s", all.len ? ";" : "", concise);
		else
			r = EXIT_FAILED;
	}
	if (opt(o, OPT_JSON))
		output_print(out);
	else if (all.len)
		puts(all.text);
	json_object_put(out);
	return r;
}
