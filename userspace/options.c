// SPDX-License-Identifier: GPL-2.0-only
/* Command line options. */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "size.h"
#include "util.h"

#define DEFAULT_UDEV_TIMEOUT	30

/* getopt's "val" of the options without a letter: above every character */
#define VAL_FIRST	256
enum { VAL_DEBUG = VAL_FIRST + OPT_NR };

#define OPTION_INFO(bit, name, letter, argument, help) \
	{ OPT_##bit, name, letter, argument, help },

const struct option_info option_infos[OPT_NR] = {
	NOCLONE_OPTIONS(OPTION_INFO)
};

const struct option_info common_options[] = {
	{ 0, "verbose", 'v', NULL, "say more" },
	{ 0, "debug", 0, NULL, "say everything, also what libdevmapper does" },
	{ 0, "help", 'h', NULL, "explain the command" },
	{ 0, "version", 'V', NULL, "print the version" },
};
const unsigned int nr_common_options = ARRAY_SIZE(common_options);

/* One getopt table entry; an option without a letter gets its own number. */
static void add_long(struct option *o, struct strbuf *letters,
		     const struct option_info *info, int val)
{
	o->name = info->name;
	o->has_arg = info->argument ? required_argument : no_argument;
	o->flag = NULL;
	o->val = info->letter ? info->letter : val;
	if (info->letter)
		strbuf_add(letters, "%c%s", info->letter,
			   info->argument ? ":" : "");
}

static bool take_number(struct options *o, const char *value)
{
	if (parse_u32(value, &o->udev_timeout))
		return true;
	log_err("--udev-timeout %s: not a number of seconds", value);
	return false;
}

static bool take_chunk(struct options *o, const char *value)
{
	const char *wrong = size_parse(value, &o->chunk);

	if (!wrong && !o->chunk)
		wrong = "a chunk cannot be empty";
	if (wrong)
		log_err("--chunk %s: %s", value, wrong);
	return !wrong;
}

static bool take(struct options *o, const struct option_info *info,
		 const char *value)
{
	o->given |= info->bit;
	switch (info->bit) {
	case OPT_TABLE:
		o->table = value;
		break;
	case OPT_CHUNK:
		return take_chunk(o, value);
	case OPT_UUID:
		o->uuid = value;
		break;
	case OPT_FOR:
		o->target_name = value;
		break;
	case OPT_UDEV_TIMEOUT:
		return take_number(o, value);
	case OPT_ASSUME:
		GROW(o->assume, o->nr_assume);
		o->assume[o->nr_assume++] = value;
		break;
	}
	return true;
}

static bool take_val(struct options *o, int val, const char *value)
{
	unsigned int i;

	switch (val) {
	case 'v':
		log_level = MAX(log_level, LOG_LEVEL_VERBOSE);
		return true;
	case 'h':
		o->help = true;
		return true;
	case 'V':
		o->version = true;
		return true;
	case VAL_DEBUG:
		log_level = LOG_LEVEL_DEBUG;
		return true;
	case '?':	/* getopt has said what is wrong */
		return false;
	}
	for (i = 0; i < OPT_NR; i++)
		if (val == option_infos[i].letter ||
		    val == (int)(VAL_FIRST + i))
			return take(o, &option_infos[i], value);
	return false;
}

int options_parse(struct options *o, int argc, char **argv)
{
	struct option longs[OPT_NR + ARRAY_SIZE(common_options) + 1] = { 0 };
	_cleanup_strbuf_ struct strbuf letters = { 0 };
	unsigned int i;
	int val;

	memset(o, 0, sizeof(*o));
	o->udev_timeout = DEFAULT_UDEV_TIMEOUT;
	for (i = 0; i < OPT_NR; i++)
		add_long(&longs[i], &letters, &option_infos[i], VAL_FIRST + i);
	for (i = 0; i < nr_common_options; i++)
		add_long(&longs[OPT_NR + i], &letters, &common_options[i],
			 VAL_DEBUG);

	optind = 0;	/* glibc: start anew, also in the unit tests */
	while ((val = getopt_long(argc, argv, letters.text, longs, NULL)) != -1)
		if (!take_val(o, val, optarg))
			return -1;
	return optind;
}

void options_free(struct options *o)
{
	free(o->assume);
}
