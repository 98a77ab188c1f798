/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands.  Only their functions and the dispatcher know exit codes. */
#ifndef NOCLONE_CMD_H
#define NOCLONE_CMD_H

#include "cli/options.h"

#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

#define ANY_NUMBER	(-1)

/* What the words of a command are, for completion. */
enum word_kind {
	WORD_NONE,
	WORD_NAME,	/* of a mapped device */
	WORD_DEVICE,	/* the same, and of logical volumes as VG/LV */
	WORD_SAVED,	/* of a saved device */
	WORD_FILE,	/* a table file, or a device */
	WORD_CREATE,	/* new name, then linear, striped or file, then paths */
	WORD_RELOAD,	/* name, then as above */
	WORD_RESIZE,	/* name, size, then devices */
	WORD_COMMAND,
};

/**
 * struct command - one command
 * @name: its name
 * @words: its words, for the usage line
 * @summary: one line of help
 * @min: least number of words
 * @max: most, or ANY_NUMBER
 * @options: OPT_ bits it takes
 * @kind: what the words are
 * @run: runs it with the words only; returns an exit code
 */
struct command {
	const char *name;
	const char *words;
	const char *summary;
	int min;
	int max;
	option_bits options;
	enum word_kind kind;
	int (*run)(const struct options *o, int argc, char **argv);
};

struct command_list {
	const struct command *command;
	unsigned int nr;
};

int cmd_create(const struct options *o, int argc, char **argv);
int cmd_reload(const struct options *o, int argc, char **argv);
int cmd_remove(const struct options *o, int argc, char **argv);
int cmd_save(const struct options *o, int argc, char **argv);
int cmd_activate(const struct options *o, int argc, char **argv);
int cmd_deactivate(const struct options *o, int argc, char **argv);
int cmd_resize(const struct options *o, int argc, char **argv);
int cmd_enable(const struct options *o, int argc, char **argv);
int cmd_disable(const struct options *o, int argc, char **argv);
int cmd_convert(const struct options *o, int argc, char **argv);
int cmd_status(const struct options *o, int argc, char **argv);
int cmd_check(const struct options *o, int argc, char **argv);
int cmd_explain(const struct options *o, int argc, char **argv);
int cmd_export(const struct options *o, int argc, char **argv);
int cmd_doctor(const struct options *o, int argc, char **argv);
int cmd_bench(const struct options *o, int argc, char **argv);
int cmd_version(const struct options *o, int argc, char **argv);

#endif /* NOCLONE_CMD_H */
