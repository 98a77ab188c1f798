// SPDX-License-Identifier: GPL-2.0-only
/* A report prints rows and columns. */
#include "cli/report.h"

#include <errno.h>
#include <json-c/json.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/util.h"

/*
 * Return: the column with this name, or NULL after a message. @option: the option that has given
 * the name, for the message
 */
static const struct report_column *report_find(const struct report *r, const char *option,
					       const char *name)
{
	unsigned int i;

	for (i = 0; i < r->nr_columns; i++)
		if (!strcasecmp(r->columns[i].name, name))
			return &r->columns[i];
	log_err("%s: there is no column \"%s\"; \"noclone status --output help\" lists the columns",
		option, name);
	return NULL;
}

static void report_add(struct report *r, const struct report_column *column)
{
	GROW(r->shown, r->nr_shown);
	r->shown[r->nr_shown++] = column;
}

/* Select the columns that a list names. There is a comma between two names. */
static int report_add_list(struct report *r, const char *list)
{
	for (;; list++) {
		size_t length = strcspn(list, ",");
		_cleanup_free_ char *name = xstrndup(list, length);
		const struct report_column *column = report_find(r, "--output", name);

		if (!column)
			return -EINVAL;
		report_add(r, column);
		list += length;
		if (!*list)
			return 0;
	}
}

int report_select(struct report *r, const char *list)
{
	unsigned int usual = REPORT_USUAL | (r->rates ? REPORT_RATE : 0), i;

	for (i = 0; i < r->nr_columns && (!list || *list == '+'); i++)
		if (r->columns[i].flags & usual)
			report_add(r, &r->columns[i]);
	return list ? report_add_list(r, list + (*list == '+')) : 0;
}

int report_sort_by(struct report *r, const char *name)
{
	if (!name)
		return 0;
	r->reverse = *name == '-';
	r->order = report_find(r, "--sort", name + r->reverse);
	return r->order ? 0 : -EINVAL;
}

/*
 * Compare two rows by the column that the report is sorted by. Unknown values come first; numbers
 * and booleans are compared by value, and all other members are compared as text.
 */
static int report_compare(const void *a, const void *b, void *data)
{
	const struct report *r = data;
	struct json_object *x = json_object_object_get(*(void *const *)a, r->order->key);
	struct json_object *y = json_object_object_get(*(void *const *)b, r->order->key);
	double difference = json_object_get_double(x) - json_object_get_double(y);
	int order = (difference > 0) - (difference < 0);

	if (!x || !y)
		order = !!x - !!y;
	else if (json_object_get_type(x) >= json_type_object)
		order = strcmp(json_object_get_string(x), json_object_get_string(y));
	return r->reverse ? -order : order;
}

void report_sort(const struct report *r, struct json_object *rows)
{
	struct array_list *list = json_object_get_array(rows);

	if (r->order)
		qsort_r(list->array, list->length, sizeof(*list->array), report_compare,
			(void *)r);
}

static unsigned int report_width(const struct report *r)
{
	unsigned int i, width = 0;

	for (i = 0; i < r->nr_columns; i++)
		width = MAX(width, strlen(r->columns[i].name));
	return width;
}

void report_help(const struct report *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_columns; i++)
		printf("%-*s  %s\n", report_width(r), r->columns[i].name, r->columns[i].help);
}

/*
 * Return: the text of a cell whose member is an array, a new string, or NULL if the array is empty.
 * The elements are strings, or objects with a member "text".
 */
static char *report_list(struct json_object *array)
{
	size_t nr = json_object_array_length(array), i;
	struct strbuf b = { 0 };

	for (i = 0; i < nr; i++) {
		struct json_object *o = json_object_array_get_idx(array, i);
		struct json_object *text = json_object_object_get(o, "text");

		strbuf_add(&b, "%s%s", i ? text ? ", " : "," : "",
			   json_object_get_string(text ?: o));
	}
	return nr ? strbuf_take(&b) : NULL;
}

/*
 * Return: the text of a cell before control characters are replaced, a new string; NULL if the
 * value is unknown or empty.
 */
static char *report_raw_cell(const struct report_column *column, struct json_object *row)
{
	struct json_object *value = json_object_object_get(row, column->key);
	const char *text;

	if (column->text)
		return column->text(row);
	if (!value)
		return NULL;
	if (column->flags & REPORT_SIZE)
		return size_format_short(json_object_get_int64(value));
	if (json_object_is_type(value, json_type_array))
		return report_list(value);
	if (json_object_is_type(value, json_type_boolean))
		return xstrdup(json_object_get_boolean(value) ? "yes" : "no");
	text = json_object_get_string(value);
	return *text ? xstrdup(text) : NULL;
}

static char *report_cell(const struct report_column *column, struct json_object *row)
{
	_cleanup_free_ char *raw = report_raw_cell(column, row);

	return raw ? visible(raw) : NULL;
}

static void report_add_column(const struct report *r, struct libscols_table *table,
			      const struct report_column *column)
{
	bool is_rate = r->rates && column->flags & REPORT_RATE;
	_cleanup_free_ char *heading = xasprintf("%s%s", column->name, is_rate ? "/S" : "");
	int flags = column->flags & REPORT_WRAPS ? SCOLS_FL_WRAP : 0;

	if (column->flags & (REPORT_NUMBER | REPORT_SIZE | REPORT_RATE))
		flags |= SCOLS_FL_RIGHT;
	xchecked(scols_table_new_column(table, heading, 0, flags));
}

/*
 * Add a row to the printed table. An unknown value is printed as "-", so each line has a word for
 * each column, and scripts can count the words.
 */
static void report_add_row(const struct report *r, struct libscols_table *table,
			   struct json_object *row)
{
	struct libscols_line *line = xchecked(scols_table_new_line(table, NULL));
	unsigned int i;

	for (i = 0; i < r->nr_shown; i++) {
		_cleanup_free_ char *text = report_cell(r->shown[i], row);

		if (scols_line_set_data(line, i, text ?: "-"))
			xchecked(NULL);
	}
}

void report_print(const struct report *r, struct json_object *rows)
{
	struct libscols_table *table = xchecked(scols_new_table());
	size_t nr = json_object_array_length(rows), i;

	scols_table_enable_noheadings(table, r->noheadings);
	/*
	 * report_cell() has already replaced control characters, so libsmartcols must not encode
	 * names
	 */
	scols_table_enable_noencoding(table, 1);
	for (i = 0; i < r->nr_shown; i++)
		report_add_column(r, table, r->shown[i]);
	for (i = 0; i < nr; i++)
		report_add_row(r, table, json_object_array_get_idx(rows, i));
	/* some versions of libsmartcols complain about a table without lines */
	if (nr)
		scols_print_table(table);
	scols_unref_table(table);
}

void report_print_row(const struct report *r, struct json_object *row)
{
	_cleanup_free_ char *head = report_cell(r->columns, row);
	unsigned int i;

	printf("%s:\n", head ?: "");
	for (i = 1; i < r->nr_columns; i++) {
		_cleanup_free_ char *text = report_cell(&r->columns[i], row);

		if (text)
			printf("  %-*s  %s\n", report_width(r), r->columns[i].name, text);
	}
}

void report_free(struct report *r)
{
	free(r->shown);
}
