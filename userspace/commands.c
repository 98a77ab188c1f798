// SPDX-License-Identifier: GPL-2.0-only
/* The commands, in the order of the help and of noclone(8), and the dispatcher. */

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "system/devmap.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cmd/cmd.h"

#define OPT_CHANGE	(OPT_DRY_RUN | OPT_JSON | OPT_FORCE)
#define OPT_LOAD	(OPT_CHANGE | OPT_TABLE | OPT_CHUNK | OPT_FILE | \
			 OPT_NO_FASTPATH | OPT_READONLY | OPT_UDEV)

#define OPT_SWITCH	(OPT_NOW | OPT_RUNTIME | OPT_ALL | OPT_INCLUDE | OPT_EXCLUDE | \
			 OPT_DRY_RUN | OPT_JSON | OPT_QUIET)

#define CHANGE	"Creating and changing devices"
#define BOOT	"Devices that come back at boot"
#define SWITCH	"The fast path on devices of other programs"
#define INSPECT	"Inspecting devices and tables"
#define DOCTOR	"Looking for what is wrong"
#define MEASURE	"Measuring"
#define HELP	"Help"

static int commands_help(const struct options *o, int argc, char **argv);

const struct command commands[] = {
	{
		"create", "NAME {linear DEV[:START[+LEN]]... | striped [--chunk SIZE] DEV[:START[+LEN]]... | file PATH | --table FILE}",
		"create a mapped device",
		1, ANY_NUMBER, OPT_LOAD | OPT_UUID | OPT_PERSIST,
		"NEW linear|striped|file FILE", cmd_create, CHANGE, "add new lvcreate advise",
		.examples = { "noclone create fast striped --chunk 64K /dev/nvme0n1 /dev/nvme1n1",
			      "noclone create image file /srv/disk.img --size 10G --allocate --engine extent" },
		.texts = { { OPT_CHUNK, "SIZE", "chunk of a striped device (default what its devices prefer)" } },
	}, {
		"reload", "NAME {linear DEV... | striped --chunk SIZE DEV... | file PATH | --table FILE}",
		"give a running device a new table",
		1, ANY_NUMBER, OPT_LOAD | OPT_YES,
		"NAME linear|striped|file FILE", cmd_reload, CHANGE, "load replace shrink reduce lvreduce",
		.examples = { "noclone reload data linear /dev/nvme0n1 /dev/nvme1n1",
			      "noclone reload image file /srv/disk.img --size 20G" },
		.texts = { { OPT_ENGINE, "direct|extent|buffered|sync", "how the I/O of noclone-file is done (default as before)" } },
	}, {
		"convert", "NAME... [--to {noclone | stock}]",
		"exchange the targets of running devices: stock ones for this module's, or back",
		1, ANY_NUMBER, OPT_TO | OPT_DRY_RUN | OPT_JSON | OPT_UDEV,
		"NAME", cmd_convert, CHANGE, "lvconvert",
		.examples = { "noclone convert data", "noclone convert data --to stock" },
	}, {
		"remove", "NAME...", "remove devices",
		1, ANY_NUMBER, OPT_CHANGE | OPT_FORGET | OPT_UDEV,
		"NAME", cmd_remove, CHANGE, "rm del delete destroy lvremove",
		.examples = { "noclone remove fast", "noclone remove --forget fast" },
	}, {
		"resize", "NAME {SIZE | +SIZE | max} [DEV[:START[+LEN]]...]",
		"make a running device larger",
		2, ANY_NUMBER, OPT_CHANGE | OPT_RESIZEFS | OPT_ALLOCATE | OPT_UDEV,
		"NAME max FILE", cmd_resize, CHANGE,
		"grow extend lvextend lvresize",
		.examples = { "noclone resize data +100G --resizefs",
			      "noclone resize data max /dev/nvme2n1" },
		.texts = { { OPT_ALLOCATE, NULL, "write zeroes to the new part of the file" } },
	}, {
		"save", "NAME...", "keep devices with their tables, so that they come back at boot",
		1, ANY_NUMBER, OPT_CHANGE,
		"NAME", cmd_save, BOOT, NULL,
		.examples = { "noclone save fast", "noclone save -n fast" },
		.texts = { { OPT_DRY_RUN, NULL, "print the file and change nothing" } },
	}, {
		"activate", "{NAME... | --all}", "bring saved devices back",
		0, ANY_NUMBER, OPT_CHANGE | OPT_ALL | OPT_STRICT | OPT_UDEV,
		"SAVED", cmd_activate, BOOT, "start up mount",
		.examples = { "noclone activate fast", "noclone activate --all --strict" },
		.texts = { { OPT_ALL, NULL, "all saved devices" } },
	}, {
		"deactivate", "{NAME... | --all}",
		"remove saved devices that are not in use; they stay saved",
		0, ANY_NUMBER, OPT_CHANGE | OPT_ALL | OPT_UDEV,
		"SAVED", cmd_deactivate, BOOT, "stop down umount unmount",
		.examples = { "noclone deactivate fast", "noclone deactivate --all" },
		.texts = { { OPT_ALL, NULL, "all saved devices" } },
	}, {
		"enable", "{[--now | --runtime] {DEVICE... | --all | --include PATTERN... | --exclude PATTERN...} | --policy [DEVICE...]}",
		"give devices the fast path, whatever made them; their tables stay",
		0, ANY_NUMBER, OPT_SWITCH | OPT_POLICY,
		"DEVICE", cmd_enable, SWITCH, "attach on",
		.examples = { "noclone enable --now vg0/root", "noclone enable --include 'vg0/*'" },
	}, {
		"disable", "[--now | --runtime] {DEVICE... | --all | --include PATTERN... | --exclude PATTERN...}",
		"take the fast path from devices again",
		0, ANY_NUMBER, OPT_SWITCH,
		"DEVICE", cmd_disable, SWITCH, "detach off",
		.examples = { "noclone disable --now vg0/root", "noclone disable --runtime --all" },
	}, {
		"status", "[NAME...]",
		"print a line for each device, or all about some, with their counters",
		0, ANY_NUMBER, OPT_JSON | OPT_ALL | OPT_OUTPUT | OPT_SORT | OPT_NOHEADINGS |
		OPT_WATCH | OPT_PROMETHEUS,
		"DEVICE", cmd_status, INSPECT, "list ls lvs show info lvdisplay",
		.examples = { "noclone status", "noclone status --watch=1 -o NAME,IO,SHARE" },
		.texts = { { OPT_ALL, NULL, "also devices that cannot have the fast path" } },
	}, {
		"explain", "{NAME | FILE}", "describe a table in words and as a diagram",
		1, 1, OPT_JSON,
		"NAME|FILE", cmd_explain, INSPECT, NULL,
		.examples = { "noclone explain fast", "noclone explain fast.table" },
	}, {
		"check", "FILE...", "check table files for mistakes",
		1, ANY_NUMBER, OPT_JSON,
		"FILE", cmd_check, INSPECT, "lint verify",
		.examples = { "noclone check fast.table", "noclone check --json *.table" },
	}, {
		"export", "[NAME...]",
		"print the equivalent stock tables, for dmsetup create --concise, or the live ones",
		0, ANY_NUMBER, OPT_JSON | OPT_TO,
		"NAME", cmd_export, INSPECT, "dump table",
		.examples = { "noclone export >stock.tables", "noclone export --to noclone fast >fast.table" },
		.texts = { { OPT_TO, "noclone|stock", "the targets of the tables (default stock)" } },
	}, {
		"doctor", "", "say what keeps this machine from using the fast path, and the fix",
		0, 0, OPT_JSON | OPT_QUIET,
		"", cmd_doctor, DOCTOR, NULL,
		.examples = { "noclone doctor", "noclone doctor --quiet || noclone doctor --json" },
	}, {
		"bench", "DEVICE...",
		"compare devices raw, through stock dm and through noclone",
		1, ANY_NUMBER, OPT_DRY_RUN | OPT_JSON | OPT_CHUNK | OPT_SECONDS,
		"FILE", cmd_bench, MEASURE, "benchmark",
		.examples = { "noclone bench /dev/nvme0n1",
			      "noclone bench --json /dev/nvme0n1 >today.json" },
		.texts = { { OPT_CHUNK, "SIZE", "chunk of the striped devices (default 64K)" } },
	}, {
		"help", "[COMMAND]", "print help for a command",
		0, 1, 0,
		"COMMAND", commands_help, HELP, NULL,
		.examples = { "noclone help", "noclone help create" },
	}, {
		"version", "", "print the versions of the tool, libdevmapper and the module",
		0, 0, OPT_JSON,
		"", cmd_version, HELP, NULL,
		.examples = { "noclone version", "noclone version --json" },
	},
	{ }
};

