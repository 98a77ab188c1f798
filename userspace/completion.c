// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion scripts for shells, made from the command table. The folder completion/
 * has them as they are installed.
 */
#include "completion.h"

#include <string.h>

#include "base/util.h"
#include "cli/options.h"

#define ENGINES "direct extent buffered sync"

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

static const char *const kind_words[] = {
	[WORD_NONE] = "none",
	[WORD_NAME] = "name",
	[WORD_SAVED] = "saved",
	[WORD_FILE] = "file",
	[WORD_CREATE] = "create",
	[WORD_RELOAD] = "reload",
	[WORD_RESIZE] = "resize",
	[WORD_MESSAGE] = "message",
	[WORD_COMMAND] = "command",
};

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
"	saved) _noclone_saved ;;\n"
"	file) compgen -f -- \"$cur\" ;;\n"
"	command) printf '%s\\n' \"${_noclone_commands[@]}\" ;;\n"
"	message)\n"
"		case $index in\n"
"		0) _noclone_names ;;\n"
"		1) printf '%s\\n' fastpath ;;\n"
"		*) printf '%s\\n' on off ;;\n"
"		esac\n"
"		;;\n"
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

static char *complete_bash(const struct command_list *list)
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
	strbuf_add(&b, "declare -a _noclone_engines=(" ENGINES ")\n");
	bash_value_options(&b);
	strbuf_add(&b, "declare -A _noclone_kind=(\n");
	for (i = 0; i < list->nr; i++)
		strbuf_add(&b, "\t[%s]=%s\n", list->command[i].name,
			   kind_words[list->command[i].kind]);
	strbuf_add(&b, ")\ndeclare -A _noclone_options=(\n");
	for (i = 0; i < list->nr; i++) {
		strbuf_add(&b, "\t[%s]=\"", list->command[i].name);
		bash_options(&b, &list->command[i]);
		strbuf_add(&b, "\"\n");
	}
	strbuf_add(&b, ")\n\n%s", bash_body);
	return strbuf_take(&b);
}

/* @text in a string with single quotes, after a backslash for each of @special. */
static void add_quoted(struct strbuf *b, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_add(b, "'\\'");
		else if (strchr(special, *text))
			strbuf_add(b, "\\");
		strbuf_putc(b, *text, 1);
	}
}

static bool takes_path(const struct option_info *o)
{
	return o->bit & (OPT_TABLE | OPT_COMPARE | OPT_OUTPUT | OPT_YES_DESTROY);
}

/* The rest of an _arguments spec: ":SIZE:", with files or words to choose from. */
static void zsh_argument(struct strbuf *b, const struct option_info *o)
{
	bool optional = *o->argument == '[';
	size_t length = strlen(o->argument);
	_cleanup_free_ char *name = optional ?
		xstrndup(o->argument + 1, length - 2) : xstrdup(o->argument);

	strbuf_add(b, optional ? "::" : ":");
	add_quoted(b, name, ":");
	if (option_choices(o))
		strbuf_add(b, ":(%s)", option_choices(o));
	else
		strbuf_add(b, takes_path(o) ? ":_files" : ": ");
}

/* "--name" is the key of --name, "-n" of its letter. */
static void zsh_spec(struct strbuf *b, const struct option_info *o,
		     const char *key, const char *joint)
{
	strbuf_add(b, "\t%s '*%s%s[", key, key, o->argument ? joint : "");
	add_quoted(b, o->help, "[]");
	strbuf_add(b, "]");
	if (o->argument)
		zsh_argument(b, o);
	strbuf_add(b, "'\n");
}

static void zsh_specs(struct strbuf *b, const struct option_info *o,
		      unsigned int nr)
{
	bool optional;

	for (; nr; nr--, o++) {
		_cleanup_free_ char *name = xasprintf("--%s", o->name);
		const char letter[] = { '-', o->letter, '\0' };

		optional = o->argument && *o->argument == '[';
		zsh_spec(b, o, name, optional ? "=-" : "=");
		if (o->letter)
			zsh_spec(b, o, letter, optional ? "-" : "+");
	}
}

static void zsh_keys(struct strbuf *b, const struct option_info *o,
		     unsigned int nr, option_bits bits)
{
	for (; nr; nr--, o++) {
		if (o->bit && !(o->bit & bits))
			continue;
		strbuf_add(b, " --%s", o->name);
		if (o->letter)
			strbuf_add(b, " -%c", o->letter);
	}
}

static void zsh_command(struct strbuf *b, const struct command *cmd)
{
	strbuf_add(b, "\t%s '", cmd->name);
	zsh_keys(b, option_infos, OPT_NR, cmd->options);
	zsh_keys(b, common_options, nr_common_options, 0);
	strbuf_add(b, "'\n");
}

