// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands in the order of the help and of noclone(8), the text of the help, and the
 * dispatcher.
 */
#include "commands.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "system/devmap.h"
#include "system/module.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cmd/cmd.h"

#define OPT_CHANGE	(OPT_COMMON | OPT_DRY_RUN | OPT_JSON | OPT_FORCE)
#define OPT_LOAD	(OPT_CHANGE | OPT_TABLE | OPT_CHUNK | OPT_FILE | \
			 OPT_NO_FASTPATH | OPT_READONLY | OPT_UDEV)

#define OPT_ENABLE	(OPT_COMMON | OPT_NOW | OPT_RUNTIME | OPT_ALL | OPT_EXCLUDE | \
			 OPT_DRY_RUN | OPT_JSON | OPT_QUIET)

#define CHANGE	"Creating and changing devices"
#define BOOT	"Devices that come back at boot"
#define SWITCH	"The fast path on devices of other programs"
#define INSPECT	"Inspecting devices and tables"
#define DOCTOR	"Looking for what is wrong"
#define MEASURE	"Measuring"
#define HELP	"Help"

static int commands_help(const struct options *o, int argc, char **argv);
static int commands_version(const struct options *o, int argc, char **argv);

const struct command commands[] = {
	{ "create", "{NAME | -} {linear DEV[:START[+LEN]]... | striped [--chunk SIZE] DEV[:START[+LEN]]... | file PATH | --table FILE}",
	  "create a mapped device", CHANGE,
	  1, ANY_NUMBER, OPT_LOAD | OPT_UUID | OPT_NOSCAN | OPT_PERSIST,
	  "NEW linear|striped|file FILE", cmd_create, NULL },
	{ "reload", "NAME {linear DEV... | striped --chunk SIZE DEV... | file PATH | --table FILE}",
	  "give a running device a new table", CHANGE,
	  1, ANY_NUMBER, (OPT_LOAD & ~OPT_PARTITIONS) | OPT_YES, "NAME linear|striped|file FILE", cmd_reload, NULL },
	{ "convert", "NAME... [--to {noclone | stock}]",
	  "exchange the stock targets of running devices for targets of this module, or back", CHANGE,
	  1, ANY_NUMBER, OPT_COMMON | OPT_TO | OPT_DRY_RUN | OPT_JSON | OPT_UDEV,
	  "NAME", .each = cmd_convert },
	{ "remove", "NAME...", "remove devices", CHANGE,
	  1, ANY_NUMBER, OPT_CHANGE | OPT_FORGET | OPT_WHEN_UNUSED | OPT_UDEV, "NAME",
	  .each = cmd_remove },
	{ "resize", "NAME {SIZE | +SIZE | max} [DEV[:START[+LEN]]...]",
	  "make a running device larger", CHANGE,
	  2, ANY_NUMBER, OPT_CHANGE | OPT_RESIZEFS | OPT_ALLOCATE | OPT_UDEV,
	  "NAME max FILE", cmd_resize, NULL },
	{ "save", "NAME...", "keep devices with their tables, so that they come back at boot", BOOT,
	  1, ANY_NUMBER, OPT_CHANGE, "NAME", .each = cmd_save },
	{ "activate", "{NAME... | --all}", "bring saved devices back", BOOT,
	  0, ANY_NUMBER, OPT_CHANGE | OPT_ALL | OPT_STRICT | OPT_UDEV, "SAVED", cmd_activate, NULL },
	{ "deactivate", "{NAME... | --all}",
	  "remove saved devices that are not in use; they stay saved", BOOT,
	  0, ANY_NUMBER, OPT_CHANGE | OPT_ALL | OPT_UDEV, "SAVED", cmd_deactivate, NULL },
	{ "enable", "{[--now | --runtime] {DEVICE... | --all | --include PATTERN... | --exclude PATTERN...} | --policy [DEVICE...]}",
	  "give devices of any program the fast path, with their tables unchanged", SWITCH,
	  0, ANY_NUMBER, OPT_ENABLE | OPT_POLICY | OPT_INCLUDE, "DEVICE", cmd_enable, NULL },
	{ "disable", "[--now | --runtime] {DEVICE... | --all | --exclude PATTERN...}",
	  "switch the fast path of devices off again", SWITCH,
	  0, ANY_NUMBER, OPT_ENABLE, "DEVICE", cmd_disable, NULL },
	{ "status", "[NAME | FILE]...",
	  "print a line for each device, or all details and counters of some devices", INSPECT,
	  0, ANY_NUMBER, OPT_COMMON | OPT_JSON | OPT_ALL | OPT_OUTPUT | OPT_SORT |
	  OPT_NOHEADINGS | OPT_WATCH | OPT_PROMETHEUS, "DEVICE|FILE", cmd_status, NULL },
	{ "explain", "{NAME | FILE}", "describe a table in words and as a diagram", INSPECT,
	  1, 1, OPT_COMMON | OPT_JSON, "NAME|FILE", cmd_explain, NULL },
	{ "check", "FILE...", "check table files for mistakes", INSPECT,
	  1, ANY_NUMBER, OPT_COMMON | OPT_JSON, "FILE", cmd_check, NULL },
	{ "export", "[NAME...]",
	  "print the live tables, or the equivalent stock tables for dmsetup create --concise", INSPECT,
	  0, ANY_NUMBER, OPT_COMMON | OPT_JSON | OPT_TO, "NAME", cmd_export, NULL },
	{ "doctor", "", "list what prevents this machine from using the fast path, and the fix", DOCTOR,
	  0, 0, OPT_COMMON | OPT_JSON | OPT_QUIET, "", cmd_doctor, NULL },
	{ "bench", "DEVICE...", "compare the speed of devices: directly, through stock dm, and through noclone", MEASURE,
	  1, ANY_NUMBER, OPT_COMMON | OPT_DRY_RUN | OPT_JSON | OPT_CHUNK | OPT_SECONDS,
	  "FILE", cmd_bench, NULL },
	{ "help", "[COMMAND]", "print help for a command", HELP,
	  0, 1, OPT_COMMON, "COMMAND", commands_help, NULL },
	{ "version", "", "print the versions of the tool, libdevmapper and the module", HELP,
	  0, 0, OPT_COMMON | OPT_JSON, "", commands_version, NULL },
	{ }
};

