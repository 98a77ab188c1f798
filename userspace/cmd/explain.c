// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone explain: describe a table in words and as a diagram, and list the devices and files that
 * it uses.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/picture.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/content.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/saved-file.h"
#include "system/uses.h"
#include "cli/build.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/* Add an array of uses: [{"kind", "by", "text"}...]. */
static void explain_add_uses(struct json_object *o, const struct uses *uses)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < uses->nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses->use[i]);
		struct json_object *use = json_object_new_object();

		output_add_string(use, "kind", use_kind_name(uses->use[i].kind));
		output_add_string(use, "by", uses->use[i].by);
		output_add_string(use, "text", text);
		json_object_array_add(array, use);
	}
	json_object_object_add(o, "uses", array);
}

static void explain_add_users(struct json_object *o, const struct device_facts *f)
{
	const struct use_query query = { .facts = f, .sectors = f->sectors };
	_cleanup_uses_ struct uses uses = { 0 };

	uses_collect(&uses, &query);
	explain_add_uses(o, &uses);
}

static void explain_file(struct json_object *o, const char *path)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	int r = file_lookup(path, true, &f);
	const char *problem = f.silence ? f.silence : r ? strerror(-r) : f.problem;

	output_add_string(o, "problem", problem);
	if (problem)
		return;
	output_add_number(o, "bytes", f.bytes);
	output_add_number(o, "sectors", f.bytes >> SECTOR_SHIFT);
	output_add_number(o, "allocated", f.allocated);
	output_add_number(o, "align", f.align);
	output_add_string(o, "align_from", f.align_from);
	output_add_bool(o, "readonly", f.readonly);
	output_add_bool(o, "immutable", f.immutable);
	output_add_bool(o, "append_only", f.append_only);
	output_add_devno(o, "disk", f.disk);
	uses_collect_file(&uses, &f, 0, false);
	explain_add_uses(o, &uses);
	if (!f.map.known)
		return;
	output_add_number(o, "extents", f.map.extents);
	output_add_number(o, "gap_sectors", f.map.gap_bytes >> SECTOR_SHIFT);
	output_add_number(o, "shared_sectors", f.map.shared >> SECTOR_SHIFT);
	output_add_number(o, "elsewhere_sectors", f.map.elsewhere >> SECTOR_SHIFT);
}

static void explain_device(struct json_object *o, const char *name)
{
	_cleanup_content_ struct content s = { 0 };
	_cleanup_free_ char *persistent = NULL;
	_cleanup_facts_ struct device_facts f = { 0 };
	int r = blockdev_lookup(name, &f);

	output_add_string(o, "problem", r ? "not found" : NULL);
	if (r)
		return;
	blockdev_limits(&f);
	persistent = identity_persistent(f.path);
	content_read_part(&f, 0, f.sectors, &s);
	output_add_string(o, "path", f.path);
	output_add_devno(o, "number", f.devno);
	output_add_number(o, "sectors", f.sectors);
	output_add_number(o, "logical_block_size", f.logical_block);
	output_add_number(o, "physical_block_size", f.physical_block);
	output_add_bool(o, "readonly", f.readonly);
	output_add_string(o, "persistent_name", strcmp(persistent, f.path) ? persistent : NULL);
	output_add_string(o, "type", s.nr ? s.signature->type : NULL);
	output_add_string(o, "label", s.nr ? s.signature->label : NULL);
	explain_add_users(o, &f);
}

/* Return: a new row for a device or file, or NULL if an earlier leg has already made its row. */
static struct json_object *explain_new_row(struct json_object *rows, const char *name)
{
	size_t nr = json_object_array_length(rows), i;
	struct json_object *o;

	for (i = 0; i < nr; i++)
		if (!strcmp(json_object_get_string(json_object_object_get(
				json_object_array_get_idx(rows, i), "name")), name))
			return NULL;
	o = json_object_new_object();
	output_add_string(o, "name", name);
	json_object_array_add(rows, o);
	return o;
}

static void explain_below(const struct table *t, struct json_object *devices,
			  struct json_object *files)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		const char *leg = target->legs[i].device;
		_cleanup_free_ char *name = target->path ? name_encode_path(leg) : xstrdup(leg);
		struct json_object *row = explain_new_row(target->path ? files : devices, name);

		if (row && target->path)
			explain_file(row, leg);
		else if (row)
			explain_device(row, leg);
	}
}

