// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draw a diagram with a column for each leg and a row for each chunk. A cell has the offsets of its
 * chunk in the mapped device. Two rows show the pattern, and the last row shows the end. A linear
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

/* Return: where the data of the target is. */
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

/* NO_LEG: a column for the legs in the middle that are left out. */
#define NO_LEG	UINT32_MAX
/* HEAD: the row with the names. DOTS: the row for chunks that are left out. */
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
 * Return: the text of a cell: the name of a leg, or the offset of its chunk in the mapped device.
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
 * Return: a width that is enough for all names and for the last row, which has the longest ranges.
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
