/* SPDX-License-Identifier: GPL-2.0-only */
/* A table as text and as a diagram of characters. */
#ifndef NOCLONE_PICTURE_H
#define NOCLONE_PICTURE_H

#include "model/table.h"

/* What the target maps, in a sentence without a full stop: a new string. */
char *picture_words(const struct target *t);
/* The same as a diagram of several lines: a new string. */
char *picture_draw(const struct target *t);

#endif /* NOCLONE_PICTURE_H */
