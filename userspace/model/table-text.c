// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read and print tables.
 *
 * The parser makes the same checks as the constructors of the targets in the kernel, in the same
 * order and with the same sentences. So "noclone check" and the kernel log report a mistake with
 * the same words.
 */
#include "model/table-text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "noclone-path.h"
#include "noclone-refusals.h"
#include "dm-noclone.h"
#include "base/util.h"
#include "model/file-engine.h"
#include "model/finding.h"
#include "model/table-target.h"
#include "model/table.h"

/**
 * struct args - the state of the parser of arguments
 * @target: the target that the parser fills in
 * @word: the remaining words
 * @nr: the number of remaining words
 * @findings: gets the mistakes
 */
struct args {
	struct target *target;
	char **word;
	unsigned int nr;
	struct findings *findings;
};

/* Add a mistake. @word: the wrong word, or NULL. Return: false. */
static bool table_parse_args_bad(struct args *a, const char *sentence, const char *word)
{
	if (word)
		finding_at(a->findings, FINDING_ERROR, a->target->line,
			   "%s: %s: \"%s\"", a->target->type, sentence, word);
	else
		finding_at(a->findings, FINDING_ERROR, a->target->line,
			   "%s: %s", a->target->type, sentence);
	return false;
}

/* Return: the next word, which must exist. */
static char *table_parse_args_next(struct args *a)
{
	a->nr--;
	return *a->word++;
}

/* MAX_FILE_WORDS: the largest number of words in the options of noclone-file. */
#define MAX_FILE_WORDS	3U
/* NO_BREAK_SPACE: the kernel's isspace() takes this byte for a blank. */
#define NO_BREAK_SPACE		0xa0

/* Would dm or dmsetup change the path before the target gets it? */
static bool table_parse_is_mangled(const char *word)
{
	for (; *word; word++)
		if (*word == '\\' || (unsigned char)*word < ' ' ||
		    (unsigned char)*word == NO_BREAK_SPACE)
			return true;
	return false;
}

/*
 * Replace an encoded path by the decoded path in the same memory. Return: false after a mistake was
 * added.
 */
static bool table_parse_path(struct args *a, char *path)
{
	_cleanup_free_ char *word = xstrdup(path);

	if (table_parse_is_mangled(word))
		return table_parse_args_bad(a, "Path has a byte that dm removes or treats as a separator: write this byte as % and two hexadecimal digits",
					    word);
	if (!noclone_path_decode(path))
		return table_parse_args_bad(a, NOCLONE_ERR_PATH_ESCAPE, word);
	if (*path != '/')
		return table_parse_args_bad(a, NOCLONE_ERR_PATH_RELATIVE, word);
	return true;
}

static bool table_parse_engine(struct args *a)
{
	char *word;

	if (!a->nr)
		return table_parse_args_bad(a, NOCLONE_ERR_NO_ENGINE, NULL);
	word = table_parse_args_next(a);
	a->target->engine_given = true;
	/* "sync" and "null" are for debug builds only, so the message does not propose them */
	return engine_find(word, &a->target->engine) ||
	       table_parse_args_bad(a, NOCLONE_ERR_ENGINE, word);
}

static bool table_parse_option(struct args *a)
{
	bool file = a->target->kind == TARGET_FILE;
	char *word = table_parse_args_next(a);

	if (file && !strcasecmp(word, NOCLONE_OPT_ENGINE))
		return table_parse_engine(a);
	if (strcasecmp(word, NOCLONE_OPT_NO_FASTPATH))
		return table_parse_args_bad(a, file ? NOCLONE_ERR_FILE_OPTION : NOCLONE_ERR_OPTION,
					    word);
	a->target->no_fastpath = true;
	return true;
}

/*
 * Parse the options "<#words> word..."; a target may have no options. Return: true, or false
 * after a mistake was added to @findings of @a.
 */
static bool table_parse_options(struct args *a)
{
	bool file = a->target->kind == TARGET_FILE;
	char *word;
	uint32_t n;

	if (!a->nr)
		return true;
	word = table_parse_args_next(a);
	if (!parse_u32(word, &n) || n > (file ? MAX_FILE_WORDS : 1))
		return table_parse_args_bad(a, file ? NOCLONE_ERR_FILE_NR_OPTIONS :
					    NOCLONE_ERR_NR_OPTIONS, word);
	if (file && n != a->nr)
		return table_parse_args_bad(a, NOCLONE_ERR_FILE_OPTION_COUNT, word);
	if (n > a->nr)
		return table_parse_args_bad(a, NOCLONE_ERR_FEW_OPTIONS, NULL);
	/*
	 * for noclone-file, parse until no word is left, because the option "engine" has two words
	 */
	for (; file ? a->nr : n; n--)
		if (!table_parse_option(a))
			return false;
	return a->nr ? table_parse_args_bad(a, NOCLONE_ERR_LEFT_OVER, *a->word) : true;
}