static const char zsh_body[] =
"_noclone_names()\n"
"{\n"
"	local node\n"
"\n"
"	for node in /sys/block/dm-*/dm/name(N); do\n"
"		compadd -- \"$(<$node)\"\n"
"	done\n"
"}\n"
"\n"
"_noclone_saved()\n"
"{\n"
"	compadd -- /etc/noclone/*.table(N:t:r)\n"
"}\n"
"\n"
"_noclone_commands()\n"
"{\n"
"	_describe command _noclone_list\n"
"}\n"
"\n"
"# The command is the first of these words.\n"
"_noclone_command()\n"
"{\n"
"	local -a others specs\n"
"	local option\n"
"\n"
"	case $_noclone_kind[$words[1]] in\n"
"	name) others=('*:device:_noclone_names') ;;\n"
"	saved) others=('*:device:_noclone_saved') ;;\n"
"	file) others=('*:file:_files') ;;\n"
"	create) others=('1:name: ' '2:target:(linear striped file)' '*:device:_files') ;;\n"
"	reload) others=('1:device:_noclone_names' '2:target:(linear striped file)' '*:device:_files') ;;\n"
"	resize) others=('1:device:_noclone_names' '2:size:(max)' '*:device:_files') ;;\n"
"	message) others=('1:device:_noclone_names' '2:message:(fastpath)' '3:state:(on off)') ;;\n"
"	command) others=('1:command:_noclone_commands') ;;\n"
"	esac\n"
"	for option in ${=_noclone_takes[$words[1]]}; do\n"
"		specs+=(\"$_noclone_options[$option]\")\n"
"	done\n"
"	_arguments $specs $others\n"
"}\n"
"\n"
"_noclone()\n"
"{\n"
"	local curcontext=$curcontext state line ret=1\n"
"	local -A opt_args\n"
"\n"
"	_arguments -C '1:command:_noclone_commands' '*::word:->words' && ret=0\n"
"	[[ $state == words ]] && _noclone_command && ret=0\n"
"	return ret\n"
"}\n"
"\n"
"_noclone \"$@\"\n";

static char *complete_zsh(const struct command_list *list)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "#compdef noclone\n"
		   "# SPDX-License-Identifier: GPL-2.0-only\n"
		   "# zsh completion for noclone(8), made by \"noclone help --completion=zsh\"\n\n"
		   "typeset -ga _noclone_list=(\n");
	for (i = 0; i < list->nr; i++) {
		strbuf_add(&b, "\t'%s:", list->command[i].name);
		add_quoted(&b, list->command[i].summary, ":");
		strbuf_add(&b, "'\n");
	}
	strbuf_add(&b, ")\n\ntypeset -gA _noclone_options=(\n");
	zsh_specs(&b, option_infos, OPT_NR);
	zsh_specs(&b, common_options, nr_common_options);
	strbuf_add(&b, ")\n\ntypeset -gA _noclone_takes=(\n");
	for (i = 0; i < list->nr; i++)
		zsh_command(&b, &list->command[i]);
	strbuf_add(&b, ")\n\ntypeset -gA _noclone_kind=(\n");
	for (i = 0; i < list->nr; i++)
		strbuf_add(&b, "\t%s %s\n", list->command[i].name,
			   kind_words[list->command[i].kind]);
	strbuf_add(&b, ")\n\n%s", zsh_body);
	return strbuf_take(&b);
}

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
	[WORD_SAVED] = "--arguments '(__noclone_saved)'",
	[WORD_FILE] = "--force-files",
	[WORD_CREATE] = "--arguments 'linear striped file' --force-files",
	[WORD_RELOAD] = "--arguments '(__noclone_names) linear striped file' --force-files",
	[WORD_RESIZE] = "--arguments '(__noclone_names) max' --force-files",
	[WORD_MESSAGE] = "--arguments '(__noclone_names) fastpath on off'",
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
	add_quoted(b, cmd->summary, "\\");
	strbuf_add(b, "'\n");
	if (!fish_words[cmd->kind])
		return;
	fish_if(b, name);
	strbuf_add(b, "%s\n", fish_words[cmd->kind]);
}

static void fish_option(struct strbuf *b, const struct option_info *o,
			const char *commands)
{
	bool required = o->argument && *o->argument != '[';

	if (*commands)
		fish_if(b, commands);
	else
		strbuf_add(b, "complete --command noclone ");
	strbuf_add(b, "--long-option %s ", o->name);
	if (o->letter)
		strbuf_add(b, "--short-option %c ", o->letter);
	if (required)
		strbuf_add(b, takes_path(o) ? "--require-parameter --force-files " :
			   "--exclusive ");
	if (option_choices(o))
		strbuf_add(b, "--arguments '%s' ", option_choices(o));
	strbuf_add(b, "--description '");
	add_quoted(b, o->help, "\\");
	strbuf_add(b, "'\n");
}

/* " NAME" of each command that takes the option: a new string. */
static char *commands_with(const struct command_list *list, option_bits bit)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (list->command[i].options & bit)
			strbuf_add(&b, " %s", list->command[i].name);
	return strbuf_take(&b);
}

static char *complete_fish(const struct command_list *list)
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
	for (i = 0; i < OPT_NR; i++) {
		_cleanup_free_ char *commands =
			commands_with(list, option_infos[i].bit);

		fish_option(&b, &option_infos[i], commands);
	}
	for (i = 0; i < nr_common_options; i++)
		fish_option(&b, &common_options[i], "");
	return strbuf_take(&b);
}

char *completion_script(const struct command_list *list, enum shell shell)
{
	switch (shell) {
	case SHELL_ZSH:
		return complete_zsh(list);
	case SHELL_FISH:
		return complete_fish(list);
	default:
		return complete_bash(list);
	}
}
