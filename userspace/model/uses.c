// SPDX-License-Identifier: GPL-2.0-only
/* Who uses a device or file. */
#include "model/uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static const char * const kind_names[] = {
	"mount", "swap", "holder", "exclusive", "signature", "process", "loop",
	"unreadable",
};

const char *use_kind_name(enum use_kind kind)
{
	return kind_names[kind];
}

char *use_describe(const struct use *use)
{
	static const char * const words[] = {
		"mounted at", "swap", "held by", "opened exclusively by",
		"holds a signature:", "open in", "under the loop device",
		"cannot be read:",
	};

	/* a label, a mount point or the name of a process */
	_cleanup_free_ char *by = visible(use->by);

	return xasprintf("%s %s%s", words[use->kind], by,
			 use->harmless ? " (on other sectors)" : "");
}

char *use_remedy(const struct use *use)
{
	switch (use->kind) {
	case USE_MOUNT:
		return xstrdup("umount it first");
	case USE_SWAP:
		return xstrdup("swapoff first");
	case USE_HOLDER:
		return xstrdup("remove that first");
	case USE_LOOP:
		return xasprintf("losetup --detach %s first", use->by);
	case USE_PROCESS:
		return xstrdup("end it");
	case USE_UNREADABLE:
		return xstrdup("use another device");
	default:
		return NULL;
	}
}

void uses_add(struct uses *uses, enum use_kind kind, const char *by,
	      bool harmless)
{
	GROW(uses->use, uses->nr);
	uses->use[uses->nr++] = (struct use) { kind, xstrdup(by), harmless };
}

void uses_free(struct uses *uses)
{
	unsigned int i;

	for (i = 0; i < uses->nr; i++)
		free(uses->use[i].by);
	free(uses->use);
	memset(uses, 0, sizeof(*uses));
}
