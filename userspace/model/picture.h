/* SPDX-License-Identifier: GPL-2.0-only */
/* A target as a sentence and as a diagram. */
#ifndef NOCLONE_PICTURE_H
#define NOCLONE_PICTURE_H

#include "model/table-target.h"

/* Return: what the target maps, as a sentence without a full stop, a new string. */
char *picture_words(const struct target *t);
/* Return: a diagram of the target, in several lines, a new string. */
char *picture_draw(const struct target *t);

#endif /* NOCLONE_PICTURE_H */
