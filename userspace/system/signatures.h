/* SPDX-License-Identifier: GPL-2.0-only */
/* What the legs and backing files of a saved device have on them. */
#ifndef NOCLONE_SIGNATURES_H
#define NOCLONE_SIGNATURES_H

#include <stdbool.h>

#include "model/problems.h"
#include "model/saved.h"

/* The first leg or backing file that does not exist: a new string, or NULL. */
char *signatures_missing(const struct table *t);
/*
 * Record what they have now.  @planned: a file may not exist yet.  Return: 0, or a negative
 * errno after a message.
 */
int signatures_record(struct saved *s, bool planned);

/**
 * signatures_check - do they have what was recorded?
 * @s: with @rename its table gets the paths of the devices that were looked at, so that
 *	what is used is what was checked
 * @rename: see @s
 * @problems: an error for each that differs; a warning where it may be data of the device
 *
 * Return: the number of those errors; one that cannot be read does not count.
 */
unsigned int signatures_check(struct saved *s, bool rename, struct problems *problems);

#endif /* NOCLONE_SIGNATURES_H */
