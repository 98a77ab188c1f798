// SPDX-License-Identifier: GPL-2.0-only
/* Which program has made a mapped device: the beginning of its UUID tells. */
#include "model/origin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define LVM_PREFIX	"LVM-"
/* With the identifiers of the volume group and of the volume, 32 characters each */
#define LVM_UUID_LENGTH	68

/* Words that are not the names of the programs. */
static const struct {
	const char *word, *program;
} programs[] = {
	{ "mpath", "multipath" },
	{ "crypt", "cryptsetup" },
};

/* "part1-mpath-...": a partition that kpartx has mapped */
static bool origin_is_partition(const char *word)
{
	return str_starts(word, "part") && word[4] &&
	       !word[4 + strspn(word + 4, "0123456789")];
}

char *origin_of_uuid(const char *uuid)
{
	size_t i, length = strcspn(uuid, "-");
	char *word, *c;

	if (!length || !uuid[length])
		return NULL;
	word = xstrndup(uuid, length);
	for (c = word; *c; c++)
		*c = tolower((unsigned char)*c);
	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		if (strcmp(word, programs[i].word))
			continue;
		free(word);
		return xstrdup(programs[i].program);
	}
	if (!origin_is_partition(word))
		return word;
	free(word);
	return xstrdup("kpartx");
}

bool origin_is_lvm(const char *uuid)
{
	return str_starts(uuid, LVM_PREFIX);
}

bool origin_is_lvm_name(const char *uuid)
{
	return origin_is_lvm(uuid) && strlen(uuid) == LVM_UUID_LENGTH;
}
