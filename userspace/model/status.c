// SPDX-License-Identifier: GPL-2.0-only
/*
 * The status line of the module's targets.  Counters are read by name and
 * unknown ones are kept: the line only ever grows, and an old tool must work
 * with a newer module.
 */
#include "model/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "model/name.h"

/*
 * Which share of a device's I/O takes the fast path.
 *
 * For our own targets every I/O that did not take the fast path arrives as a clone.
 * The clones of a stock target do not come to the module: there the reasons are
 * added up, which the module counts one by one while it is attached.
 */
static bool status_share_is_stock(const struct target *target, const void *data __unused)
{
	return target->stock;
}

/* Counters that have become smaller belong to a new device of that name. */
static bool status_share_is_new(const struct status *now, const struct status *before)
{
	unsigned int i;

	for (i = 0; i < now->nr_counters; i++) {
		const struct counter *c = &now->counters[i];

		if (status_counter_grows(c->name) && c->value < status_counter(before, c->name))
			return true;
	}
	return false;
}

bool status_counter_grows(const char *name)
{
	return strcmp(name, "inflight");
}

/* Does it count I/O that the fast path gave to dm core? */
static bool status_counter_is_reason(const char *name)
{
	return strcmp(name, "fast") && strcmp(name, "reserve") && strcmp(name, "clones") &&
	       strcmp(name, "gathered") && strcmp(name, "gathered_bios") &&
	       status_counter_grows(name);
}

/* How many I/Os dm core did not clone. */
static uint64_t status_fast(const struct status *s)
{
	return status_counter(s, "fast") + status_counter(s, "reserve") +
	       status_counter(s, "gathered");
}

struct share share_of(const struct table *t, const struct status *now,
		      const struct status *before)
{
	static const struct status nothing;
	struct share share = { .counted = now && now->has_fastpath };
	uint64_t reasons = 0, most = 0;
	unsigned int i;

	if (!share.counted)
		return share;
	if (!before || status_share_is_new(now, before))
		before = &nothing;
	for (i = 0; i < now->nr_counters; i++) {
		const struct counter *c = &now->counters[i];
		uint64_t value = c->value - status_counter(before, c->name);

		if (!status_counter_is_reason(c->name))
			continue;
		reasons += value;
		if (value > most)
			share.reason = c->name;
		most = MAX(most, value);
	}
	share.fast = status_fast(now) - status_fast(before);
	share.other = table_any(t, status_share_is_stock, NULL) ? reasons :
		status_counter(now, "clones") - status_counter(before, "clones");
	return share;
}

#define WORD(enumerator, word, meaning)	{ word, meaning },

static const struct word {
	const char *word, *meaning;
} counters[] = {
	NOCLONE_COUNTERS(WORD)
}, reasons[] = {
	NOCLONE_OFF_REASONS(WORD)
}, file_counters[] = {
	NOCLONE_FILE_COUNTERS(WORD)
}, refused_words[] = {
	{ "extent:loaded", "the file is pinned when the table is resumed" },
	{ "extent:locked", "the file was locked when it was to be pinned: suspend and resume again" },
	{ "extent:changed", "the file has changed since the table was loaded: suspend and resume again" },
	{ "extent:open", "a process has the file open for writing: close it there, then suspend and resume again" },
	{ "extent:error", "a write to the file got lost, which no flush has reported yet: flush the device, then suspend and resume again" },
	{ "extent:busy", "checking the file took too long when it was to be pinned: suspend and resume again" },
};

static const char *status_find_meaning(const struct word *list, size_t nr,
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
	return status_find_meaning(counters, ARRAY_SIZE(counters), name);
}

const char *status_reason_meaning(const char *reason)
{
	return status_find_meaning(reasons, ARRAY_SIZE(reasons), reason);
}

const char *status_file_counter_meaning(const char *name)
{
	return status_find_meaning(file_counters, ARRAY_SIZE(file_counters), name);
}

const char *status_refused_meaning(const char *refused)
{
	return status_find_meaning(refused_words, ARRAY_SIZE(refused_words), refused);
}

static bool status_parse_state(struct status *s, const char *word)
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

/* "<#words> [<name> <value>]...": the number of words; -1 if it is wrong */
static int status_group_size(char **word, unsigned int nr)
{
	uint32_t n;

	if (!nr || !parse_u32(*word, &n) || n % 2 || n > nr - 1)
		return -1;
	return n;
}

