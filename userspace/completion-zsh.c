// SPDX-License-Identifier: GPL-2.0-only
/* The completion script for zsh. */
#include "completion-shells.h"

#include <string.h>

#include "base/util.h"
#include "cli/options.h"
#include "completion-words.h"

/* The rest of an _arguments spec: ":SIZE:", with files or words to choose from. */
static void zsh_argument(struct strbuf *b, const struct option_info *o, const char *list)
{
	bool optional = *o->argument == '[';
	size_t length = strlen(o->argument);
	_cleanup_free_ char *name = optional ?
		xstrndup(o->argument + 1, length - 2) : xstrdup(o->argument);

	strbuf_add(b, optional ? "::" : ":");
	completion_quote(b, name, ":");
	if (list)
		strbuf_add(b, ":_values -s , word %s", list);
	else if (option_choices(o))
		strbuf_add(b, ":(%s)", option_choices(o));
	else
		strbuf_add(b, completion_takes_path(o) ? ":_files" : ": ");
}

/*
 * "--name" is the key of --name, "-n" of its letter, each after the command whose argument
 * is a @list of words with commas.
 */
static void zsh_spec(struct strbuf *b, const struct command *cmd, const struct option_info *o,
		     const char *key, const char *joint, const char *list)
{
	if (cmd)
		strbuf_add(b, "\t'%s %s' ", cmd->name, key);
	else
		strbuf_add(b, "\t%s ", key);
	strbuf_add(b, "'*%s%s[", key, o->argument ? joint : "");
	completion_quote(b, o->help, "[]");
	strbuf_add(b, "]");
	if (o->argument)
		zsh_argument(b, o, list);
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
		zsh_spec(b, NULL, o, name, optional ? "=-" : "=", NULL);
		if (o->letter)
			zsh_spec(b, NULL, o, letter, optional ? "-" : "+", NULL);
	}
}

/* Where an option has other words with one command than with the rest. */
static void zsh_own_specs(struct strbuf *b, const struct command *cmd)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++) {
		const struct option_info *o = &option_infos[i];
		_cleanup_free_ char *choices = completion_choices(cmd, o);
		_cleanup_free_ char *name = xasprintf("--%s", o->name);
		const char letter[] = { '-', o->letter, '\0' };

		if (!choices || option_choices(o) || !(cmd->options & o->bit))
			continue;
		zsh_spec(b, cmd, o, name, "=", choices);
		if (o->letter)
			zsh_spec(b, cmd, o, letter, "+", choices);
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
"# Logical volumes by their own names, too; a hidden layer of one has a longer UUID.\n"
"_noclone_devices()\n"
"{\n"
"	local node name uuid\n"
"\n"
"	_noclone_names\n"
"	for node in /sys/block/dm-*/dm(N); do\n"
"		uuid=$(<$node/uuid) name=$(<$node/name)\n"
"		[[ $uuid == LVM-* && ${#uuid} -eq 68 ]] || continue\n"
"		name=${name//--/$'\\1'}\n"
"		name=${name/-/\\/}\n"
"		compadd -- \"${name//$'\\1'/-}\"\n"
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
"	device) others=('*:device:_noclone_devices') ;;\n"
"	saved) others=('*:device:_noclone_saved') ;;\n"
"	file) others=('*:file:_files') ;;\n"
"	create) others=('1:name: ' '2:target:(linear striped file)' '*:device:_files') ;;\n"
"	reload) others=('1:device:_noclone_names' '2:target:(linear striped file)' '*:device:_files') ;;\n"
"	resize) others=('1:device:_noclone_names' '2:size:(max)' '*:device:_files') ;;\n"
"	command) others=('1:command:_noclone_commands') ;;\n"
"	esac\n"
"	for option in ${=_noclone_takes[$words[1]]}; do\n"
"		specs+=(\"${_noclone_options[$words[1] $option]:-$_noclone_options[$option]}\")\n"
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

char *complete_zsh(const struct command_list *list)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "#compdef noclone\n"
		   "# SPDX-License-Identifier: GPL-2.0-only\n"
		   "# zsh completion for noclone(8), made by \"noclone help --completion=zsh\"\n\n"
		   "typeset -ga _noclone_list=(\n");
	for (i = 0; i < list->nr; i++) {
		strbuf_add(&b, "\t'%s:", list->command[i].name);
		completion_quote(&b, list->command[i].summary, ":");
		strbuf_add(&b, "'\n");
	}
	strbuf_add(&b, ")\n\ntypeset -gA _noclone_options=(\n");
	zsh_specs(&b, option_infos, OPT_NR);
	zsh_specs(&b, common_options, nr_common_options);
	for (i = 0; i < list->nr; i++)
		zsh_own_specs(&b, &list->command[i]);
	strbuf_add(&b, ")\n\ntypeset -gA _noclone_takes=(\n");
	for (i = 0; i < list->nr; i++)
		zsh_command(&b, &list->command[i]);
	strbuf_add(&b, ")\n\ntypeset -gA _noclone_kind=(\n");
	for (i = 0; i < list->nr; i++)
		strbuf_add(&b, "\t%s %s\n", list->command[i].name,
			   completion_kind(&list->command[i]));
	strbuf_add(&b, ")\n\n%s", zsh_body);
	return strbuf_take(&b);
}

