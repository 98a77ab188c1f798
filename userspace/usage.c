// SPDX-License-Identifier: GPL-2.0-only
/* What is wrong with a command line, and what was probably meant. */
#include "usage.h"

#include <limits.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/util.h"
#include "model/name.h"
#include "system/devmap.h"
#include "cli/options.h"
#include "cli/select.h"

/* What other tools call it. */
static const char *const option_synonyms[][2] = {
	{ "chunksize", "chunk" }, { "chunk-size", "chunk" }, { "chunk_size", "chunk" },
	{ "stripesize", "chunk" }, { "stripe-size", "chunk" }, { "columns", "output" },
	{ "options", "output" }, { "format", "output" }, { "runtime", "seconds" },
	{ "time", "seconds" }, { "interval", "watch" }, { "offset", "start" },
	{ "simulate", "dry-run" }, { "test", "dry-run" }, { "assume-yes", "yes" },
	{ "concise", "table" }, { "read-only", "readonly" }, { "ro", "readonly" },
	{ "L", "size" }, { "I", "chunk" }, { "t", "dry-run" },
};

static const char *const synonyms[][2] = {
	{ "add", "create" }, { "new", "create" }, { "rm", "remove" },
	{ "del", "remove" }, { "delete", "remove" }, { "destroy", "remove" },
	{ "list", "status" }, { "ls", "status" }, { "show", "status" },
	{ "info", "status" }, { "table", "export --to noclone" },
	{ "load", "reload" }, { "replace", "reload" }, { "grow", "resize" },
	{ "extend", "resize" }, { "shrink", "resize" }, { "reduce", "resize" },
	{ "attach", "enable" }, { "detach", "disable" }, { "lint", "check" },
	{ "verify", "check" }, { "benchmark", "bench" }, { "dump", "export" },
	{ "start", "activate" }, { "up", "activate" }, { "mount", "activate" },
	{ "stop", "deactivate" }, { "down", "deactivate" }, { "umount", "deactivate" },
	{ "unmount", "deactivate" }, { "on", "enable" }, { "off", "disable" },
	{ "lvcreate", "create" }, { "lvremove", "remove" },
	{ "lvextend", "resize" }, { "lvreduce", "resize" }, { "lvresize", "resize" },
	{ "lvs", "status" }, { "lvdisplay", "status" }, { "lvconvert", "convert" },
	{ "advise", "create -n" },
};

void usage_unknown_command(const struct command_list *list, const char *name)
{
	struct nearest n = { .word = name };
	_cleanup_free_ char *hint = NULL;
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		nearest_try(&n, list->command[i].name);
	for (i = 0; i < ARRAY_SIZE(synonyms); i++)
		if (!strcmp(synonyms[i][0], name))
			n.best = synonyms[i][1];
	hint = nearest_hint(n.best);
	log_err("unknown command \"%s\"%s", name, hint);
	log_err("\"noclone help\" lists the commands");
}

/* What dmsetup does; of its words, the first @names are names of devices. */
static const struct dmsetup_verb {
	const char *name, *words;
	int min, names;
	bool has_sector;
} dmsetup_verbs[] = {
	{ "rename", " NAME NEW_NAME", 2, 1, false },
	{ "suspend", " NAME...", 1, INT_MAX, false },
	{ "resume", " NAME...", 1, INT_MAX, false },
	{ "message", " NAME 0 WORD...", 2, 1, true },
};

static const struct dmsetup_verb *dmsetup_verb(const char *word)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dmsetup_verbs); i++)
		if (!strcmp(dmsetup_verbs[i].name, word))
			return &dmsetup_verbs[i];
	return NULL;
}

/* --force and the like mean nothing to dmsetup, or something else. */
static bool dmsetup_has_option(const char *word)
{
	return !strcmp(word, "--noflush") || !strcmp(word, "--nolockfs") ||
	       !strcmp(word, "--noudevsync");
}

static void dmsetup_command(const struct dmsetup_verb *v, int argc, char **argv)
{
	const char *dmsetup = "dmsetup";
	_cleanup_strbuf_ struct strbuf b = { 0 };
	uint64_t sector;
	int i, nr = 0;

	for (i = 0; i < argc; i++) {
		bool is_option = *argv[i] == '-', is_name = !is_option && nr < v->names;
		_cleanup_free_ char *word = is_name ? select_name(argv[i]) : xstrdup(argv[i]);
		_cleanup_free_ char *quoted = shell_quote(word);

		if (is_option && !dmsetup_has_option(word))
			continue;
		if (is_name && !name_is_plain(word))
			dmsetup = name_dmsetup(word);
		if (v->has_sector && nr == 1 && !parse_u64(word, &sector))
			strbuf_add(&b, " 0");
		strbuf_add(&b, " %s", quoted);
		nr += !is_option;
	}
	log_err("there is no command \"%s\"; type instead: %s %s%s", v->name, dmsetup, v->name,
		nr < v->min ? v->words : b.text);
}