static bool status_parse_counters(struct counter **list, unsigned int *nr_list,
				  char **word, unsigned int nr)
{
	int i, n = status_group_size(word, nr);
	uint64_t value;

	for (i = 1; i < n; i += 2) {
		if (!parse_u64(word[i + 1], &value))
			return false;
		GROW(*list, *nr_list);
		(*list)[*nr_list].name = xstrdup(word[i]);
		(*list)[(*nr_list)++].value = value;
	}
	return n >= 0;
}

/* "<stripes> <device>... 1 AAD": the letters are the last stock word */
static void status_parse_stock(struct status *s, char **word, unsigned int nr)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < nr; i++)
		strbuf_add(&b, "%s%s", i ? " " : "", word[i]);
	s->stock = strbuf_take(&b);
	if (nr > 2)
		s->health = xstrdup(word[nr - 1]);
}

static bool status_parse_fastpath(struct status *s, char **word, unsigned int nr)
{
	s->has_fastpath = true;
	return nr > 1 && !strcmp(word[0], "fastpath") &&
	       status_parse_state(s, word[1]) &&
	       status_parse_counters(&s->counters, &s->nr_counters, word + 2, nr - 2);
}

static void status_parse_facts(struct status *s, char **word, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i += 2) {
		GROW(s->facts, s->nr_facts);
		s->facts[s->nr_facts].name = xstrdup(word[i]);
		s->facts[s->nr_facts++].value = xstrdup(word[i + 1]);
	}
}

/* "engine <engine>", facts, counters; the fast path's words if it has one */
static bool status_parse_file(struct status *s, char **word, unsigned int nr)
{
	int n;

	s->stock = xstrdup("");
	s->engine = nr > 1 ? xstrdup(word[1]) : NULL;
	n = nr > 2 ? status_group_size(word + 2, nr - 2) : -1;
	if (n < 0)
		return false;
	status_parse_facts(s, word + 3, n);
	word += 3 + n;
	nr -= 3 + n;

	if (!status_parse_counters(&s->file_counters, &s->nr_file_counters, word, nr))
		return false;
	n = 1 + status_group_size(word, nr);
	return (unsigned int)n == nr || status_parse_fastpath(s, word + n, nr - n);
}

static bool status_parse_words(struct status *s, char **word, unsigned int nr)
{
	unsigned int at;

	if (nr && !strcmp(*word, "engine"))
		return status_parse_file(s, word, nr);
	for (at = 0; at < nr; at++)
		if (!strcmp(word[at], "fastpath"))
			break;
	status_parse_stock(s, word, at);
	return status_parse_fastpath(s, word + at, nr - at);
}

int status_parse(struct status *s, const char *line)
{
	_cleanup_words_ struct words w;

	memset(s, 0, sizeof(*s));
	words_split(&w, line);
	if (w.nr && status_parse_words(s, w.word, w.nr))
		return 0;
	status_free(s);
	return -EINVAL;
}

static uint64_t status_find_counter(const struct counter *list, unsigned int nr,
				    const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(list[i].name, name))
			return list[i].value;
	return 0;
}

uint64_t status_counter(const struct status *s, const char *name)
{
	return status_find_counter(s->counters, s->nr_counters, name);
}

const char *status_fact(const struct status *s, const char *name)
{
	unsigned int i;

	for (i = 0; i < s->nr_facts; i++)
		if (!strcmp(s->facts[i].name, name))
			return s->facts[i].value;
	return NULL;
}

static bool status_fact_number(const struct status *s, const char *name, uint64_t *n)
{
	const char *value = status_fact(s, name);

	return value && parse_u64(value, n);
}

struct file_id status_file_id(const struct status *s)
{
	const char *device = status_fact(s, "device");
	unsigned int maj, min;
	uint64_t inode;
	char rest;

	if (!device || sscanf(device, "%u:%u%c", &maj, &min, &rest) != 2 ||
	    !status_fact_number(s, "inode", &inode))
		return (struct file_id) { 0 };
	return (struct file_id) { true, makedev(maj, min), inode };
}

char *status_state_words(const struct status *s)
{
	const char *meaning = s->fast ? NULL : status_reason_meaning(s->reason);

	if (s->fast)
		return xstrdup("fast path on");
	return xasprintf("fast path off: %s", meaning ? meaning : s->reason);
}

