// SPDX-License-Identifier: GPL-2.0-only
/* The help texts, made from the list of commands. */
#include "cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/util.h"

/* What is wrong with a command line, and what was probably meant. */

static bool help_usage_is_among(const char *word, const char *list)
{
	_cleanup_words_ struct words w = { 0 };
	unsigned int i;

	words_split(&w, list ? list : "");
	for (i = 0; i < w.nr; i++)
		if (!strcmp(w.word[i], word))
			return true;
	return false;
}

void usage_unknown_command(const struct command *list, const char *name)
{
	struct nearest n = { .word = name };
	_cleanup_free_ char *hint = NULL;
	const struct command *cmd;

	for (cmd = list; cmd->name; cmd++)
		nearest_try(&n, cmd->name);
	for (cmd = list; cmd->name; cmd++)
		if (help_usage_is_among(name, cmd->synonyms))
			n.best = cmd->name;
	hint = nearest_hint(n.best);
	log_err("unknown command \"%s\"%s", name, hint);
	log_err("\"noclone help\" lists the commands");
}

bool usage_is_dmsetup(int argc, char **argv)
{
	static const char *const verbs[][2] = {
		{ "rename", "NAME NEW_NAME" }, { "suspend", "NAME..." }, { "resume", "NAME..." },
		{ "message", "NAME 0 WORD..." },
	};
	unsigned int i;

	/* options may come first */
	for (; argc && **argv == '-'; argc--, argv++)
		;
	for (i = 0; argc && i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(*argv, verbs[i][0]))
			continue;
		log_err("there is no command \"%s\"; type instead: dmsetup %s %s", *argv, *argv,
			verbs[i][1]);
		return true;
	}
	return false;
}

static void help_usage_list_options(const struct command *cmd)
{
	_cleanup_strbuf_ struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < OPT_NR; i++) {
		struct option_info o = command_option(cmd, &option_infos[i]);

		if (command_takes(cmd, &o))
			strbuf_add(&b, "%s--%s%s%s", b.len ? ", " : "", o.name,
				   o.argument ? " " : "", o.argument ? o.argument : "");
	}
	log_err("options of %s: %s", cmd->name, b.text);
}

static void help_usage_no_such_option(const char *word, const struct command *cmd)
{
	bool is_long = str_starts(word, "--");
	struct nearest n = { .word = word + 2 };
	_cleanup_free_ char *best = NULL, *hint = NULL;
	unsigned int i;

	for (i = 0; is_long && i < OPT_NR; i++)
		if (command_takes(cmd, &option_infos[i]))
			nearest_try(&n, option_infos[i].name);
	best = n.best ? xasprintf("--%s", n.best) : NULL;
	hint = nearest_hint(best);
	if (cmd && !strcmp(cmd->name, "resize") && isdigit((unsigned char)word[1]))
		log_err("unknown option %s: resize only grows a device; \"noclone reload\" with a smaller table cuts it",
			word);
	else
		log_err("unknown option %s%s", word, hint);
}

/* The options that @word is the beginning of: a new string, NULL if there are none. */
static char *help_usage_long_forms(const char *word, const struct command *cmd)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; str_starts(word, "--") && i < OPT_NR; i++)
		if (command_takes(cmd, &option_infos[i]) &&
		    str_starts(option_infos[i].name, word + 2))
			strbuf_add(&b, "%s--%s", b.len ? ", " : "", option_infos[i].name);
	return b.text;
}

void usage_unknown_option(const char *word, const struct command *cmd)
{
	_cleanup_free_ char *several = help_usage_long_forms(word, cmd);

	if (several)
		log_err("%s may be short for %s: write it out", word, several);
	else
		help_usage_no_such_option(word, cmd);
	if (cmd)
		help_usage_list_options(cmd);
	else
		log_err("\"noclone help COMMAND\" lists the options of a command");
}

void usage_other_options(const struct command *cmd, option_bits given)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (given & option_infos[i].bit && !command_takes(cmd, &option_infos[i]))
			log_err("%s does not take --%s", cmd->name,
				option_infos[i].name);
	help_usage_list_options(cmd);
}

void usage_words(const struct command *cmd, int argc, char **argv)
{
	const char *blank = *cmd->words ? " " : "";

	if (argc - 1 < cmd->min)
		log_err("%s needs more words; usage: noclone %s%s%s", cmd->name,
			cmd->name, blank, cmd->words);
	else
		log_err("%s: \"%s\" is one word too many; usage: noclone %s%s%s",
			cmd->name, argv[cmd->max + 1], cmd->name, blank, cmd->words);
}

/* Options with their arguments are this wide; a longer one has a line to itself. */
#define HELP_WIDTH	24

static void help_option(const struct option_info *o)
{
	const char *argument = o->argument ? o->argument : "";
	bool optional = *argument == '[';
	_cleanup_free_ char *words = xasprintf("--%s%s%s", o->name,
					       optional ? "[=" : *argument ? " " : "",
					       argument + optional);

	if (o->letter)
		printf("  -%c, ", o->letter);
	else
		printf("      ");
	if (strlen(words) > HELP_WIDTH)
		printf("%s\n      %*s %s\n", words, HELP_WIDTH, "", o->help);
	else
		printf("%-*s %s\n", HELP_WIDTH, words, o->help);
}

void help_command(const struct command *cmd)
{
	unsigned int i;

	printf("noclone %s %s\n\n%s\n\nOptions:\n", cmd->name, cmd->words,
	       cmd->summary);
	for (i = 0; i < OPT_NR; i++) {
		struct option_info o = command_option(cmd, &option_infos[i]);

		if (command_takes(cmd, &o))
			help_option(&o);
	}
	puts("\nExamples:");
	for (i = 0; i < ARRAY_SIZE(cmd->examples); i++)
		printf("  %s\n", cmd->examples[i]);
	printf("\nnoclone-%s(8) is its manual page.\n", cmd->name);
}

void help_overview(const struct command *list)
{
	const char *topic = "";

	puts("noclone COMMAND [OPTIONS] [WORDS]\n\n"
	     "Device-mapper devices whose I/O takes a fast path without clones: linear,\n"
	     "striped, or on a file.");
	for (; list->name; list++) {
		if (strcmp(list->topic, topic))
			printf("\n%s:\n", list->topic);
		topic = list->topic;
		printf("  %-10s %s\n", list->name, list->summary);
	}
	puts("\n\"noclone help COMMAND\" describes one, noclone-COMMAND(8) in full.\n"
	     "Sizes need a unit: 64K, 1.5G, 1T (powers of 1024), 10GB (powers of 1000),\n"
	     "2048s (sectors of 512 bytes).");
}
