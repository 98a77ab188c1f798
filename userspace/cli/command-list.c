// SPDX-License-Identifier: GPL-2.0-only
/* What there is to know about a command. */
#include "cli/command-list.h"

#include <string.h>

#include "base/util.h"

const struct command *command_find(const struct command *list, const char *name)
{
	for (; list->name; list++)
		if (!strcmp(list->name, name))
			return list;
	return NULL;
}

bool command_takes(const struct command *cmd, const struct option_info *o)
{
	return !cmd || o->bit & (cmd->options | OPT_COMMON);
}

struct option_info command_option(const struct command *cmd, const struct option_info *o)
{
	struct option_info info = *o;
	unsigned int i;

	for (i = 0; cmd && i < ARRAY_SIZE(cmd->texts); i++) {
		if (cmd->texts[i].bit != o->bit)
			continue;
		info.argument = cmd->texts[i].argument;
		info.help = cmd->texts[i].help;
	}
	return info;
}
