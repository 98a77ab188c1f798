/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_ENGINES_H
#define DM_NOCLONE_ENGINES_H

#include "noclone-file.h"

extern const char * const noclone_engine_word[NOCLONE_NR_ENGINES];

extern const struct noclone_engine noclone_engine_direct;
extern const struct noclone_engine noclone_engine_buffered;
extern const struct noclone_engine noclone_engine_sync;
extern const struct noclone_engine noclone_engine_null;

#endif /* DM_NOCLONE_ENGINES_H */
