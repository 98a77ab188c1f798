// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policy.  Lines are kept as they were written, so that an edit changes nothing
 * but the rules it is about.
 */
#include "model/policy.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/name.h"

#define WILDCARDS	"*?[\\"
#define EVERYTHING	"*"

static const char * const kind_words[] = {
	[POLICY_INCLUDE] = "include",
	[POLICY_EXCLUDE] = "exclude",
};

/* The pattern of a rule: a new string; names may have blanks inside. */
static char *policy_pattern_of(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *start;

	if (!str_starts(text, word) || !strchr(" \t", text[length]) || !text[length])
		return NULL;
	start = text + length + strspn(text + length, " \t");
	for (length = strlen(start); length && strchr(" \t\r", start[length - 1]);)
		length--;
	return length ? xstrndup(start, length) : NULL;
}

static void policy_parse_line(struct policy_line *line, unsigned int number,
			      struct findings *findings)
{
	const char *text = line->text + strspn(line->text, " \t\r");
	enum policy_kind kind;
	const char *usage;

	if (!*text || *text == '#')
		return;
	for (kind = POLICY_INCLUDE; kind <= POLICY_EXCLUDE; kind++) {
		line->pattern = policy_pattern_of(text, kind_words[kind]);
		if (!line->pattern)
			continue;
		line->kind = kind;
		usage = policy_pattern_usage(line->pattern);
		if (usage)
			finding_at(findings, FINDING_ERROR, number, "\"%s\": %s", text, usage);
		return;
	}
	finding_at(findings, FINDING_ERROR, number,
		   "A rule is \"include PATTERN\" or \"exclude PATTERN\": \"%s\"",
		   text);
}

void policy_parse(struct policy *p, const char *text, struct findings *findings)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		GROW(p->line, p->nr);
		p->line[p->nr] = (struct policy_line) {
			.text = xstrndup(text, length)
		};
		policy_parse_line(&p->line[p->nr], p->nr + 1, findings);
		p->nr++;
		text += length + (text[length] == '\n');
	}
}

char *policy_print(const struct policy *p)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		strbuf_add(&b, "%s\n", p->line[i].text);
	return strbuf_take(&b);
}

static bool policy_matches(const struct policy_line *line,
			   const struct policy_names *names)
{
	_cleanup_free_ char *shown = name_decode(names->mapper);
	_cleanup_free_ char *encoded = name_encode(names->mapper);

	return line->pattern &&
	       (!fnmatch(line->pattern, names->mapper, 0) ||
		!fnmatch(line->pattern, shown, 0) || !fnmatch(line->pattern, encoded, 0) ||
		(names->lv && !fnmatch(line->pattern, names->lv, 0)));
}

const struct policy_line *policy_find(const struct policy *p,
				      const struct policy_names *names)
{
	return policy_find_part(p, names, names, NULL);
}

const struct policy_line *policy_find_part(const struct policy *p,
					   const struct policy_names *part,
					   const struct policy_names *volume,
					   const struct policy_line *found)
{
	unsigned int i = 0;

	while (i < p->nr && !policy_matches(&p->line[i], part) &&
	       !policy_matches(&p->line[i], volume))
		i++;
	if (i == p->nr || (found && p->line[i].kind == POLICY_EXCLUDE))
		return found;
	return &p->line[i];
}

static enum policy_kind policy_decide(const struct policy *p,
				      const struct policy_names *names)
{
	const struct policy_line *line = policy_find(p, names);

	return line ? line->kind : POLICY_NONE;
}

bool policy_is_literal(const struct policy_line *line)
{
	const char *c;

	for (c = line->pattern; *c; c++) {
		if (*c == '\\' && c[1])
			c++;
		else if (strchr(WILDCARDS, *c))
			return false;
	}
	return true;
}

static char *policy_unescape(const char *pattern)
{
	struct strbuf b = { 0 };

	for (; *pattern; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		strbuf_putc(&b, *pattern, 1);
	}
	return strbuf_take(&b);
}

/* Does @line match all that @other does?  A star of @line stands for whatever @other has there. */
static bool policy_covers(const struct policy_line *line, const struct policy_line *other)
{
	_cleanup_free_ char *name = policy_unescape(other->pattern);

	if (!strcmp(line->pattern, EVERYTHING) || !strcmp(line->pattern, other->pattern))
		return true;
	if (policy_is_literal(other))
		return !fnmatch(line->pattern, name, 0);
	return !strpbrk(line->pattern, "?[\\") && !strpbrk(other->pattern, "[\\") &&
	       !fnmatch(line->pattern, other->pattern, 0);
}

const struct policy_line *policy_hides(const struct policy *p, const struct policy_line *line)
{
	const struct policy_line *above;

	for (above = p->line; line->pattern && above < line; above++)
		if (above->pattern && policy_covers(above, line))
			return above;
	return NULL;
}

/* To fnmatch(), a bracket that is not closed is one of the name. */
static bool policy_is_open(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '\\')
			pattern++;
		else if (*pattern == '[' && pattern[1])
			/* the first character of a set may be a bracket */
			pattern = strchr(pattern + 2, ']');
		else if (*pattern == '[')
			return true;
		if (!pattern || !*pattern)
			return true;
	}
	return false;
}

