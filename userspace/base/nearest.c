// SPDX-License-Identifier: GPL-2.0-only
/*
 * The word that was probably meant: few letters inserted, left out, exchanged or
 * swapped with their neighbour, or one that goes on where the word ends.
 */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

/* Longer words are no names of anything here. */
#define MAX_WORD	40
/* So many letters are enough to be the beginning of a word. */
#define MIN_PREFIX	3

static bool nearest_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned int nearest_least(unsigned int a, unsigned int b, unsigned int c)
{
	return MIN(MIN(a, b), c);
}

/* The restricted Damerau-Levenshtein distance. */
static unsigned int nearest_distance(const char *a, const char *b)
{
	unsigned int d[MAX_WORD + 1][MAX_WORD + 1];
	size_t m = strlen(a), n = strlen(b), i, j;

	for (i = 0; i <= m; i++)
		d[i][0] = i;
	for (j = 0; j <= n; j++)
		d[0][j] = j;
	for (i = 1; i <= m; i++)
		for (j = 1; j <= n; j++) {
			unsigned int changed = !nearest_same(a[i - 1], b[j - 1]);

			d[i][j] = nearest_least(d[i - 1][j] + 1, d[i][j - 1] + 1,
						d[i - 1][j - 1] + changed);
			if (i > 1 && j > 1 && nearest_same(a[i - 1], b[j - 2]) &&
			    nearest_same(a[i - 2], b[j - 1]))
				d[i][j] = MIN(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[m][n];
}

/* One mistake in a short word, one more for every three letters of a longer one. */
static bool nearest_is_close(const char *word, const char *candidate, unsigned int far)
{
	size_t length = MIN(strlen(word), strlen(candidate));

	return far <= MAX(length / 3, 1U) && far < length;
}

void nearest_try(struct nearest *n, const char *candidate)
{
	size_t length = strlen(n->word);
	unsigned int far;

	if (!length || length > MAX_WORD || strlen(candidate) > MAX_WORD)
		return;
	far = nearest_distance(n->word, candidate);
	if (length >= MIN_PREFIX && !strncasecmp(n->word, candidate, length))
		far = MIN(far, 1U);
	else if (!nearest_is_close(n->word, candidate, far))
		return;
	if (n->best && n->distance <= far)
		return;
	n->best = candidate;
	n->distance = far;
}

char *nearest_of(const char *word, const char *list)
{
	_cleanup_words_ struct words words = { 0 };
	struct nearest n = { .word = word };
	unsigned int i;

	words_split(&words, list);
	for (i = 0; i < words.nr; i++)
		nearest_try(&n, words.word[i]);
	return n.best ? xstrdup(n.best) : NULL;
}

char *nearest_hint(const char *best)
{
	return best ? xasprintf("; did you mean \"%s\"?", best) : xstrdup("");
}
