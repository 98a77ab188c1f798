// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the status line of a target of this module. Counters are found by name, and counters that
 * this tool does not know are kept: a newer module may add counters to the line, and an older tool
 * must still work with this module.
 */
#include "model/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "dm-noclone.h"

/*
 * The share of a device's I/O that takes the fast path.
 *
 * If a target of this module gets I/O outside of the fast path, the I/O arrives as a clone, and the
 * counter "clones" counts the clone. The module does not see the clones of a stock target. So for
 * stock targets the tool adds up the counters of the reasons, which the module increases while the
 * fast path is attached to the device.
 */
/*
 * Return: the growth of a counter from @before to @now. If @now is smaller, it is the counter of a
 * new device with the same name, and all of it is growth.
 */
static uint64_t status_since(uint64_t now, uint64_t before)
{
	return now < before ? now : now - before;
}

bool status_counter_grows(const char *name)
{
	return strcmp(name, "inflight");
}

/* Does this counter count the I/Os that the fast path gave to dm core for one reason? */
static bool status_counter_is_reason(const char *name)
{
	return strcmp(name, "fast") && strcmp(name, "reserve") && strcmp(name, "clones") &&
	       strcmp(name, "gathered") && strcmp(name, "gathered_bios") &&
	       status_counter_grows(name);
}

/* Return: the number of I/Os that dm core did not clone. */
static uint64_t status_fast(const struct status_values *c)
{
	return status_counter(c, "fast") + status_counter(c, "reserve") +
	       status_counter(c, "gathered");
}

struct share status_share(const struct table *t, const struct status *now,
			  const struct status *before)
{
	static const struct status nothing;
	struct share share = { .counted = now && now->has_fastpath };
	uint64_t reasons = 0, most = 0;
	unsigned int i;

	if (!share.counted)
		return share;
	if (!before)
		before = &nothing;
	for (i = 0; i < now->counters.nr; i++) {
		const struct status_value *c = &now->counters.value[i];
		uint64_t value = status_since(c->number,
					      status_counter(&before->counters, c->name));

		if (!status_counter_is_reason(c->name))
			continue;
		reasons += value;
		if (value > most)
			share.reason = c->name;
		most = MAX(most, value);
	}
	share.fast = status_since(status_fast(&now->counters), status_fast(&before->counters));
	share.other = table_has_stock(t) ? reasons :
		      status_since(status_counter(&now->counters, "clones"),
				   status_counter(&before->counters, "clones"));
	return share;
}

#define MEANINGS_MAX	32
#define WORD(enumerator, word, meaning)	{ word, meaning },

/* A NULL pointer in place of a word ends each list. */
static const struct {
	const char *word, *meaning;
} meanings[][MEANINGS_MAX] = {
	[STATUS_COUNTER] = { NOCLONE_COUNTERS(WORD) },
	[STATUS_FILE_COUNTER] = { NOCLONE_FILE_COUNTERS(WORD) },
	[STATUS_REFUSED] = {
		{ "extent:loaded", "the file is not pinned yet: the module pins the file when the device is resumed with this table" },
		{ "extent:locked", "the file was locked when the module tried to pin it: suspend and resume the device again" },
		{ "extent:changed", "the file has changed since the table was loaded: suspend and resume the device again" },
		{ "extent:open", "a process has the file open for writing: close the file in this process, then suspend and resume the device again" },
		{ "extent:error", "a write to the file got lost, and no flush has reported this error yet: flush the device, then suspend and resume the device again" },
		{ "extent:busy", "checking the file took too long when the module tried to pin it: suspend and resume the device again" },
	},
};

const char *status_meaning(enum status_list list, const char *word)
{
	size_t i;

	for (i = 0; meanings[list][i].word; i++)
		if (!strcmp(meanings[list][i].word, word))
			return meanings[list][i].meaning;
	return NULL;
}

static bool status_parse_state(struct status *s, const char *word)
{
	if (!strcmp(word, "on")) {
		s->fast = true;
		return true;
	}
	if (!str_starts(word, "off:") || !word[4])
		return false;
	s->reason = word + 4;
	return true;
}

/*
 * Parse "<#words> [<name> <value>]...". With @numbers, each value must be a number.
 *
 * Return: the number of words, including "<#words>", or -1 if the words are wrong.
 */
