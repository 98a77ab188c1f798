// SPDX-License-Identifier: GPL-2.0-only
/* A report: rows and columns. */
#include "cli/report.h"

#include <json-c/json.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

static const struct report_column *report_find(const struct report *r, const char *name)
{
	unsigned int i;

	for (i = 0; i < r->nr_columns; i++)
		if (!strcasecmp(r->columns[i].name, name))
			return &r->columns[i];
	return NULL;
}

static void report_add(struct report_keys *keys, const struct report_column *column,
		       bool reverse)
{
	GROW(keys->key, keys->nr);
	keys->key[keys->nr++] = (struct report_key) { column, reverse };
}

/* Columns with commas in between.  Return: NULL, or what is wrong: a new string. */
static char *report_parse(const struct report *r, const char *list, bool may_reverse,
			  struct report_keys *keys)
{
	for (;; list++) {
		size_t length = strcspn(list, ",");
		bool reverse = may_reverse && *list == '-';
		_cleanup_free_ char *name = xstrndup(list + reverse, length - reverse);
		const struct report_column *column = report_find(r, name);

		if (!column)
			return xasprintf("there is no column \"%s\"; \"--output help\" prints all", name);
		report_add(keys, column, reverse);
		list += length;
		if (!*list)
			return NULL;
	}
}

char *report_select(struct report *r, const char *list)
{
	unsigned int usual = REPORT_USUAL | (r->rates ? REPORT_RATE : 0), i;

	for (i = 0; i < r->nr_columns && (!list || *list == '+'); i++)
		if (r->columns[i].flags & usual)
			report_add(&r->shown, &r->columns[i], false);
	return list ? report_parse(r, list + (*list == '+'), false, &r->shown) : NULL;
}

