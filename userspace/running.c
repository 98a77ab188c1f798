// SPDX-License-Identifier: GPL-2.0-only
/* What runs. */
#include "running.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "dm.h"

/* Between the two questions somebody may have given it another table. */
static bool belongs(const struct dm_line *line, const struct target *target)
{
	return line->start == target->start && !strcmp(line->type, target->type);
}

static void take_status(struct running *r, const struct dm_lines *lines)
{
	unsigned int i;

	for (i = 0; i < lines->nr && i < r->table.nr; i++) {
		struct target *target = &r->table.targets[i];

		if (target_is_noclone(target) &&
		    belongs(&lines->line[i], target) &&
		    status_parse(&r->status[i], lines->line[i].params))
			target->id = status_file_id(&r->status[i]);
	}
}

int running_get(const char *name, struct running *r)
{
	_cleanup_dm_lines_ struct dm_lines lines = { 0 };
	int err = get_table(name, &r->table);

	r->status = xzalloc((r->table.nr + 1) * sizeof(*r->status));
	if (!err)
		err = dm_get_status(name, &lines);
	if (!err)
		take_status(r, &lines);
	return err;
}

void running_free(struct running *r)
{
	unsigned int i;

	for (i = 0; i < r->table.nr; i++)
		status_free(&r->status[i]);
	free(r->status);
	table_free(&r->table);
}
