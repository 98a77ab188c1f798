/* SPDX-License-Identifier: GPL-2.0-only */
/* The engines of noclone-file. */
#ifndef NOCLONE_FILE_ENGINE_H
#define NOCLONE_FILE_ENGINE_H

#include <stdbool.h>

#include "dm-noclone.h"

/* The first engine is the default for a table that names no engine. */
#define ENGINE_NUMBER(enumerator, word, meaning)	ENGINE_##enumerator,
enum file_engine { NOCLONE_ENGINES(ENGINE_NUMBER) NR_ENGINES };

extern const struct engine {
	const char *name, *meaning;
} engines[NR_ENGINES];

bool engine_find(const char *name, enum file_engine *engine);
/* Does only a debug build of the module have this engine? */
bool engine_is_debug(enum file_engine engine);

#endif /* NOCLONE_FILE_ENGINE_H */
