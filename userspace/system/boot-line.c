// SPDX-License-Identifier: GPL-2.0-only
/* The command line of the running kernel, from /proc/cmdline. */
#include "system/boot-line.h"

#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"

/* MODULE: the name of the module with "_". The kernel accepts this name and the one with "-". */
#define MODULE	"dm_noclone"

static void boot_line_split(struct names *words)
{
	_cleanup_free_ char *line = read_line_of("/proc/cmdline");

	names_split(words, line ? line : "");
}

char *boot_line_word(const char *prefix)
{
	_cleanup_names_ struct names words = { 0 };
	unsigned int i;

	boot_line_split(&words);
	for (i = words.nr; i--;)
		if (str_starts(words.name[i], prefix))
			return xstrdup(words.name[i]);
	return NULL;
}

char *boot_line_options(void)
{
	_cleanup_strbuf_ struct strbuf options = { 0 };
	_cleanup_names_ struct names words = { 0 };
	unsigned int i;

	boot_line_split(&words);
	for (i = 0; i < words.nr; i++) {
		const char *at = words.name[i] + (*words.name[i] == '"');

		if (str_starts(at, MODULE ".") || str_starts(at, NOCLONE_MODULE_NAME "."))
			strbuf_add(&options, "%s ", at + strlen(MODULE "."));
	}
	return options.len ? strbuf_take(&options) : xstrdup("");
}
