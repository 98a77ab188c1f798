// SPDX-License-Identifier: GPL-2.0-only
/* The help texts, made from the list of commands. */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* Options with their arguments are this wide; a longer one has a line to itself. */
#define HELP_WIDTH	24

static void help_option(const struct option_info *o)
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
	if (strlen(words) > HELP_WIDTH)
		printf("%s\n      %*s %s\n", words, HELP_WIDTH, "", o->help);
	else
		printf("%-*s %s\n", HELP_WIDTH, words, o->help);
}

void help_command(const struct command *cmd)
{
	unsigned int i;

	printf("noclone %s %s\n\n%s\n\nOptions:\n", cmd->name, cmd->words,
	       cmd->summary);
	for (i = 0; i < OPT_NR; i++) {
		struct option_info o = command_option(cmd, &option_infos[i]);

		if (command_takes(cmd, &o))
			help_option(&o);
	}
	puts("\nExamples:");
	for (i = 0; i < ARRAY_SIZE(cmd->examples); i++)
		printf("  %s\n", cmd->examples[i]);
	printf("\nnoclone-%s(8) is its manual page.\n", cmd->name);
}

void help_overview(const struct command *list)
{
	const char *topic = "";

	puts("noclone COMMAND [OPTIONS] [WORDS]\n\n"
	     "Device-mapper devices whose I/O takes a fast path without clones: linear,\n"
	     "striped, or on a file.");
	for (; list->name; list++) {
		if (strcmp(list->topic, topic))
			printf("\n%s:\n", list->topic);
		topic = list->topic;
		printf("  %-10s %s\n", list->name, list->summary);
	}
	puts("\n\"noclone help COMMAND\" describes one, noclone-COMMAND(8) in full.\n"
	     "Sizes need a unit: 64K, 1.5G, 1T (powers of 1024), 10GB (powers of 1000),\n"
	     "2048s (sectors of 512 bytes).");
}
