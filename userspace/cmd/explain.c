// SPDX-License-Identifier: GPL-2.0-only
/* noclone explain: a table as text and as a diagram, and its devices. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/below.h"
#include "model/facts.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/picture.h"
#include "model/status.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/users.h"
#include "cli/build.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/* [{"kind", "by", "text"}...] */
static struct json_object *explain_uses_json(const struct uses *uses)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < uses->nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses->use[i]);
		struct json_object *o = json_object_new_object();

		output_add_string(o, "kind", use_kind_name(uses->use[i].kind));
		output_add_string(o, "by", uses->use[i].by);
		output_add_string(o, "text", text);
		json_object_array_add(array, o);
	}
	return array;
}

static void explain_print_state(const struct live *live, const struct devmap_device *dev,
				const struct findings *below)
{
	const struct status *status = live_status(live);
	_cleanup_free_ char *fast = status ? status_state_words(status) : NULL;
	_cleanup_free_ char *resume = name_command("resume", dev->name);
	unsigned int i;

	printf("\nState: %s%s%s\n", dev->suspended ? "suspended" : "active", fast ? ", " : "",
	       fast ? fast : "");
	if (dev->suspended)
		printf("  I/O waits; to resume the device: %s\n", resume);
	for (i = 0; i < live->raw.nr; i++) {
		_cleanup_free_ char *words = live->status[i].engine ?
					     status_file_words(&live->status[i]) : NULL;

		if (words)
			printf("  %s\n", words);
	}
	findings_print(below, NULL, FINDING_OK);
}

/* The state of a running device; with @json only in @out.  @below: what is wrong below it */
static void explain_state(const char *name, struct findings *below, struct json_object *out,
			  bool json)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *fast = NULL;
	_cleanup_live_ struct live live = { 0 };

	if (devmap_info(name, &dev) || live_get(name, &live))
		return;
	live_below(&live, below);
	fast = live_fastpath(&live);
	output_add_string(out, "fastpath", fast);
	output_add_bool(out, "suspended", dev.suspended);
	output_add_findings(out, below, FINDING_OK);
	if (!json)
		explain_print_state(&live, &dev, below);
}

/* A row for a device or file below the table. */
static struct json_object *explain_row(struct json_object *rows, const char *key,
				       const char *name, const struct findings *below)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, key, name);
	output_add_string(o, "wrong", below_word(below, name));
	json_object_array_add(rows, o);
	return o;
}

static void explain_add_number(struct json_object *o, const char *key, dev_t devno)
{
	_cleanup_free_ char *number = devno ? xasprintf("%u:%u", major(devno), minor(devno)) : NULL;

	output_add_string(o, key, number);
}

static void explain_add_map(struct json_object *o, const struct file_map *map)
{
	if (!map->known)
		return;
	output_add_number(o, "extents", map->extents);
	output_add_number(o, "gap_sectors", map->gap_bytes >> SECTOR_SHIFT);
	output_add_number(o, "shared_sectors", map->shared >> SECTOR_SHIFT);
	output_add_number(o, "elsewhere_sectors", map->elsewhere >> SECTOR_SHIFT);
}

static void explain_file(const char *path, const struct findings *below,
			 struct json_object *rows)
{
	_cleanup_free_ char *name = path_encode(path);
	struct json_object *o = explain_row(rows, "file", name, below);
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	int r = file_lookup(path, true, &f);
	const char *problem = r ? strerror(-r) : file_kind_problem(f.kind);

	output_add_string(o, "problem", problem);
	if (problem)
		return;
	file_uses_collect(&uses, &f, 0, false);
	output_add_bytes(o, "path", f.path);
	output_add_number(o, "bytes", f.bytes);
	output_add_number(o, "sectors", f.bytes >> SECTOR_SHIFT);
	output_add_number(o, "allocated", f.allocated);
	output_add_number(o, "align", f.align);
	output_add_string(o, "align_from", f.align_from);
	output_add_bool(o, "readonly", f.readonly);
	output_add_bool(o, "immutable", f.immutable);
	output_add_bool(o, "append_only", f.append_only);
	explain_add_number(o, "disk", f.disk);
	explain_add_map(o, &f.map);
	json_object_object_add(o, "uses", explain_uses_json(&uses));
}

