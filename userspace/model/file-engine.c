// SPDX-License-Identifier: GPL-2.0-only
/* The engines of noclone-file. */
#include "model/file-engine.h"

#include <string.h>
#include <strings.h>

#include "dm-noclone.h"

#define ENGINE_INFO(enumerator, word, meaning)	{ word, meaning },

const struct engine engines[NR_ENGINES] = {
	NOCLONE_ENGINES(ENGINE_INFO)
};

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

bool engine_is_debug(enum file_engine engine)
{
	return engine == ENGINE_SYNC || engine == ENGINE_NOIO;
}