static bool table_parse_leg(struct args *a)
{
	char *device = table_parse_args_next(a);
	char *word = table_parse_args_next(a);
	uint64_t start;

	if (a->target->kind == TARGET_FILE && !table_parse_path(a, device))
		return false;
	if (!parse_u64(word, &start))
		return table_parse_args_bad(a, NOCLONE_ERR_START, word);
	target_add_leg(a->target, device, start);
	return true;
}

/*
 * Parse the options first, and then the legs, because the kernel also reads the options before it
 * opens the devices. @legs: the number of legs
 */
static bool table_parse_tail(struct args *a, uint32_t legs)
{
	struct args options = *a;

	options.word += 2 * (size_t)legs;
	options.nr -= 2 * legs;
	if (a->target->stock && options.nr)
		return table_parse_args_bad(a, "Words left over after the devices", *options.word);
	if (!table_parse_options(&options))
		return false;
	while (legs--)
		if (!table_parse_leg(a))
			return false;
	return true;
}

/* Parse the arguments of linear or noclone-file. Return: false after a mistake was added. */
static bool table_parse_linear(struct args *a)
{
	if (a->nr < 2)
		return table_parse_args_bad(a, a->target->kind == TARGET_FILE ?
					    NOCLONE_ERR_FILE_ARGS : NOCLONE_ERR_LINEAR_ARGS, NULL);
	return table_parse_tail(a, 1);
}

static bool table_parse_numbers(struct args *a, uint32_t *stripes)
{
	char *word;

	if (a->nr < 2)
		return table_parse_args_bad(a, NOCLONE_ERR_STRIPED_ARGS, NULL);
	word = table_parse_args_next(a);
	if (!parse_u32(word, stripes) || !*stripes)
		return table_parse_args_bad(a, NOCLONE_ERR_STRIPES, word);
	word = table_parse_args_next(a);
	if (!parse_u32(word, &a->target->chunk) || !a->target->chunk)
		return table_parse_args_bad(a, NOCLONE_ERR_CHUNK, word);
	return true;
}

static bool table_parse_striped(struct args *a)
{
	const struct target *t = a->target;
	uint32_t stripes;

	if (!table_parse_numbers(a, &stripes))
		return false;
	if (t->length % stripes)
		return table_parse_args_bad(a, NOCLONE_ERR_LENGTH, NULL);
	if (t->length / stripes % t->chunk)
		return table_parse_args_bad(a, NOCLONE_ERR_STRIPE_LENGTH, NULL);
	if (a->nr / 2 < stripes)
		return table_parse_args_bad(a, NOCLONE_ERR_FEW_LEGS, NULL);
	return table_parse_tail(a, stripes);
}

static void table_parse_params(struct target *t, struct findings *findings)
{
	_cleanup_names_ struct names w = { 0 };
	struct args args;

	names_split(&w, t->params);
	args = (struct args) { t, w.name, w.nr, findings };
	if (t->kind == TARGET_STRIPED)
		t->understood = table_parse_striped(&args);
	else if (t->kind != TARGET_OTHER)
		t->understood = table_parse_linear(&args);
	else if (t->secret && strstr(t->secret, TABLE_HIDDEN))
		table_parse_args_bad(&args, "The arguments of the target are hidden: only the program that made the device knows the arguments", NULL);
}

/*
 * May the arguments of a target of this type be shown? Only the types in this list are shown,
 * because the arguments of any other type of the kernel, even of a future one, may contain a key.
 */
