// SPDX-License-Identifier: GPL-2.0-only
/* noclone explain: a table in words, as a picture, and who its devices are. */
#include "cmd/explain.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/picture.h"
#include "model/problems.h"
#include "model/table-parse.h"
#include "system/blockdev.h"
#include "system/device-uses.h"
#include "system/identity.h"
#include "system/live.h"
#include "cli/common.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/problem-log.h"
#include "cmd/cmd.h"

/* Each device once, however many legs it has. */
struct seen {
	dev_t *devno;
	unsigned int nr;
};

static bool seen_before(struct seen *s, dev_t devno)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->devno[i] == devno)
			return true;
	GROW(s->devno, s->nr);
	s->devno[s->nr++] = devno;
	return false;
}

static void print_device(const char *name, const char *head,
			 const struct device_facts *f,
			 const struct identity *id,
			 const struct uses *uses)
{
	_cleanup_free_ char *size = size_format_short(f->sectors);

	printf("  %s: %s, %u:%u, blocks of %u bytes%s%s%s%s\n", head, size,
	       major(f->devno), minor(f->devno), f->logical_block,
	       f->readonly ? ", read-only" : "",
	       id->model ? ", " : "", id->model ? id->model : "",
	       f->zone_sectors ? ", zoned" : "");
	if (id->wwn)
		printf("    serial %s\n", id->wwn);
	if (id->persistent && strcmp(id->persistent, name))
		printf("    lasting name %s\n", id->persistent);
	if (id->type)
		printf("    begins with %s%s%s\n", id->type,
		       id->label ? ", label " : "", id->label ? id->label : "");
	explain_print_uses(uses);
}

void explain_print_uses(const struct uses *uses)
{
	unsigned int i;

	for (i = 0; i < uses->nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses->use[i]);

		if (uses->use[i].kind != USE_SIGNATURE)
			printf("    %s\n", text);
	}
	if (!uses->nr)
		puts("    nobody uses it");
}

struct json_object *explain_uses_json(const struct uses *uses)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < uses->nr; i++) {
		struct json_object *o = json_object_new_object();

		output_add_string(o, "kind", use_kind_name(uses->use[i].kind));
		output_add_string(o, "by", uses->use[i].by);
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *device_json(const char *name,
				       const struct device_facts *f,
				       const struct identity *id,
				       const struct uses *uses)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, "device", name);
	output_add_string(o, "path", f->path);
	output_add_number(o, "major", major(f->devno));
	output_add_number(o, "minor", minor(f->devno));
	output_add_number(o, "sectors", f->sectors);
	output_add_number(o, "logical_block_size", f->logical_block);
	output_add_number(o, "physical_block_size", f->physical_block);
	output_add_bool(o, "readonly", f->readonly);
	output_add_string(o, "model", id->model);
	output_add_string(o, "serial", id->wwn);
	output_add_string(o, "lasting_name", id->persistent);
	output_add_string(o, "type", id->type);
	output_add_string(o, "label", id->label);
	json_object_object_add(o, "uses", explain_uses_json(uses));
	return o;
}

static void explain_device(const char *name, const struct troubles *troubles,
			   struct seen *seen, struct json_object *array,
			   bool json)
{
	_cleanup_identity_ struct identity id = { 0 };
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = { .facts = &f };

	if (blockdev_lookup(name, &f)) {
		if (!json)
			printf("  %s: not there\n",
			       troubles_head(troubles, name));
		return;
	}
	if (seen_before(seen, f.devno))
		return;
	query.sectors = f.sectors;
	identity_lookup(&f, &id);
	device_uses_collect(&uses, &query);
	if (json)
		json_object_array_add(array, device_json(name, &f, &id, &uses));
	else
		print_device(name, troubles_head(troubles, name), &f, &id,
			     &uses);
}

static void explain_devices(const struct table *t,
			    const struct troubles *troubles,
			    struct json_object *array, bool json)
{
	struct seen seen = { 0 };
	unsigned int i, j;
	bool any = false;

	for (i = 0; i < t->nr; i++)
		any |= !t->targets[i].path;
	if (!json && any)
		puts("\nDevices:");
	for (i = 0; i < t->nr; i++)
		for (j = 0; j < t->targets[i].nr_legs; j++)
			explain_device(t->targets[i].legs[j].device, troubles,
				       &seen, array, json);
	free(seen.devno);
}

static void print_table(const char *what, const struct table *t)
{
	_cleanup_free_ char *size = size_format_short(table_sectors(t));
	unsigned int i;

	printf("%s: %s in %u segment%s\n", what, size, t->nr,
	       t->nr == 1 ? "" : "s");
	for (i = 0; i < t->nr; i++) {
		_cleanup_free_ char *words = picture_words(&t->targets[i]);
		_cleanup_free_ char *picture = picture_draw(&t->targets[i]);

		printf("\n%s\n%s", words, picture);
	}
}

/* Who uses the mapped device itself. */
static void print_users(const char *name, struct json_object *out, bool json)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = { .facts = &f };
	unsigned int i;

	if (blockdev_lookup_number(blockdev_mapped_number(name), &f))
		return;
	query.sectors = f.sectors;
	device_uses_collect(&uses, &query);
	if (json) {
		json_object_object_add(out, "uses",
				       explain_uses_json(&uses));
		return;
	}
	printf("\nUsers of %s:\n", name);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses.use[i]);

		printf("  %s\n", text);
	}
	if (!uses.nr)
		puts("  none");
}

static int read_table(const char *word, struct table *t, bool *is_device)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_free_ char *name = mapped_name(word), *text = NULL;

	*is_device = blockdev_mapped_number(name);
	if (*is_device) {
		if (live_table(name, t)) {
			log_err("%s: cannot read the table", name);
			return EXIT_FAILED;
		}
		table_rename_devices(t, identity_path);
		return EXIT_OK;
	}
	if (strcmp(word, "-") && access(word, F_OK)) {
		log_err("%s: neither a mapped device nor a file", word);
		return EXIT_FAILED;
	}
	text = load_file(word);
	if (!text)
		return EXIT_FAILED;
	table_parse(t, text, &problems);
	problems_log(&problems, word);
	return problems_count(&problems, PROBLEM_ERROR) ? EXIT_FAILED : EXIT_OK;
}

int cmd_explain(const struct options *o, int argc __unused, char **argv)
{
	_cleanup_free_ char *name = mapped_name(argv[0]);
	_cleanup_troubles_ struct troubles troubles = { 0 };
	_cleanup_table_ struct table t = { 0 };
	struct json_object *out, *devices, *files;
	bool is_device, json = opt(o, OPT_JSON);

	if (read_table(argv[0], &t, &is_device))
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
		print_table(name, &t);
	if (is_device)
		explain_running(name, &troubles, out, json);
	explain_devices(&t, &troubles, devices, json);
	explain_files(&t, &troubles, files, json);
	if (is_device)
		print_users(name, out, json);
	if (json)
		output_print(out);
	json_object_put(out);
	return EXIT_OK;
}
