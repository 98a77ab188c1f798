/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands.  Only their functions and the dispatcher know exit codes. */
#ifndef NOCLONE_CMD_H
#define NOCLONE_CMD_H

#include "system/devmap.h"
#include "cli/options.h"

#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

#define ANY_NUMBER	(-1)

/**
 * struct command - one command
 * @name: its name
 * @words: its words, for the usage line
 * @summary: one line of help
 * @topic: heading of the help and of noclone(8) that it belongs to
 * @min: least number of words
 * @max: most, or ANY_NUMBER
 * @options: OPT_ bits it takes, with those that all take
 * @kinds: what completion proposes for its words, see cmd/complete.c
 * @run: runs it with the words only; returns an exit code
 * @each: if not that, runs it with one of its words: 0, or a negative errno after a message
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

/* In the order of the help; one without a name ends them. */
extern const struct command commands[];
/* NULL if there is none of that name. */
const struct command *command_find(const char *name);
/* Parse, check and run; argv[0] is the program.  Return: the exit status. */
int command_main(int argc, char **argv);

int cmd_create(const struct options *o, int argc, char **argv);
int cmd_reload(const struct options *o, int argc, char **argv);
int cmd_remove(const struct options *o, const char *word);
int cmd_save(const struct options *o, const char *word);
int cmd_activate(const struct options *o, int argc, char **argv);
int cmd_deactivate(const struct options *o, int argc, char **argv);
int cmd_resize(const struct options *o, int argc, char **argv);
int cmd_enable(const struct options *o, int argc, char **argv);
int cmd_disable(const struct options *o, int argc, char **argv);
int cmd_convert(const struct options *o, const char *word);
int cmd_status(const struct options *o, int argc, char **argv);
int cmd_check(const struct options *o, int argc, char **argv);
int cmd_explain(const struct options *o, int argc, char **argv);
int cmd_export(const struct options *o, int argc, char **argv);
int cmd_doctor(const struct options *o, int argc, char **argv);
int cmd_bench(const struct options *o, int argc, char **argv);
/* noclone __complete: not a command of the list, because its words are not ours */
int cmd_complete(int argc, char **argv);

/*
 * A saved device.  Return: its new state in a few words, "" if a plan was printed; NULL after
 * a message.
 */
const char *deactivate_device(const struct options *o, const char *name);
/* Does no other of the devices have to come first? */
bool deactivate_is_ready(const char *name);

/*
 * Remove a device, or say who uses it.  A dry run prints what does the same: dmsetup's, and rm
 * for a @file, if not NULL.  Return: 0, or a negative errno after a message; -ETIMEDOUT: it is
 * gone, but udev has not answered.
 */
int remove_unused(const struct options *o, const char *command, const struct devmap_device *dev,
		  const char *file);

/**
 * complete_word() - the candidates for a word
 * @nr: number of the words before it
 * @words: these and the word itself; the first one is the program
 *
 * Return: a new string with a line for each candidate, a tab behind it and then what it
 * means, if there is something to say.  A line that begins with a tab stands for the
 * names of files.  What does not begin as the word does is for the shell to leave out.
 */
char *complete_word(unsigned int nr, char **words);

#endif /* NOCLONE_CMD_H */
