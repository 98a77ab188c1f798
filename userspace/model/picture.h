/* SPDX-License-Identifier: GPL-2.0-only */
/* A table drawn with characters.  No I/O. */
#ifndef NOCLONE_PICTURE_H
#define NOCLONE_PICTURE_H

#include "model/table.h"

/* What the target does, in one sentence without a full stop. */
char *picture_words(const struct target *t);
/* Lines of text, each ending in a newline. */
char *picture_draw(const struct target *t);

#endif /* NOCLONE_PICTURE_H */
