/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is to know about a command: for its help, its checks and completion. */
#ifndef NOCLONE_COMMAND_LIST_H
#define NOCLONE_COMMAND_LIST_H

#include "cli/options.h"

#define ANY_NUMBER	(-1)

/* What an option means to one command only. */
struct option_text {
	option_bits bit;
	const char *argument;
	const char *help;
};

/**
 * struct command - one command
 * @name: its name
 * @words: its words, for the usage line
 * @summary: one line of help
 * @min: least number of words
 * @max: most, or ANY_NUMBER
 * @options: OPT_ bits it takes, without those that all take
 * @kinds: what completion proposes for its words, see cli/complete.c
 * @run: runs it with the words only; returns an exit code
 * @topic: heading of the help and of noclone(8) that it belongs to
 * @synonyms: other tools' names for it
 * @examples: for its help
 * @texts: options that mean something else to this command
 */
struct command {
	const char *name;
	const char *words;
	const char *summary;
	int min;
	int max;
	option_bits options;
	const char *kinds;
	int (*run)(const struct options *o, int argc, char **argv);
	const char *topic;
	const char *synonyms;
	const char *examples[2];
	struct option_text texts[2];
};

/* Lists of commands are in the order of the help; a command without a name ends them. */

/* NULL if there is none of that name. */
const struct command *command_find(const struct command *list, const char *name);
/* Does it take that option?  NULL, if the command is not known, takes all. */
bool command_takes(const struct command *cmd, const struct option_info *o);
/* What the option means to that command, or to all if it is NULL. */
struct option_info command_option(const struct command *cmd, const struct option_info *o);

#endif /* NOCLONE_COMMAND_LIST_H */
