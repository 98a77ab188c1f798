// SPDX-License-Identifier: GPL-2.0-only
/*
 * A linear and a noclone-file target are one box.  A striped one has a column
 * per leg and a row per chunk, with the offsets in the mapped device in the
 * cells: two rows show the pattern, the last one shows where it ends.
 */
#include "model/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table.h"

#define MAX_COLUMNS	6

/* The last part of the name of a leg, or of the file. */
static char *picture_short_name(const struct target *t, unsigned int leg)
{
	char *name = t->kind == TARGET_FILE ? path_encode(t->path) :
					      xstrdup(t->legs[leg].device);
	const char *slash = strrchr(name, '/');

	if (slash && slash[1])
		memmove(name, slash + 1, strlen(slash));
	return name;
}

static char *picture_file_words(const struct target *t, const char *first,
				const char *end)
{
	_cleanup_free_ char *path = path_encode(t->path);

	return xasprintf("%s to %s: file %s from sector %llu on, engine %s: %s (%s%s)",
			 first, end, path, (unsigned long long)t->file_start,
			 engine_name(t->engine), engine_meaning(t->engine),
			 t->type, t->no_fastpath ? ", no fast path" : "");
}

char *picture_words(const struct target *t)
{
	_cleanup_free_ char *first = size_format_short(t->start);
	_cleanup_free_ char *end = size_format_short(t->start + t->length);
	_cleanup_free_ char *chunk = size_format(t->chunk);
	_cleanup_free_ char *leg = size_format_short(target_leg_length(t));

	if (!t->understood)
		return xasprintf("%s to %s: target %s with arguments \"%s\"",
				 first, end, t->type, t->params);
	if (t->kind == TARGET_FILE)
		return picture_file_words(t, first, end);
	if (t->kind == TARGET_LINEAR)
		return xasprintf("%s to %s: %s from sector %llu on, in one piece (%s%s)",
				 first, end, t->legs[0].device,
				 (unsigned long long)t->legs[0].start, t->type,
				 t->no_fastpath ? ", no fast path" : "");
	return xasprintf("%s to %s: in chunks of %s over %u devices in turn, %s of each (%s%s)",
			 first, end, chunk, t->nr_legs, leg, t->type,
			 t->no_fastpath ? ", no fast path" : "");
}

struct cells {
	char **cell;
	unsigned int columns;
	unsigned int width;
	struct strbuf out;
};

static void picture_set_cell(struct cells *c, unsigned int column, char *text)
{
	free(c->cell[column]);
	c->cell[column] = text;
}

static void picture_draw_border(struct cells *c)
{
	unsigned int i;

	strbuf_add(&c->out, "  +");
	for (i = 0; i < c->columns; i++) {
		strbuf_putc(&c->out, '-', c->width + 2);
		strbuf_add(&c->out, "+");
	}
	strbuf_add(&c->out, "\n");
}

static void picture_draw_row(struct cells *c)
{
	unsigned int i;

	strbuf_add(&c->out, "  |");
	for (i = 0; i < c->columns; i++)
		strbuf_add(&c->out, " %-*.*s |", (int)c->width, (int)c->width,
			   c->cell[i] ? c->cell[i] : "");
	strbuf_add(&c->out, "\n");
}

static char *picture_range_text(uint64_t first, uint64_t sectors)
{
	_cleanup_free_ char *from = size_format(first);
	_cleanup_free_ char *to = size_format(first + sectors);

	return xasprintf("%s..%s", from, to);
}

/* Which leg a column shows: the middle of many is left out. */
static unsigned int picture_leg_of_column(const struct target *t,
					  const struct cells *c, unsigned int column,
					  bool *left_out)
{
	*left_out = t->nr_legs > c->columns && column == c->columns - 2;
	return column && column == c->columns - 1 ? t->nr_legs - 1 : column;
}

static void picture_draw_chunks(const struct target *t, struct cells *c, uint64_t row)
{
	unsigned int i, leg;
	uint64_t first;
	bool left_out;

	for (i = 0; i < c->columns; i++) {
		leg = picture_leg_of_column(t, c, i, &left_out);
		first = t->start + (row * t->nr_legs + leg) * t->chunk;
		picture_set_cell(c, i, left_out ? xstrdup("...") :
				 picture_range_text(first, t->chunk));
	}
	picture_draw_row(c);
}

static void picture_draw_text_row(struct cells *c, const char *text)
{
	unsigned int i;

	for (i = 0; i < c->columns; i++)
		picture_set_cell(c, i, xstrdup(text));
	picture_draw_row(c);
}

static void picture_draw_head(const struct target *t, struct cells *c)
{
	unsigned int i, leg;
	bool left_out;

	picture_draw_border(c);
	for (i = 0; i < c->columns; i++) {
		leg = picture_leg_of_column(t, c, i, &left_out);
		picture_set_cell(c, i, left_out ? xstrdup("...") : picture_short_name(t, leg));
	}
	picture_draw_row(c);
	picture_draw_border(c);
}

static void picture_draw_striped(const struct target *t, struct cells *c)
{
	uint64_t rows = t->length / ((uint64_t)t->nr_legs * t->chunk);

	picture_draw_head(t, c);
	picture_draw_chunks(t, c, 0);
	if (rows > 1)
		picture_draw_chunks(t, c, 1);
	if (rows > 3)
		picture_draw_text_row(c, "...");
	if (rows > 2)
		picture_draw_chunks(t, c, rows - 1);
	picture_draw_border(c);
}

static void picture_draw_linear(const struct target *t, struct cells *c)
{
	picture_draw_head(t, c);
	picture_set_cell(c, 0, picture_range_text(t->start, t->length));
	picture_draw_row(c);
	picture_draw_border(c);
}

/* The first sector of a leg's last chunk; of a linear target's only one. */
static uint64_t picture_last_chunk(const struct target *t, unsigned int leg)
{
	if (!t->chunk)
		return t->start;
	return t->start + t->length - (uint64_t)(t->nr_legs - leg) * t->chunk;
}

/* Wide enough for every name and the last row, whose ranges are the longest. */
static unsigned int picture_cell_width(const struct target *t)
{
	uint64_t sectors = t->chunk ? t->chunk : t->length;
	size_t width = 12;
	unsigned int i;

	for (i = 0; i < MAX(t->nr_legs, 1U); i++) {
		_cleanup_free_ char *range = picture_range_text(picture_last_chunk(t, i),
								sectors);
		_cleanup_free_ char *name = picture_short_name(t, i);

		width = MAX(width, strlen(name));
		width = MAX(width, strlen(range));
	}
	return MIN(width, (size_t)32);
}

char *picture_draw(const struct target *t)
{
	struct cells c = { 0 };
	unsigned int i;

	if (!t->understood || !t->length)
		return xstrdup("");
	c.columns = MIN(MAX(t->nr_legs, 1U), (unsigned int)MAX_COLUMNS);
	c.width = picture_cell_width(t);
	c.cell = xzalloc(c.columns * sizeof(*c.cell));
	if (t->kind == TARGET_STRIPED)
		picture_draw_striped(t, &c);
	else
		picture_draw_linear(t, &c);
	for (i = 0; i < c.columns; i++)
		free(c.cell[i]);
	free(c.cell);
	return strbuf_take(&c.out);
}
