// SPDX-License-Identifier: GPL-2.0-only
/* Devices of this module without it. */
#include "cmd/stand-in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/read.h"
#include "base/util.h"
#include "model/exchange.h"
#include "system/file-lookup.h"
#include "system/loop.h"

#define MAX_BLOCK	4096

/*
 * A file system on the device may know its logical block, so keep that of noclone-file:
 * what direct I/O on the file is aligned to.
 */
static uint32_t block_of(const struct target *t)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	uint64_t borders = (t->file_start | t->length) << SECTOR_SHIFT;

	if (t->engine == ENGINE_BUFFERED || file_lookup(t->path, false, &f))
		return SECTOR_SIZE;
	return f.align > SECTOR_SIZE && f.align <= MAX_BLOCK &&
	       !(borders % f.align) ? f.align : SECTOR_SIZE;
}

static char *attach(struct stand_in *s, const struct target *t, bool readonly)
{
	const struct loop_request req = {
		.path = t->path,
		.offset = t->file_start << SECTOR_SHIFT,
		.bytes = t->length << SECTOR_SHIFT,
		.block = block_of(t),
		.readonly = readonly,
		.direct = t->engine != ENGINE_BUFFERED,
	};

	GROW(s->loop, s->nr);
	s->loop[s->nr++] = -1;
	return loop_attach(&req, &s->loop[s->nr - 1]);
}

int stand_in_make(struct stand_in *s, const struct table *t, bool readonly)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < t->nr; i++) {
		const struct target *target = &t->targets[i];
		_cleanup_free_ char *loop = target->path ?
			attach(s, target, readonly) : NULL;

		if (target->path && !loop)
			return -ENODEV;
		exchange_add_stock(&s->table, target, loop);
	}
	return 0;
}

void stand_in_free(struct stand_in *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		cleanup_close(&s->loop[i]);
	free(s->loop);
	table_free(&s->table);
}
