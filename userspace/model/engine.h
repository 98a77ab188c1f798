/* SPDX-License-Identifier: GPL-2.0-only */
/* The engines of noclone-file: how its I/O is done. */
#ifndef NOCLONE_ENGINE_H
#define NOCLONE_ENGINE_H

#include <stdbool.h>

#include "dm-noclone.h"

/* The first one is the default of a table that names none. */
#define ENGINE_NUMBER(enumerator, word, meaning)	ENGINE_##enumerator,
enum file_engine { NOCLONE_ENGINES(ENGINE_NUMBER) NR_ENGINES };

const char *engine_name(enum file_engine engine);
const char *engine_meaning(enum file_engine engine);
bool engine_find(const char *name, enum file_engine *engine);

#endif /* NOCLONE_ENGINE_H */