static bool table_parse_is_shown(const char *type)
{
	static const char * const types[] = { "linear", "striped", "zero", "error" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return str_starts(type, "noclone-");
}

struct target *table_add(struct table *t, unsigned int line, uint64_t start, uint64_t length,
			 const char *type, const char *params, struct findings *findings)
{
	struct target *target = table_add_target(t, start, length, type);

	if (line)
		target->line = line;
	target->understood = false;
	free(target->params);
	target->secret = table_parse_is_shown(type) ? NULL : xstrdup(params);
	target->params = xstrdup(target->secret ? TABLE_HIDDEN : params);
	table_parse_params(target, findings);
	return target;
}

static void table_parse_line(struct table *t, unsigned int nr, const char *line,
			     struct findings *findings)
{
	_cleanup_free_ char *start_word = NULL, *length_word = NULL, *type = NULL;
	uint64_t start, length;
	int rest = 0, words = sscanf(line, "%ms %ms %ms %n", &start_word, &length_word, &type,
				     &rest);

	/* in a file that has no table, each line is wrong: report only the first line */
	if (words <= 0 || (words < 3 && !t->nr && findings_count(findings, FINDING_ERROR)))
		return;
	if (words < 3)
		finding_at(findings, FINDING_ERROR, nr,
			   "A line of a table is <start sector> <sectors> <target> <arguments>");
	else if (!parse_u64(start_word, &start))
		finding_at(findings, FINDING_ERROR, nr,
			   "Start of the target is not a decimal number of sectors: \"%s\"",
			   start_word);
	else if (!parse_u64(length_word, &length))
		finding_at(findings, FINDING_ERROR, nr,
			   "Length of the target is not a decimal number of sectors: \"%s\"",
			   length_word);
	else
		table_add(t, nr, start, length, type, line + rest, findings);
}

/*
 * Does the line contain a carriage return that is not at its end? If a file has carriage returns in
 * place of line feeds, its whole table is one line, and without this check only the first target
 * would be read.
 */
static bool table_parse_is_cut(const char *line)
{
	const char *end = strchr(line, '\r');

	return end && end[1];
}

void table_parse(struct table *t, const char *text, struct findings *findings)
{
	unsigned int nr = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		_cleanup_free_ char *line = xstrndup(text, len);

		nr++;
		if (table_parse_is_cut(line)) {
			finding_at(findings, FINDING_ERROR, nr,
				   "A carriage return is inside of the line: end each line with a line feed, as \"tr '\\r' '\\n'\" does");
			*line = 0;
		}
		line[strcspn(line, "#\r")] = 0;
		table_parse_line(t, nr, line, findings);
		text += len + (text[len] == '\n');
	}
	if (!t->nr && !findings_count(findings, FINDING_ERROR))
		finding_at(findings, FINDING_ERROR, 0, "The table is empty");
}

static char *table_print_lines(const struct table *t, bool stock, device_namer namer, bool all)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		_cleanup_free_ char *line = target_line(&t->targets[i], stock, namer, all);

		strbuf_add(&b, "%s%s", i ? "\n" : "", line);
	}
	return strbuf_take(&b);
}

char *table_print(const struct table *t, bool stock, device_namer namer)
{
	return table_print_lines(t, stock, namer, false);
}

char *table_print_all(const struct table *t)
{
	return table_print_lines(t, false, NULL, true);
}

char *table_types(const struct table *t)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (!i || strcmp(t->targets[i].type, t->targets[i - 1].type))
			strbuf_add(&b, "%s%s", i ? "," : "", t->targets[i].type);
	return strbuf_take(&b);
}

/*
 * Add a string in which a backslash precedes each comma, semicolon and backslash, because the
 * concise format uses these characters to separate parts.
 */
static void table_print_add_escaped(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr(",;\\", *s))
			strbuf_putc(b, '\\', 1);
		strbuf_putc(b, *s, 1);
	}
}

/*
 * Add a string in which each control character is replaced by \xNN, as by dmsetup, because a
 * control character of a name could control the terminal.
 */
static void table_print_add_visible(struct strbuf *b, const char *s)
{
	_cleanup_free_ char *text = visible(s);

	table_print_add_escaped(b, text);
}

char *table_concise(const struct table *stock, const char *name,
		    const char *uuid, bool readonly)
{
	struct strbuf b = { 0 };
	unsigned int i;

	table_print_add_visible(&b, name);
	strbuf_add(&b, ",");
	table_print_add_visible(&b, uuid);
	strbuf_add(&b, ",,%s", readonly ? "ro" : "rw");
	for (i = 0; i < stock->nr; i++) {
		_cleanup_free_ char *line = target_print(&stock->targets[i], true, NULL);

		strbuf_add(&b, ",");
		table_print_add_visible(&b, line);
	}
	return strbuf_take(&b);
}

void table_copy(const struct table *from, struct table *to)
{
	unsigned int i;

	for (i = 0; i < from->nr; i++) {
		const struct target *t = &from->targets[i];
		struct target *copy = table_add_target(to, t->start, t->length, t->type);
		unsigned int leg;

		free(copy->params);
		copy->params = xstrdup(t->params);
		copy->secret = t->secret ? xstrdup(t->secret) : NULL;
		copy->understood = t->understood;
		copy->no_fastpath = t->no_fastpath;
		copy->chunk = t->chunk;
		copy->id = t->id;
		copy->engine = t->engine;
		copy->engine_given = t->engine_given;
		for (leg = 0; leg < t->nr_legs; leg++)
			target_add_leg(copy, t->legs[leg].device, t->legs[leg].start);
	}
}