static void explain_device(const char *name, const struct findings *below,
			   struct json_object *rows)
{
	struct json_object *o = explain_row(rows, "device", name, below);
	_cleanup_identity_ struct identity id = { 0 };
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = { .facts = &f };
	int r = blockdev_lookup(name, &f);

	output_add_string(o, "problem", r ? "not found" : NULL);
	if (r)
		return;
	query.sectors = f.sectors;
	identity_lookup(&f, &id);
	device_uses_collect(&uses, &query);
	output_add_string(o, "path", f.path);
	explain_add_number(o, "number", f.devno);
	output_add_number(o, "sectors", f.sectors);
	output_add_number(o, "logical_block_size", f.logical_block);
	output_add_number(o, "physical_block_size", f.physical_block);
	output_add_bool(o, "readonly", f.readonly);
	output_add_string(o, "model", id.model);
	output_add_string(o, "serial", id.wwn);
	output_add_string(o, "persistent_name", id.persistent);
	output_add_string(o, "type", id.type);
	output_add_string(o, "label", id.label);
	json_object_object_add(o, "uses", explain_uses_json(&uses));
}

/* Each one once, however many legs are on it. */
static bool explain_has_row(struct json_object *rows, const char *key, const char *name)
{
	size_t nr = json_object_array_length(rows), i;

	for (i = 0; i < nr; i++)
		if (!strcmp(json_object_get_string(json_object_object_get(
				json_object_array_get_idx(rows, i), key)), name))
			return true;
	return false;
}

static void explain_below(const struct table *t, const struct findings *below,
			  struct json_object *devices, struct json_object *files)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		const struct target *target = &t->targets[i];
		_cleanup_free_ char *file = target->path ? path_encode(target->path) : NULL;

		if (file && !explain_has_row(files, "file", file))
			explain_file(target->path, below, files);
		for (j = 0; j < target->nr_legs; j++)
			if (!explain_has_row(devices, "device", target->legs[j].device))
				explain_device(target->legs[j].device, below, devices);
	}
}

/* "/dev/sdb (failed)" */
static char *explain_head(struct json_object *row, const char *key)
{
	const char *wrong = json_object_get_string(json_object_object_get(row, "wrong"));

	return xasprintf("%s%s%s%s", json_object_get_string(json_object_object_get(row, key)),
			 wrong ? " (" : "", wrong ? wrong : "", wrong ? ")" : "");
}

static char *explain_device_head(struct json_object *row)
{
	return explain_head(row, "device");
}

static char *explain_file_head(struct json_object *row)
{
	return explain_head(row, "file");
}

/* A signature is in a column of its own. */
static char *explain_uses(struct json_object *row)
{
	struct json_object *uses = json_object_object_get(row, "uses");
	size_t nr = uses ? json_object_array_length(uses) : 0, i;
	struct strbuf b = { 0 };

	for (i = 0; i < nr; i++) {
		const char *text = json_object_get_string(json_object_object_get(
			json_object_array_get_idx(uses, i), "text"));

		strbuf_add(&b, "%s%s", b.len ? ", " : "", text);
	}
	if (uses && !nr)
		strbuf_add(&b, "not in use");
	return b.text;
}

static const struct report_column explain_devices[] = {
	{ "DEVICE", "device", 0, NULL, explain_device_head },
	{ "PROBLEM", "problem", 0, NULL, NULL },
	{ "SIZE", "sectors", REPORT_SIZE, NULL, NULL },
	{ "NUMBER", "number", 0, NULL, NULL },
	{ "BLOCK", "logical_block_size", 0, NULL, NULL },
	{ "READ-ONLY", "readonly", 0, NULL, NULL },
	{ "MODEL", "model", 0, NULL, NULL },
	{ "SERIAL", "serial", 0, NULL, NULL },
	{ "PERSISTENT-NAME", "persistent_name", 0, NULL, NULL },
	{ "CONTENT", "type", 0, NULL, NULL },
	{ "LABEL", "label", 0, NULL, NULL },
	{ "USE", "uses", 0, NULL, explain_uses },
};

