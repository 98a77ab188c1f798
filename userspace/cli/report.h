/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report: rows and columns, as lsblk(8) and lvs(8) print them.
 *
 * A row is the JSON object that --json prints, and a column shows one member of it. The functions
 * below select columns, and sort and print rows. The command makes the rows.
 */
#ifndef NOCLONE_REPORT_H
#define NOCLONE_REPORT_H

#include <stdbool.h>

#include "base/util.h"

struct json_object;

/**
 * enum report_flag - the properties of a column
 * @REPORT_USUAL: the column is shown unless the user selects other columns
 * @REPORT_NUMBER: the column is aligned to the right
 * @REPORT_SIZE: the column is aligned to the right, and sectors are shown as a size with a unit
 * @REPORT_RATE: the column is aligned to the right. If numbers are rates, the column is usual, and
 *	its numbers are per second
 * @REPORT_WRAPS: the text of a cell is broken into lines if the terminal is too narrow
 */
enum report_flag {
	REPORT_USUAL = 1,
	REPORT_NUMBER = 2,
	REPORT_SIZE = 4,
	REPORT_RATE = 8,
	REPORT_WRAPS = 16,
};

/**
 * struct report_column - a column
 * @name: the heading of the column
 * @key: the member of a row that the column shows, and that rows are sorted by
 * @flags: REPORT_ bits
 * @help: a sentence about the column for "--output help"
 * @text: returns the text of a cell, a new string, or NULL for an unknown value; if @text is NULL,
 *	the cell shows the member @key
 */
struct report_column {
	const char *name;
	const char *key;
	unsigned int flags;
	const char *help;
	char *(*text)(struct json_object *row);
};

/**
 * struct report - how rows are printed
 * @columns: all columns of the report
 * @nr_columns: the number of columns
 * @rates: numbers are rates
 * @noheadings: print no line of headings
 * @shown: the columns to show
 * @nr_shown: the number of columns to show
 * @order: the column to sort by, or NULL
 * @reverse: sort from the greatest value to the least
 */
struct report {
	const struct report_column *columns;
	unsigned int nr_columns;
	bool rates;
	bool noheadings;
	const struct report_column **shown;
	unsigned int nr_shown;
	const struct report_column *order;
	bool reverse;
};

/*
 * Select the columns to show. @list: the argument of --output, such as "NAME,SIZE", or "+SIZE" for
 * the usual columns and SIZE; NULL selects only the usual columns. Return: 0, or a negative errno
 * after a message.
 */
int report_select(struct report *r, const char *list);
/*
 * Set the column to sort by. @name: the argument of --sort, "SIZE" or "-SIZE", or NULL. Return: 0,
 * or a negative errno after a message.
 */
int report_sort_by(struct report *r, const char *name);
/* Sort an array of rows, if there is a column to sort by. */
void report_sort(const struct report *r, struct json_object *rows);
/* Print all columns with their sentences, for "--output help". */
void report_help(const struct report *r);

void report_print(const struct report *r, struct json_object *rows);
/*
 * Print the first column of a row as a heading, and a line for each other column with a known
 * value.
 */
void report_print_row(const struct report *r, struct json_object *row);
void report_free(struct report *r);

#define _cleanup_report_ __attribute__((cleanup(report_free)))

#endif /* NOCLONE_REPORT_H */
