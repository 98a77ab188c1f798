// SPDX-License-Identifier: GPL-2.0-only
/* The completion script for fish. */
#include "completion-shells.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cli/options.h"
#include "completion-words.h"

static const char fish_head[] =
"# SPDX-License-Identifier: GPL-2.0-only\n"
"# fish completion for noclone(8), made by \"noclone help --completion=fish\"\n"
"\n"
"function __noclone_names\n"
"	for node in /sys/block/dm-*/dm/name\n"
"		read --local name <$node\n"
"		and echo $name\n"
"	end\n"
"end\n"
"\n"
"# Logical volumes by their own names, too; a hidden layer of one has a longer UUID.\n"
"function __noclone_devices\n"
"	__noclone_names\n"
"	for node in /sys/block/dm-*/dm\n"
"		read --local uuid <$node/uuid\n"
"		and string match --quiet --regex '^LVM-.{64}$' -- $uuid\n"
"		and read --local name <$node/name\n"
"		and string replace --all -- -- \\x01 $name | string replace -- - / |\n"
"			string replace --all \\x01 -\n"
"	end\n"
"end\n"
"\n"
"function __noclone_saved\n"
"	for file in /etc/noclone/*.table\n"
"		basename $file .table\n"
"	end\n"
"end\n"
"\n"
"complete --command noclone --no-files\n";

/* Words of a command, after the test for it. */
static const char *const fish_words[] = {
	[WORD_NONE] = NULL,
	[WORD_NAME] = "--arguments '(__noclone_names)'",
	[WORD_DEVICE] = "--arguments '(__noclone_devices)'",
	[WORD_SAVED] = "--arguments '(__noclone_saved)'",
	[WORD_FILE] = "--force-files",
	[WORD_CREATE] = "--arguments 'linear striped file' --force-files",
	[WORD_RELOAD] = "--arguments '(__noclone_names) linear striped file' --force-files",
	[WORD_RESIZE] = "--arguments '(__noclone_names) max' --force-files",
	[WORD_COMMAND] = NULL,
};

static void fish_if(struct strbuf *b, const char *commands)
{
	strbuf_add(b, "complete --command noclone --condition '%s%s' ",
		   *commands ? "__fish_seen_subcommand_from" : "__fish_use_subcommand",
		   commands);
}

static void fish_command(struct strbuf *b, const struct command *cmd)
{
	_cleanup_free_ char *name = xasprintf(" %s", cmd->name);

	fish_if(b, "");
	strbuf_add(b, "--arguments %s --description '", cmd->name);
	completion_quote(b, cmd->summary, "\\");
	strbuf_add(b, "'\n");
	if (!fish_words[cmd->kind])
		return;
	fish_if(b, name);
	strbuf_add(b, "%s\n", fish_words[cmd->kind]);
}

static void fish_option(struct strbuf *b, const struct option_info *o, const char *choices,
			const char *commands)
{
	bool required = o->argument && *o->argument != '[';
	bool path = !choices && completion_takes_path(o);

	if (*commands)
		fish_if(b, commands);
	else
		strbuf_add(b, "complete --command noclone ");
	strbuf_add(b, "--long-option %s ", o->name);
	if (o->letter)
		strbuf_add(b, "--short-option %c ", o->letter);
	if (required)
		strbuf_add(b, path ? "--require-parameter --force-files " : "--exclusive ");
	/* columns: a list with commas */
	if (choices && !option_choices(o))
		strbuf_add(b, "--arguments '(__fish_append , %s)' ", choices);
	else if (choices)
		strbuf_add(b, "--arguments '%s' ", choices);
	strbuf_add(b, "--description '");
	completion_quote(b, o->help, "\\");
	strbuf_add(b, "'\n");
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* A line for all commands that have the option with the same words, from @first on. */
static void fish_option_of(struct strbuf *b, const struct command_list *list,
			   const struct option_info *o, unsigned int first, bool *done)
{
	_cleanup_free_ char *choices = completion_choices(&list->command[first], o);
	_cleanup_strbuf_ struct strbuf commands = { 0 };
	unsigned int i;

	for (i = first; i < list->nr; i++) {
		_cleanup_free_ char *own = completion_choices(&list->command[i], o);

		if (done[i] || !(list->command[i].options & o->bit) || !same(own, choices))
			continue;
		strbuf_add(&commands, " %s", list->command[i].name);
		done[i] = true;
	}
	if (commands.len)
		fish_option(b, o, choices, commands.text);
}

static void fish_options(struct strbuf *b, const struct command_list *list,
			 const struct option_info *o)
{
	bool *done = xzalloc(list->nr * sizeof(*done));
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (!done[i] && list->command[i].options & o->bit)
			fish_option_of(b, list, o, i, done);
	free(done);
}

char *complete_fish(const struct command_list *list)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "%s", fish_head);
	for (i = 0; i < list->nr; i++)
		fish_command(&b, &list->command[i]);
	fish_if(&b, " help");
	strbuf_add(&b, "--arguments '");
	for (i = 0; i < list->nr; i++)
		strbuf_add(&b, "%s%s", i ? " " : "", list->command[i].name);
	strbuf_add(&b, "'\n");
	for (i = 0; i < OPT_NR; i++)
		fish_options(&b, list, &option_infos[i]);
	for (i = 0; i < nr_common_options; i++)
		fish_option(&b, &common_options[i], NULL, "");
	return strbuf_take(&b);
}

