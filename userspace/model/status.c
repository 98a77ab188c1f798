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

#include "model/name.h"

/*
 * Which share of a device's I/O takes the fast path.
 *
 * For our own targets every I/O that did not take the fast path arrives as a clone.
 * The clones of a stock target do not come to the module: there the reasons are
 * added up, which the module counts one by one while it is attached.
 */
/* A counter that has become smaller belongs to a new device of that name. */
static uint64_t status_since(uint64_t now, uint64_t before)
{
	return now < before ? now : now - before;
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
static uint64_t status_fast(const struct status_values *c)
{
	return status_counter(c, "fast") + status_counter(c, "reserve") +
	       status_counter(c, "gathered");
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

/* A list ends with an empty word. */
static const struct {
	const char *word, *meaning;
} meanings[][MEANINGS_MAX] = {
	[STATUS_COUNTER] = { NOCLONE_COUNTERS(WORD) },
	[STATUS_FILE_COUNTER] = { NOCLONE_FILE_COUNTERS(WORD) },
	[STATUS_REASON] = { NOCLONE_OFF_REASONS(WORD) },
	[STATUS_REFUSED] = {
		{ "extent:loaded", "the file is pinned when the table is resumed" },
		{ "extent:locked", "the file was locked when it was to be pinned: suspend and resume again" },
		{ "extent:changed", "the file has changed since the table was loaded: suspend and resume again" },
		{ "extent:open", "a process has the file open for writing: close it there, then suspend and resume again" },
		{ "extent:error", "a write to the file got lost, which no flush has reported yet: flush the device, then suspend and resume again" },
		{ "extent:busy", "checking the file took too long when it was to be pinned: suspend and resume again" },
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
	s->reason = xstrdup(word + 4);
	return true;
}

/*
 * "<#words> [<name> <value>]...".  Return: the number of words with the first, or -1 if they
 * are wrong; values other than numbers are, if @numbers.
 */
static int status_parse_values(struct status_values *list, bool numbers, char **word,
			       unsigned int nr)
{
	uint32_t n, i;

	if (!nr || !parse_u32(*word, &n) || n % 2 || n > nr - 1)
		return -1;
	for (i = 1; i < n; i += 2) {
		struct status_value v = { .name = xstrdup(word[i]), .text = xstrdup(word[i + 1]) };

		v.is_number = parse_u64(v.text, &v.number);
		GROW(list->value, list->nr);
		list->value[list->nr++] = v;
		if (numbers && !v.is_number)
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

/* "engine <engine>", facts, counters; the fast path's words if it has one */
static bool status_parse_file(struct status *s, char **word, unsigned int nr)
{
	unsigned int at = 2;
	int n;

	if (nr < at)
		return false;
	s->engine = xstrdup(word[1]);
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
	/* "<stripes> <device>... 1 AAD": the letters are the last word of the stock target */
	if (at > 2)
		s->health = xstrdup(word[at - 1]);
	return status_parse_fastpath(s, word + at, nr - at);
}

int status_parse(struct status *s, const char *line)
{
	_cleanup_names_ struct names w;

	memset(s, 0, sizeof(*s));
	names_split(&w, line);
	if (w.nr && status_parse_words(s, w.name, w.nr))
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

char *status_stand_in_words(const struct status *s)
{
	const char *refused = status_fact(s, "refused"), *meaning;

	if (!refused || !strcmp(refused, "-"))
		return NULL;
	meaning = status_meaning(STATUS_REFUSED, refused);
	return xasprintf("engine %s stands in (%s%s%s)", s->engine, refused,
			 meaning ? ": " : "", meaning ? meaning : "");
}

static void status_values_free(struct status_values *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		free(list->value[i].name);
		free(list->value[i].text);
	}
	free(list->value);
}

void status_free(struct status *s)
{
	status_values_free(&s->counters);
	status_values_free(&s->facts);
	status_values_free(&s->file_counters);
	free(s->engine);
	free(s->health);
	free(s->reason);
	memset(s, 0, sizeof(*s));
}

/*
 * What to do when the fast path is off: @ becomes the name of the device, # the dmsetup that
 * takes it.
 */
static const struct {
	const char *reason, *remedy;
} remedies[] = {
	{ "parameter", "noclone enable --runtime @; or set the parameter fastpath to Y" },
	{ "option", "noclone reload it without --no-fastpath" },
	{ "message", "noclone enable --runtime @" },
	{ "mixed", "nothing, unless all targets of its table become linear or striped, or those of this module" },
	{ "zoned", "nothing: zones need dm core" },
	{ "foreign", "unload the other module first" },
	{ "nostats", "nothing on this kernel: dmsetup stats would miss I/O" },
	{ "suspended", "# resume @" },
	/* such a device is not the root, but what runs these may have been swapped out to it */
	{ "unpinned", "noclone status @ says why; unless it is swap, # suspend @ && # resume @ tries again" },
	{ "kernel", "noclone doctor says more; a newer dm-noclone may know this kernel" },
	/* those of one device keep all others from the fast path, too */
	{ "stats", "dmsetup stats list --allprograms says on which devices, dmsetup stats delete --allprograms --allregions DEVICE ends it" },
	/* the module suspends and resumes in one go, so that it may be the root */
	{ "unasked", "noclone enable --runtime @" },
	{ "detached", "noclone enable --runtime @" },
	{ "memory", "it is tried again a few times; noclone enable --runtime @ begins anew" },
	{ "stuck", "noclone enable --runtime @, when its legs complete I/O again" },
	{ "layout", "nothing on this kernel; please report it with dmsetup table" },
};

static char *status_remedy_with_name(const char *remedy, const char *name)
{
	_cleanup_free_ char *quoted = shell_quote(name);
	struct strbuf b = { 0 };

	for (; *remedy; remedy++) {
		if (*remedy == '@')
			strbuf_add(&b, "%s", quoted);
		else if (*remedy == '#')
			strbuf_add(&b, "%s", name_dmsetup(name));
		else
			strbuf_putc(&b, *remedy, 1);
	}
	return strbuf_take(&b);
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
	const char *meaning = status_meaning(STATUS_REASON, reason);
	_cleanup_free_ char *remedy = remedy_of_reason(reason, name);

	return xasprintf("%s%s%s", meaning ? meaning : reason,
			 remedy ? ": " : "", remedy ? remedy : "");
}

/*
 * What is wrong below: a device keeps running when its disk or backing file is deleted, or
 * when the path names another file, and neither its table nor "active" shows that.
 */

/* "stripe 1 of the target at sector 0", or without a stripe */
static char *status_below_leg_words(const struct target *t, unsigned int leg)
{
	_cleanup_free_ char *stripe = t->kind == TARGET_STRIPED ?
		xasprintf("stripe %u of ", leg) : xstrdup("");

	return xasprintf("%sthe target at sector %llu", stripe, (unsigned long long)t->start);
}

static void status_below_look_at_leg(struct findings *findings, const struct target *t,
			      unsigned int leg, const char *health,
			      const struct facts_source *src)
{
	_cleanup_free_ char *words = status_below_leg_words(t, leg);
	const char *name = t->legs[leg].device;
	_cleanup_facts_ struct device_facts f = { 0 };

	/* no disk has this number: dm still references a deleted one */
	if (src->lookup(name, &f)) {
		findings->check = "device-deleted";
		finding_add(findings, FINDING_ERROR, name, "the disk of %s is gone", words);
	} else if (health && leg < strlen(health) && health[leg] != 'A') {
		findings->check = "stripe-failed";
		finding_add(findings, FINDING_ERROR, f.path, "%s has had errors", words);
	}
}

static void status_below_look_at_file(struct findings *findings, const char *path,
			       const struct status *s, const struct facts_source *src)
{
	_cleanup_free_ char *name = path_encode(path), *other = NULL;
	_cleanup_file_facts_ struct file_facts f = { 0 };
	const char *links = status_fact(s, "links");
	const struct file_id runs = status_file_id(s);
	bool deleted = links && !strcmp(links, "0");
	int r;

	if (!runs.known)
		return;
	r = src->lookup_file(src, path, false, &f);
	if (file_id_differs(&runs, &f.id))
		other = xasprintf("it is another file now (inode %llu), ",
				  (unsigned long long)f.id.inode);
	else if (!deleted && r != -ENOENT && r != -ENOTDIR)
		return;
	findings->check = other ? "file-replaced" : deleted ? "file-deleted" : "file-missing";
	finding_add(findings, FINDING_ERROR, name, "%sthe device runs on inode %llu%s",
		    other ? other : "", (unsigned long long)runs.inode,
		    deleted ? ", which no longer has a name" :
		    other ? "" : ", which has another name");
}

char *below_short_file(const struct target *t, const struct status *s)
{
	_cleanup_free_ char *has = NULL, *needs = NULL;
	const char *fact = status_fact(s, "size");
	uint64_t end = t->path ? t->legs->start + t->length : 0, size;

	if (!fact || !parse_u64(fact, &size) || size >= end)
		return NULL;
	has = size_format(size);
	needs = size_format(end);
	return xasprintf("it has %s, and the target at sector %llu needs %s: what was behind its end is lost",
			 has, (unsigned long long)t->start, needs);
}

static void status_below_look_at_size(struct findings *findings, const struct target *t,
				      const struct status *s)
{
	_cleanup_free_ char *words = below_short_file(t, s);
	_cleanup_free_ char *name = words ? path_encode(t->path) : NULL;

	findings->check = "file-short";
	if (words)
		finding_add(findings, FINDING_ERROR, name, "%s", words);
}

void below_find(struct findings *findings, const struct target *t,
		const struct status *s, const struct facts_source *src)
{
	unsigned int i;

	if (!t->understood)
		return;
	if (t->path)
		status_below_look_at_file(findings, t->path, s, src);
	status_below_look_at_size(findings, t, s);
	for (i = 0; !t->path && i < t->nr_legs; i++)
		status_below_look_at_leg(findings, t, i, s->health, src);
}

static const struct finding *status_below_first(const struct findings *findings, const char *name)
{
	unsigned int i;

	for (i = 0; i < findings->nr; i++)
		if (!strcmp(findings->finding[i].subject, name))
			return &findings->finding[i];
	return NULL;
}

char *below_brief(const struct findings *findings)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < findings->nr; i++) {
		const struct finding *f = &findings->finding[i];

		/* the check ends with the word */
		if (f == status_below_first(findings, f->subject))
			strbuf_add(&b, "%s%s (%s)", b.len ? ", " : "", f->subject,
				   strchr(f->check, '-') + 1);
	}
	return strbuf_take(&b);
}
