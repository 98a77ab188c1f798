// SPDX-License-Identifier: GPL-2.0-only
/*
 * The status line of the module's targets.  Counters are read by name and
 * unknown ones are kept: the line only ever grows, and an old tool should go
 * on working with a new module.
 */
#include "status.h"

#include <stdlib.h>
#include <string.h>

#define WORD(enumerator, word, meaning)	{ word, meaning },

static const struct word {
	const char *word, *meaning;
} counters[] = {
	NOCLONE_COUNTERS(WORD)
}, reasons[] = {
	NOCLONE_OFF_REASONS(WORD)
};

static const char *find_meaning(const struct word *list, size_t nr,
				const char *word)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(list[i].word, word))
			return list[i].meaning;
	return NULL;
}

const char *status_counter_meaning(const char *name)
{
	return find_meaning(counters, ARRAY_SIZE(counters), name);
}

const char *status_reason_meaning(const char *reason)
{
	return find_meaning(reasons, ARRAY_SIZE(reasons), reason);
}

static bool parse_state(struct status *s, const char *word)
{
	if (!strcmp(word, "on")) {
		s->fast = true;
		return true;
	}
	if (!str_starts(word, "off:") || !word[4])
		return false;
	s->reason = xstrdup(word + 4);
	return true;
}

static bool parse_counters(struct status *s, char **word, unsigned int nr)
{
	unsigned int i;
	uint64_t value;

	if (nr % 2)
		return false;
	for (i = 0; i < nr; i += 2) {
		if (!parse_u64(word[i + 1], &value))
			return false;
		GROW(s->counters, s->nr_counters);
		s->counters[s->nr_counters].name = xstrdup(word[i]);
		s->counters[s->nr_counters++].value = value;
	}
	return true;
}

/* "<stripes> <device>... 1 AAD": the letters are the last stock word */
static void parse_stock(struct status *s, char **word, unsigned int nr)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < nr; i++)
		strbuf_add(&b, "%s%s", i ? " " : "", word[i]);
	s->stock = strbuf_take(&b);
	if (nr > 2)
		s->health = xstrdup(word[nr - 1]);
}

bool status_parse(struct status *s, const char *line)
{
	_cleanup_words_ struct words w;
	unsigned int at;
	uint32_t n;

	memset(s, 0, sizeof(*s));
	words_split(&w, line);
	for (at = 0; at < w.nr; at++)
		if (!strcmp(w.word[at], "fastpath"))
			break;

	if (at + 3 > w.nr || !parse_state(s, w.word[at + 1]) ||
	    !parse_u32(w.word[at + 2], &n) || n > w.nr - at - 3 ||
	    !parse_counters(s, w.word + at + 3, n)) {
		status_free(s);
		return false;
	}
	parse_stock(s, w.word, at);
	return true;
}

uint64_t status_counter(const struct status *s, const char *name)
{
	unsigned int i;

	for (i = 0; i < s->nr_counters; i++)
		if (!strcmp(s->counters[i].name, name))
			return s->counters[i].value;
	return 0;
}

void status_free(struct status *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_counters; i++)
		free(s->counters[i].name);
	free(s->counters);
	free(s->stock);
	free(s->health);
	free(s->reason);
	memset(s, 0, sizeof(*s));
}
