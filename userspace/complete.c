// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the candidates for a word of a command line, for completion/noclone.*. Each word of a
 * command, and the argument of an option, has a list of kinds such as "DEVICE|max". A kind in
 * capital letters stands for the candidates that complete_kind() finds; a kind in small letters is
 * itself a candidate.
 */
#include "complete.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "model/origin.h"
#include "system/devmap.h"
#include "system/saved-file.h"
#include "cli/report.h"
#include "cli/status-formats.h"
#include "cmd/cmd.h"
#include "commands.h"

/**
 * struct complete - the known part of a command line
 * @cmd: the command, or NULL
 * @nr: the number of the words of the command before the current word
 * @prefix: the part of the current word with which each candidate begins
 * @out: the candidates
 */
struct complete {
	const struct command *cmd;
	int nr;
	const char *prefix;
	struct strbuf out;
};

/*
 * Add a candidate. A name with a control character is left out: a newline would make two
 * candidates.
 */
static void complete_add(struct complete *c, const char *word, const char *meaning)
{
	_cleanup_free_ char *shown = visible(word);

	if (!strcmp(shown, word))
		strbuf_add(&c->out, "%s%s%s%s\n", c->prefix, word, meaning ? "\t" : "",
			   meaning ? meaning : "");
}

/* Add mapped devices from sysfs, which any user may read; libdevmapper needs root. */
static void complete_mapped(struct complete *c, bool volumes)
{
	glob_t found = { 0 };
	size_t i;

	glob("/sys/block/dm-*/dm", 0, NULL, &found);
	for (i = 0; i < found.gl_pathc; i++) {
		_cleanup_free_ char *name_path = xasprintf("%s/name", found.gl_pathv[i]);
		_cleanup_free_ char *uuid_path = xasprintf("%s/uuid", found.gl_pathv[i]);
		_cleanup_free_ char *name = read_text_file(name_path, 4096);
		_cleanup_free_ char *uuid = read_line_of(uuid_path), *lv = NULL;

		if (!name)
			continue;
		/* the last newline is from sysfs; a name may contain other newlines */
		if (*name)
			name[strlen(name) - 1] = 0;
		complete_add(c, name, NULL);
		if (volumes && uuid && origin_is_lvm_name(uuid))
			lv = devmap_lv_of_name(name);
		if (lv)
			complete_add(c, lv, NULL);
	}
	globfree(&found);
}

static void complete_saved(struct complete *c)
{
	_cleanup_names_ struct names names = { 0 };
	unsigned int i;

	saved_file_names(&names);
	for (i = 0; i < names.nr; i++)
		complete_add(c, names.name[i], NULL);
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

	for (cmd = commands; cmd->name; cmd++)
		complete_add(c, cmd->name, cmd->summary);
}

static void complete_kind(struct complete *c, const char *kind)
{
	if (islower((unsigned char)*kind))
		complete_add(c, kind, NULL);
	else if (!strcmp(kind, "NAME"))
		complete_mapped(c, false);
	else if (!strcmp(kind, "DEVICE") || !strcmp(kind, "PATTERN"))
		complete_mapped(c, true);
	else if (!strcmp(kind, "SAVED"))
		complete_saved(c);
	else if (!strcmp(kind, "FILE"))
		strbuf_add(&c->out, "\tfiles\n");
	else if (str_starts(kind, "COLUMN"))
		complete_columns(c);
	else if (!strcmp(kind, "COMMAND"))
		complete_commands(c);
}

static void complete_alternatives(struct complete *c, const char *kinds)
{
	_cleanup_free_ char *list = xstrdup(kinds);
	char *save = NULL, *kind;

	for (kind = strtok_r(list, "|", &save); kind; kind = strtok_r(NULL, "|", &save))
		complete_kind(c, kind);
}

/*
 * Complete a word of a command. The command has a list of kinds for each of its words; the last
 * list is for all further words.
 */
static void complete_argument(struct complete *c)
{
	_cleanup_names_ struct names kinds = { 0 };

	names_split(&kinds, c->cmd->kinds);
	if (kinds.nr && (c->cmd->max == ANY_NUMBER || c->nr < c->cmd->max))
		complete_alternatives(c, kinds.name[MIN((unsigned int)c->nr, kinds.nr - 1)]);
}

static void complete_options(struct complete *c)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++) {
		_cleanup_free_ char *name = xasprintf("--%s", option_infos[i].name);

		if (!c->cmd || option_infos[i].bit & c->cmd->options)
			complete_add(c, name, option_infos[i].help);
	}
}

/* Complete the value of an option. @length: the number of characters of @word before the value */
static void complete_value(struct complete *c, const char *argument, const char *word,
			   size_t length)
{
	_cleanup_free_ char *prefix = NULL;
	const char *at;

	/* columns are a list, and only the last one is completed */
	for (at = word + length; !strcmp(argument, "COLUMNS") && *at; at++)
		if (*at == ',' || *at == '+')
			length = at + 1 - word;
	prefix = xstrndup(word, length);
	c->prefix = prefix;
	complete_alternatives(c, argument);
}

/* Return: the argument that the option "--name", "--name=..." or "-n" takes, or "". */
static const char *complete_option_argument(const char *word)
{
	size_t length = strcspn(word, "=");
	unsigned int i;

	for (i = 0; i < OPT_NR; i++) {
		const struct option_info *o = &option_infos[i];
		_cleanup_free_ char *name = xasprintf("--%s", o->name);
		const char letter[] = { '-', o->letter, 0 };

		if (o->argument && (!strcmp(letter, word) ||
				    (length == strlen(name) && str_starts(word, name))))
			return o->argument;
	}
	return "";
}

/* Find the command, and count its words. Return: the argument that the last option takes, or "". */
static const char *complete_before(struct complete *c, unsigned int nr, char **words)
{
	unsigned int i;

	for (i = 1; i < nr; i++) {
		const char *argument = complete_option_argument(words[i]);

		if (*argument && *argument != '[' && !strchr(words[i], '=') && ++i == nr)
			return argument;
		if (*argument || *words[i] == '-')
			continue;
		if (c->cmd)
			c->nr++;
		else
			c->cmd = command_find(words[i]);
	}
	return "";
}

char *complete_word(unsigned int nr, char **words)
{
	struct complete c = { .prefix = "" };
	const char *before = complete_before(&c, nr, words), *word = words[nr];

	if (*before)
		complete_value(&c, before, word, 0);
	else if (*word == '-' && strchr(word, '='))
		complete_value(&c, complete_option_argument(word), word, strcspn(word, "=") + 1);
	else if (*word == '-')
		complete_options(&c);
	else if (c.cmd)
		complete_argument(&c);
	else
		complete_commands(&c);
	return strbuf_take(&c.out);
}

int complete_main(int argc, char **argv)
{
	_cleanup_free_ char *candidates = NULL;
	uint32_t nr;

	if (argc < 4 || !parse_u32(argv[2], &nr) || nr > (uint32_t)argc - 3)
		return EXIT_USAGE;
	if (nr == (uint32_t)argc - 3)
		argv[argc] = "";
	candidates = complete_word(nr, argv + 3);
	fputs(candidates, stdout);
	return EXIT_OK;
}
