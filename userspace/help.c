// SPDX-License-Identifier: GPL-2.0-only
/* The help texts and the completion script, made from the command table. */
#include "help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cli/options.h"

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
	unsigned int i;

	printf("noclone %s %s\n\n%s\n\nOptions:\n", cmd->name, cmd->words,
	       cmd->summary);
	for (i = 0; i < OPT_NR; i++)
		if (cmd->options & option_infos[i].bit)
			print_option(&option_infos[i]);
	for (i = 0; i < nr_common_options; i++)
		print_option(&common_options[i]);
}

void help_overview(const struct command_list *list)
{
	unsigned int i;

	puts("noclone COMMAND [OPTIONS] [WORDS]\n\n"
	     "Device-mapper devices whose I/O takes a fast path without clones: linear,\n"
	     "striped, or on a file.\n\n"
	     "Commands:");
	for (i = 0; i < list->nr; i++)
		printf("  %-9s %s\n", list->command[i].name, list->command[i].summary);
	puts("\n\"noclone help COMMAND\" describes one, noclone(8) all of them.\n"
	     "Sizes need a unit: 64K, 10G, 1T (powers of 1024), 10GB (powers of 1000),\n"
	     "2048s (sectors of 512 bytes).");
}

static void add_options(struct strbuf *b, const struct command *cmd)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (cmd->options & option_infos[i].bit)
			strbuf_add(b, "--%s ", option_infos[i].name);
	for (i = 0; i < nr_common_options; i++)
		strbuf_add(b, "--%s%s", common_options[i].name,
			   i + 1 < nr_common_options ? " " : "");
}

static const char *const kind_words[] = {
	[WORD_NONE] = "none",
	[WORD_NAME] = "name",
	[WORD_FILE] = "file",
	[WORD_CREATE] = "create",
	[WORD_RELOAD] = "reload",
	[WORD_COMMAND] = "command",
};

/* The part that does not depend on the command table. */
static const char completion_body[] =
"_noclone_names()\n"
"{\n"
"	local node\n"
"\n"
"	for node in /sys/block/dm-*/dm/name; do\n"
"		[[ -r $node ]] && printf '%s\\n' \"$(<\"$node\")\"\n"
"	done\n"
"}\n"
"\n"
"# What the next word of a command may be.\n"
"_noclone_words()\n"
"{\n"
"	local kind=$1 index=$2\n"
"\n"
"	case $kind in\n"
"	name) _noclone_names ;;\n"
"	file) compgen -f -- \"$cur\" ;;\n"
"	command) printf '%s\\n' \"${_noclone_commands[@]}\" ;;\n"
"	create | reload)\n"
"		case $index in\n"
"		0) [[ $kind == reload ]] && _noclone_names ;;\n"
"		1) printf '%s\\n' linear striped file ;;\n"
"		*) compgen -f -- \"$cur\" ;;\n"
"		esac\n"
"		;;\n"
"	esac\n"
"}\n"
"\n"
"_noclone()\n"
"{\n"
"	local cur=${COMP_WORDS[COMP_CWORD]} command='' index=-1 i\n"
"	local IFS=$' \\t\\n'\n"
"\n"
"	for ((i = 1; i < COMP_CWORD; i++)); do\n"
"		[[ ${COMP_WORDS[i]} == -* ]] && continue\n"
"		[[ ${_noclone_takes_value[*]} == *\" ${COMP_WORDS[i - 1]} \"* ]] && continue\n"
"		if [[ -z $command ]]; then\n"
"			command=${COMP_WORDS[i]}\n"
"		fi\n"
"		index=$((index + 1))\n"
"	done\n"
"\n"
"	if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-e|--engine) ]]; then\n"
"		mapfile -t COMPREPLY < <(compgen -W \"${_noclone_engines[*]}\" -- \"$cur\")\n"
"	elif [[ ${_noclone_takes_value[*]} == *\" ${COMP_WORDS[COMP_CWORD - 1]} \"* ]]; then\n"
"		mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
"	elif [[ -z $command ]]; then\n"
"		mapfile -t COMPREPLY < <(compgen -W \"${_noclone_commands[*]}\" -- \"$cur\")\n"
"	elif [[ $cur == -* ]]; then\n"
"		mapfile -t COMPREPLY < <(compgen -W \"${_noclone_options[$command]}\" -- \"$cur\")\n"
"	else\n"
"		mapfile -t COMPREPLY < <(compgen -W \"$(_noclone_words \"${_noclone_kind[$command]}\" \"$index\")\" -- \"$cur\")\n"
"	fi\n"
"}\n"
"\n"
"complete -o filenames -o bashdefault -F _noclone noclone\n";

static void add_value_options(struct strbuf *b)
{
	unsigned int i;

	strbuf_add(b, "declare -a _noclone_takes_value=(\"");
	for (i = 0; i < OPT_NR; i++) {
		/* one that may be left out is no word of its own */
		if (!option_infos[i].argument || *option_infos[i].argument == '[')
			continue;
		strbuf_add(b, " --%s", option_infos[i].name);
		if (option_infos[i].letter)
			strbuf_add(b, " -%c", option_infos[i].letter);
	}
	strbuf_add(b, " \")\n");
}

char *help_completion(const struct command_list *list)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "# SPDX-License-Identifier: GPL-2.0-only\n"
		   "# shellcheck shell=bash\n"
		   "# bash completion for noclone(8), made by \"noclone help --completion\"\n\n"
		   "declare -a _noclone_commands=(");
	for (i = 0; i < list->nr; i++)
		strbuf_add(&b, "%s%s", i ? " " : "", list->command[i].name);
	strbuf_add(&b, ")\n");
	strbuf_add(&b, "declare -a _noclone_engines=(direct extent buffered sync)\n");
	add_value_options(&b);
	strbuf_add(&b, "declare -A _noclone_kind=(\n");
	for (i = 0; i < list->nr; i++)
		strbuf_add(&b, "\t[%s]=%s\n", list->command[i].name,
			   kind_words[list->command[i].kind]);
	strbuf_add(&b, ")\ndeclare -A _noclone_options=(\n");
	for (i = 0; i < list->nr; i++) {
		strbuf_add(&b, "\t[%s]=\"", list->command[i].name);
		add_options(&b, &list->command[i]);
		strbuf_add(&b, "\"\n");
	}
	strbuf_add(&b, ")\n\n%s", completion_body);
	return strbuf_take(&b);
}
