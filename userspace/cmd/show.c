// SPDX-License-Identifier: GPL-2.0-only
/* noclone list, info and table */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/path.h"
#include "model/table-print.h"
#include "model/table.h"
#include "model/trouble.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/live.h"
#include "cli/columns.h"
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
	return xasprintf("%s%s%s%s%s", dev->suspended ? "suspended" : "active",
			 dev->readonly ? ", read-only" : "",
			 dev->deferred_remove ? ", removed when closed" : "",
			 *brief ? ", " : "", brief);
}

/* Calls @add with each device or file below a table, once. */
static void for_each_below(const struct table *t,
			   void (*add)(void *to, const char *name), void *to)
{
	_cleanup_strbuf_ struct strbuf seen = { 0 };
	unsigned int i, j;

	strbuf_add(&seen, "\n");
	for (i = 0; i < t->nr; i++)
		for (j = 0; j < t->targets[i].nr_legs + !!t->targets[i].path; j++) {
			const struct target *target = &t->targets[i];
			_cleanup_free_ char *name = target->path ?
				path_encode(target->path) :
				identity_path(target->legs[j].device, NULL);
			_cleanup_free_ char *line = xasprintf("\n%s\n", name);

			if (strstr(seen.text, line))
				continue;
			strbuf_add(&seen, "%s\n", name);
			add(to, name);
		}
}

static void add_word(void *to, const char *name)
{
	struct strbuf *b = to;

	strbuf_add(b, "%s%s", b->len ? " " : "", name);
}

static void add_json(void *to, const char *name)
{
	json_object_array_add(to, output_string(name));
}

enum { LIST_NAME, LIST_SIZE, LIST_TYPE, LIST_FASTPATH, LIST_STATE, LIST_ON, LIST_NR };

static const struct column list_columns[LIST_NR] = {
	[LIST_NAME] = { "NAME", false, false },
	[LIST_SIZE] = { "SIZE", true, false },
	[LIST_TYPE] = { "TYPE", false, false },
	[LIST_FASTPATH] = { "FASTPATH", false, false },
	[LIST_STATE] = { "STATE", false, false },
	[LIST_ON] = { "ON", false, true },
};

static void list_row(struct columns *c, const struct devmap_device *dev,
		     const struct live *r)
{
	struct strbuf on = { 0 };
	char *cell[LIST_NR] = {
		[LIST_NAME] = xstrdup(dev->name),
		[LIST_SIZE] = size_format_short(table_sectors(&r->table)),
		[LIST_TYPE] = table_types(&r->table),
		[LIST_FASTPATH] = live_fastpath(r),
		[LIST_STATE] = state_words(dev, r),
	};
	unsigned int i;

	for_each_below(&r->table, add_word, &on);
	cell[LIST_ON] = on.len ? strbuf_take(&on) : NULL;
	columns_add(c, cell);
	for (i = 0; i < LIST_NR; i++)
		free(cell[i]);
}

static struct json_object *list_json(const struct devmap_device *dev,
				     const struct live *r)
{
	struct json_object *o = describe(dev, r), *on = json_object_new_array();
	_cleanup_free_ char *types = table_types(&r->table);

	output_add_string(o, "types", types);
	output_add_bool(o, "deferred_remove", dev->deferred_remove);
	for_each_below(&r->table, add_json, on);
	json_object_object_add(o, "on", on);
	return o;
}

static void list_nothing(const struct options *o)
{
	if (opt(o, OPT_ALL))
		log_note("there are no mapped devices");
	else
		log_note("no device has a target of this module; \"noclone list --all\" shows the others, \"noclone help create\" how to make one");
}

int cmd_list(const struct options *o, int argc, char **argv)
{
	struct columns *columns = columns_new(list_columns, LIST_NR, true);
	struct json_object *out = output_new("list"), *array = json_object_new_array();
	_cleanup_names_ struct names names = { 0 };
	bool json = opt(o, OPT_JSON);
	int r = select_names(&names, argc, argv, opt(o, OPT_ALL));
	unsigned int i;

	json_object_object_add(out, "devices", array);
	for (i = 0; i < names.nr; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };
		_cleanup_live_ struct live live = { 0 };

		/* removed since the list was made: no reason for a message */
		if (devmap_info(names.name[i], &dev))
			continue;
		live_get(dev.name, &live);
		if (json)
			json_object_array_add(array, list_json(&dev, &live));
		else
			list_row(columns, &dev, &live);
	}
	columns_print(columns);
	if (json && !r)
		output_print(out);
	else if (!r && !names.nr)
		list_nothing(o);
	json_object_put(out);
	return r ? EXIT_FAILED : EXIT_OK;
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
	printf("State:      %s\n", state);
	printf("Tables:     %s\n", dev->live_table && dev->inactive_table ?
	       "live and inactive" : dev->live_table ? "live" :
	       dev->inactive_table ? "inactive" : "none");
	printf("Fast path:  %s\n", fast ? fast : "-");
	printf("Open count: %d\n", dev->open_count);
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
		table_rename_devices(&t, identity_loadable);
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