const char *policy_pattern_usage(const char *pattern)
{
	const char *slash = strchr(pattern, '/');

	if (!*pattern)
		return "the pattern is empty";
	if (strpbrk(pattern, "\r\n"))
		return "a pattern is one line";
	if (strspn(pattern, " \t") || strchr(" \t", pattern[strlen(pattern) - 1]))
		return "a pattern neither begins nor ends with a blank";
	if (str_starts(pattern, "/dev/"))
		return "a pattern is matched with the name below /dev/mapper, and with VG/LV";
	if (policy_is_open(pattern))
		return "no name matches an open \"[\" or a \"\\\" at the end: put a \"\\\" before each that is part of the name";
	if (slash && strchr(slash + 1, '/'))
		return "no name has two slashes: give the name below /dev/mapper, or VG/LV";
	return NULL;
}

static char *policy_escape_text(const char *text)
{
	struct strbuf b = { 0 };

	for (; *text; text++) {
		if (strchr(WILDCARDS, *text))
			strbuf_putc(&b, '\\', 1);
		strbuf_putc(&b, *text, 1);
	}
	return strbuf_take(&b);
}

/*
 * A pattern that matches that name only: a new string.  A name with a line break would be
 * another rule, and blanks at its ends do not count: such a name is encoded as dmsetup does.
 */
static char *policy_escape(const char *name)
{
	char *pattern = policy_escape_text(name);
	_cleanup_free_ char *encoded = name_encode(name);

	if (!policy_pattern_usage(pattern))
		return pattern;
	free(pattern);
	return policy_escape_text(encoded);
}

static void policy_line_free(struct policy_line *line)
{
	free(line->text);
	free(line->pattern);
}

static void policy_remove_line(struct policy *p, unsigned int at)
{
	if (!p->line[at].added)
		strbuf_add(&p->removed, "-%s\n", p->line[at].text);
	policy_line_free(&p->line[at]);
	memmove(&p->line[at], &p->line[at + 1],
		(--p->nr - at) * sizeof(*p->line));
}

/* The place above the other rules, and below the comment at the head of the file. */
static unsigned int policy_top(const struct policy *p)
{
	unsigned int at = 0;

	while (at < p->nr && !p->line[at].pattern)
		at++;
	return at;
}

static void policy_add_rule(struct policy *p, unsigned int at, const struct policy_rule *rule)
{
	GROW(p->line, p->nr);
	memmove(&p->line[at + 1], &p->line[at], (p->nr++ - at) * sizeof(*p->line));
	p->line[at] = (struct policy_line) {
		.kind = rule->kind,
		.text = xasprintf("%s %s", kind_words[rule->kind], rule->pattern),
		.pattern = xstrdup(rule->pattern),
		.added = true,
	};
}

/* Remove the rules for @pattern, or with NULL all of them. */
static void policy_remove_rules(struct policy *p, const char *pattern)
{
	unsigned int i;

	for (i = p->nr; i--;)
		if (p->line[i].pattern &&
		    (!pattern || !strcmp(p->line[i].pattern, pattern)))
			policy_remove_line(p, i);
}

static bool policy_begins_with(const struct policy *p, const struct policy_rule *rules,
			       unsigned int nr)
{
	unsigned int i, same = 0;

	for (i = 0; i < p->nr && same < nr; i++) {
		const struct policy_line *line = &p->line[i];

		if (!line->pattern)
			continue;
		if (line->kind != rules[same].kind || strcmp(line->pattern, rules[same].pattern))
			return false;
		same++;
	}
	return same == nr;
}

void policy_set(struct policy *p, const struct policy_rule *rules, unsigned int nr)
{
	unsigned int i, at = policy_top(p);

	if (policy_begins_with(p, rules, nr))
		return;
	for (i = 0; i < nr; i++)
		policy_remove_rules(p, rules[i].pattern);
	for (i = nr; i--;)
		policy_add_rule(p, at, &rules[i]);
}

void policy_set_device(struct policy *p, enum policy_kind kind,
		       const struct policy_names *names)
{
	_cleanup_free_ char *pattern = policy_escape(names->lv ? names->lv :
								 names->mapper);
	unsigned int at = policy_top(p);

	if (policy_decide(p, names) == kind)
		return;
	policy_remove_rules(p, pattern);
	if (policy_decide(p, names) != kind)
		policy_add_rule(p, at, &(struct policy_rule) { kind, pattern });
}

void policy_reset(struct policy *p, enum policy_kind kind)
{
	const struct policy_rule everything = { kind, EVERYTHING };
	unsigned int at = policy_top(p);

	if (kind == POLICY_INCLUDE && policy_begins_with(p, &everything, 1))
		return;
	policy_remove_rules(p, NULL);
	if (kind == POLICY_INCLUDE)
		policy_add_rule(p, at, &everything);
}

char *policy_edits(const struct policy *p)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "%s", p->removed.text ? p->removed.text : "");
	for (i = 0; i < p->nr; i++)
		if (p->line[i].added)
			strbuf_add(&b, "+%s\n", p->line[i].text);
	return strbuf_take(&b);
}

void policy_free(struct policy *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		policy_line_free(&p->line[i]);
	free(p->line);
	free(p->removed.text);
	memset(p, 0, sizeof(*p));
}
