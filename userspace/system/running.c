// SPDX-License-Identifier: GPL-2.0-only
/* What runs. */
#include "system/running.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "system/device.h"
#include "cli/common.h"
#include "cli/output.h"

/* Between the two questions somebody may have given it another table. */
static struct target *target_of(const struct running *r, unsigned int line)
{
	const struct dm_line *l = &r->lines.line[line];
	struct target *t;

	if (line >= r->table.nr)
		return NULL;
	t = &r->table.targets[line];
	return t->start == l->start && t->length == l->length &&
	       !strcmp(t->type, l->type) ? t : NULL;
}

static void take_status(struct running *r, unsigned int line)
{
	const struct dm_line *l = &r->lines.line[line];
	struct target *t = target_of(r, line);

	if (!str_starts(l->type, "noclone-") ||
	    !status_parse(&r->status[line], l->params))
		return;
	if (t)
		t->id = status_file_id(&r->status[line]);
}

int running_get(const char *name, struct running *r)
{
	int err = get_table(name, &r->table);
	unsigned int i;

	if (!err)
		err = dm_get_status(name, &r->lines);
	r->status = xzalloc((r->lines.nr + 1) * sizeof(*r->status));
	for (i = 0; i < r->lines.nr; i++)
		take_status(r, i);
	return err;
}

char *running_fastpath(const struct running *r)
{
	unsigned int i;

	for (i = 0; i < r->lines.nr; i++) {
		const struct status *s = &r->status[i];

		if (s->has_fastpath)
			return s->fast ? xstrdup("on") :
					 xasprintf("off:%s", s->reason);
	}
	return NULL;
}

void running_tell_stand_in(const char *name)
{
	_cleanup_running_ struct running r = { 0 };
	unsigned int i;

	running_get(name, &r);
	for (i = 0; i < r.lines.nr; i++) {
		_cleanup_free_ char *words = status_stand_in_words(&r.status[i]);

		if (words)
			log_warn("%s: %s", name, words);
	}
}

void running_troubles_of(const struct running *r, unsigned int line,
			 struct troubles *troubles)
{
	const struct target *t = target_of(r, line);

	if (t)
		troubles_find(troubles, t, &r->status[line], &device_source);
}

void running_troubles(const struct running *r, struct troubles *troubles)
{
	unsigned int i;

	for (i = 0; i < r->lines.nr; i++)
		running_troubles_of(r, i, troubles);
}

struct json_object *troubles_json(const struct troubles *troubles)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < troubles->nr; i++) {
		const struct trouble *t = &troubles->trouble[i];
		struct json_object *o = json_object_new_object();

		output_add_string(o, "kind", trouble_kind_name(t->kind));
		output_add_number(o, "start", t->start);
		output_add_string(o, "name", t->name);
		output_add_string(o, "text", t->text);
		json_object_array_add(array, o);
	}
	return array;
}

void running_free(struct running *r)
{
	unsigned int i;

	for (i = 0; i < r->lines.nr; i++)
		status_free(&r->status[i]);
	free(r->status);
	dm_lines_free(&r->lines);
	table_free(&r->table);
}
