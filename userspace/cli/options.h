/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line options. One list serves for parsing, for the help and for completion. */
#ifndef NOCLONE_OPTIONS_H
#define NOCLONE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/file-engine.h"
#include "model/policy.h"

/*
 * X(bit, long name, short name or 0, argument or NULL, help)
 *
 * The help lists the options in this order.
 */
#define NOCLONE_OPTIONS(X)						\
	X(TABLE,	"table",	't', "FILE",	"take the table from FILE (- is stdin)") \
	X(CHUNK,	"chunk",	'c', "SIZE",	"chunk of a striped device (default: the chunk that its devices prefer; bench: 64K)") \
	X(ENGINE,	"engine",	'e', "direct|extent|buffered", "how the I/O of noclone-file is done (default direct; reload keeps the engine)") \
	X(SIZE,		"size",		0,   "SIZE",	"create the file, or grow it to this size") \
	X(OFFSET,	"offset",	0,   "BYTES",	"begin the device at this byte of the file (a number, or a size such as 1M)") \
	X(SIZE_LIMIT,	"size-limit",	0,   "BYTES",	"make the device at most this large, even if the file is larger") \
	X(PARTITIONS,	"partitions",	0,   NULL,	"also make a device for each partition of the file: NAME-part1, NAME-part2, ...") \
	X(ALLOCATE,	"allocate",	0,   NULL,	"write zeroes to holes and unwritten extents of the file, or to the part that --size adds") \
	X(RESIZEFS,	"resizefs",	0,   NULL,	"let fsadm(8) of lvm2 grow the file system on the device as well") \
	X(NO_FASTPATH,	"no-fastpath",	0,   NULL,	"let dm core clone every I/O") \
	X(READONLY,	"readonly",	'r', NULL,	"make the device read-only") \
	X(UUID,		"uuid",		'u', "UUID",	"DM UUID; NOCLONE- is prepended if it is missing") \
	X(NOSCAN,	"noscan",	0,   NULL,	"keep the udev rules of lvm2, mdadm and other programs away from the device") \
	X(PERSIST,	"persist",	0,   NULL,	"save the device, so that it comes back at boot") \
	X(FORGET,	"forget",	0,   NULL,	"also remove the saved file, so that the device does not come back at boot") \
	X(WHEN_UNUSED,	"when-unused",	0,   NULL,	"if a device is in use, let the kernel remove it when its last user closes it") \
	X(STRICT,	"strict",	0,   NULL,	"if the module is missing, fail instead of using dm's own targets and loop devices") \
	X(ALL,		"all",		'a', NULL,	"all devices (status: also devices that cannot have the fast path)") \
	X(NOW,		"now",		0,   NULL,	"also switch the fast path of the devices now, not only at the next boot") \
	X(RUNTIME,	"runtime",	0,   NULL,	"switch the fast path of the devices now, until the next boot, and do not change the policy") \
	X(POLICY,	"policy",	0,   NULL,	"switch the fast path of the devices now, as the policy says") \
	X(INCLUDE,	"include",	0,   "PATTERN",	"add a rule to the policy: devices whose name matches PATTERN get the fast path") \
	X(EXCLUDE,	"exclude",	0,   "PATTERN",	"add a rule to the policy: devices whose name matches PATTERN do not get the fast path") \
	X(TO,		"to",		0,   "noclone|stock", "the targets of the devices or tables (default: noclone for convert, stock for export)") \
	X(WATCH,	"watch",	'w', "[SECONDS]", "repeat every SECONDS (default 2), with rates per second") \
	X(NOHEADINGS,	"noheadings",	0,   NULL,	"print no headings") \
	X(PROMETHEUS,	"prometheus",	0,   NULL,	"print metrics for the textfile collector of node_exporter") \
	X(SECONDS,	"seconds",	0,   "S",	"duration of each run, for example 0.5 (default 2)") \
	X(OUTPUT,	"output",	'o', "COLUMNS", "print these columns (+COLUMNS: after the usual columns; help: list all columns)") \
	X(SORT,		"sort",		'O', "COLUMN",	"sort by this column; a - in front of it reverses the order") \
	X(FORCE,	"force",	'f', NULL,	"continue although a check failed") \
	X(YES,		"yes",		'y', NULL,	"answer questions with yes") \
	X(DRY_RUN,	"dry-run",	'n', NULL,	"print what would be done and change nothing") \
	X(QUIET,	"quiet",	'q', NULL,	"print errors only") \
	X(JSON,		"json",		'j', NULL,	"print JSON") \
	X(NOUDEVSYNC,	"noudevsync",	0,   NULL,	"do not wait for udev") \
	X(UDEV_TIMEOUT,	"udev-timeout",	0,   "SECONDS",	"wait for udev at most this long (default 30)") \
	X(VERBOSE,	"verbose",	'v', NULL,	"print more messages, also those of libdevmapper") \
	X(HELP,		"help",		'h', NULL,	"print help for the command") \
	X(VERSION,	"version",	'V', NULL,	"print the version")

