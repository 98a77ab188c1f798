// SPDX-License-Identifier: GPL-2.0-only
/* Command line options. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/size.h"
#include "base/util.h"
#include "model/policy.h"
#include "model/table.h"

#define DEFAULT_UDEV_TIMEOUT	30
#define DEFAULT_RUN_MS		2000
#define DEFAULT_WATCH_MS	2000
#define MIN_RUN_MS		100
#define MAX_RUN_MS		3600000

/* getopt's "val" of the long options: above every character */
#define VAL_FIRST	256

#define OPTION_INFO(bit, name, letter, argument, help) \
	{ OPT_##bit, name, letter, argument, help },

const struct option_info option_infos[OPT_NR] = {
	NOCLONE_OPTIONS(OPTION_INFO)
};

/* One getopt table entry, and a letter if there is one. */
static void options_add_long(struct option *o, struct strbuf *letters,
			     const struct option_info *info, int val)
{
	o->name = info->name;
	o->has_arg = !info->argument ? no_argument :
		     *info->argument == '[' ? optional_argument : required_argument;
	o->val = val;
	if (info->letter)
		strbuf_add(letters, "%c%.*s", info->letter, o->has_arg, "::");
}

/*
 * Each of these reads the argument of an option and returns NULL, or a sentence
 * saying what is wrong with it.
 */
static const char *options_take_udev_timeout(struct options *o, const char *value)
{
	return parse_u32(value, &o->udev_timeout) ? NULL :
	       "not a number of seconds";
}

/* Digits, and up to three decimals. */
static bool options_parse_ms(const char *value, uint32_t *ms)
{
	size_t whole = strcspn(value, "."), digits = 0;
	_cleanup_free_ char *seconds = xstrndup(value, whole);
	const char *fraction = value[whole] ? value + whole + 1 : "0";
	uint32_t s, f = 0;

	digits = strlen(fraction);
	if (!parse_u32(seconds, &s) || s > MAX_RUN_MS / 1000 || digits > 3 ||
	    !parse_u32(fraction, &f))
		return false;
	for (; digits < 3; digits++)
		f *= 10;
	*ms = s * 1000 + f;
	return *ms >= MIN_RUN_MS && *ms <= MAX_RUN_MS;
}

static const char *options_take_seconds(struct options *o, const char *value)
{
	return options_parse_ms(value, &o->run_ms) ? NULL :
	       "not a number of seconds from 0.1 to 3600";
}

static const char *options_take_chunk(struct options *o, const char *value)
{
	const char *wrong = size_parse(value, &o->chunk);

	if (!wrong && !o->chunk)
		wrong = "a chunk cannot be 0";
	if (!wrong && o->chunk > UINT32_MAX)
		wrong = "a chunk cannot be larger than 2T";
	return wrong;
}

static const char *options_take_engine(struct options *o, const char *value)
{
	return engine_find(value, &o->engine) ? NULL :
	       "known are direct, extent, buffered and sync";
}

static const char *options_take_rule(struct options *o, enum policy_kind kind,
				     const char *value)
{
	GROW(o->rules, o->nr_rules);
	o->rules[o->nr_rules++] = (struct policy_rule) { kind, value };
	return policy_pattern_usage(value);
}

static const char *options_take_to(struct options *o, const char *value)
{
	o->to_stock = !strcmp(value, "stock");
	return o->to_stock || !strcmp(value, "noclone") ? NULL :
	       "known are noclone and stock";
}

static const char *options_take_watch(struct options *o, const char *value)
{
	return !value || options_parse_ms(value, &o->watch_ms) ? NULL :
	       "not a number of seconds from 0.1 to 3600";
}

static const char *options_take_size(struct options *o, const char *value)
{
	const char *wrong = size_parse(value, &o->file_sectors);

	if (!wrong && !o->file_sectors)
		wrong = "the backing file cannot be empty";
	if (!wrong && o->file_sectors > TABLE_MAX_SECTORS)
		wrong = "larger than a device can be";
	return wrong;
}

static const char *options_take(struct options *o, const struct option_info *info,
				const char *value)
{
	o->given |= info->bit;
	switch (info->bit) {
	case OPT_TABLE:
		o->table = value;
		break;
	case OPT_CHUNK:
		return options_take_chunk(o, value);
	case OPT_ENGINE:
		return options_take_engine(o, value);
	case OPT_SIZE:
		return options_take_size(o, value);
	case OPT_UUID:
		o->uuid = value;
		break;
	case OPT_UDEV_TIMEOUT:
		return options_take_udev_timeout(o, value);
	case OPT_SECONDS:
		return options_take_seconds(o, value);
	case OPT_INCLUDE:
		return options_take_rule(o, POLICY_INCLUDE, value);
	case OPT_EXCLUDE:
		return options_take_rule(o, POLICY_EXCLUDE, value);
	case OPT_TO:
		return options_take_to(o, value);
	case OPT_WATCH:
		return options_take_watch(o, value);
	case OPT_OUTPUT:
		o->output = value;
		break;
	case OPT_SORT:
		o->sort = value;
		break;
	case OPT_VERBOSE:
		log_level = MAX(log_level, LOG_LEVEL_VERBOSE);
		break;
	case OPT_DEBUG:
		log_level = LOG_LEVEL_DEBUG;
		break;
	}
	return NULL;
}

/* If an argument is one of some words, the one that was meant. */
static char *options_nearest_choice(const char *value, const char *argument)
{
	_cleanup_free_ char *list = xstrdup(argument);
	char *c;

	if (!islower((unsigned char)*list))
		return NULL;
	for (c = list; *c; c++)
		if (*c == '|')
			*c = ' ';
	return nearest_of(value, list);
}

static int options_take_option(struct options *o, const struct option_info *info,
			       const char *value)
{
	const char *wrong = options_take(o, info, value);
	_cleanup_free_ char *best = NULL, *hint = NULL;

	if (!wrong)
		return 0;
	best = options_nearest_choice(value, info->argument);
	hint = nearest_hint(best);
	log_err("--%s %s: %s%s", info->name, *value ? value : "\"\"", wrong, hint);
	return -EINVAL;
}

/* By what getopt returns for an option, or leaves in optopt. */
static const struct option_info *options_find_val(int val)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if ((val && val == option_infos[i].letter) || val == (int)(VAL_FIRST + i))
			return &option_infos[i];
	return NULL;
}