static int status_parse_values(struct status_values *list, bool numbers, char **word,
			       unsigned int nr)
{
	uint32_t n, i;

	if (!nr || !parse_u32(*word, &n) || n % 2 || n > nr - 1)
		return -1;
	list->value = xzalloc((n / 2 + 1) * sizeof(*list->value));
	for (i = 1; i < n; i += 2) {
		struct status_value *v = &list->value[list->nr++];

		v->name = word[i];
		v->text = word[i + 1];
		v->is_number = parse_u64(v->text, &v->number);
		if (numbers && !v->is_number)
			return -1;
	}
	return n + 1;
}

static bool status_parse_fastpath(struct status *s, char **word, unsigned int nr)
{
	s->has_fastpath = true;
	return nr > 1 && !strcmp(word[0], "fastpath") &&
	       status_parse_state(s, word[1]) &&
	       status_parse_values(&s->counters, true, word + 2, nr - 2) > 0;
}

/*
 * Parse "engine <engine>", the facts, and the counters of noclone-file. If the engine has a fast
 * path, parse the words of the fast path as well.
 */
static bool status_parse_file(struct status *s, char **word, unsigned int nr)
{
	unsigned int at = 2;
	int n;

	if (nr < at)
		return false;
	s->engine = word[1];
	n = status_parse_values(&s->facts, false, word + at, nr - at);
	if (n < 0)
		return false;
	at += n;
	n = status_parse_values(&s->file_counters, true, word + at, nr - at);
	if (n < 0)
		return false;
	at += n;
	return at == nr || status_parse_fastpath(s, word + at, nr - at);
}

static bool status_parse_words(struct status *s, char **word, unsigned int nr)
{
	unsigned int at;

	if (nr && !strcmp(*word, "engine"))
		return status_parse_file(s, word, nr);
	for (at = 0; at < nr; at++)
		if (!strcmp(word[at], "fastpath"))
			break;
	/*
	 * a striped target first prints "<stripes> <device>... 1 AAD", and the last of these words
	 * has the letters
	 */
	if (at > 2)
		s->health = word[at - 1];
	return status_parse_fastpath(s, word + at, nr - at);
}

int status_parse(struct status *s, const char *line)
{
	/*
	 * a blank follows each word except the last one, so there are at most strlen(line) / 2 + 1
	 * words; a NULL pointer ends the list
	 */
	_cleanup_free_ char **word = xzalloc((strlen(line) / 2 + 2) * sizeof(*word));
	char *rest, *save = NULL;
	unsigned int nr = 0;

	*s = (struct status) { .line = xstrdup(line) };
	for (rest = s->line; (word[nr] = strtok_r(rest, " \t\r\n", &save)); rest = NULL)
		nr++;
	if (nr && status_parse_words(s, word, nr))
		return 0;
	status_free(s);
	return -EINVAL;
}

static const struct status_value *status_find(const struct status_values *list,
					      const char *name)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->value[i].name, name))
			return &list->value[i];
	return NULL;
}

uint64_t status_counter(const struct status_values *counters, const char *name)
{
	const struct status_value *v = status_find(counters, name);

	return v ? v->number : 0;
}

const char *status_fact(const struct status *s, const char *name)
{
	const struct status_value *v = status_find(&s->facts, name);

	return v ? v->text : NULL;
}

struct file_id status_file_id(const struct status *s)
{
	const struct status_value *inode = status_find(&s->facts, "inode");
	const char *device = status_fact(s, "device");
	unsigned int maj, min;
	char rest;

	if (!device || sscanf(device, "%u:%u%c", &maj, &min, &rest) != 2 ||
	    !inode || !inode->is_number)
		return (struct file_id) { 0 };
	return (struct file_id) { true, makedev(maj, min), inode->number };
}

char *status_engine_words(const struct status *s)
{
	const char *refused = status_fact(s, "refused"), *meaning;

	if (!refused || !strcmp(refused, "-"))
		return NULL;
	meaning = status_meaning(STATUS_REFUSED, refused);
	return xasprintf("engine %s is used instead (%s%s%s)", s->engine, refused,
			 meaning ? ": " : "", meaning ? meaning : "");
}

void status_free(struct status *s)
{
	free(s->counters.value);
	free(s->facts.value);
	free(s->file_counters.value);
	free(s->line);
	memset(s, 0, sizeof(*s));
}
