// SPDX-License-Identifier: GPL-2.0-only
/* The command table and the dispatcher. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "system/devmap.h"
#include "cli/options.h"
#include "cli/version.h"
#include "completion.h"
#include "help.h"
#include "usage.h"

#define OPT_CHANGE	(OPT_DRY_RUN | OPT_JSON | OPT_FORCE)
#define OPT_LOAD	(OPT_CHANGE | OPT_TABLE | OPT_CHUNK | OPT_FILE | \
			 OPT_NO_FASTPATH | OPT_READONLY | OPT_UDEV)

#define OPT_SWITCH	(OPT_NOW | OPT_ALL | OPT_INCLUDE | OPT_EXCLUDE | \
			 OPT_DRY_RUN | OPT_JSON)

static int cmd_help(const struct options *o, int argc, char **argv);

static const struct command commands[] = {
	{
		"create", "NAME {linear DEV[:START[+LEN]]... | striped [--chunk SIZE] DEV[:START[+LEN]]... | file PATH | --table FILE}",
		"create a mapped device",
		1, ANY_NUMBER, OPT_LOAD | OPT_UUID | OPT_PERSIST, WORD_CREATE, cmd_create
	}, {
		"reload", "NAME {linear DEV... | striped --chunk SIZE DEV... | file PATH | --table FILE}",
		"give a running device a new table",
		1, ANY_NUMBER, OPT_LOAD | OPT_YES | OPT_PERSIST, WORD_RELOAD, cmd_reload
	}, {
		"remove", "NAME...", "remove devices",
		1, ANY_NUMBER, OPT_CHANGE | OPT_RETRY | OPT_FORGET | OPT_UDEV,
		WORD_NAME, cmd_remove
	}, {
		"save", "NAME...", "keep devices with their tables, so that they come back at boot",
		1, ANY_NUMBER, OPT_CHANGE, WORD_NAME, cmd_save
	}, {
		"activate", "{NAME... | --all}", "bring saved devices back",
		0, ANY_NUMBER, OPT_CHANGE | OPT_ALL | OPT_STRICT | OPT_UDEV,
		WORD_SAVED, cmd_activate
	}, {
		"deactivate", "{NAME... | --all}",
		"remove saved devices that nobody uses; they stay saved",
		0, ANY_NUMBER, OPT_CHANGE | OPT_ALL | OPT_UDEV,
		WORD_SAVED, cmd_deactivate
	}, {
		"resize", "NAME {SIZE | +SIZE | -SIZE | max} [DEV[:START[+LEN]]...]",
		"make a running device larger or smaller",
		2, ANY_NUMBER, OPT_CHANGE | OPT_YES | OPT_RESIZEFS | OPT_SHRINK |
		OPT_ALLOCATE | OPT_SPARSE | OPT_UDEV,
		WORD_RESIZE, cmd_resize
	}, {
		"enable", "[--now] {DEVICE... | --all | --now --policy | --include PATTERN... | --exclude PATTERN...}",
		"give devices the fast path, whatever made them; their tables stay",
		0, ANY_NUMBER, OPT_SWITCH | OPT_POLICY, WORD_DEVICE, cmd_enable
	}, {
		"disable", "[--now] {DEVICE... | --all | --include PATTERN... | --exclude PATTERN...}",
		"take the fast path from devices again",
		0, ANY_NUMBER, OPT_SWITCH, WORD_DEVICE, cmd_disable
	}, {
		"convert", "NAME... [--to {noclone | stock}]",
		"exchange the targets of running devices: stock ones for this module's, or back",
		1, ANY_NUMBER, OPT_TO | OPT_DRY_RUN | OPT_JSON | OPT_UDEV, WORD_NAME, cmd_convert
	}, {
		"status", "[NAME...]",
		"print a line for each device, or all about some, with their counters",
		0, ANY_NUMBER, OPT_JSON | OPT_ALL | OPT_OUTPUT | OPT_SORT | OPT_NOHEADINGS |
		OPT_WATCH | OPT_PROMETHEUS, WORD_DEVICE, cmd_status
	}, {
		"check", "FILE...", "check table files for mistakes",
		1, ANY_NUMBER, OPT_JSON, WORD_FILE, cmd_check
	}, {
		"explain", "{NAME | FILE}", "describe a table in words and as a diagram",
		1, 1, OPT_JSON, WORD_NAME, cmd_explain
	}, {
		"export", "[NAME...]",
		"print the equivalent stock tables, for dmsetup create --concise, or the live ones",
		0, ANY_NUMBER, OPT_JSON | OPT_TO, WORD_NAME, cmd_export
	}, {
		"doctor", "", "say what keeps this machine from using the fast path, and the fix",
		0, 0, OPT_JSON | OPT_QUIET, WORD_NONE, cmd_doctor
	}, {
		"bench", "DEVICE...",
		"compare devices raw, through stock dm and through noclone",
		1, ANY_NUMBER, OPT_DRY_RUN | OPT_JSON | OPT_CHUNK | OPT_SECONDS, WORD_FILE, cmd_bench
	}, {
		"help", "[COMMAND]", "print help for a command",
		0, 1, OPT_COMPLETION, WORD_COMMAND, cmd_help
	}, {
		"version", "", "print the versions of the tool, libdevmapper and the module",
		0, 0, OPT_JSON, WORD_NONE, cmd_version
	},
};

const struct command_list command_list = { commands, ARRAY_SIZE(commands) };

const struct command *command_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int cmd_help(const struct options *o, int argc, char **argv)
{
	const struct command *cmd;

	if (opt(o, OPT_COMPLETION)) {
		_cleanup_free_ char *script = completion_script(&command_list, o->shell);

		fputs(script, stdout);
		return EXIT_OK;
	}
	if (!argc) {
		help_overview(&command_list);
		return EXIT_OK;
	}
	cmd = command_find(argv[0]);
	if (!cmd && usage_is_dmsetup(argc, argv))
		return EXIT_USAGE;
	if (!cmd) {
		usage_unknown_command(&command_list, argv[0]);
		return EXIT_USAGE;
	}
	help_command(cmd);
	return EXIT_OK;
}

static int run_command(const struct options *o, int argc, char **argv)
{
	const struct devmap_config config = {
		.udev_sync = !opt(o, OPT_NOUDEVSYNC),
		.udev_timeout = o->udev_timeout,
	};
	const struct command *cmd = command_find(argv[0]);

	if (!cmd) {
		usage_unknown_command(&command_list, argv[0]);
		return EXIT_USAGE;
	}
	if (o->help) {
		help_command(cmd);
		return EXIT_OK;
	}
	if (o->given & ~cmd->options) {
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
static const struct command *command_among(int argc, char **argv)
{
	const struct command *cmd = NULL;
	int i;

	for (i = 1; !cmd && i < argc; i++)
		cmd = command_find(argv[i]);
	return cmd;
}

int command_main(int argc, char **argv)
{
	struct options o;
	int first, r = EXIT_USAGE;

	if (argc && usage_is_dmsetup(argc - 1, argv + 1))
		return EXIT_USAGE;
	first = options_parse(&o, argc, argv);
	if (first < 0) {
		usage_bad_option(&o, command_among(argc, argv));
	} else if (o.version) {
		puts("noclone " TOOL_VERSION);
		r = EXIT_OK;
	} else if (first < argc) {
		r = run_command(&o, argc - first, argv + first);
	} else {
		help_overview(&command_list);
		r = o.help ? EXIT_OK : EXIT_USAGE;
	}
	options_free(&o);
	return r;
}
