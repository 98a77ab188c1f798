// SPDX-License-Identifier: GPL-2.0-only
/* Options of losetup(8), for users who type them here. */
#include "cli/losetup.h"

#include <stddef.h>
#include <string.h>

#include "base/util.h"

/*
 * @here ends the message "--find of losetup is ...": the words of this tool that do the same as
 * @word
 */
static const struct {
	char letter;
	const char *word, *here;
} losetup_options[] = {
	{ 0, "--find", "\"noclone create - file PATH\"" },
	{ 0, "--show", "\"noclone create - file PATH\"" },
	{ 'P', "--partscan", "--partitions" },
	{ 0, "--sizelimit", "--size-limit" },
	{ 0, "--read-only", "--readonly" },
	{ 0, "--direct-io", "the default, and --direct-io=off is --engine buffered" },
	{ 'b', "--sector-size", "not needed: the device has the blocks that the file needs" },
	{ 'L', "--nooverlap", "the default" },
	{ 'd', "--detach", "\"noclone remove NAME\"" },
	{ 'D', "--detach-all", "\"noclone remove NAME...\" with all names" },
	{ 0, "--associated", "\"noclone status PATH\"" },
	{ 0, "--set-capacity", "\"noclone resize NAME max\"" },
	{ 'l', "--list", "\"noclone status\"" },
	{ 'J', NULL, "--json" },
};

const char *losetup_option(const char *word, int letter)
{
	size_t i, len = word ? strcspn(word, "=") : 0;

	for (i = 0; i < ARRAY_SIZE(losetup_options); i++) {
		const char *name = losetup_options[i].word;

		if (letter ? letter == losetup_options[i].letter :
		    word && name && len == strlen(name) && !strncmp(word, name, len))
			return losetup_options[i].here;
	}
	return NULL;
}
