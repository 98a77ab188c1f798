/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_ENGINE_H
#define DM_NOCLONE_ENGINE_H

#include "file-state.h"

extern const char * const noclone_engine_word[NOCLONE_NR_ENGINES];

extern const struct noclone_engine noclone_engine_direct;
extern const struct noclone_engine noclone_engine_buffered;
extern const struct noclone_engine noclone_engine_sync;
extern const struct noclone_engine noclone_engine_null;

#endif /* DM_NOCLONE_ENGINE_H */