static int commands_help(const struct options *o __unused, int argc, char **argv)
{
	const struct command *cmd = argc ? command_find(commands, argv[0]) : NULL;

	if (cmd)
		help_command(cmd);
	else if (argc && usage_is_dmsetup(argc, argv))
		return EXIT_USAGE;
	else if (argc)
		usage_unknown_command(commands, argv[0]);
	else
		help_overview(commands);
	return argc && !cmd ? EXIT_USAGE : EXIT_OK;
}

/*
 * noclone __complete NUMBER WORD...: the candidates for the word of that number, from 0
 * on, which may be one behind the last.  It is no command, because its words are not ours.
 */
static int commands_complete(int argc, char **argv)
{
	_cleanup_free_ char *candidates = NULL;
	uint32_t nr;

	if (argc < 4 || !parse_u32(argv[2], &nr) || nr > (uint32_t)argc - 3)
		return EXIT_USAGE;
	if (nr == (uint32_t)argc - 3)
		argv[argc] = "";
	candidates = complete_word(commands, nr, argv + 3);
	fputs(candidates, stdout);
	return EXIT_OK;
}

static int commands_run(const struct options *o, int argc, char **argv)
{
	const struct devmap_config config = {
		.udev_sync = !opt(o, OPT_NOUDEVSYNC),
		.udev_timeout = o->udev_timeout,
	};
	const struct command *cmd = command_find(commands, argv[0]);

	if (!cmd) {
		usage_unknown_command(commands, argv[0]);
		return EXIT_USAGE;
	}
	if (opt(o, OPT_HELP)) {
		help_command(cmd);
		return EXIT_OK;
	}
	if (o->given & ~(cmd->options | OPT_COMMON)) {
		usage_other_options(cmd, o->given);
		return EXIT_USAGE;
	}
	if (argc - 1 < cmd->min ||
	    (cmd->max != ANY_NUMBER && argc - 1 > cmd->max)) {
		usage_words(cmd, argc, argv);
		return EXIT_USAGE;
	}

	devmap_setup(&config);
	return cmd->run(o, argc - 1, argv + 1);
}

