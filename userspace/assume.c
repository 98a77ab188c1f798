// SPDX-License-Identifier: GPL-2.0-only
/* Device facts from the command line, for tables of another machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "facts.h"
#include "size.h"
#include "util.h"

void facts_free(struct device_facts *facts)
{
	free(facts->path);
	facts->path = NULL;
}

static int assumed_lookup(const struct facts_source *src, const char *name,
			  struct device_facts *facts)
{
	const struct assumed *a = src->data;
	unsigned int i;

	for (i = 0; i < a->nr; i++) {
		if (strcmp(a->assumption[i].name, name))
			continue;
		*facts = a->assumption[i].facts;
		facts->path = xstrdup(name);
		return 0;
	}
	return a->fallback ? a->fallback->lookup(a->fallback, name, facts) :
			     -ENOENT;
}

static bool assumed_stands_on(const struct facts_source *src, dev_t upper,
			      dev_t lower)
{
	const struct assumed *a = src->data;

	return a->fallback && a->fallback->stands_on(a->fallback, upper, lower);
}

void assumed_init(struct assumed *a, const struct facts_source *fallback)
{
	memset(a, 0, sizeof(*a));
	a->source.lookup = assumed_lookup;
	a->source.stands_on = assumed_stands_on;
	a->source.data = a;
	a->fallback = fallback;
}

const char *assumed_add(struct assumed *a, const char *text)
{
	const char *equals = strrchr(text, '=');
	_cleanup_free_ char *size = NULL;
	struct device_facts facts = { .logical_block = SECTOR_SIZE };
	const char *wrong;
	char *block;

	if (!equals || equals == text)
		return "give DEV=SIZE[:LOGICAL_BLOCK]";
	size = xstrdup(equals + 1);
	block = strchr(size, ':');
	if (block)
		*block++ = 0;

	wrong = size_parse(size, &facts.sectors);
	if (wrong)
		return wrong;
	if (block && (!parse_u32(block, &facts.logical_block) ||
		      facts.logical_block < SECTOR_SIZE ||
		      (facts.logical_block & (facts.logical_block - 1))))
		return "a logical block is a power of two of bytes, at least 512";

	/* numbers no real device has, so that they never look related */
	facts.devno = makedev(4000, a->nr + 1);
	facts.disk = facts.devno;
	facts.physical_block = facts.logical_block;
	GROW(a->assumption, a->nr);
	a->assumption[a->nr].name = xstrndup(text, equals - text);
	a->assumption[a->nr++].facts = facts;
	return NULL;
}

void assumed_free(struct assumed *a)
{
	unsigned int i;

	for (i = 0; i < a->nr; i++)
		free(a->assumption[i].name);
	free(a->assumption);
}
