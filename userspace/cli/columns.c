// SPDX-License-Identifier: GPL-2.0-only
/* Output in columns. */
#include "cli/columns.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"

struct columns {
	struct libscols_table *table;
	unsigned int nr;
};

/* libsmartcols fails for want of memory only, and that ends the tool. */
static void *checked(void *p)
{
	if (!p) {
		fputs("noclone: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

struct columns *columns_new(const struct column *column, unsigned int nr,
			    bool headings)
{
	struct columns *c = xzalloc(sizeof(*c));
	unsigned int i;

	c->table = checked(scols_new_table());
	c->nr = nr;
	scols_table_enable_noheadings(c->table, !headings);
	/* Names are mangled already: print them as they are */
	scols_table_enable_noencoding(c->table, 1);
	for (i = 0; i < nr; i++)
		checked(scols_table_new_column(c->table, column[i].heading, 0,
			(column[i].right ? SCOLS_FL_RIGHT : 0) |
			(column[i].wraps ? SCOLS_FL_WRAP : 0)));
	return c;
}

void columns_add(struct columns *c, char * const *cell)
{
	struct libscols_line *line = checked(scols_table_new_line(c->table, NULL));
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		if (scols_line_set_data(line, i, cell[i] ? cell[i] : "-"))
			checked(NULL);
}

void columns_print(struct columns *c)
{
	/* with no lines it would print nothing, but complain on some versions */
	if (scols_table_get_nlines(c->table))
		scols_print_table(c->table);
	scols_unref_table(c->table);
	free(c);
}