/* The first word that is a command: getopt has not got as far as telling. */
static const struct command *commands_among(int argc, char **argv)
{
	const struct command *cmd = NULL;
	int i;

	for (i = 1; !cmd && i < argc; i++)
		cmd = command_find(commands, argv[i]);
	return cmd;
}

int command_main(int argc, char **argv)
{
	struct options o;
	int first, r = EXIT_USAGE;

	if (argc > 1 && !strcmp(argv[1], "__complete"))
		return commands_complete(argc, argv);
	if (argc && usage_is_dmsetup(argc - 1, argv + 1))
		return EXIT_USAGE;
	first = options_parse(&o, argc, argv);
	if (first < 0) {
		if (*o.unknown)
			usage_unknown_option(o.unknown, commands_among(argc, argv));
	} else if (opt(&o, OPT_VERSION)) {
		puts("noclone " TOOL_VERSION);
		r = EXIT_OK;
	} else if (first < argc) {
		r = commands_run(&o, argc - first, argv + first);
	} else if (argc > 1 && !opt(&o, OPT_HELP)) {
		log_err("which command? \"noclone help\" lists them");
	} else {
		help_overview(commands);
		r = opt(&o, OPT_HELP) ? EXIT_OK : EXIT_USAGE;
	}
	options_free(&o);
	return r;
}
