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
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/users.h"
#include "cli/build.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/* A line for each use that is not a signature, or one that there are none. */
static void explain_print_uses(const struct uses *uses)
{
	unsigned int i;

	for (i = 0; i < uses->nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses->use[i]);

		if (uses->use[i].kind != USE_SIGNATURE)
			printf("    %s\n", text);
	}
	if (!uses->nr)
		puts("    not in use");
}

/* [{"kind", "by"}...] */
static struct json_object *explain_uses_json(const struct uses *uses)
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

/* noclone explain: the state of a running device. */

/* The fast path belongs to the device: all of its targets report the same. */
static void explain_print_fastpath(const struct live *r)
{
	unsigned int i;

	for (i = 0; i < r->raw.nr; i++) {
		_cleanup_free_ char *words = NULL;

		if (!r->status[i].has_fastpath)
			continue;
		words = status_state_words(&r->status[i]);
		printf(", %s", words);
		return;
	}
}

static void explain_print_running(const struct live *r, const struct devmap_device *dev,
				  const struct findings *below)
{
	_cleanup_free_ char *resume = name_command("resume", dev->name);
	unsigned int i;

	printf("\nState: %s", dev->suspended ? "suspended" : "active");
	explain_print_fastpath(r);
	putchar('\n');
	if (dev->suspended)
		printf("  I/O waits; to resume the device: %s\n", resume);
	for (i = 0; i < r->raw.nr; i++) {
		const struct status *s = &r->status[i];
		_cleanup_free_ char *words = s->engine ? status_file_words(s) :
							 NULL;

		if (words)
			printf("  %s\n", words);
	}
	findings_print(below, NULL, FINDING_OK);
}

/**
 * explain_state - print the state of a running device
 * @name: its name
 * @below: gets what is wrong below it
 * @out: gets "fastpath", "suspended" and "findings" if @json is true
 * @json: print nothing
 */
static void explain_state(const char *name, struct findings *below,
			  struct json_object *out, bool json)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_live_ struct live r = { 0 };
	_cleanup_free_ char *fast = NULL;

	if (devmap_info(name, &dev) || live_get(name, &r))
		return;
	live_below(&r, below);
	if (!json) {
		explain_print_running(&r, &dev, below);
		return;
	}
	fast = live_fastpath(&r);
	output_add_string(out, "fastpath", fast);
	output_add_bool(out, "suspended", dev.suspended);
	output_add_findings(out, below, FINDING_OK);
}

/* noclone explain: the backing files under a table. */
static void explain_print_map(const struct file_map *map)
{
	_cleanup_free_ char *gaps = size_format_short(map->gap_bytes >> SECTOR_SHIFT);
	_cleanup_free_ char *shared = size_format_short(map->shared >> SECTOR_SHIFT);
	_cleanup_free_ char *elsewhere =
		size_format_short(map->elsewhere >> SECTOR_SHIFT);

	if (!map->known)
		return;
	printf("    in %u extent%s", map->extents, map->extents == 1 ? "" : "s");
	if (map->nr_gaps)
		printf(", %s holes or unwritten", gaps);
	if (map->shared)
		printf(", %s shared with other files", shared);
	if (map->elsewhere)
		printf(", %s inline, compressed or encrypted", elsewhere);
	putchar('\n');
}

static void explain_print_file(const char *head, const struct file_facts *f,
			       const struct uses *uses)
{
	_cleanup_free_ char *size = size_format_short(f->bytes >> SECTOR_SHIFT);
	_cleanup_free_ char *part = size_format_short(f->allocated);

	printf("  %s: %s, %s of it allocated", head, size,
	       f->allocated << SECTOR_SHIFT >= f->bytes ? "all" : part);
	if (f->disk)
		printf(", on %u:%u", major(f->disk), minor(f->disk));
	if (f->align)
		printf(", direct I/O aligned to %u bytes (%s)\n", f->align,
		       f->align_from);
	else
		puts(", no direct I/O");
	if (f->immutable || f->append_only || f->readonly)
		printf("    %s\n", f->immutable ? "immutable" :
		       f->append_only ? "append-only" : "cannot be written");
	explain_print_map(&f->map);
	explain_print_uses(uses);
}

static void explain_add_map(struct json_object *o, const struct file_map *map)
{
	struct json_object *m = json_object_new_object();

	if (!map->known) {
		json_object_put(m);
		m = NULL;
	} else {
		output_add_number(m, "extents", map->extents);
		output_add_number(m, "gap_bytes", map->gap_bytes);
		output_add_number(m, "shared_bytes", map->shared);
		output_add_number(m, "elsewhere_bytes", map->elsewhere);
	}
	json_object_object_add(o, "map", m);
}

static struct json_object *explain_file_json(const char *name,
					     const struct file_facts *f,
					     const struct uses *uses)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, "file", name);
	output_add_bytes(o, "path", f->path);
	output_add_number(o, "bytes", f->bytes);
	output_add_number(o, "allocated", f->allocated);
	output_add_number(o, "align", f->align);
	output_add_string(o, "align_from", f->align_from);
	output_add_bool(o, "readonly", f->readonly);
	output_add_bool(o, "immutable", f->immutable);
	output_add_bool(o, "append_only", f->append_only);
	output_add_number(o, "major", major(f->disk));
	output_add_number(o, "minor", minor(f->disk));
	explain_add_map(o, &f->map);
	json_object_object_add(o, "uses", explain_uses_json(uses));
	return o;
}

