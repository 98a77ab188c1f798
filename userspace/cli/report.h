/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report prints rows and columns, as lsblk(8) and lvs(8) do.
 *
 * A row is a JSON object, the one that the command prints with --json. A column shows one member of
 * each row. The command makes the rows; the functions below select the columns, and sort and print
 * the rows.
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
 * @REPORT_SIZE: the column is aligned to the right, and shows a number of sectors as a size with a
 *	unit
 * @REPORT_RATE: the column is aligned to the right. If @rates of the report is set, the column
 *	shows numbers per second, and is shown unless the user selects other columns
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
 * @key: the name of the member that the column shows. If the user sorts by the column, the rows are
 *	sorted by this member
 * @flags: REPORT_ bits
 * @help: a sentence about the column for "--output help"
 * @text: a function that returns the text of a cell, a new string, or NULL if the value is unknown;
 *	if @text is NULL, the cell shows the member @key
 */
struct report_column {
	const char *name;
	const char *key;
	unsigned int flags;
	const char *help;
	char *(*text)(struct json_object *row);
};

/**
 * struct report - the columns of a report, and how its rows are printed
 * @columns: all columns of the report
 * @nr_columns: the number of columns
 * @rates: the columns with the flag REPORT_RATE show numbers per second
 * @noheadings: print no line of headings
 * @shown: the columns to show
 * @nr_shown: the number of columns to show
 * @order: the column by which the rows are sorted, or NULL
 * @reverse: the rows are sorted from the greatest value to the least value
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
 * the usual columns and the column SIZE; NULL selects only the usual columns. Return: 0, or a
 * negative errno after a message.
 */
int report_select(struct report *r, const char *list);
/*
 * Set the column by which the rows are sorted. @name: the argument of --sort, such as "SIZE", or
 * "-SIZE" for the reverse order; NULL sets no column. Return: 0, or a negative errno after a
 * message.
 */
int report_sort_by(struct report *r, const char *name);
/*
 * Sort an array of rows by the column that report_sort_by() has set; without such a column, keep
 * the order.
 */
void report_sort(const struct report *r, struct json_object *rows);
/* Print the name and the sentence of each column, for "--output help". */
void report_help(const struct report *r);

void report_print(const struct report *r, struct json_object *rows);
/*
 * Print one row as several lines: a heading with the first column, and one line for each other
 * column whose value is known.
 */
void report_print_row(const struct report *r, struct json_object *row);
void report_free(struct report *r);

#define _cleanup_report_ __attribute__((cleanup(report_free)))

#endif /* NOCLONE_REPORT_H */
