// SPDX-License-Identifier: GPL-2.0-only
/* Who has a block device open, in words. */
#include "system/openers.h"

#include "base/util.h"
#include "model/uses.h"
#include "system/open-uses.h"

/* A longer list would not be read. */
#define MAX_NAMED	5

static char *words_of(const struct uses *uses)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < MIN(uses->nr, MAX_NAMED); i++) {
		_cleanup_free_ char *text = NULL;

		/* one that maps other sectors only holds the device all the same */
		uses->use[i].harmless = false;
		text = use_describe(&uses->use[i]);
		strbuf_add(&b, "%s%s", b.len ? ", " : "", text);
	}
	return strbuf_take(&b);
}

char *openers_lasting(dev_t devno)
{
	_cleanup_uses_ struct uses uses = { 0 };

	open_uses_lasting(&uses, devno);
	return words_of(&uses);
}

char *openers_processes(dev_t devno)
{
	_cleanup_uses_ struct uses uses = { 0 };

	open_uses_processes(&uses, devno);
	return words_of(&uses);
}