bool usage_is_dmsetup(int argc, char **argv)
{
	/* names are looked up, and nothing waits for udev */
	const struct devmap_config config = { 0 };
	const struct dmsetup_verb *v;

	/* options may come first */
	for (; argc && **argv == '-'; argc--, argv++)
		;
	v = argc ? dmsetup_verb(*argv) : NULL;
	if (!v)
		return false;
	devmap_setup(&config);
	dmsetup_command(v, argc - 1, argv + 1);
	return true;
}

static bool takes(const struct command *cmd, unsigned int i)
{
	return !cmd || cmd->options & option_infos[i].bit;
}

static void list_options(const struct command *cmd)
{
	_cleanup_strbuf_ struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (takes(cmd, i))
			strbuf_add(&b, "--%s%s%s, ", option_infos[i].name,
				   option_infos[i].argument ? " " : "",
				   option_infos[i].argument ? option_infos[i].argument : "");
	for (i = 0; i < nr_common_options; i++)
		strbuf_add(&b, "--%s%s", common_options[i].name,
			   i + 1 < nr_common_options ? ", " : "");
	log_err("options of %s: %s", cmd->name, b.text);
}

static bool takes_name(const struct command *cmd, const char *name)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (!strcmp(option_infos[i].name, name))
			return takes(cmd, i);
	return false;
}

/* An option with the name that another tool has for it, or NULL. */
static const char *option_synonym(const char *word, const struct command *cmd)
{
	const char *name = word + strspn(word, "-");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(option_synonyms); i++)
		if (!strcmp(option_synonyms[i][0], name) &&
		    takes_name(cmd, option_synonyms[i][1]))
			return option_synonyms[i][1];
	return NULL;
}

static void unknown_option(const char *word, const struct command *cmd)
{
	bool is_long = str_starts(word, "--");
	struct nearest n = { .word = word + 2 };
	const char *synonym = option_synonym(word, cmd);
	_cleanup_free_ char *best = NULL, *hint = NULL;
	unsigned int i;

	for (i = 0; is_long && i < OPT_NR; i++)
		if (takes(cmd, i))
			nearest_try(&n, option_infos[i].name);
	for (i = 0; is_long && i < nr_common_options; i++)
		nearest_try(&n, common_options[i].name);
	if (synonym)
		n.best = synonym;
	best = n.best ? xasprintf("--%s", n.best) : NULL;
	hint = nearest_hint(best);
	log_err("unknown option %s%s", word, hint);
}

/* Those that a word may be short for. */
static void ambiguous_option(const char *word, const struct command *cmd)
{
	_cleanup_strbuf_ struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (takes(cmd, i) && str_starts(option_infos[i].name, word + 2))
			strbuf_add(&b, "%s--%s", b.len ? ", " : "", option_infos[i].name);
	if (b.len)
		log_err("%s may be short for %s: write it out", word, b.text);
	else
		log_err("unknown option %s", word);
}

static const struct option_info *find_option(const char *word)
{
	size_t length = strlen(word);
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (length == 2 ? option_infos[i].letter == word[1] :
		    str_starts(option_infos[i].name, word + 2))
			return &option_infos[i];
	return NULL;
}

static void missing_argument(const char *word)
{
	const struct option_info *o = find_option(word);

	log_err("%s needs an argument: %s %s", word, word,
		o && o->argument ? o->argument : "ARGUMENT");
}

void usage_bad_option(const struct options *o, const struct command *cmd)
{
	switch (o->error) {
	case OPTION_UNKNOWN:
		unknown_option(o->wrong, cmd);
		break;
	case OPTION_AMBIGUOUS:
		ambiguous_option(o->wrong, cmd);
		break;
	case OPTION_NO_ARGUMENT:
		missing_argument(o->wrong);
		return;
	case OPTION_EXTRA_ARGUMENT:
		log_err("%s takes no argument", o->wrong);
		return;
	case OPTION_BAD_ARGUMENT:
		return;
	}
	if (cmd)
		list_options(cmd);
	else
		log_err("\"noclone help COMMAND\" lists the options of a command");
}

void usage_other_options(const struct command *cmd, option_bits given)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (given & ~cmd->options & option_infos[i].bit)
			log_err("%s does not take --%s", cmd->name,
				option_infos[i].name);
	list_options(cmd);
}

void usage_words(const struct command *cmd, int argc, char **argv)
{
	const char *blank = *cmd->words ? " " : "";

	if (argc - 1 < cmd->min)
		log_err("%s needs more words; usage: noclone %s%s%s", cmd->name,
			cmd->name, blank, cmd->words);
	else
		log_err("%s: \"%s\" is one word too many; usage: noclone %s%s%s",
			cmd->name, argv[cmd->max + 1], cmd->name, blank, cmd->words);
}
