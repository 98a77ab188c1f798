// SPDX-License-Identifier: GPL-2.0-only
/* noclone list, info and table */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/size.h"
#include "base/util.h"
#include "model/table-print.h"
#include "model/table.h"
#include "model/trouble.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/live.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

static struct json_object *describe(const struct devmap_device *dev,
				    const struct live *r)
{
	struct json_object *o = json_object_new_object();
	_cleanup_free_ char *state = live_fastpath(r);
	_cleanup_troubles_ struct troubles troubles = { 0 };

	output_add_string(o, "name", dev->name);
	output_add_string(o, "uuid", dev->uuid);
	output_add_number(o, "major", major(dev->devno));
	output_add_number(o, "minor", minor(dev->devno));
	output_add_number(o, "sectors", table_sectors(&r->table));
	output_add_number(o, "targets", dev->target_count);
	output_add_string(o, "fastpath", state);
	output_add_bool(o, "suspended", dev->suspended);
	output_add_bool(o, "readonly", dev->readonly);
	output_add_number(o, "open_count", MAX(dev->open_count, 0));
	live_troubles(r, &troubles);
	json_object_object_add(o, "troubles", output_troubles(&troubles));
	return o;
}

/* "active", and what is wrong below the device nevertheless */
static char *state_words(const struct devmap_device *dev, const struct live *r)
{
	_cleanup_troubles_ struct troubles troubles = { 0 };
	_cleanup_free_ char *brief = NULL;

	live_troubles(r, &troubles);
	brief = troubles_brief(&troubles);
	return xasprintf("%s%s%s", dev->suspended ? "suspended" : "active",
			 *brief ? ", " : "", brief);
}

static void list_one(struct json_object *array, bool json,
		     const struct devmap_device *dev)
{
	_cleanup_free_ char *types = NULL, *size = NULL, *fast = NULL;
	_cleanup_live_ struct live r = { 0 };
	_cleanup_free_ char *state = NULL;
	struct json_object *o;

	live_get(dev->name, &r);
	types = table_types(&r.table);
	if (json) {
		o = describe(dev, &r);
		output_add_string(o, "types", types);
		json_object_array_add(array, o);
		return;
	}
	size = size_format_short(table_sectors(&r.table));
	fast = live_fastpath(&r);
	state = state_words(dev, &r);
	printf("%-20s %8s  %-16s %-16s %s\n", dev->name, size, types,
	       fast ? fast : "-", state);
}

int cmd_list(const struct options *o, int argc, char **argv)
{
	_cleanup_names_ struct names names = { 0 };
	struct json_object *out, *array;
	bool json = opt(o, OPT_JSON);
	unsigned int i;

	if (select_names(&names, argc, argv, opt(o, OPT_ALL)))
		return EXIT_FAILED;
	out = output_new("list");
	array = json_object_new_array();
	json_object_object_add(out, "devices", array);
	if (!json && names.nr)
		printf("%-20s %8s  %-16s %-16s %s\n", "NAME", "SIZE", "TYPE",
		       "FASTPATH", "STATE");
	for (i = 0; i < names.nr; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };

		/* removed since the list was made: no reason for a message */
		if (!devmap_info(names.name[i], &dev))
			list_one(array, json, &dev);
	}
	if (json)
		output_print(out);
	json_object_put(out);
	return EXIT_OK;
}

static void print_info(const struct devmap_device *dev, const struct live *r)
{
	uint64_t sectors = table_sectors(&r->table);
	_cleanup_free_ char *size = size_format_short(sectors);
	_cleanup_free_ char *fast = live_fastpath(r);
	_cleanup_free_ char *state = state_words(dev, r);

	printf("Name:       %s\n", dev->name);
	printf("UUID:       %s\n", *dev->uuid ? dev->uuid : "-");
	printf("Device:     %u:%u (/dev/dm-%u)\n", major(dev->devno),
	       minor(dev->devno), minor(dev->devno));
	printf("Size:       %s (%llu sectors) in %u target%s\n", size,
	       (unsigned long long)sectors, dev->target_count,
	       dev->target_count == 1 ? "" : "s");
	printf("State:      %s%s\n", state,
	       dev->readonly ? ", read-only" : "");
	printf("Tables:     %s\n", dev->live_table && dev->inactive_table ?
	       "live and inactive" : dev->live_table ? "live" :
	       dev->inactive_table ? "inactive" : "none");
	printf("Fast path:  %s\n", fast ? fast : "-");
	printf("Open count: %d%s\n", dev->open_count, dev->deferred_remove ?
	       " (removed when it is closed)" : "");
	printf("Events:     %u\n", dev->event_nr);
}

static void info_one(struct json_object *array, bool json, bool first,
		     const struct devmap_device *dev)
{
	_cleanup_live_ struct live r = { 0 };
	struct json_object *o;

	live_get(dev->name, &r);
	if (!json) {
		if (!first)
			putchar('\n');
		print_info(dev, &r);
		return;
	}
	o = describe(dev, &r);
	output_add_bool(o, "live_table", dev->live_table);
	output_add_bool(o, "inactive_table", dev->inactive_table);
	output_add_bool(o, "deferred_remove", dev->deferred_remove);
	output_add_number(o, "event_nr", dev->event_nr);
	json_object_array_add(array, o);
}

int cmd_info(const struct options *o, int argc, char **argv)
{
	_cleanup_names_ struct names names = { 0 };
	struct json_object *out, *array;
	unsigned int i;

	if (select_names(&names, argc, argv, false))
		return EXIT_FAILED;
	out = output_new("info");
	array = json_object_new_array();
	json_object_object_add(out, "devices", array);
	for (i = 0; i < names.nr; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };

		if (!devmap_info(names.name[i], &dev))
			info_one(array, opt(o, OPT_JSON), !i, &dev);
	}
	if (opt(o, OPT_JSON))
		output_print(out);
	json_object_put(out);
	return EXIT_OK;
}

static void print_lines(const char *name, const struct table *t, bool prefix)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		_cleanup_free_ char *line = target_print(&t->targets[i], false,
							 NULL, NULL);

		if (prefix)
			printf("%s: ", name);
		puts(line);
	}
}

int cmd_table(const struct options *o, int argc, char **argv)
{
	_cleanup_names_ struct names names = { 0 };
	struct json_object *out, *array, *dev;
	unsigned int i;

	if (select_names(&names, argc, argv, false))
		return EXIT_FAILED;
	out = output_new("table");
	array = json_object_new_array();
	json_object_object_add(out, "devices", array);
	for (i = 0; i < names.nr; i++) {
		_cleanup_table_ struct table t = { 0 };

		live_table(names.name[i], &t);
		if (opt(o, OPT_PERSISTENT))
			table_rename_devices(&t, identity_persistent);
		else if (!opt(o, OPT_NUMBERS))
			table_rename_devices(&t, identity_path);
		dev = json_object_new_object();
		output_add_string(dev, "name", names.name[i]);
		json_object_object_add(dev, "targets", output_table(&t));
		json_object_array_add(array, dev);
		if (!opt(o, OPT_JSON))
			print_lines(names.name[i], &t, argc != 1);
	}
	if (opt(o, OPT_JSON))
		output_print(out);
	json_object_put(out);
	return EXIT_OK;
}
