// SPDX-License-Identifier: GPL-2.0-only
/* The help texts, made from the command table. */
#include "help.h"

#include <stdio.h>

#include "base/util.h"
#include "cli/options.h"
#include "examples.h"

static void print_option(const struct option_info *o)
{
	bool optional = o->argument && *o->argument == '[';
	_cleanup_free_ char *words = optional ?
		xasprintf("--%s[=%s", o->name, o->argument + 1) :
		xasprintf("--%s%s%s", o->name, o->argument ? " " : "",
			  o->argument ? o->argument : "");

	if (o->letter)
		printf("  -%c, %-24s %s\n", o->letter, words, o->help);
	else
		printf("      %-24s %s\n", words, o->help);
}

void help_command(const struct command *cmd)
{
	const struct examples *examples = examples_find(cmd->name);
	unsigned int i;

	printf("noclone %s %s\n\n%s\n\nOptions:\n", cmd->name, cmd->words,
	       cmd->summary);
	for (i = 0; i < OPT_NR; i++)
		if (cmd->options & option_infos[i].bit)
			print_option(&option_infos[i]);
	for (i = 0; i < nr_common_options; i++)
		print_option(&common_options[i]);
	if (!examples)
		return;
	puts("\nExamples:");
	for (i = 0; i < ARRAY_SIZE(examples->line); i++)
		printf("  %s\n", examples->line[i]);
}

void help_overview(const struct command_list *list)
{
	unsigned int i;

	puts("noclone COMMAND [OPTIONS] [WORDS]\n\n"
	     "Device-mapper devices whose I/O takes a fast path without clones: linear,\n"
	     "striped, or on a file.\n\n"
	     "Commands:");
	for (i = 0; i < list->nr; i++)
		printf("  %-10s %s\n", list->command[i].name, list->command[i].summary);
	puts("\n\"noclone help COMMAND\" describes one, noclone(8) all of them.\n"
	     "Sizes need a unit: 64K, 1.5G, 1T (powers of 1024), 10GB (powers of 1000),\n"
	     "2048s (sectors of 512 bytes).");
}
