// SPDX-License-Identifier: GPL-2.0-only
/* Sentences of the kernel log that are about device-mapper. */
#include "system/devmap-log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/util.h"

char *devmap_kernel_sentence(const char *record)
{
	const char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text++;
	if (!str_starts(text, "device-mapper: "))
		return NULL;
	text += strlen("device-mapper: ");
	return xstrndup(text, strcspn(text, "\n"));
}

/* Does the sentence have this word? A longer word does not count: 253:10 is not the word 253:1. */
static bool devmap_has_word(const char *sentence, const char *word)
{
	static const char more[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.+";
	const size_t length = strlen(word);
	const char *at;

	for (at = strstr(sentence, word); at; at = strstr(at + 1, word))
		if ((at == sentence || !strchr(more, at[-1])) &&
		    (!at[length] || !strchr(more, at[length])))
			return true;
	return false;
}

bool devmap_sentence_names(const char *sentence, const char *name, dev_t devno)
{
	_cleanup_free_ char *number = xasprintf("%u:%u", major(devno), minor(devno));

	return (devno && devmap_has_word(sentence, number)) || devmap_has_word(sentence, name);
}