char *status_stand_in_words(const struct status *s)
{
	const char *refused = status_fact(s, "refused"), *meaning;

	if (!refused || !strcmp(refused, "-"))
		return NULL;
	meaning = status_refused_meaning(refused);
	return xasprintf("engine %s stands in (%s%s%s)", s->engine, refused,
			 meaning ? ": " : "", meaning ? meaning : "");
}

char *status_file_words(const struct status *s)
{
	_cleanup_free_ char *words = status_stand_in_words(s);
	uint64_t inflight = status_find_counter(s->file_counters, s->nr_file_counters, "inflight");

	return xasprintf("%s%s; %llu in flight", words ? words : "engine ",
			 words ? "" : s->engine, (unsigned long long)inflight);
}

static void status_counters_free(struct counter *list, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		free(list[i].name);
	free(list);
}

void status_free(struct status *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_facts; i++) {
		free(s->facts[i].name);
		free(s->facts[i].value);
	}
	free(s->facts);
	free(s->engine);
	status_counters_free(s->counters, s->nr_counters);
	status_counters_free(s->file_counters, s->nr_file_counters);
	free(s->stock);
	free(s->health);
	free(s->reason);
	memset(s, 0, sizeof(*s));
}

/*
 * What to do when the fast path is off: NAME becomes the name of the device, DMSETUP the
 * dmsetup that takes it.
 */
static const struct {
	const char *reason, *remedy;
} remedies[] = {
	{ "parameter", "noclone enable --runtime NAME; or set the parameter fastpath to Y" },
	{ "option", "noclone reload it without --no-fastpath" },
	{ "message", "noclone enable --runtime NAME" },
	{ "mixed", "nothing, unless all its targets become linear or striped" },
	{ "zoned", "nothing: zones need dm core" },
	{ "foreign", "unload the other module first" },
	{ "nostats", "nothing on this kernel: dmsetup stats would miss I/O" },
	{ "suspended", "DMSETUP resume NAME" },
	/* such a device is not the root, but what runs these may have been swapped out to it */
	{ "unpinned", "noclone status NAME says why; unless it is swap, DMSETUP suspend NAME && DMSETUP resume NAME tries again" },
	{ "kernel", "noclone doctor says more; a newer dm-noclone may know this kernel" },
	/* those of one device keep all others from the fast path, too */
	{ "stats", "dmsetup stats list --allprograms says on which devices, dmsetup stats delete --allprograms --allregions DEVICE ends it" },
	/* the module suspends and resumes in one go, so that it may be the root */
	{ "unasked", "noclone enable --runtime NAME" },
	{ "detached", "noclone enable --runtime NAME" },
	{ "memory", "it is tried again a few times; noclone enable --runtime NAME begins anew" },
	{ "stuck", "noclone enable --runtime NAME, when its legs complete I/O again" },
	{ "layout", "nothing on this kernel; please report it with dmsetup table" },
};

static char *status_remedy_replace(const char *text, const char *word, const char *by)
{
	struct strbuf b = { 0 };
	const char *at;

	for (; (at = strstr(text, word)); text = at + strlen(word)) {
		strbuf_append(&b, text, at - text);
		strbuf_add(&b, "%s", by);
	}
	strbuf_add(&b, "%s", text);
	return strbuf_take(&b);
}

/* The name comes last: it may have DMSETUP in it. */
static char *status_remedy_with_name(const char *remedy, const char *name)
{
	_cleanup_free_ char *dmsetup = status_remedy_replace(remedy, "DMSETUP", name_dmsetup(name));
	_cleanup_free_ char *quoted = shell_quote(name);

	return status_remedy_replace(dmsetup, "NAME", quoted);
}

char *remedy_of_reason(const char *reason, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(remedies); i++)
		if (!strcmp(reason, remedies[i].reason))
			return status_remedy_with_name(remedies[i].remedy, name);
	return NULL;
}

char *remedy_words(const char *state, const char *name)
{
	const char *colon = strchr(state, ':'), *reason = colon ? colon + 1 : state;
	const char *meaning = status_reason_meaning(reason);
	_cleanup_free_ char *remedy = remedy_of_reason(reason, name);

	return xasprintf("%s%s%s", meaning ? meaning : reason,
			 remedy ? ": " : "", remedy ? remedy : "");
}
