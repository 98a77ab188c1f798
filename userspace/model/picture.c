// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draw a diagram of a target. It has a column for each leg, and a row for each stripe, which is one
 * chunk of each leg. Each cell shows where its chunk begins and ends in the mapped device. The
 * diagram shows the first two rows and the last row, and leaves out the rows between them. A linear
 * or noclone-file target is drawn as one box.
 */
#include "model/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/file-engine.h"
#include "model/name.h"
#include "model/table-target.h"

#define MAX_COLUMNS	6

/* Return: the last part of the name of a leg or file. */
static char *picture_short_name(const struct target *t, unsigned int leg)
{
	char *name = t->path ? name_encode_path(t->path) : visible(t->legs[leg].device);
	const char *slash = strrchr(name, '/');

	if (slash && slash[1])
		memmove(name, slash + 1, strlen(slash));
	return name;
}

/* Return: words that say where the data of the target is, a new string. */
static char *picture_below_words(const struct target *t)
{
	_cleanup_free_ char *path = t->path ? name_encode_path(t->path) : NULL;
	_cleanup_free_ char *chunk = size_format(t->chunk);
	_cleanup_free_ char *leg = size_format_short(target_leg_length(t));

	if (t->kind == TARGET_FILE)
		return xasprintf("file %s from sector %llu on, engine %s: %s", path,
				 (unsigned long long)t->legs->start, engines[t->engine].name,
				 engines[t->engine].meaning);
	if (t->kind == TARGET_LINEAR)
		return xasprintf("%s from sector %llu on, in one piece", t->legs[0].device,
				 (unsigned long long)t->legs[0].start);
	return xasprintf("in chunks of %s over %u devices in turn, %s on each device", chunk, t->nr_legs,
			 leg);
}

char *picture_words(const struct target *t)
{
	_cleanup_free_ char *first = size_format_short(t->start);
	_cleanup_free_ char *end = size_format_short(t->start + t->length);
	_cleanup_free_ char *below = NULL;

	if (!t->understood)
		return xasprintf("%s to %s: target %s with arguments \"%s\"",
				 first, end, t->type, t->params);
	below = picture_below_words(t);
	return xasprintf("%s to %s: %s (%s%s)", first, end, below, t->type,
			 t->no_fastpath ? ", no fast path" : "");
}

/* NO_LEG: the number of the leg in the column that stands for all legs that are left out. */
#define NO_LEG	UINT32_MAX
/*
 * HEAD: the number of the row with the names of the legs. DOTS: the number of the row that stands
 * for all rows that are left out.
 */
#define HEAD	UINT64_MAX
#define DOTS	(UINT64_MAX - 1)

static unsigned int picture_columns(const struct target *t)
{
	return MIN(t->nr_legs, (unsigned int)MAX_COLUMNS);
}

static unsigned int picture_leg_of_column(const struct target *t, unsigned int column)
{
	unsigned int columns = picture_columns(t);

	if (t->nr_legs > columns && column == columns - 2)
		return NO_LEG;
	return column && column == columns - 1 ? t->nr_legs - 1 : column;
}

static uint64_t picture_rows(const struct target *t)
{
	return t->chunk ? t->length / ((uint64_t)t->nr_legs * t->chunk) : 1;
}

/*
 * Return: the text of a cell: the name of a leg, the place of a chunk in the mapped device, or
 * "..."; a new string.
 */
static char *picture_cell(const struct target *t, unsigned int leg, uint64_t row)
{
	uint64_t sectors = t->chunk ? t->chunk : t->length;
	uint64_t first = t->start + (row * t->nr_legs + leg) * sectors;
	_cleanup_free_ char *from = NULL, *to = NULL;

	if (leg == NO_LEG || row == DOTS)
		return xstrdup("...");
	if (row == HEAD)
		return picture_short_name(t, leg);
	from = size_format(first);
	to = size_format(first + sectors);
	return xasprintf("%s..%s", from, to);
}

/*
 * Return: the width of a cell, which is enough for all names and for the last row, but at most 32.
 * The last row has the longest numbers.
 */
static int picture_cell_width(const struct target *t)
{
	size_t width = 12;
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++) {
		_cleanup_free_ char *range = picture_cell(t, i, picture_rows(t) - 1);
		_cleanup_free_ char *name = picture_short_name(t, i);

		width = MAX(width, strlen(name));
		width = MAX(width, strlen(range));
	}
	return MIN(width, (size_t)32);
}

static void picture_add_border(struct strbuf *b, const struct target *t, int width)
{
	unsigned int i;

	strbuf_add(b, "  +");
	for (i = 0; i < picture_columns(t); i++) {
		strbuf_putc(b, '-', width + 2);
		strbuf_add(b, "+");
	}
	strbuf_add(b, "\n");
}

static void picture_add_row(struct strbuf *b, const struct target *t, int width, uint64_t row)
{
	unsigned int i;

	strbuf_add(b, "  |");
	for (i = 0; i < picture_columns(t); i++) {
		_cleanup_free_ char *text = picture_cell(t, picture_leg_of_column(t, i), row);

		strbuf_add(b, " %-*.*s |", width, width, text);
	}
	strbuf_add(b, "\n");
}

char *picture_draw(const struct target *t)
{
	struct strbuf b = { 0 };
	uint64_t rows, row;
	int width;

	if (!t->understood || !t->length)
		return xstrdup("");
	rows = picture_rows(t);
	width = picture_cell_width(t);
	picture_add_border(&b, t, width);
	picture_add_row(&b, t, width, HEAD);
	picture_add_border(&b, t, width);
	for (row = 0; row < MIN(rows, 2); row++)
		picture_add_row(&b, t, width, row);
	if (rows > 3)
		picture_add_row(&b, t, width, DOTS);
	if (rows > 2)
		picture_add_row(&b, t, width, rows - 1);
	picture_add_border(&b, t, width);
	return strbuf_take(&b);
}