static void explain_file(const char *path, const struct findings *below,
			 struct json_object *array, bool json)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(path), *head = below_head(below, name);
	_cleanup_uses_ struct uses uses = { 0 };
	const char *wrong;
	int r = file_lookup(path, true, &f);

	wrong = r ? strerror(-r) : file_kind_problem(f.kind);
	if (wrong) {
		if (!json)
			printf("  %s: %s\n", head, wrong);
		return;
	}
	file_uses_collect(&uses, &f, 0, false);
	if (json)
		json_object_array_add(array, explain_file_json(name, &f, &uses));
	else
		explain_print_file(head, &f, &uses);
}

/* Is it the first target on this file? */
static bool explain_is_first(const struct table *t, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (t->targets[i].path &&
		    !strcmp(t->targets[i].path, t->targets[at].path))
			return false;
	return true;
}

/*
 * Print what they are and who uses them, marked with their @below; with
 * @json, add an object for each to @array instead.
 */
static void explain_files(const struct table *t, const struct findings *below,
			  struct json_object *array, bool json)
{
	bool headed = false;
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (!t->targets[i].path || !explain_is_first(t, i))
			continue;
		if (!json && !headed)
			puts("\nFiles:");
		headed = true;
		explain_file(t->targets[i].path, below, array, json);
	}
}

/* noclone explain: the devices under a table. */

/* Each device is explained once, however many legs it has. */
struct seen {
	dev_t *devno;
	unsigned int nr;
};

static bool explain_seen_before(struct seen *s, dev_t devno)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->devno[i] == devno)
			return true;
	GROW(s->devno, s->nr);
	s->devno[s->nr++] = devno;
	return false;
}

static void explain_print_device(const char *name, const char *head,
				 const struct device_facts *f,
				 const struct identity *id,
				 const struct uses *uses)
{
	/* a hostile disk may say anything */
	_cleanup_free_ char *label = visible(id->label ? id->label : "");
	_cleanup_free_ char *model = visible(id->model ? id->model : "");
	_cleanup_free_ char *size = size_format_short(f->sectors);

	printf("  %s: %s, %u:%u, blocks of %u bytes%s%s%s%s\n", head, size,
	       major(f->devno), minor(f->devno), f->logical_block,
	       f->readonly ? ", read-only" : "",
	       *model ? ", " : "", model,
	       f->zone_sectors ? ", zoned" : "");
	if (id->wwn)
		printf("    serial %s\n", id->wwn);
	if (id->persistent && strcmp(id->persistent, name))
		printf("    persistent name %s\n", id->persistent);
	if (id->type)
		printf("    signature %s%s%s\n", id->type,
		       *label ? ", label " : "", label);
	explain_print_uses(uses);
}

static struct json_object *explain_device_json(const char *name,
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
	output_add_string(o, "persistent_name", id->persistent);
	output_add_string(o, "type", id->type);
	output_add_string(o, "label", id->label);
	json_object_object_add(o, "uses", explain_uses_json(uses));
	return o;
}

static void explain_device(const char *name, const struct findings *below,
			   struct seen *seen, struct json_object *array,
			   bool json)
{
	_cleanup_identity_ struct identity id = { 0 };
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = { .facts = &f };
	_cleanup_free_ char *head = below_head(below, name);

	if (blockdev_lookup(name, &f)) {
		if (!json)
			printf("  %s: not found\n", head);
		return;
	}
	if (explain_seen_before(seen, f.devno))
		return;
	query.sectors = f.sectors;
	identity_lookup(&f, &id);
	device_uses_collect(&uses, &query);
	if (json)
		json_object_array_add(array, explain_device_json(name, &f, &id, &uses));
	else
		explain_print_device(name, head, &f, &id, &uses);
}

/*
 * Print what they are and who uses them, marked with their @below; with
 * @json, add an object for each to @array instead.
 */
static void explain_devices(const struct table *t, const struct findings *below,
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
			explain_device(t->targets[i].legs[j].device, below,
				       &seen, array, json);
	free(seen.devno);
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
static void explain_print_users(const char *name, struct json_object *out, bool json)
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

static int explain_read_table(const char *word, struct table *t, bool *is_device)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *name = select_name(word), *text = NULL;

	*is_device = blockdev_mapped_number(name);
	if (*is_device) {
		int r = live_table(name, t);

		if (r) {
			log_err("%s: cannot read its table: %s", name, devmap_reason(r));
			return EXIT_FAILED;
		}
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
	explain_devices(&t, &below, devices, json);
	explain_files(&t, &below, files, json);
	if (is_device)
		explain_print_users(name, out, json);
	if (json)
		output_print(out);
	json_object_put(out);
	return EXIT_OK;
}
