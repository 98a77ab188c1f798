// SPDX-License-Identifier: GPL-2.0-only
/* help, version and the completion script, all made from the command table. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "system/devmap.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cmd/cmd.h"

#define TEXT_(x)	#x
#define TEXT(x)		TEXT_(x)
#define VERSION		TEXT(NOCLONE_VERSION_MAJOR) "." \
			TEXT(NOCLONE_VERSION_MINOR) "." \
			TEXT(NOCLONE_VERSION_PATCH)

const char *tool_version(void)
{
	return VERSION;
}

void print_version(void)
{
	puts("noclone " VERSION);
}

static void print_option(const struct option_info *o)
{
	_cleanup_free_ char *words = xasprintf("--%s%s%s", o->name,
					       o->argument ? " " : "",
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

void help_overview(void)
{
	unsigned int i;

	puts("noclone COMMAND [OPTIONS] [WORDS]\n\n"
	     "Linear and striped devices whose I/O is remapped in place, and files as\n"
	     "devices.\n\n"
	     "Commands:");
	for (i = 0; i < nr_commands; i++)
		printf("  %-9s %s\n", commands[i].name, commands[i].summary);
	puts("\n\"noclone help COMMAND\" explains one; noclone(8) explains all.\n"
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

/* The part that does not depend on the table. */
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
		if (!option_infos[i].argument)
			continue;
		strbuf_add(b, " --%s", option_infos[i].name);
		if (option_infos[i].letter)
			strbuf_add(b, " -%c", option_infos[i].letter);
	}
	strbuf_add(b, " \")\n");
}

char *completion_script(void)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "# SPDX-License-Identifier: GPL-2.0-only\n"
		   "# shellcheck shell=bash\n"
		   "# bash completion for noclone(8), made by \"noclone help --completion\"\n\n"
		   "declare -a _noclone_commands=(");
	for (i = 0; i < nr_commands; i++)
		strbuf_add(&b, "%s%s", i ? " " : "", commands[i].name);
	strbuf_add(&b, ")\n");
	strbuf_add(&b, "declare -a _noclone_engines=(direct extent buffered sync)\n");
	add_value_options(&b);
	strbuf_add(&b, "declare -A _noclone_kind=(\n");
	for (i = 0; i < nr_commands; i++)
		strbuf_add(&b, "\t[%s]=%s\n", commands[i].name,
			   kind_words[commands[i].kind]);
	strbuf_add(&b, ")\ndeclare -A _noclone_options=(\n");
	for (i = 0; i < nr_commands; i++) {
		strbuf_add(&b, "\t[%s]=\"", commands[i].name);
		add_options(&b, &commands[i]);
		strbuf_add(&b, "\"\n");
	}
	strbuf_add(&b, ")\n\n%s", completion_body);
	return strbuf_take(&b);
}

int cmd_help(const struct options *o, int argc, char **argv)
{
	const struct command *cmd;

	if (opt(o, OPT_COMPLETION)) {
		_cleanup_free_ char *script = completion_script();

		fputs(script, stdout);
		return EXIT_OK;
	}
	if (!argc) {
		help_overview();
		return EXIT_OK;
	}
	cmd = command_find(argv[0]);
	if (!cmd) {
		log_err("unknown command \"%s\"", argv[0]);
		return EXIT_USAGE;
	}
	help_command(cmd);
	return EXIT_OK;
}

/* Versions of this module's targets, if it is loaded. */
static struct json_object *target_versions(void)
{
	struct json_object *out = json_object_new_object();
	struct devmap_version *v;
	unsigned int i, nr;

	if (devmap_target_versions(&v, &nr))
		return out;
	for (i = 0; i < nr; i++) {
		_cleanup_free_ char *text = xasprintf("%u.%u.%u", v[i].number[0],
						      v[i].number[1],
						      v[i].number[2]);

		if (str_starts(v[i].name, "noclone-"))
			json_object_object_add(out, v[i].name,
					       json_object_new_string(text));
		free(v[i].name);
	}
	free(v);
	return out;
}

int cmd_version(const struct options *o, int argc __unused, char **argv __unused)
{
	_cleanup_free_ char *library = NULL, *driver = NULL;
	struct json_object *out = output_new("version");
	struct json_object *targets;

	devmap_versions(&library, &driver);
	targets = target_versions();
	json_object_object_add(out, "libdevmapper", output_string(library));
	json_object_object_add(out, "driver", output_string(driver));
	json_object_object_add(out, "targets", json_object_get(targets));
	if (opt(o, OPT_JSON)) {
		output_print(out);
	} else {
		print_version();
		printf("libdevmapper %s\ndevice-mapper driver %s\n", library,
		       driver ? driver : "not loaded");
		json_object_object_foreach(targets, name, version)
			printf("target %s %s\n", name,
			       json_object_get_string(version));
		if (!json_object_object_length(targets))
			puts("module " NOCLONE_MODULE_NAME " is not loaded");
	}
	json_object_put(targets);
	json_object_put(out);
	return EXIT_OK;
}
