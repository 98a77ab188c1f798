// SPDX-License-Identifier: GPL-2.0-only
/* Command line options. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "model/file-engine.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "cli/losetup.h"

#define DEFAULT_UDEV_TIMEOUT	30
#define DEFAULT_RUN_MS		2000
#define DEFAULT_WATCH_MS	2000

/*
 * VAL_FIRST: getopt returns this number for the first long option, and the following numbers for
 * the following options. For a short option getopt returns the letter, so all these numbers are
 * larger than any character.
 */
#define VAL_FIRST	256

#define OPTION_INFO(bit, name, letter, argument, help) \
	{ OPT_##bit, name, letter, argument, help },

const struct option_info option_infos[OPT_NR] = {
	NOCLONE_OPTIONS(OPTION_INFO)
};

/*
 * Fill in the entry of getopt's table for an option. If the option has a letter, add the letter to
 * @letters.
 */
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
 * Each function from here to options_take() reads the argument of an option. Return: NULL, or a
 * sentence that says what is wrong with the argument.
 */
static const char *options_take_seconds(uint32_t *ms, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (!*value || value[strspn(value, "0123456789.")] || *end ||
	    seconds < 0.1 || seconds > 3600)
		return "not a number of seconds from 0.1 to 3600";
	*ms = seconds * 1000 + 0.5;
	return NULL;
}

static const char *options_take_size(uint64_t *sectors, uint64_t max, const char *value)
{
	return size_parse(value, sectors) ? : !*sectors ? "it must be larger than 0" :
	       *sectors > max ? "it is too large" : NULL;
}

/* Read a size in the syntax of losetup, where a number without a unit is a number of bytes. */
static const char *options_take_bytes(uint64_t *sectors, const char *value)
{
	const char *unit = value[strspn(value, "0123456789")] ? "" : "B";
	_cleanup_free_ char *size = xasprintf("%s%s", value, unit);

	return size_parse(size, sectors) ? : *sectors > TABLE_MAX_SECTORS ? "it is too large" : NULL;
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
	       "the known words are noclone and stock";
}

static const char *options_take(struct options *o, option_bits bit, const char *value)
{
	switch (bit) {
	case OPT_TABLE:
		o->table = value;
		break;
	case OPT_CHUNK:
		return options_take_size(&o->chunk, UINT32_MAX, value);
	case OPT_ENGINE:
		return engine_find(value, &o->engine) && !engine_is_debug(o->engine) ? NULL :
		       "the known engines are direct, extent and buffered";
	case OPT_SIZE:
		return options_take_size(&o->file_sectors, TABLE_MAX_SECTORS, value);
	case OPT_OFFSET:
		return options_take_bytes(&o->offset, value);
	case OPT_SIZE_LIMIT:
		return options_take_bytes(&o->limit, value) ? : o->limit ? NULL : "it must be larger than 0";
	case OPT_UUID:
		o->uuid = value;
		break;
	case OPT_UDEV_TIMEOUT:
		return parse_u32(value, &o->udev_timeout) && o->udev_timeout ? NULL :
		       "not a whole number of seconds that is at least 1";
	case OPT_SECONDS:
		return options_take_seconds(&o->run_ms, value);
	case OPT_INCLUDE:
		return options_take_rule(o, POLICY_INCLUDE, value);
	case OPT_EXCLUDE:
		return options_take_rule(o, POLICY_EXCLUDE, value);
	case OPT_TO:
		return options_take_to(o, value);
	case OPT_WATCH:
		return value ? options_take_seconds(&o->watch_ms, value) : NULL;
	case OPT_OUTPUT:
		o->output = value;
		break;
	case OPT_SORT:
		o->sort = value;
		break;
	case OPT_VERBOSE:
		log_is_verbose = true;
		break;
	}
	return NULL;
}

/*
 * getopt accepts the argument of --watch only in the form --watch=SECONDS. This function also
 * accepts the next word of the command line, if this word is a number of seconds and no mapped
 * device has this word as its name.
 *
 * Return: the word, or NULL.
 */
static const char *options_watch_argument(char **argv)
{
	const char *word = argv[optind];
	uint32_t ms;

	if (!word || options_take_seconds(&ms, word) || blockdev_mapped_number(word))
		return NULL;
	optind++;
	return word;
}

/*
 * getopt reads "-force" as several short options. Return: true after a message if a word is the
 * name of a long option with only one dash before it.
 */
static bool options_lack_dash(int argc, char **argv)
{
	unsigned int i;
	int n;

	for (n = 1; n < argc && strcmp(argv[n], "--"); n++) {
		const char *name = argv[n] + 1;

		for (i = 0; i < OPT_NR && *argv[n] == '-'; i++)
			if (!strncmp(name, option_infos[i].name, strcspn(name, "=")) &&
			    strcspn(name, "=") == strlen(option_infos[i].name)) {
				log_err("-%s has one dash: the option is --%s", name, name);
				return true;
			}
	}
	return false;
}

/*
 * Find an option by the value that getopt returns. Return: NULL for '?', which getopt returns after
 * it has printed a message.
 */
static const struct option_info *options_find(int val)
{
	unsigned int i;

	for (i = 0; i < OPT_NR; i++)
		if (val == option_infos[i].letter || val == (int)(VAL_FIRST + i))
			return &option_infos[i];
	return NULL;
}

/*
 * Say more about an option that getopt has refused: optopt is its letter. For a long option that is
 * not known, optopt is 0, and the option is the word before optind.
 */
static void options_say_refused(const char *verb, char **argv)
{
	const char *word = optopt ? NULL : argv[optind - 1];
	const char *here = losetup_option(word, optopt);

	if (here && word)
		log_err("%.*s of losetup is %s: see \"noclone help %s\"",
			(int)strcspn(word, "="), word, here, verb);
	else if (here)
		log_err("-%c of losetup is %s: see \"noclone help %s\"", optopt, here, verb);
	else
		log_err("%ssee \"noclone help %s\"", !strcmp(verb, "resize") &&
			optopt < VAL_FIRST && isdigit(optopt) ?
			"resize only makes a device larger: " : "", verb);
}

int options_parse(struct options *o, int argc, char **argv)
{
	/* find the verb before getopt changes the order of the words */
	const char *verb = argc > 1 && *argv[1] != '-' ? argv[1] : "COMMAND";
	struct option longs[OPT_NR + 1] = { 0 };
	_cleanup_strbuf_ struct strbuf letters = { 0 };
	unsigned int i;
	int val;

	*o = (struct options) {
		.udev_timeout = DEFAULT_UDEV_TIMEOUT,
		.run_ms = DEFAULT_RUN_MS,
		.watch_ms = DEFAULT_WATCH_MS,
	};
	for (i = 0; i < OPT_NR; i++)
		options_add_long(&longs[i], &letters, &option_infos[i], VAL_FIRST + i);

	if (options_lack_dash(argc, argv))
		return -EINVAL;
	optind = 0;	/* 0 makes glibc initialize getopt again, which only unit tests need */
	while ((val = getopt_long(argc, argv, letters.text, longs, NULL)) != -1) {
		const struct option_info *info = options_find(val);
		const char *wrong;

		if (!info) {
			options_say_refused(verb, argv);
			return -EINVAL;
		}
		o->given |= info->bit;
		if (info->bit == OPT_WATCH && !optarg)
			optarg = (char *)options_watch_argument(argv);
		wrong = options_take(o, info->bit, optarg);
		if (wrong) {
			log_err("--%s %s: %s", info->name, shown(optarg), wrong);
			return -EINVAL;
		}
	}
	return optind;
}

void options_free(struct options *o)
{
	free(o->rules);
}
