// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policy. The text of each line is kept as it was read, so that an edit of one rule does not
 * change the other lines of the file.
 */
#include "model/policy.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "model/finding.h"
#include "model/name.h"

#define WILDCARDS	"*?[\\"
#define BLANKS		" \t\r"

static const char * const kind_words[] = {
	[POLICY_INCLUDE] = "include",
	[POLICY_EXCLUDE] = "exclude",
};

/*
 * Parse a rule: the word "include" or "exclude", and the pattern, without the blanks around the
 * pattern. The pattern itself may contain blanks, because the name of a device may contain blanks.
 */
static void policy_parse_rule(struct policy_line *line, const char *text)
{
	size_t word = strcspn(text, BLANKS), length;
	const char *pattern = text + word + strspn(text + word, BLANKS);
	enum policy_kind kind;

	for (length = strlen(pattern); length && strchr(BLANKS, pattern[length - 1]);)
		length--;
	for (kind = POLICY_INCLUDE; length && kind <= POLICY_EXCLUDE; kind++) {
		if (word != strlen(kind_words[kind]) || !str_starts(text, kind_words[kind]))
			continue;
		line->kind = kind;
		line->pattern = xstrndup(pattern, length);
	}
}

static void policy_parse_line(struct policy_line *line, unsigned int number,
			      struct findings *findings)
{
	const char *text = line->text + strspn(line->text, BLANKS), *usage;

	if (!*text || *text == '#')
		return;
	policy_parse_rule(line, text);
	usage = line->pattern ? policy_pattern_usage(line->pattern) :
				"A rule is \"include PATTERN\" or \"exclude PATTERN\"";
	if (usage)
		finding_at(findings, FINDING_ERROR, number, "%s: \"%s\"", usage, text);
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
	p->parsed = policy_print(p);
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

const struct policy_line *policy_find(const struct policy *p, const struct policy_names *names)
{
	return policy_find_part(p, names, names, NULL);
}

const struct policy_line *policy_find_part(const struct policy *p, const struct policy_names *part,
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

/*
 * Does the pattern have a "[" without a "]", or a "\" at its end? fnmatch() takes such a "[" for a
 * character of the name.
 */
static bool policy_is_open(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '\\')
			pattern++;
		else if (*pattern == '[' && pattern[1])
			/*
			 * a "]" directly behind the "[" is a member of the set, and does not end
			 * the set
			 */
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

	if (!*pattern || strpbrk(pattern, "\r\n") || strchr(BLANKS, *pattern) ||
	    strchr(BLANKS, pattern[strlen(pattern) - 1]))
		return "A pattern is one line that neither begins nor ends with a blank";
	if (str_starts(pattern, "/dev/"))
		return "A pattern matches the name below /dev/mapper, or VG/LV, but never a path in /dev";
	if (policy_is_open(pattern))
		return "The pattern has a \"[\" without a \"]\", or ends with a \"\\\": put a \"\\\" before each \"[\" or \"\\\" that is part of the name";
	if (slash && strchr(slash + 1, '/'))
		return "No name has two slashes: give the name below /dev/mapper, or VG/LV";
	return NULL;
}

/*
 * Return: a pattern that matches only this name, a new string. Some names cannot be patterns, for
 * example a name that contains a line break, or begins or ends with a blank. The pattern then has
 * the encoded form of the name, as libdevmapper encodes it.
 */
static char *policy_escape(const char *name)
{
	_cleanup_free_ char *encoded = name_encode(name);
	const char *text = policy_pattern_usage(name) ? encoded : name;
	struct strbuf b = { 0 };

	for (; *text; text++) {
		if (strchr(WILDCARDS, *text))
			strbuf_putc(&b, '\\', 1);
		strbuf_putc(&b, *text, 1);
	}
	return strbuf_take(&b);
}

static void policy_line_free(struct policy_line *line)
{
	free(line->text);
	free(line->pattern);
}

/*
 * Return: the index of the line where a new first rule is inserted, behind the comments at the
 * start of the file.
 */
static unsigned int policy_top(const struct policy *p)
{
	unsigned int at = 0;

	while (at < p->nr && !p->line[at].pattern)
		at++;
	return at;
}

static void policy_add(struct policy *p, unsigned int at, enum policy_kind kind,
		       const char *pattern)
{
	GROW(p->line, p->nr);
	memmove(&p->line[at + 1], &p->line[at], (p->nr++ - at) * sizeof(*p->line));
	p->line[at] = (struct policy_line) {
		.kind = kind,
		.text = xasprintf("%s %s", kind_words[kind], pattern),
		.pattern = xstrdup(pattern),
		.added = true,
	};
}

/* Remove the rules for @pattern; NULL removes all rules. */
static void policy_remove(struct policy *p, const char *pattern)
{
	unsigned int i, kept = 0;

	for (i = 0; i < p->nr; i++) {
		struct policy_line *line = &p->line[i];

		if (!line->pattern || (pattern && strcmp(line->pattern, pattern))) {
			p->line[kept++] = *line;
			continue;
		}
		if (!line->added)
			strbuf_add(&p->removed, "-%s\n", line->text);
		policy_line_free(line);
	}
	p->nr = kept;
}

void policy_set(struct policy *p, const struct policy_rule *rules, unsigned int nr)
{
	unsigned int i, at = policy_top(p);

	for (i = 0; i < nr; i++)
		policy_remove(p, rules[i].pattern);
	for (i = nr; i--;)
		policy_add(p, at, rules[i].kind, rules[i].pattern);
}

static bool policy_decides(const struct policy *p, enum policy_kind kind,
			   const struct policy_names *names)
{
	const struct policy_line *line = policy_find(p, names);

	return line && line->kind == kind;
}

void policy_set_device(struct policy *p, enum policy_kind kind, const struct policy_names *names)
{
	_cleanup_free_ char *pattern = policy_escape(names->lv ? names->lv : names->mapper);
	unsigned int at = policy_top(p);

	if (policy_decides(p, kind, names))
		return;
	policy_remove(p, pattern);
	if (!policy_decides(p, kind, names))
		policy_add(p, at, kind, pattern);
}

void policy_reset(struct policy *p, enum policy_kind kind)
{
	unsigned int at = policy_top(p);

	policy_remove(p, NULL);
	if (kind == POLICY_INCLUDE)
		policy_add(p, at, kind, "*");
}

/*
 * If the text is the same as before the first edit, print no edits: a rule may have been removed
 * and added again in the same place.
 */
char *policy_edits(const struct policy *p)
{
	_cleanup_free_ char *text = policy_print(p);
	struct strbuf b = { 0 };
	unsigned int i;

	if (!strcmp(text, p->parsed ? p->parsed : ""))
		return xstrdup("");
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
	free(p->parsed);
	free(p->removed.text);
	memset(p, 0, sizeof(*p));
}
