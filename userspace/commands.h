/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of commands, and the dispatcher. */
#ifndef NOCLONE_COMMANDS_H
#define NOCLONE_COMMANDS_H

#include "cli/options.h"

#define ANY_NUMBER	(-1)

/**
 * struct command - one command
 * @name: the name of the command
 * @words: the words that follow the name, for the usage line
 * @summary: a line that describes the command in the help
 * @topic: the heading above the command in the help and in noclone(8)
 * @min: the least number of words
 * @max: the largest number of words, or ANY_NUMBER
 * @options: OPT_ bits of the options that the command takes, including the options of all commands
 * @kinds: the kinds of the words for completion, see complete.c
 * @run: runs the command with all words; returns an exit code
 * @each: runs the command with one word, if @run is NULL; returns 0, or a negative errno after a
 *	message
 */
struct command {
	const char *name;
	const char *words;
	const char *summary;
	const char *topic;
	int min;
	int max;
	option_bits options;
	const char *kinds;
	int (*run)(const struct options *o, int argc, char **argv);
	int (*each)(const struct options *o, const char *word);
};

/* The commands in the order of the help. The last entry has no name. */
extern const struct command commands[];
/* Return: the command of that name, or NULL. */
const struct command *command_find(const char *name);
/* Parse, check and run a command line; argv[0] is the program. Return: the exit status. */
int command_main(int argc, char **argv);

#endif /* NOCLONE_COMMANDS_H */
