// SPDX-License-Identifier: GPL-2.0-only
/* Facts from the command line, for tables of another machine. */
#include "model/assume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/size.h"
#include "base/util.h"

static const struct assumption *find(const struct assumed *a, const char *name)
{
	unsigned int i;

	for (i = 0; i < a->nr; i++)
		if (!strcmp(a->assumption[i].name, name))
			return &a->assumption[i];
	return NULL;
}

static int assumed_lookup(const struct facts_source *src, const char *name,
			  struct device_facts *facts)
{
	const struct assumed *a = src->data;
	const struct assumption *stated = find(a, name);

	if (stated) {
		*facts = stated->facts;
		facts->path = xstrdup(name);
		return 0;
	}
	return a->fallback ? a->fallback->lookup(a->fallback, name, facts) :
			     -ENOENT;
}

/* A regular file without holes, on a file system of its own. */
static void assume_file(const struct assumption *stated, struct file_facts *facts)
{
	*facts = (struct file_facts) {
		.path = xstrdup(stated->name),
		.filesystem = stated->facts.devno,
		.inode = 1,
		.disk = stated->facts.devno,
		.bytes = stated->facts.sectors << SECTOR_SHIFT,
		.allocated = stated->facts.sectors,
		.align = stated->facts.logical_block,
		.align_from = "disk",
		.map = { .known = true },
	};
}

static int assumed_lookup_file(const struct facts_source *src, const char *path,
			       bool map, struct file_facts *facts)
{
	const struct assumed *a = src->data;
	const struct assumption *stated = find(a, path);

	if (stated) {
		assume_file(stated, facts);
		return 0;
	}
	if (!a->fallback || !a->fallback->lookup_file)
		return -ENOENT;
	return a->fallback->lookup_file(a->fallback, path, map, facts);
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
	a->source.lookup_file = assumed_lookup_file;
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

	/* numbers that no real device has, so that no two seem related */
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
