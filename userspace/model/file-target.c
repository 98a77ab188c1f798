// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arguments of the target noclone-file.
 *
 * As for the other targets, order and sentences are those of the constructor
 * in the kernel: options first, then path and start.
 */
#include "model/file-target.h"

#include <string.h>
#include <strings.h>

#include "dm-noclone.h"
#include "noclone-path.h"
#include "noclone-refusals.h"
#include "base/util.h"
#include "model/engine.h"

#define MAX_OPTION_WORDS	3
/* The kernel's isspace() takes it for a blank. */
#define NO_BREAK_SPACE		0xa0

/* Would dm or dmsetup hand another path to the target than the one written? */
static bool parse_is_mangled(const char *word)
{
	for (; *word; word++)
		if (*word == '\\' || (unsigned char)*word < ' ' ||
		    (unsigned char)*word == NO_BREAK_SPACE)
			return true;
	return false;
}

static bool parse_path(struct args *a, const char *word)
{
	_cleanup_free_ char *path = xstrdup(word);

	if (parse_is_mangled(word))
		return args_bad(a, "Path has a byte that dm splits at or removes: write it as % and two hexadecimal digits",
				word);
	if (!noclone_path_decode(path))
		return args_bad(a, NOCLONE_ERR_PATH_ESCAPE, word);
	if (*path != '/')
		return args_bad(a, NOCLONE_ERR_PATH_RELATIVE, word);
	a->target->path = xstrdup(path);
	return true;
}

static bool parse_engine(struct args *a)
{
	char *word;

	if (!a->nr)
		return args_bad(a, NOCLONE_ERR_NO_ENGINE, NULL);
	word = args_next(a);
	a->target->engine_given = true;
	/* "null" is for debug builds: not a name to propose */
	return engine_find(word, &a->target->engine) ||
	       args_bad(a, NOCLONE_ERR_ENGINE, word);
}

static bool parse_option(struct args *a)
{
	char *word = args_next(a);

	if (!strcasecmp(word, NOCLONE_OPT_ENGINE))
		return parse_engine(a);
	if (strcasecmp(word, NOCLONE_OPT_NO_FASTPATH))
		return args_bad(a, NOCLONE_ERR_FILE_OPTION, word);
	a->target->no_fastpath = true;
	return true;
}

/* "<#words> word...", or nothing at all */
static bool parse_options(struct args *a)
{
	char *word;
	uint32_t n;

	if (!a->nr)
		return true;
	word = args_next(a);
	if (!parse_u32(word, &n) || n > MAX_OPTION_WORDS)
		return args_bad(a, NOCLONE_ERR_FILE_NR_OPTIONS, word);
	if (n != a->nr)
		return args_bad(a, NOCLONE_ERR_FILE_OPTION_COUNT, word);
	while (a->nr)
		if (!parse_option(a))
			return false;
	return true;
}

bool file_target_parse(struct args *a)
{
	struct args options = *a;

	if (a->nr < 2)
		return args_bad(a, NOCLONE_ERR_FILE_ARGS, NULL);
	options.word += 2;
	options.nr -= 2;
	if (!parse_options(&options) || !parse_path(a, a->word[0]))
		return false;
	return parse_u64(a->word[1], &a->target->file_start) ||
	       args_bad(a, NOCLONE_ERR_START, a->word[1]);
}
