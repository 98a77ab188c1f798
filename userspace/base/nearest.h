/* SPDX-License-Identifier: GPL-2.0-only */
/* The word that was probably meant. */
#ifndef NOCLONE_NEAREST_H
#define NOCLONE_NEAREST_H

/**
 * struct nearest - a search for the word that a mistyped one is closest to
 * @word: what was typed
 * @best: the closest of the words tried so far, NULL if none is close
 * @distance: its distance from @word
 */
struct nearest {
	const char *word;
	const char *best;
	unsigned int distance;
};

/* { word } initializes a search; then try each word that would be right. */
void nearest_try(struct nearest *n, const char *candidate);
/* The same for each word of a list with blanks in between: a new string, or NULL. */
char *nearest_of(const char *word, const char *list);
/* "; did you mean \"WORD\"?", or "" if there is no @best: a new string. */
char *nearest_hint(const char *best);

#endif /* NOCLONE_NEAREST_H */
