/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts that the user states instead of having them looked up (--assume). */
#ifndef NOCLONE_ASSUME_H
#define NOCLONE_ASSUME_H

#include "model/facts.h"

/* "DEV=SIZE[:LOGICAL_BLOCK]"; the same for a backing file */
struct assumption {
	char *name;
	struct device_facts facts;
};

/**
 * struct assumed - a source with the facts that the user has stated
 * @source: pass this to lint and plan; @source.data is this struct
 * @fallback: source for all other devices, or NULL
 * @assumption: the facts
 * @nr: how many
 */
struct assumed {
	struct facts_source source;
	const struct facts_source *fallback;
	struct assumption *assumption;
	unsigned int nr;
};

void assumed_init(struct assumed *a, const struct facts_source *fallback);
/* Return: NULL, or a sentence saying what is wrong with @text. */
const char *assumed_add(struct assumed *a, const char *text);
void assumed_free(struct assumed *a);

#endif /* NOCLONE_ASSUME_H */
