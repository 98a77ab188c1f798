/* SPDX-License-Identifier: GPL-2.0-only */
/* Command line options: one table for parsing, help and completion. */
#ifndef NOCLONE_OPTIONS_H
#define NOCLONE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/policy.h"
#include "model/table.h"

/*
 * X(bit, long name, short name or 0, argument or NULL, help)
 * The order is that of the help text.
 */
#define NOCLONE_OPTIONS(X)						\
	X(TABLE,	"table",	't', "FILE",	"take the table from FILE (- is stdin)") \
	X(CHUNK,	"chunk",	'c', "SIZE",	"chunk of a striped device, for example 64K") \
	X(ENGINE,	"engine",	'e', "ENGINE",	"engine of noclone-file: direct (default), extent, buffered or sync; reload keeps the current one") \
	X(START,	"start",	0,   "SECTORS",	"first sector used in the backing file") \
	X(SIZE,		"size",		0,   "SIZE",	"create the file, or grow it to this size") \
	X(ALLOCATE,	"allocate",	0,   NULL,	"fill holes and unwritten extents of the file with zeroes") \
	X(SPARSE,	"sparse",	0,   NULL,	"let the new part of a file be a hole") \
	X(RESIZEFS,	"resizefs",	0,   NULL,	"resize the file system on the device as well") \
	X(SHRINK,	"shrink",	0,   NULL,	"permit a SIZE that is less than the device has") \
	X(NO_FASTPATH,	"no-fastpath",	0,   NULL,	"let dm core clone every I/O") \
	X(READONLY,	"readonly",	'r', NULL,	"make the device read-only") \
	X(UUID,		"uuid",		'u', "UUID",	"DM UUID; NOCLONE- is prepended if it is missing") \
	X(PERSIST,	"persist",	0,   NULL,	"save the device, so that it comes back at boot") \
	X(FORGET,	"forget",	0,   NULL,	"remove the file of a saved device as well") \
	X(STRICT,	"strict",	0,   NULL,	"without the module fail, instead of using dm's own targets and loop devices") \
	X(RETRY,	"retry",	0,   NULL,	"retry for some seconds while the device is in use") \
	X(ALL,		"all",		'a', NULL,	"all devices; with status, also those that cannot have the fast path; with activate and deactivate, all that are saved") \
	X(NOW,		"now",		0,   NULL,	"act on devices now, until the next boot, instead of editing the policy") \
	X(POLICY,	"policy",	0,   NULL,	"as the policy says") \
	X(INCLUDE,	"include",	0,   "PATTERN",	"add a rule to the policy: devices of that name get the fast path") \
	X(EXCLUDE,	"exclude",	0,   "PATTERN",	"add a rule to the policy: devices of that name do not get it") \
	X(TO,		"to",		0,   "TARGETS",	"noclone or stock; without it, convert takes noclone and export stock") \
	X(WATCH,	"watch",	'w', "[SECONDS]", "repeat, with rates per second (default 2)") \
	X(NOHEADINGS,	"noheadings",	0,   NULL,	"print no line of headings") \
	X(PROMETHEUS,	"prometheus",	0,   NULL,	"print metrics for the textfile collector of node_exporter") \
	X(SECONDS,	"seconds",	0,   "S",	"duration of each run, for example 0.5 (default 2)") \
	X(OUTPUT,	"output",	'o', "COLUMNS", "print these columns (+COLUMNS: these as well; help: list them)") \
	X(SORT,		"sort",		'O', "COLUMNS",	"sort by these columns; a - in front of one reverses its order") \
	X(FORCE,	"force",	'f', NULL,	"continue although a check failed") \
	X(YES,		"yes",		'y', NULL,	"answer questions with yes") \
	X(DRY_RUN,	"dry-run",	'n', NULL,	"print what would be done and change nothing") \
	X(QUIET,	"quiet",	'q', NULL,	"print problems only") \
	X(JSON,		"json",		'j', NULL,	"print JSON") \
	X(NOUDEVSYNC,	"noudevsync",	0,   NULL,	"do not wait for udev") \
	X(UDEV_TIMEOUT,	"udev-timeout",	0,   "SECONDS",	"wait for udev at most this long (default 30)") \
	X(COMPLETION,	"completion",	0,   "[SHELL]",	"print the completion script for bash (default), zsh or fish")

