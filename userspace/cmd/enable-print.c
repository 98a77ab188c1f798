// SPDX-License-Identifier: GPL-2.0-only
/* Print what noclone enable and disable do. */
#include "cmd/enable-print.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/reason.h"
#include "model/saved.h"
#include "cli/output.h"
#include "cli/policy-file.h"

char *enable_commands(const struct request *q)
{
	struct strbuf b = { 0 };
	unsigned int i;

	if (q->load)
		strbuf_add(&b, "modprobe " NOCLONE_MODULE_NAME "\n");
	if (q->stock)
		strbuf_add(&b, "echo %s >/sys/module/dm_noclone/parameters/stock\n", q->stock);
	for (i = 0; i < q->nr; i++) {
		const struct candidate *c = &q->device[i];
		_cleanup_free_ char *command = name_command("message", c->name);

		if (c->sends)
			strbuf_add(&b, "%s %llu fastpath %s\n", command,
				   (unsigned long long)c->sector, c->on ? "on" : "off");
	}
	return strbuf_take(&b);
}

static struct json_object *enable_row(const struct candidate *c)
{
	struct json_object *row = json_object_new_object();

	output_add_string(row, "name", c->name);
	output_add_string(row, "lv", c->lv);
	output_add_bool(row, "changed", c->after && strcmp(c->before, c->after));
	output_add_string(row, "before", c->before);
	output_add_string(row, "after", c->after);
	output_add_string(row, "why", c->why);
	return row;
}

void enable_print_json(const struct request *q)
{
	struct json_object *out = output_new(q->on ? "enable" : "disable");
	struct json_object *rows = json_object_new_array();
	_cleanup_free_ char *lines = enable_commands(q);
	unsigned int i;

	for (i = 0; i < q->nr && q->switches; i++)
		if (q->device[i].asked)
			json_object_array_add(rows, enable_row(&q->device[i]));
	output_add_bool(out, "dry_run", opt(q->o, OPT_DRY_RUN));
	output_add_string(out, "file", POLICY_PATH);
	json_object_object_add(out, "edits", output_lines(q->writes ? q->edits : ""));
	json_object_object_add(out, "commands", output_lines(q->switches ? lines : ""));
	json_object_object_add(out, "devices", rows);
	output_print(q->o, out);
}

bool enable_print_device(const struct request *q, const struct candidate *c)
{
	const char *after = c->after ? c->after : "no fast path";
	_cleanup_free_ char *shown_name = visible(c->name);
	const struct reason *reason = reason_of_state(c->after);
	bool never = reason && reason->enable == REASON_NEVER;
	bool failed = c->why && (c->named || !never);

	if (opt(q->o, OPT_JSON) || (opt(q->o, OPT_QUIET) && !failed))
		return failed;
	if (c->why)
		(failed ? log_err : log_note)("%s: %s: %s", c->name, after, c->why);
	else if (c->after && strcmp(c->before, c->after))
		log_print_now("%s: %s -> %s%s\n", shown_name, c->before, c->after,
			      opt(q->o, OPT_RUNTIME) ? ", until the next boot" : "");
	else if (c->named)
		log_print_now("%s: %s already\n", shown_name, c->before);
	if (!c->why && c->on != q->on && !opt(q->o, OPT_POLICY | OPT_RULES))
		log_note("%s follows the rule \"%s\"", c->name, c->rule->text);
	return failed;
}

void enable_print_policy(const struct request *q, bool removed_only)
{
	/* the output of a dry run is a shell script, so this line has to be a comment in it */
	const char *comment = opt(q->o, OPT_DRY_RUN) ? "# " : "";
	const char *line = q->edits;

	if (!*line && !removed_only)
		log_print_now("%s" POLICY_PATH " needs no change\n", comment);
	for (; *line; line += strcspn(line, "\n") + 1) {
		_cleanup_free_ char *raw = xstrndup(line, strcspn(line, "\n"));
		_cleanup_free_ char *edit = visible(raw);

		if (!removed_only || *line == '-')
			log_print_now("%s" POLICY_PATH ": %s\n", comment, edit);
	}
}

void enable_print_write(const struct request *q)
{
	_cleanup_free_ char *text = policy_file_text(&q->policy);
	char *line, *save = NULL;

	printf("%sprintf '%%s\\n'", access(SAVED_DIR, F_OK) ? "mkdir " SAVED_DIR " && " : "");
	for (line = text; *line; line = save) {
		_cleanup_free_ char *quoted = NULL;

		save = line + strcspn(line, "\n");
		if (*save)
			*save++ = 0;
		quoted = shell_quote(line);
		printf(" %s", quoted);
	}
	puts(" >" POLICY_PATH);
}
