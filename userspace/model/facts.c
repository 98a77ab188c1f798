// SPDX-License-Identifier: GPL-2.0-only
/* What is known about devices and files. */
#include "model/facts.h"

#include <stdlib.h>
#include <string.h>

#include "noclone-refusals.h"

void facts_free(struct device_facts *facts)
{
	free(facts->path);
	free(facts->wwid);
	facts->path = facts->wwid = NULL;
}

bool facts_share_disk(const struct device_facts *a, const struct device_facts *b)
{
	return a->disk == b->disk || (a->wwid && b->wwid && !strcmp(a->wwid, b->wwid));
}

const char *file_kind_problem(enum file_kind kind)
{
	switch (kind) {
	case FILE_DIRECTORY:
		return NOCLONE_ERR_PATH_DIRECTORY;
	case FILE_DEVICE:
		return NOCLONE_ERR_PATH_BLOCK;
	case FILE_OTHER:
		return NOCLONE_ERR_PATH_KIND;
	default:
		return NULL;
	}
}

void file_facts_free(struct file_facts *facts)
{
	free(facts->path);
	facts->path = NULL;
	file_map_free(&facts->map);
}