/*
 * The columns with facts about a leg, a backing file, or the mapped device itself. Columns without
 * a value are not shown.
 */
static const struct report_column explain_columns[] = {
	{ "NAME", "name", 0, NULL, NULL },
	{ "PROBLEM", "problem", 0, NULL, NULL },
	{ "SIZE", "sectors", REPORT_SIZE, NULL, NULL },
	{ "ALLOCATED", "allocated", REPORT_SIZE, NULL, NULL },
	{ "NUMBER", "number", 0, NULL, NULL },
	{ "DISK", "disk", 0, NULL, NULL },
	{ "BLOCK", "logical_block_size", 0, NULL, NULL },
	{ "ALIGNMENT", "align", 0, NULL, NULL },
	{ "READ-ONLY", "readonly", 0, NULL, NULL },
	{ "PERSISTENT-NAME", "persistent_name", 0, NULL, NULL },
	{ "CONTENT", "type", 0, NULL, NULL },
	{ "LABEL", "label", 0, NULL, NULL },
	{ "EXTENTS", "extents", 0, NULL, NULL },
	{ "HOLES", "gap_sectors", REPORT_SIZE, NULL, NULL },
	{ "SHARED", "shared_sectors", REPORT_SIZE, NULL, NULL },
	{ "INLINE", "elsewhere_sectors", REPORT_SIZE, NULL, NULL },
	{ "USE", "uses", 0, NULL, NULL },
};

static const struct report explain_report = {
	.columns = explain_columns, .nr_columns = ARRAY_SIZE(explain_columns),
};

static void explain_print_rows(const char *heading, struct json_object *rows)
{
	size_t nr = json_object_array_length(rows), i;

	if (nr)
		printf("\n%s:\n", heading);
	for (i = 0; i < nr; i++)
		report_print_row(&explain_report, json_object_array_get_idx(rows, i));
}

static void explain_print_table(const char *what, const struct table *t)
{
	_cleanup_free_ char *size = size_format_short(table_sectors(t)), *shown = visible(what);
	unsigned int i;

	printf("%s: %s in %u target%s\n", shown, size, t->nr,
	       t->nr == 1 ? "" : "s");
	for (i = 0; i < t->nr; i++) {
		_cleanup_free_ char *words = picture_words(&t->targets[i]);
		_cleanup_free_ char *harmless = visible(words);
		_cleanup_free_ char *picture = picture_draw(&t->targets[i]);

		printf("\n%s\n%s", harmless, picture);
	}
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
	if (strcmp(word, "-") && (access(word, F_OK) || blockdev_at(word))) {
		log_err("%s: %s", shown(word), saved_file_exists(word) ?
			"the device is saved, but not active: \"noclone activate\" brings the device back" :
			"this is neither a mapped device nor a file with a table; \"noclone status --all\" shows all mapped devices");
		return EXIT_FAILED;
	}
	if (build_read_input(word, &text))
		return EXIT_FAILED;
	table_parse(t, text, &findings);
	output_log_findings(&findings, word, FINDING_OK);
	return findings_count(&findings, FINDING_ERROR) ? EXIT_FAILED : EXIT_OK;
}

int cmd_explain(const struct options *o, int argc __unused, char **argv)
{
	_cleanup_free_ char *name = select_name(argv[0]), *text = NULL;
	_cleanup_facts_ struct device_facts own = { 0 };
	_cleanup_table_ struct table t = { 0 };
	struct json_object *out, *devices, *files;
	bool is_device;

	if (explain_read_table(argv[0], &t, &is_device))
		return EXIT_FAILED;
	text = table_print(&t, false, NULL);
	out = output_new("explain");
	devices = json_object_new_array();
	files = json_object_new_array();
	output_add_string(out, is_device ? "name" : "file", name);
	output_add_number(out, "sectors", table_sectors(&t));
	json_object_object_add(out, "table", output_lines(text));
	json_object_object_add(out, "devices", devices);
	json_object_object_add(out, "files", files);
	explain_below(&t, devices, files);
	if (is_device && !blockdev_lookup_number(blockdev_mapped_number(name), &own))
		explain_add_users(out, &own);

	if (!opt(o, OPT_JSON)) {
		explain_print_table(name, &t);
		explain_print_rows("Devices", devices);
		explain_print_rows("Files", files);
		if (is_device)
			report_print_row(&explain_report, out);
	}
	output_print(o, out);
	return EXIT_OK;
}
