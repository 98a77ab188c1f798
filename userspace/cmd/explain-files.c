// SPDX-License-Identifier: GPL-2.0-only
/* noclone explain: the backing files under a table. */
#include "cmd/explain-files.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/file-map.h"
#include "model/path.h"
#include "model/uses.h"
#include "system/file-lookup.h"
#include "system/file-uses.h"
#include "cli/output.h"
#include "cmd/explain-uses.h"

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

static void explain_file(const char *path, const struct troubles *troubles,
			 struct json_object *array, bool json)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(path);
	_cleanup_uses_ struct uses uses = { 0 };
	const char *wrong;
	int r = file_lookup(path, true, &f);

	wrong = r ? strerror(-r) : file_kind_problem(f.kind);
	if (wrong) {
		if (!json)
			printf("  %s: %s\n", troubles_head(troubles, name),
			       wrong);
		return;
	}
	file_uses_collect(&uses, &f, 0, false);
	if (json)
		json_object_array_add(array, explain_file_json(name, &f, &uses));
	else
		explain_print_file(troubles_head(troubles, name), &f, &uses);
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

void explain_files(const struct table *t, const struct troubles *troubles,
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
		explain_file(t->targets[i].path, troubles, array, json);
	}
}