#define OPTION_NUMBER(bit, ...)	OPT_NR_##bit,
enum { NOCLONE_OPTIONS(OPTION_NUMBER) OPT_NR };

#define OPTION_BIT(bit, ...)	OPT_##bit = 1ULL << OPT_NR_##bit,
enum { NOCLONE_OPTIONS(OPTION_BIT) };

typedef uint64_t option_bits;

#define OPT_UDEV	(OPT_NOUDEVSYNC | OPT_UDEV_TIMEOUT)
/* Those that are for "file PATH" only */
#define OPT_FILE	(OPT_ENGINE | OPT_START | OPT_SIZE | OPT_ALLOCATE)

/* An argument in brackets may be left out; it is given as --name=ARGUMENT. */
struct option_info {
	option_bits bit;
	const char *name;
	char letter;
	const char *argument;
	const char *help;
};

/* One for each option of the list above, in its order. */
extern const struct option_info option_infos[OPT_NR];
/* --verbose and the like, which every command takes. */
extern const struct option_info common_options[];
extern const unsigned int nr_common_options;

enum shell {
	SHELL_BASH,
	SHELL_ZSH,
	SHELL_FISH,
};

struct rule_option {
	enum policy_kind kind;
	const char *pattern;
};

/**
 * enum option_error - why parsing ended
 * @OPTION_BAD_ARGUMENT: a message has said what is wrong with its argument
 * @OPTION_UNKNOWN: there is no such option
 * @OPTION_AMBIGUOUS: it is the beginning of several
 * @OPTION_NO_ARGUMENT: its argument is missing
 * @OPTION_EXTRA_ARGUMENT: it takes no argument
 */
enum option_error {
	OPTION_BAD_ARGUMENT,
	OPTION_UNKNOWN,
	OPTION_AMBIGUOUS,
	OPTION_NO_ARGUMENT,
	OPTION_EXTRA_ARGUMENT,
};

/**
 * struct options - the parsed options
 * @error: after a failure, why
 * @wrong: after a failure, the option: "--name" as it was typed, or "-n"
 * @given: OPT_ bits
 * @table: --table
 * @chunk: --chunk in sectors
 * @engine: --engine, or its default
 * @file_start: --start
 * @file_sectors: --size in sectors
 * @uuid: --uuid
 * @udev_timeout: --udev-timeout, or its default
 * @run_ms: --seconds in milliseconds, or its default
 * @output: --output
 * @sort: --sort
 * @rules: every --include and --exclude
 * @nr_rules: how many
 * @to_stock: --to stock
 * @watch_ms: --watch in milliseconds, or its default
 * @shell: --completion, or its default
 * @help: --help
 * @version: --version
 */
struct options {
	enum option_error error;
	char wrong[64];
	option_bits given;
	const char *table;
	uint64_t chunk;
	enum file_engine engine;
	uint64_t file_start;
	uint64_t file_sectors;
	const char *uuid;
	uint32_t udev_timeout;
	uint32_t run_ms;
	const char *output;
	const char *sort;
	struct rule_option *rules;
	unsigned int nr_rules;
	bool to_stock;
	uint32_t watch_ms;
	enum shell shell;
	bool help;
	bool version;
};

static inline bool opt(const struct options *o, option_bits bit)
{
	return o->given & bit;
}

/**
 * options_parse - separate options from words
 * @o: filled in
 * @argc: number of words, of which @argv[0] is skipped
 * @argv: permuted so that the words that are no options come last
 *
 * Return: index of the first word that is no option, or -EINVAL: @o->error says
 * why.
 */
int options_parse(struct options *o, int argc, char **argv);
/* The words that its argument may be, NULL if there is no list. */
const char *option_choices(const struct option_info *o);
void options_free(struct options *o);

#endif /* NOCLONE_OPTIONS_H */