static const struct report_column explain_files[] = {
	{ "FILE", "file", 0, NULL, explain_file_head },
	{ "PROBLEM", "problem", 0, NULL, NULL },
	{ "SIZE", "sectors", REPORT_SIZE, NULL, NULL },
	{ "ALLOCATED", "allocated", REPORT_SIZE, NULL, NULL },
	{ "DISK", "disk", 0, NULL, NULL },
	{ "ALIGNMENT", "align", 0, NULL, NULL },
	{ "READ-ONLY", "readonly", 0, NULL, NULL },
	{ "EXTENTS", "extents", 0, NULL, NULL },
	{ "HOLES", "gap_sectors", REPORT_SIZE, NULL, NULL },
	{ "SHARED", "shared_sectors", REPORT_SIZE, NULL, NULL },
	{ "INLINE", "elsewhere_sectors", REPORT_SIZE, NULL, NULL },
	{ "USE", "uses", 0, NULL, explain_uses },
};

static void explain_print_rows(const char *heading, const struct report *r,
			       struct json_object *rows)
{
	size_t nr = json_object_array_length(rows), i;

	if (nr)
		printf("\n%s:\n", heading);
	for (i = 0; i < nr; i++)
		report_print_row(r, json_object_array_get_idx(rows, i));
}

static void explain_print_table(const char *what, const struct table *t)
{
	_cleanup_free_ char *size = size_format_short(table_sectors(t)), *shown = visible(what);
	unsigned int i;

	printf("%s: %s in %u target%s\n", shown, size, t->nr,
	       t->nr == 1 ? "" : "s");
	for (i = 0; i < t->nr; i++) {
		_cleanup_free_ char *words = picture_words(&t->targets[i]);
		_cleanup_free_ char *picture = picture_draw(&t->targets[i]);

		printf("\n%s\n%s", words, picture);
	}
}

/* Who uses the mapped device itself. */
static void explain_add_users(const char *name, struct json_object *out)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = { .facts = &f };

	if (blockdev_lookup_number(blockdev_mapped_number(name), &f))
		return;
	query.sectors = f.sectors;
	device_uses_collect(&uses, &query);
	json_object_object_add(out, "uses", explain_uses_json(&uses));
}

static void explain_print_below(const char *name, struct json_object *out)
{
	const struct report devices = {
		.columns = explain_devices, .nr_columns = ARRAY_SIZE(explain_devices),
	}, files = { .columns = explain_files, .nr_columns = ARRAY_SIZE(explain_files) };
	_cleanup_free_ char *users = explain_uses(out), *shown = visible(name);

	explain_print_rows("Devices", &devices, json_object_object_get(out, "devices"));
	explain_print_rows("Files", &files, json_object_object_get(out, "files"));
	if (users)
		printf("\n%s: %s\n", shown, users);
}

static int explain_read_table(const char *word, struct table *t, bool *is_device)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *name = select_name(word), *text = NULL;

	*is_device = blockdev_mapped_number(name);
	if (*is_device) {
		if (select_table(name, t))
			return EXIT_FAILED;
		table_rename_devices(t, identity_path);
		return EXIT_OK;
	}
	if (strcmp(word, "-") && access(word, F_OK)) {
		log_err("%s: neither a mapped device nor a file; \"noclone status --all\" shows the devices", word);
		return EXIT_FAILED;
	}
	if (input_read(word, &text))
		return EXIT_FAILED;
	table_parse(t, text, &findings);
	findings_log(&findings, word, FINDING_OK);
	return findings_count(&findings, FINDING_ERROR) ? EXIT_FAILED : EXIT_OK;
}

int cmd_explain(const struct options *o, int argc __unused, char **argv)
{
	_cleanup_free_ char *name = select_name(argv[0]);
	_cleanup_findings_ struct findings below = { 0 };
	_cleanup_table_ struct table t = { 0 };
	struct json_object *out, *devices, *files;
	bool is_device, json = opt(o, OPT_JSON);

	if (explain_read_table(argv[0], &t, &is_device))
		return EXIT_FAILED;
	out = output_new("explain");
	devices = json_object_new_array();
	files = json_object_new_array();
	output_add_string(out, is_device ? "name" : "file", name);
	output_add_number(out, "sectors", table_sectors(&t));
	json_object_object_add(out, "targets", output_table(&t));
	json_object_object_add(out, "devices", devices);
	json_object_object_add(out, "files", files);

	if (!json)
		explain_print_table(name, &t);
	if (is_device)
		explain_state(name, &below, out, json);
	explain_below(&t, &below, devices, files);
	if (is_device)
		explain_add_users(name, out);
	if (json)
		output_print(out);
	else
		explain_print_below(name, out);
	json_object_put(out);
	return EXIT_OK;
}
