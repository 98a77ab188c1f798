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
#include "model/facts.h"
#include "model/picture.h"
#include "model/problems.h"
#include "model/table-parse.h"
#include "model/table.h"
#include "model/trouble.h"
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/device-uses.h"
#include "system/identity.h"
#include "system/live.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/problem-log.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/explain-devices.h"
#include "cmd/explain-files.h"
#include "cmd/explain-state.h"
#include "cmd/explain-uses.h"

static void explain_print_table(const char *what, const struct table *t)
{
	_cleanup_free_ char *size = size_format_short(table_sectors(t));
	unsigned int i;

	printf("%s: %s in %u target%s\n", what, size, t->nr,
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
	_cleanup_problems_ struct problems problems = { 0 };
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
	table_parse(t, text, &problems);
	problems_log(&problems, word);
	return problems_count(&problems, PROBLEM_ERROR) ? EXIT_FAILED : EXIT_OK;
}

int cmd_explain(const struct options *o, int argc __unused, char **argv)
{
	_cleanup_free_ char *name = select_name(argv[0]);
	_cleanup_troubles_ struct troubles troubles = { 0 };
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
		explain_state(name, &troubles, out, json);
	explain_devices(&t, &troubles, devices, json);
	explain_files(&t, &troubles, files, json);
	if (is_device)
		explain_print_users(name, out, json);
	if (json)
		output_print(out);
	json_object_put(out);
	return EXIT_OK;
}