char *report_sort_by(struct report *r, const char *list)
{
	return list ? report_parse(r, list, true, &r->order) : NULL;
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

static bool report_is_number(struct json_object *value)
{
	enum json_type type = json_object_get_type(value);

	return type == json_type_int || type == json_type_double || type == json_type_boolean;
}

/* An unknown value is less than any other. */
static int report_compare_values(struct json_object *a, struct json_object *b)
{
	double x, y;

	if (!a || !b)
		return !!a - !!b;
	if (!report_is_number(a) || !report_is_number(b))
		return strcmp(json_object_get_string(a), json_object_get_string(b));
	x = json_object_get_double(a);
	y = json_object_get_double(b);
	return (x > y) - (x < y);
}

/* Rows that do not differ stand in the order of the first column. */
static int report_compare(const void *a, const void *b, void *data)
{
	struct json_object *x = *(struct json_object *const *)a;
	struct json_object *y = *(struct json_object *const *)b;
	const struct report *r = data;
	unsigned int i;

	for (i = 0; i <= r->order.nr; i++) {
		const struct report_key last = { r->columns, false };
		const struct report_key *key = i < r->order.nr ? &r->order.key[i] : &last;
		int order = report_compare_values(json_object_object_get(x, key->column->key),
						  json_object_object_get(y, key->column->key));

		if (order)
			return key->reverse ? -order : order;
	}
	return 0;
}

void report_sort(const struct report *r, struct json_object *rows)
{
	struct array_list *list = json_object_get_array(rows);

	if (r->order.nr)
		qsort_r(list->array, list->length, sizeof(*list->array), report_compare,
			(void *)r);
}

/**
 * struct report_unit - the unit of a column of sizes
 * @sectors: in one unit
 * @letter: its letter
 * @decimals: of the numbers
 */
struct report_unit {
	uint64_t sectors;
	char letter;
	int decimals;
};

/* The largest of which every size but 0 is at least one, with a decimal if any needs it. */
static struct report_unit report_unit(const struct report_column *column,
				      struct json_object *rows)
{
	static const char letters[] = "KMGTP";
	size_t nr = json_object_array_length(rows), i;
	struct report_unit unit = { .sectors = 2 };
	uint64_t least = 0, bits = 0;

	for (i = 0; i < nr; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		uint64_t sectors = json_object_get_int64(json_object_object_get(row, column->key));

		bits |= sectors;
		if (sectors && (!least || sectors < least))
			least = sectors;
	}
	for (i = 0; letters[i + 1] && least >= unit.sectors * 1024; i++)
		unit.sectors *= 1024;
	unit.letter = letters[i];
	unit.decimals = !!(bits % unit.sectors);
	return unit;
}

static char *report_size(struct json_object *value, const struct report_unit *unit)
{
	return xasprintf("%.*f%c", unit->decimals,
			 (double)json_object_get_int64(value) / unit->sectors, unit->letter);
}

static char *report_list(struct json_object *array)
{
	size_t nr = json_object_array_length(array), i;
	struct strbuf b = { 0 };

	for (i = 0; i < nr; i++)
		strbuf_add(&b, "%s%s", i ? "," : "",
			   json_object_get_string(json_object_array_get_idx(array, i)));
	return nr ? strbuf_take(&b) : NULL;
}

/* What a cell shows: a new string; NULL if there is nothing. */
static char *report_raw_cell(const struct report_column *column, struct json_object *row,
			     const struct report_unit *unit)
{
	struct json_object *value = json_object_object_get(row, column->key);
	const char *text;

	if (column->text)
		return column->text(row);
	if (!value)
		return NULL;
	if (column->flags & REPORT_SIZE)
		return report_size(value, unit);
	if (json_object_is_type(value, json_type_array))
		return report_list(value);
	if (json_object_is_type(value, json_type_boolean))
		return xstrdup(json_object_get_boolean(value) ? "yes" : "no");
	text = json_object_get_string(value);
	return *text ? xstrdup(text) : NULL;
}

static char *report_cell(const struct report_column *column, struct json_object *row,
			 const struct report_unit *unit)
{
	_cleanup_free_ char *raw = report_raw_cell(column, row, unit);

	return raw ? visible(raw) : NULL;
}

/* libsmartcols fails for want of memory only, and that ends the tool. */
static void *report_checked(void *p)
{
	if (!p) {
		fputs("noclone: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static void report_add_column(const struct report *r, struct libscols_table *table,
			      const struct report_column *column)
{
	bool is_rate = r->rates && column->flags & REPORT_RATE;
	_cleanup_free_ char *heading = xasprintf("%s%s", column->name, is_rate ? "/S" : "");
	int flags = column->flags & REPORT_WRAPS ? SCOLS_FL_WRAP : 0;

	if (column->flags & (REPORT_NUMBER | REPORT_SIZE | REPORT_RATE))
		flags |= SCOLS_FL_RIGHT;
	report_checked(scols_table_new_column(table, heading, 0, flags));
}

/* An unknown value is "-", so that a script can count words. */
static void report_fill_column(struct libscols_table *table, unsigned int at,
			       const struct report_column *column, struct json_object *rows)
{
	const struct report_unit unit = report_unit(column, rows);
	size_t nr = json_object_array_length(rows), i;

	for (i = 0; i < nr; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		_cleanup_free_ char *text = report_cell(column, row, &unit);

		if (scols_line_set_data(scols_table_get_line(table, i), at, text ?: "-"))
			report_checked(NULL);
	}
}

void report_print(const struct report *r, struct json_object *rows)
{
	struct libscols_table *table = report_checked(scols_new_table());
	size_t nr = json_object_array_length(rows), i;

	scols_table_enable_noheadings(table, r->noheadings);
	/* report_cell() has left no control character: print names as they are */
	scols_table_enable_noencoding(table, 1);
	for (i = 0; i < r->shown.nr; i++)
		report_add_column(r, table, r->shown.key[i].column);
	for (i = 0; i < nr; i++)
		report_checked(scols_table_new_line(table, NULL));
	for (i = 0; i < r->shown.nr; i++)
		report_fill_column(table, i, r->shown.key[i].column, rows);
	/* some versions complain about a table without lines */
	if (nr)
		scols_print_table(table);
	scols_unref_table(table);
}

/* The cell of a column that has one row. */
static char *report_only_cell(const struct report_column *column, struct json_object *rows)
{
	const struct report_unit unit = report_unit(column, rows);

	return report_cell(column, json_object_array_get_idx(rows, 0), &unit);
}

void report_print_row(const struct report *r, struct json_object *row)
{
	struct json_object *rows = json_object_new_array();
	_cleanup_free_ char *head = NULL;
	unsigned int i;

	json_object_array_add(rows, json_object_get(row));
	head = report_only_cell(r->columns, rows);
	printf("%s:\n", head ? head : "");
	for (i = 1; i < r->nr_columns; i++) {
		const struct report_column *column = &r->columns[i];
		_cleanup_free_ char *text = report_only_cell(column, rows);

		if (text)
			printf("  %-*s  %s\n", report_width(r), column->name, text);
	}
	json_object_put(rows);
}

void report_free(struct report *r)
{
	free(r->shown.key);
	free(r->order.key);
}
