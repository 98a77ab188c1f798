/* SPDX-License-Identifier: GPL-2.0-only */
/* Output in columns, as losetup(8) and lsblk(8) do it: by libsmartcols. */
#ifndef NOCLONE_COLUMNS_H
#define NOCLONE_COLUMNS_H

#include <stdbool.h>

/* A column; one that wraps is broken into lines where the terminal is too narrow. */
struct column {
	const char *heading;
	bool right;
	bool wraps;
};

struct columns;

struct columns *columns_new(const struct column *column, unsigned int nr,
			    bool headings);
/* Add a line; NULL is printed as "-", so that a script can count words. */
void columns_add(struct columns *c, char * const *cell);
/* Print if there are lines, and free. */
void columns_print(struct columns *c);

#endif /* NOCLONE_COLUMNS_H */