#define OPTION_NUMBER(bit, ...)	OPT_NR_##bit,
enum { NOCLONE_OPTIONS(OPTION_NUMBER) OPT_NR };

#define OPTION_BIT(bit, ...)	OPT_##bit = 1ULL << OPT_NR_##bit,
enum { NOCLONE_OPTIONS(OPTION_BIT) };

typedef uint64_t option_bits;

/* Options that every command takes */
#define OPT_COMMON	(OPT_VERBOSE | OPT_HELP | OPT_VERSION)
#define OPT_UDEV	(OPT_NOUDEVSYNC | OPT_UDEV_TIMEOUT)
/* Options for "file PATH" only */
#define OPT_FILE	(OPT_ENGINE | OPT_SIZE | OPT_OFFSET | OPT_SIZE_LIMIT | OPT_PARTITIONS | \
			 OPT_ALLOCATE)

/*
 * An option of the list above. If @argument is in brackets, the argument is optional, and is given
 * as --name=ARGUMENT. If @argument is in small letters, it is the list of all words that the option
 * accepts.
 */
struct option_info {
	option_bits bit;
	const char *name;
	char letter;
	const char *argument;
	const char *help;
};

/* All options of the list above, in the same order. */
extern const struct option_info option_infos[OPT_NR];

/**
 * struct options - the parsed options
 * @given: OPT_ bits of the options on the command line
 * @table: the argument of --table
 * @chunk: the argument of --chunk in sectors, or 0
 * @engine: the argument of --engine, or the default
 * @file_sectors: the argument of --size in sectors, or 0
 * @offset: the argument of --offset in sectors, or 0
 * @limit: the argument of --size-limit in sectors, or 0
 * @uuid: the argument of --uuid
 * @udev_timeout: the argument of --udev-timeout, or the default
 * @run_ms: the argument of --seconds in milliseconds, or the default
 * @output: the argument of --output
 * @sort: the argument of --sort
 * @rules: the rules that all --include and --exclude give, in their order
 * @nr_rules: the number of rules
 * @to_stock: "--to stock" is given
 * @watch_ms: the argument of --watch in milliseconds, or the default
 */
struct options {
	option_bits given;
	const char *table;
	uint64_t chunk;
	enum file_engine engine;
	uint64_t file_sectors;
	uint64_t offset;
	uint64_t limit;
	const char *uuid;
	uint32_t udev_timeout;
	uint32_t run_ms;
	const char *output;
	const char *sort;
	struct policy_rule *rules;
	unsigned int nr_rules;
	bool to_stock;
	uint32_t watch_ms;
};

static inline bool opt(const struct options *o, option_bits bit)
{
	return o->given & bit;
}

/**
 * options_parse - parse the options, and move all other words behind them
 * @o: filled in with the options
 * @argc: the number of words; the first word, @argv[0], is skipped
 * @argv: the words. options_parse() changes their order: the words that are not options come last
 *
 * Return: the index of the first word that is not an option, or -EINVAL after a message.
 */
int options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);

#endif /* NOCLONE_OPTIONS_H */
