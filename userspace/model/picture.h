/* SPDX-License-Identifier: GPL-2.0-only */
/* A table as text and as a diagram of characters. */
#ifndef NOCLONE_PICTURE_H
#define NOCLONE_PICTURE_H

#include "model/table.h"

/* Both return a new string.  One sentence without a full stop: */
char *picture_words(const struct target *t);
/* A diagram of several lines. */
char *picture_draw(const struct target *t);

#endif /* NOCLONE_PICTURE_H */
