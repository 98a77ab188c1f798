// SPDX-License-Identifier: GPL-2.0-only
/* The completion script for bash. */
#include "completion-shells.h"

#include <string.h>

#include "base/util.h"
#include "cli/options.h"
#include "completion-words.h"

static void bash_options(struct strbuf *b, const struct command *cmd)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (cmd->options & option_infos[i].bit)
			strbuf_add(b, "--%s ", option_infos[i].name);
	for (i = 0; i < nr_common_options; i++)
		strbuf_add(b, "--%s%s", common_options[i].name,
			   i + 1 < nr_common_options ? " " : "");
}

/* The parts that do not depend on the command table. */
static const char bash_body[] =
"_noclone_names()\n"
"{\n"
"	local node\n"
"\n"
"	for node in /sys/block/dm-*/dm/name; do\n"
"		[[ -r $node ]] && printf '%s\\n' \"$(<\"$node\")\"\n"
"	done\n"
"}\n"
"\n"
"# Logical volumes by their own names, too; a hidden layer of one has a longer UUID.\n"
"_noclone_devices()\n"
"{\n"
"	local node name uuid\n"
"\n"
"	_noclone_names\n"
"	for node in /sys/block/dm-*/dm; do\n"
"		[[ -r $node/uuid ]] || continue\n"
"		uuid=$(<\"$node/uuid\") name=$(<\"$node/name\")\n"
"		[[ $uuid == LVM-* && ${#uuid} == 68 ]] || continue\n"
"		name=${name//--/$'\\1'}\n"
"		name=${name/-//}\n"
"		printf '%s\\n' \"${name//$'\\1'/-}\"\n"
"	done\n"
"}\n"
"\n"
"_noclone_saved()\n"
"{\n"
"	local file\n"
"\n"
"	for file in /etc/noclone/*.table; do\n"
"		[[ -e $file ]] && basename \"$file\" .table\n"
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
"	device) _noclone_devices ;;\n"
"	saved) _noclone_saved ;;\n"
"	file) compgen -f -- \"$cur\" ;;\n"
"	command) printf '%s\\n' \"${_noclone_commands[@]}\" ;;\n"
"	resize)\n"
"		case $index in\n"
"		0) _noclone_names ;;\n"
"		1) printf '%s\\n' max ;;\n"
"		*) compgen -f -- \"$cur\" ;;\n"
"		esac\n"
"		;;\n"
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
"# Those of standard input that begin with $cur, as they are or as they have been quoted.\n"
"# compgen -W would expand them: a name may have $(...) in it.\n"
"_noclone_propose()\n"
"{\n"
"	local word quoted\n"
"\n"
"	while IFS= read -r word; do\n"
"		printf -v quoted %q \"$word\"\n"
"		[[ $word == \"$cur\"* || $quoted == \"$cur\"* ]] && COMPREPLY+=(\"$word\")\n"
"	done\n"
"}\n"
"\n"
"_noclone()\n"
"{\n"
"	local cur=${COMP_WORDS[COMP_CWORD]} command='' index=-1 i previous choices before=''\n"
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
"	# \"=\" is a word of its own, as in --to=stock\n"
"	previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
"	[[ $cur == = ]] && cur=''\n"
"	[[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
"	choices=${_noclone_choices[$command $previous]-}\n"
"	# the last one of a list with commas\n"
"	[[ $choices && $cur == *[,+]* ]] && before=${cur%\"${cur##*[,+]}\"}\n"
"\n"
"	if [[ $choices ]]; then\n"
"		mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$choices\" -- \"${cur#\"$before\"}\")\n"
"	elif [[ ${_noclone_takes_value[*]} == *\" $previous \"* ]]; then\n"
"		mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
"	elif [[ -z $command ]]; then\n"
"		mapfile -t COMPREPLY < <(compgen -W \"${_noclone_commands[*]}\" -- \"$cur\")\n"
"	elif [[ $cur == -* ]]; then\n"
"		mapfile -t COMPREPLY < <(compgen -W \"${_noclone_options[$command]}\" -- \"$cur\")\n"
"	else\n"
"		COMPREPLY=()\n"
"		_noclone_propose < <(_noclone_words \"${_noclone_kind[$command]}\" \"$index\")\n"
"	fi\n"
"}\n"
"\n"
"complete -o filenames -o bashdefault -F _noclone noclone\n";

static void bash_value_options(struct strbuf *b)
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

static void bash_choices(struct strbuf *b, const struct command *cmd)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++) {
		const struct option_info *o = &option_infos[i];
		_cleanup_free_ char *choices = completion_choices(cmd, o);

		if (!choices || !(cmd->options & o->bit))
			continue;
		strbuf_add(b, "\t[\"%s --%s\"]=\"%s\"\n", cmd->name, o->name, choices);
		if (o->letter)
			strbuf_add(b, "\t[\"%s -%c\"]=\"%s\"\n", cmd->name, o->letter, choices);
	}
}

char *complete_bash(const struct command_list *list)
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
	bash_value_options(&b);
	strbuf_add(&b, "declare -A _noclone_choices=(\n");
	for (i = 0; i < list->nr; i++)
		bash_choices(&b, &list->command[i]);
	strbuf_add(&b, ")\n");
	strbuf_add(&b, "declare -A _noclone_kind=(\n");
	for (i = 0; i < list->nr; i++)
		strbuf_add(&b, "\t[%s]=%s\n", list->command[i].name,
			   completion_kind(&list->command[i]));
	strbuf_add(&b, ")\ndeclare -A _noclone_options=(\n");
	for (i = 0; i < list->nr; i++) {
		strbuf_add(&b, "\t[%s]=\"", list->command[i].name);
		bash_options(&b, &list->command[i]);
		strbuf_add(&b, "\"\n");
	}
	strbuf_add(&b, ")\n\n%s", bash_body);
	return strbuf_take(&b);
}

