// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone export: print the tables of devices. Linear and striped targets of this module are
 * printed as the kernel's own linear and striped targets, so that the data can be reached without
 * this module. With "--to noclone", the tables are printed unchanged.
 */
#include <json-c/json.h>
#include <stdio.h>

#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/identity.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/*
 * Add the unchanged table of a device to the output. If @alone is false, the output has several
 * devices, and each line begins with the name of the device.
 */
static void export_own(struct json_object *out, const char *name, const struct table *t,
		       bool alone, struct strbuf *all)
{
	_cleanup_free_ char *text = table_print(t, false, NULL), *shown_name = visible(name);
	struct json_object *lines = output_lines(text);
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		strbuf_add(all, "%s%s%s%s", all->len ? "\n" : "", alone ? "" : shown_name,
			   alone ? "" : ": ",
			   json_object_get_string(json_object_array_get_idx(lines, i)));
	json_object_object_add(out, "table", lines);
}

/*
 * Can the tool print the table? @own: the table is printed unchanged. Return: false after a
 * message.
 */
static bool export_check(const char *name, const struct table *t, bool own)
{
	_cleanup_free_ char *dmsetup = name_command("table --showkeys", name);
	const struct target *hidden = table_hidden(t);

	if (hidden)
		log_err("%s is skipped, because the arguments of its target \"%s\" may contain a key: \"%s\" prints the arguments",
			name, hidden->type, dmsetup);
	else if (!own && table_has_file(t))
		log_err("%s is skipped, because no target of dm does the same as noclone-file: losetup(8) makes a loop device with the same bytes",
			name);
	else
		return true;
	return false;
}

/* Print one device. Return: an exit code. */
static int export_one(const struct options *o, const struct devmap_device *dev, bool alone,
		      struct json_object *array, struct strbuf *all)
{
	const bool own = opt(o, OPT_TO) && !o->to_stock;
	_cleanup_free_ char *concise = NULL;
	_cleanup_table_ struct table t = { 0 };
	struct json_object *out;

	if (select_table(dev->name, &t))
		return EXIT_FAILED;
	out = json_object_new_object();
	json_object_array_add(array, out);
	/* numbers of devices may change at the next boot */
	table_rename_devices(&t, identity_persistent);
	table_rename_devices(&t, identity_loadable);
	output_add_string(out, "name", dev->name);
	output_add_string(out, "uuid", dev->uuid);
	if (!export_check(dev->name, &t, own)) {
		output_add_string(out, own ? "table" : "concise", NULL);
		return EXIT_FAILED;
	}
	if (own) {
		export_own(out, dev->name, &t, alone, all);
		return EXIT_OK;
	}
	concise = table_concise(&t, dev->name, dev->uuid, dev->readonly);
	output_add_string(out, "concise", concise);
	strbuf_add(all, "%s%s", all->len ? ";" : "", concise);
	return EXIT_OK;
}

int cmd_export(const struct options *o, int argc, char **argv)
{
	_cleanup_names_ struct names names = { 0 };
	_cleanup_strbuf_ struct strbuf all = { 0 };
	struct json_object *out, *array;
	unsigned int i;
	int r = select_names(&names, argc, argv, false) ? EXIT_FAILED : EXIT_OK;

	out = output_new("export");
	array = json_object_new_array();
	json_object_object_add(out, "devices", array);
	for (i = 0; i < names.nr; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };

		if (!devmap_info(names.name[i], &dev))
			r = export_one(o, &dev, argc == 1, array, &all) ?: r;
	}
	if (!output_print(o, out) && all.len)
		puts(all.text);
	return r;
}