const struct command *command_find(const char *name)
{
	const struct command *cmd;

	for (cmd = commands; cmd->name; cmd++)
		if (!strcmp(cmd->name, name))
			return cmd;
	return NULL;
}

/* Words that other programs use for a command, and the command line that does the same here. */
static const struct {
	const char *word, *line;
} commands_elsewhere[] = {
	{ .word = "list", .line = "noclone status" },
	{ .word = "ls", .line = "noclone status" },
	{ .word = "info", .line = "noclone status NAME" },
	{ .word = "show", .line = "noclone status NAME" },
	{ .word = "rm", .line = "noclone remove NAME" },
	{ .word = "delete", .line = "noclone remove NAME" },
	{ .word = "destroy", .line = "noclone remove NAME" },
	{ .word = "extend", .line = "noclone resize NAME +SIZE" },
	{ .word = "grow", .line = "noclone resize NAME +SIZE" },
	{ .word = "start", .line = "noclone activate NAME" },
	{ .word = "stop", .line = "noclone deactivate NAME" },
	{ .word = "attach", .line = "noclone create - file PATH" },
	{ .word = "losetup", .line = "noclone create - file PATH" },
	{ .word = "detach", .line = "noclone remove NAME" },
	{ .word = "test-kernel", .line = "noclone-test-kernel" },
};

static void commands_say_unknown(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands_elsewhere); i++)
		if (!strcmp(commands_elsewhere[i].word, name)) {
			log_err("unknown command \"%s\": use \"%s\"",
				name, commands_elsewhere[i].line);
			return;
		}
	log_err("unknown command \"%s\": \"noclone help\" lists the commands; for rename, suspend, resume and message, use dmsetup",
		name);
}

static const struct command *commands_get(const char *name)
{
	const struct command *cmd = command_find(name);

	if (!cmd)
		commands_say_unknown(name);
	return cmd;
}

/* HELP_WIDTH: the width of the column for an option with its argument. A few options are wider. */
#define HELP_WIDTH	24

static void commands_help_option(const struct option_info *o)
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
	printf("%-*s %s\n", HELP_WIDTH, words, o->help);
}

static void commands_help_command(const struct command *cmd)
{
	unsigned int i;

	printf("noclone %s %s\n\n%s\n\nOptions:\n", cmd->name, cmd->words, cmd->summary);
	for (i = 0; i < OPT_NR; i++)
		if (cmd->options & option_infos[i].bit)
			commands_help_option(&option_infos[i]);
	printf("\nThe man page noclone-%s(8) describes all details, with examples.\n", cmd->name);
}

