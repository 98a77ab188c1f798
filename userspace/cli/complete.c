// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the word of a command line may be.  The kinds of a command's words, and the argument
 * of an option, are lists as "DEVICE|max": words in capital letters are looked up below,
 * those in small letters are candidates themselves.
 */
#include "cli/complete.h"

#include <ctype.h>
#include <glob.h>
#include <string.h>

#include "base/read.h"
#include "base/util.h"
#include "model/name.h"
#include "system/devmap.h"
#include "system/saved-file.h"
#include "cli/status-formats.h"

/* Of what sysfs has in one attribute */
#define COMPLETE_MAX	65536

/**
 * struct complete - a command line as far as it is known
 * @list: all commands
 * @cmd: the command, or NULL
 * @nr: number of its words before the current one
 * @prefix: the part of the current word that each candidate begins with
 * @out: the candidates
 */
struct complete {
	const struct command *list;
	const struct command *cmd;
	unsigned int nr;
	const char *prefix;
	struct strbuf out;
};

/* A name with a control character is left out: a newline would make two of it. */
static void complete_add(struct complete *c, const char *word, const char *meaning)
{
	const char *character;

	for (character = word; *character; character++)
		if (iscntrl((unsigned char)*character))
			return;
	strbuf_add(&c->out, "%s%s%s%s\n", c->prefix, word, meaning ? "\t" : "",
		   meaning ? meaning : "");
}

/* As a whole: a name may have a newline.  A new string, or NULL. */
static char *complete_attribute(const char *folder, const char *attribute)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, attribute);
	char *text = read_text_file(path, COMPLETE_MAX);
	size_t length = text ? strlen(text) : 0;

	if (length && text[length - 1] == '\n')
		text[length - 1] = 0;
	return text;
}

/* From sysfs, which any user may read; libdevmapper needs root. */
static void complete_mapped(struct complete *c, bool volumes)
{
	glob_t found = { 0 };
	size_t i;

	glob("/sys/block/dm-*/dm", 0, NULL, &found);
	for (i = 0; i < found.gl_pathc; i++) {
		_cleanup_free_ char *name = complete_attribute(found.gl_pathv[i], "name");
		_cleanup_free_ char *uuid = complete_attribute(found.gl_pathv[i], "uuid");
		_cleanup_free_ char *lv = NULL;

		if (name)
			complete_add(c, name, NULL);
		if (name && volumes && uuid && origin_is_lvm_name(uuid))
			lv = devmap_lv_of_name(name);
		if (lv)
			complete_add(c, lv, NULL);
	}
	globfree(&found);
}

static void complete_names(struct complete *c)
{
	complete_mapped(c, false);
}

static void complete_devices(struct complete *c)
{
	complete_mapped(c, true);
}

static void complete_saved_one(const char *name, void *data)
{
	complete_add(data, name, NULL);
}

static void complete_saved(struct complete *c)
{
	saved_file_for_each(complete_saved_one, c);
}

static void complete_files(struct complete *c)
{
	strbuf_add(&c->out, "\tfiles\n");
}

static void complete_columns(struct complete *c)
{
	const struct report r = status_report();
	unsigned int i;

	for (i = 0; i < r.nr_columns; i++)
		complete_add(c, r.columns[i].name, r.columns[i].help);
}

static void complete_commands(struct complete *c)
{
	const struct command *cmd;

	for (cmd = c->list; cmd->name; cmd++)
		complete_add(c, cmd->name, cmd->summary);
}

static const struct {
	const char *name;
	void (*add)(struct complete *c);
} complete_kinds[] = {
	{ "NAME", complete_names },
	{ "DEVICE", complete_devices },
	{ "PATTERN", complete_devices },
	{ "SAVED", complete_saved },
	{ "FILE", complete_files },
	{ "COLUMNS", complete_columns },
	{ "COMMAND", complete_commands },
};

static void complete_kind(struct complete *c, const char *kind)
{
	unsigned int i;

	if (islower((unsigned char)*kind))
		complete_add(c, kind, NULL);
	for (i = 0; i < ARRAY_SIZE(complete_kinds); i++)
		if (!strcmp(complete_kinds[i].name, kind))
			complete_kinds[i].add(c);
}

static void complete_alternatives(struct complete *c, const char *kinds)
{
	while (*kinds) {
		size_t length = strcspn(kinds, "|");
		_cleanup_free_ char *kind = xstrndup(kinds, length);

		complete_kind(c, kind);
		kinds += length + (kinds[length] == '|');
	}
}

/* One kind for each word, the last one for all that follow. */
static void complete_argument(struct complete *c)
{
	_cleanup_words_ struct words kinds = { 0 };

	words_split(&kinds, c->cmd->kinds);
	if (kinds.nr && (c->cmd->max == ANY_NUMBER || (int)c->nr < c->cmd->max))
		complete_alternatives(c, kinds.word[MIN(c->nr, kinds.nr - 1)]);
}

static void complete_options(struct complete *c)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++) {
		struct option_info o = command_option(c->cmd, &option_infos[i]);
		_cleanup_free_ char *name = xasprintf("--%s", o.name);

		if (command_takes(c->cmd, &o))
			complete_add(c, name, o.help);
	}
}

/* The value of an option begins at @length of the word. */
static void complete_value(struct complete *c, const struct option_info *o,
			   const char *word, size_t length)
{
	struct option_info own = command_option(c->cmd, o);
	_cleanup_free_ char *prefix = NULL;
	const char *at;

	if (!own.argument)
		return;
	/* columns are a list, of which the last one is being typed */
	for (at = word + length; !strcmp(own.argument, "COLUMNS") && *at; at++)
		if (*at == ',' || *at == '+')
			length = at + 1 - word;
	prefix = xstrndup(word, length);
	c->prefix = prefix;
	complete_alternatives(c, own.argument);
}

/* Find the command, and count its words. Return: the option whose value follows, or NULL. */
static const struct option_info *complete_before(struct complete *c, unsigned int nr,
						 char **words)
{
	unsigned int i;

	for (i = 1; i < nr; i++) {
		const struct option_info *o = option_find(words[i]);

		if (o && option_takes_word(o) && ++i == nr)
			return o;
		if (o || *words[i] == '-')
			continue;
		if (c->cmd)
			c->nr++;
		else
			c->cmd = command_find(c->list, words[i]);
	}
	return NULL;
}

char *complete_word(const struct command *list, unsigned int nr, char **words)
{
	struct complete c = { .list = list, .prefix = "" };
	const struct option_info *before = complete_before(&c, nr, words);
	const char *word = words[nr];
	size_t length = strcspn(word, "=");
	_cleanup_free_ char *name = xstrndup(word, length);
	const struct option_info *same = word[length] ? option_find(name) : NULL;

	if (before)
		complete_value(&c, before, word, 0);
	else if (same)
		complete_value(&c, same, word, length + 1);
	else if (*word == '-')
		complete_options(&c);
	else if (c.cmd)
		complete_argument(&c);
	else
		complete_commands(&c);
	return strbuf_take(&c.out);
}
