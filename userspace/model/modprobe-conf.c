// SPDX-License-Identifier: GPL-2.0-only
/* What modprobe.d(5) and the kernel's command line say about our module. */
#include "model/modprobe-conf.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define CMDLINE	"the kernel's command line"

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b)))
			return false;
	return *a == *b;
}

bool modprobe_is_ours(const char *name)
{
	return same_name(name, "dm_noclone");
}

static void add(struct modprobe_conf *c, enum modprobe_kind kind, const char *where,
		const char *text)
{
	GROW(c->line, c->nr);
	c->line[c->nr++] = (struct modprobe_line) {
		kind, xstrdup(where), xstrdup(text)
	};
}

static bool kind_of(const char *word, enum modprobe_kind *kind)
{
	if (!strcmp(word, "blacklist"))
		*kind = MODPROBE_BLACKLIST;
	else if (!strcmp(word, "install"))
		*kind = MODPROBE_INSTALL;
	else if (!strcmp(word, "options"))
		*kind = MODPROBE_OPTIONS;
	else
		return false;
	return true;
}

static void parse_line(struct modprobe_conf *c, const char *path, unsigned int number,
		       const char *line)
{
	_cleanup_free_ char *where = xasprintf("%s:%u", path, number);
	_cleanup_strbuf_ struct strbuf rest = { 0 };
	_cleanup_words_ struct words w;
	enum modprobe_kind kind;
	unsigned int i;

	words_split(&w, line);
	if (w.nr < 2 || !kind_of(w.word[0], &kind) || !modprobe_is_ours(w.word[1]))
		return;
	strbuf_add(&rest, "%s", "");
	for (i = 2; i < w.nr; i++)
		strbuf_add(&rest, "%s%s", i > 2 ? " " : "", w.word[i]);
	add(c, kind, where, rest.text);
}

/* A backslash at the end of a line joins it with the next one. */
void modprobe_conf_parse(struct modprobe_conf *c, const char *path, const char *text)
{
	_cleanup_strbuf_ struct strbuf b = { 0 };
	unsigned int number = 0;

	while (*text) {
		_cleanup_free_ char *line = NULL;
		size_t length = strcspn(text, "\n");
		bool joined = length && text[length - 1] == '\\';

		number++;
		strbuf_append(&b, text, length - joined);
		text += length + (text[length] == '\n');
		if (joined && *text)
			continue;
		line = strbuf_take(&b);
		parse_line(c, path, number, line);
	}
}

/* module_blacklist=a,b and modprobe.blacklist=a,b */
static bool lists_us(const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		_cleanup_free_ char *name = xstrndup(list, length);

		if (modprobe_is_ours(name))
			return true;
		list += length + (list[length] == ',');
	}
	return false;
}

static void parse_word(struct modprobe_conf *c, const char *word)
{
	_cleanup_free_ char *module = xstrndup(word, strcspn(word, "."));

	if (str_starts(word, "module_blacklist=")) {
		if (lists_us(word + strlen("module_blacklist=")))
			add(c, MODPROBE_DENY, CMDLINE, word);
	} else if (str_starts(word, "modprobe.blacklist=")) {
		if (lists_us(word + strlen("modprobe.blacklist=")))
			add(c, MODPROBE_BLACKLIST, CMDLINE, word);
	} else if (!strcmp(word, "dm_noclone.stock=off")) {
		add(c, MODPROBE_STOCK_OFF, CMDLINE, word);
	} else if (word[strlen(module)] && modprobe_is_ours(module)) {
		add(c, MODPROBE_OPTIONS, CMDLINE, word + strlen(module) + 1);
	}
}

void modprobe_conf_parse_cmdline(struct modprobe_conf *c, const char *text)
{
	_cleanup_words_ struct words w;
	unsigned int i;

	words_split(&w, text);
	for (i = 0; i < w.nr; i++)
		parse_word(c, w.word[i]);
}

void modprobe_conf_free(struct modprobe_conf *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		free(c->line[i].where);
		free(c->line[i].text);
	}
	free(c->line);
	memset(c, 0, sizeof(*c));
}