static void commands_help_overview(void)
{
	const char *topic = "";
	const struct command *cmd;

	puts("noclone COMMAND [OPTIONS] [WORDS]\n\n"
	     "Device-mapper devices whose I/O takes a fast path without clones: linear,\n"
	     "striped, or on a file.");
	for (cmd = commands; cmd->name; cmd++) {
		if (strcmp(cmd->topic, topic))
			printf("\n%s:\n", cmd->topic);
		topic = cmd->topic;
		printf("  %-10s %s\n", cmd->name, cmd->summary);
	}
	puts("\n\"noclone help COMMAND\" describes a command; noclone-COMMAND(8) is its man page.\n"
	     "Sizes need a unit: 64K, 1.5G, 1T (powers of 1024), 10GB (powers of 1000),\n"
	     "2048s (sectors of 512 bytes).");
}

static int commands_help(const struct options *o __unused, int argc, char **argv)
{
	const struct command *cmd = argc ? commands_get(argv[0]) : NULL;

	if (cmd)
		commands_help_command(cmd);
	else if (!argc)
		commands_help_overview();
	return argc && !cmd ? EXIT_USAGE : EXIT_OK;
}

static int commands_version(const struct options *o, int argc __unused, char **argv __unused)
{
	_cleanup_free_ char *library = NULL, *driver = NULL, *module = module_version();
	struct json_object *out = output_new("version");

	devmap_versions(&library, &driver);
	output_add_string(out, "libdevmapper", library);
	output_add_string(out, "driver", driver);
	output_add_string(out, "module", module);
	if (!output_print(o, out))
		printf("noclone " TOOL_VERSION "\nlibdevmapper %s\ndevice-mapper driver %s\nmodule "
		       NOCLONE_MODULE_NAME " %s\n", library, driver ? driver : "not loaded",
		       module ? module : "not loaded");
	return EXIT_OK;
}

/* Return: a remark if the user may have meant -o of losetup by -o of "noclone create", or "". */
static const char *commands_losetup_offset(const struct command *cmd, unsigned int option)
{
	return option_infos[option].bit == OPT_OUTPUT && cmd->options & OPT_OFFSET ?
	       ", and -o of losetup is --offset" : "";
}

/* Does the command take these options, and this number of words? Return: false after a message. */
static bool commands_are_right(const struct command *cmd, option_bits given, int nr)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (given & ~cmd->options & option_infos[i].bit) {
			log_err("%s does not take --%s%s: see \"noclone help %s\"", cmd->name,
				option_infos[i].name, commands_losetup_offset(cmd, i), cmd->name);
			return false;
		}
	if (nr >= cmd->min && (cmd->max == ANY_NUMBER || nr <= cmd->max))
		return true;
	log_err("usage: noclone %s%s%s", cmd->name, *cmd->words ? " " : "", cmd->words);
	return false;
}

static int commands_run(const struct options *o, int argc, char **argv)
{
	const struct command *cmd = commands_get(argv[0]);
	int i, r = EXIT_OK;

	if (!cmd)
		return EXIT_USAGE;
	if (opt(o, OPT_HELP)) {
		commands_help_command(cmd);
		return EXIT_OK;
	}
	if (!commands_are_right(cmd, o->given, argc - 1))
		return EXIT_USAGE;
	devmap_setup(!opt(o, OPT_NOUDEVSYNC), o->udev_timeout);
	if (cmd->run)
		return cmd->run(o, argc - 1, argv + 1);
	for (i = 1; i < argc; i++)
		if (cmd->each(o, argv[i]))
			r = EXIT_FAILED;
	return r;
}

int command_main(int argc, char **argv)
{
	struct options o;
	int first, r = EXIT_OK;

	/* getopt's messages begin with argv[0] */
	argv[0] = "noclone";
	first = options_parse(&o, argc, argv);
	if (first < 0) {
		r = EXIT_USAGE;
	} else if (opt(&o, OPT_VERSION)) {
		puts("noclone " TOOL_VERSION);
	} else if (first < argc) {
		r = commands_run(&o, argc - first, argv + first);
	} else {
		commands_help_overview();
		r = opt(&o, OPT_HELP) ? EXIT_OK : EXIT_USAGE;
		if (r)
			log_err("a command is missing");
	}
	options_free(&o);
	return r;
}
