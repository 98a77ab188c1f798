// SPDX-License-Identifier: GPL-2.0-only
/* What is known about devices and files. */
#include "model/facts.h"

#include <stdlib.h>

void facts_free(struct device_facts *facts)
{
	free(facts->path);
	facts->path = NULL;
}

const char *file_kind_problem(enum file_kind kind)
{
	switch (kind) {
	case FILE_DIRECTORY:
		return "Path is a directory: give a regular file";
	case FILE_DEVICE:
		return "Path is a block device: use noclone-linear";
	case FILE_OTHER:
		return "Path is not a regular file";
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
