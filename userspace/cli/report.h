/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report: rows and columns, as lsblk(8) and lvs(8) print them.
 *
 * A row is the JSON object that --json prints of the same thing, and a column shows one of
 * its members: columns are selected, rows sorted and printed here, and filled by the command alone.
 */
#ifndef NOCLONE_REPORT_H
#define NOCLONE_REPORT_H

#include <stdbool.h>

struct json_object;

/**
 * enum report_flag - what a column is like
 * @REPORT_USUAL: it is shown unless others are selected
 * @REPORT_NUMBER: it is aligned to the right
 * @REPORT_SIZE: likewise, and sectors are shown with a unit
 * @REPORT_RATE: with rates it is usual, and its numbers are per second
 * @REPORT_WRAPS: it is broken into lines where the terminal is too narrow
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
 * @name: its heading
 * @key: the member of a row that it shows, and that rows are sorted by
 * @flags: REPORT_ bits
 * @help: a sentence
 * @text: how it is shown: a new string, or NULL; without it, the member as it is
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
 * @columns: all that there are
 * @nr_columns: how many
 * @rates: numbers are rates
 * @noheadings: no line of headings
 * @shown: the columns to show
 * @nr_shown: how many
 * @order: the column to sort by, or NULL
 * @reverse: from the greatest to the least
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
 * The argument of --output: "NAME,SIZE", "+SIZE" for the usual columns and that, or NULL
 * for the usual ones alone.  Return: 0, or a negative errno after a message.
 */
int report_select(struct report *r, const char *list);
/* The argument of --sort, "SIZE" or "-SIZE", or NULL.  Return: likewise. */
int report_sort_by(struct report *r, const char *name);
/* Sort an array of rows, if there is a column to sort by. */
void report_sort(const struct report *r, struct json_object *rows);
/* Print all columns with their sentences, for "--output help". */
void report_help(const struct report *r);

void report_print(const struct report *r, struct json_object *rows);
/* The first column of a row as a heading, and a line for each other one that is known. */
void report_print_row(const struct report *r, struct json_object *row);
void report_free(struct report *r);

/* All columns of noclone status, none of them selected; completion offers them as well. */
struct report status_report(void);
/* Metrics for Prometheus.  @devices: those that noclone status --json prints; a new string */
char *metrics_print(struct json_object *devices);

#define _cleanup_report_ __attribute__((cleanup(report_free)))

#endif /* NOCLONE_REPORT_H */
