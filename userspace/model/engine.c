// SPDX-License-Identifier: GPL-2.0-only
/* The engines of noclone-file. */
#include "model/engine.h"

#include <string.h>
#include <strings.h>

#define ENGINE_INFO(enumerator, word, meaning)	{ word, meaning },

static const struct {
	const char *name, *meaning;
} engines[NR_ENGINES] = {
	NOCLONE_ENGINES(ENGINE_INFO)
};

const char *engine_name(enum file_engine engine)
{
	return engines[engine].name;
}

const char *engine_meaning(enum file_engine engine)
{
	return engines[engine].meaning;
}

bool engine_find(const char *name, enum file_engine *engine)
{
	unsigned int i;

	for (i = 0; i < NR_ENGINES; i++) {
		if (strcasecmp(engines[i].name, name))
			continue;
		*engine = i;
		return true;
	}
	return false;
}