const struct option_info *option_find(const char *word)
{
	unsigned int i;

	if (!str_starts(word, "--"))
		return word[0] == '-' && word[1] && !word[2] ? options_find_val(word[1]) : NULL;
	for (i = 0; i < OPT_NR; i++)
		if (!strcmp(option_infos[i].name, word + 2))
			return &option_infos[i];
	return NULL;
}

bool option_takes_word(const struct option_info *o)
{
	return o->argument && *o->argument != '[';
}

/*
 * What getopt did not accept: it leaves an option that it knows in optopt, or a letter,
 * else only the word behind.
 */
static int options_refuse(struct options *o, int val, const char *word)
{
	const struct option_info *info = options_find_val(optopt);
	bool is_long = !optopt || optopt >= VAL_FIRST;
	_cleanup_free_ char *name = is_long ? xstrndup(word, strcspn(word, "=")) :
				    xasprintf("-%c", optopt);

	if (val == ':' && info)
		log_err("%s needs an argument: %s %s", name, name, info->argument);
	else if (is_long && info)
		log_err("%s takes no argument", name);
	else
		snprintf(o->unknown, sizeof(o->unknown), "%s", name);
	return -EINVAL;
}

int options_parse(struct options *o, int argc, char **argv)
{
	struct option longs[OPT_NR + 1] = { 0 };
	_cleanup_strbuf_ struct strbuf letters = { 0 };
	unsigned int i;
	int val;

	memset(o, 0, sizeof(*o));
	o->udev_timeout = DEFAULT_UDEV_TIMEOUT;
	o->run_ms = DEFAULT_RUN_MS;
	o->watch_ms = DEFAULT_WATCH_MS;
	strbuf_add(&letters, ":");	/* tell a missing argument from an unknown option */
	for (i = 0; i < OPT_NR; i++)
		options_add_long(&longs[i], &letters, &option_infos[i], VAL_FIRST + i);

	optind = 0;	/* glibc: reinitialize, for the unit tests */
	opterr = 0;
	while ((val = getopt_long(argc, argv, letters.text, longs, NULL)) != -1) {
		const struct option_info *info = options_find_val(val);

		/* '?' or ':', which are no letters of options */
		if (!info)
			return options_refuse(o, val, argv[optind - 1]);
		if (options_take_option(o, info, optarg))
			return -EINVAL;
	}
	return optind;
}

void options_free(struct options *o)
{
	free(o->rules);
}

/* What there is to know about a command. */
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
