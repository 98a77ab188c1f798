// SPDX-License-Identifier: GPL-2.0-only
/* What is known about devices and files. */
#include "model/facts.h"

#include <stdlib.h>

#include "noclone-refusals.h"

void facts_free(struct device_facts *facts)
{
	free(facts->path);
	facts->path = NULL;
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
