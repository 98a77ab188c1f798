// SPDX-License-Identifier: GPL-2.0-only
/* noclone resize --dry-run: the steps, as shell commands. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "model/table-print.h"
#include "system/identity.h"
#include "cli/dry-run.h"
#include "cli/output.h"
#include "cmd/resize-run.h"

static void add_step(struct strbuf *b, const char *step)
{
	if (step)
		strbuf_add(b, "%s%s", b->len ? "\n" : "", step);
}

static void add_reload(const struct resize *r, struct strbuf *b, const struct table *t)
{
	_cleanup_free_ char *line = dry_run_reload(r->o, r->dev.name, r->dev.readonly, t);

	add_step(b, line);
}

static void add_programs(struct strbuf *b, const struct filesystem_step *step,
			 unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		_cleanup_free_ char *words = filesystem_step_words(&step[i]);
		_cleanup_free_ char *line = step[i].max_status ?
			xasprintf("%s || [ $? -le %d ]", words, step[i].max_status) : NULL;

		add_step(b, line ? line : words);
	}
}

/* As shell commands, a line each. */
static char *steps_of(const struct resize *r)
{
	_cleanup_free_ char *grow = growth_words(&r->growth, r->file_bytes);
	_cleanup_free_ char *quoted = shell_quote(r->dev.name);
	_cleanup_free_ char *save = xasprintf("noclone save %s", quoted);
	struct strbuf b = { 0 };

	add_programs(&b, r->plan.before, r->plan.nr_before);
	if (r->direct.nr)
		add_reload(r, &b, &r->direct);
	add_step(&b, grow);
	if (r->sectors != r->old_sectors)
		add_reload(r, &b, &r->new);
	if (r->saved && r->sectors != r->old_sectors)
		add_step(&b, save);
	add_programs(&b, r->plan.after, r->plan.nr_after);
	return strbuf_take(&b);
}

/* A step that fails must not be followed by the next one, whoever runs them. */
static void print_chain(char *steps)
{
	char *line, *next;

	for (line = steps; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		printf("%s%s\n", line, next ? " &&" : "");
	}
}

void resize_print_steps(const struct resize *r, const struct problems *problems)
{
	_cleanup_free_ char *steps = steps_of(r);
	_cleanup_free_ char *table = table_print(&r->new, false, identity_loadable, NULL);
	struct json_object *out;

	if (!opt(r->o, OPT_JSON)) {
		if (*steps)
			print_chain(steps);
		return;
	}
	out = output_new("resize");
	output_add_bool(out, "dry_run", true);
	output_add_string(out, "name", r->dev.name);
	output_add_number(out, "old_sectors", r->old_sectors);
	output_add_number(out, "sectors", r->sectors);
	json_object_object_add(out, "table", output_lines(table));
	json_object_object_add(out, "problems", output_problems(problems));
	json_object_object_add(out, "steps", output_lines(steps));
	output_print(out);
	json_object_put(out);
}
