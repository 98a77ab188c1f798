// SPDX-License-Identifier: GPL-2.0-only
/* Which devices LVM looks at: its devices file, or the filters of lvm.conf. */
#include "model/lvm-view.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* The value of "key=value", up to the end of the line: a new string, or NULL. */
static char *setting(const char *config, const char *key)
{
	size_t length = strlen(key);

	for (; config && *config; config = strchr(config, '\n')) {
		config += strspn(config, "\n\t ");
		if (!strncmp(config, key, length) && config[length] == '=')
			return xstrndup(config + length + 1,
					strcspn(config + length + 1, "\n"));
	}
	return NULL;
}

bool lvm_uses_devices_file(const struct lvm_view *view)
{
	_cleanup_free_ char *use = setting(view->config, "use_devicesfile");

	return use && !strcmp(use, "1") &&
	       (view->devices_file || view->devices_file_unreadable);
}

bool lvm_has_filter(const struct lvm_view *view)
{
	_cleanup_free_ char *filter = setting(view->config, "global_filter");

	return filter;
}

/* "KEY=VALUE" as a whole word of a line that is no comment. */
static bool has_word(const char *text, const char *key, const char *value)
{
	_cleanup_free_ char *wanted = xasprintf("%s=%s", key, value);

	while (*text) {
		_cleanup_free_ char *line = xstrndup(text, strcspn(text, "\n"));
		_cleanup_words_ struct words w;
		unsigned int i;

		words_split(&w, *line == '#' ? "" : line);
		for (i = 0; i < w.nr; i++)
			if (!strcmp(w.word[i], wanted))
				return true;
		text += strcspn(text, "\n");
		text += strspn(text, "\n");
	}
	return false;
}

static enum answer is_listed(const struct lvm_view *view, char *const *name,
			     unsigned int nr)
{
	unsigned int i;

	if (!view->devices_file)
		return ANSWER_UNKNOWN;
	for (i = 0; i < nr; i++)
		if (has_word(view->devices_file, "DEVNAME", name[i]) ||
		    has_word(view->devices_file, "IDNAME", name[i]))
			return ANSWER_YES;
	return ANSWER_NO;
}

/* "a|regex|": true if the pattern is for @name; then *@accepts says what it does. */
static bool pattern_matches(const char *pattern, const char *name, bool *accepts)
{
	_cleanup_free_ char *expression = NULL;
	size_t length = strlen(pattern);
	regex_t regex;
	bool found;

	if (length < 3)
		return false;
	*accepts = *pattern == 'a';
	expression = xstrndup(pattern + 2, length - 3);
	if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB))
		return false;
	found = !regexec(&regex, name, 0, NULL, 0);
	regfree(&regex);
	return found;
}

/* The patterns of ["a|x|","r|y|"], one after the other; the first that matches counts. */
static enum answer accepts_name(const char *filter, const char *name)
{
	const char *quote = strchr(filter, '"');
	bool accepts;

	while (quote) {
		size_t length = strcspn(quote + 1, "\"");
		_cleanup_free_ char *pattern = xstrndup(quote + 1, length);

		if (pattern_matches(pattern, name, &accepts))
			return accepts ? ANSWER_YES : ANSWER_NO;
		quote += 1 + length;
		quote = *quote ? strchr(quote + 1, '"') : NULL;
	}
	return ANSWER_UNKNOWN;
}

static bool filter_accepts(const char *filter, char *const *name, unsigned int nr)
{
	bool rejected = false;
	unsigned int i;

	for (i = 0; filter && i < nr; i++) {
		enum answer a = accepts_name(filter, name[i]);

		if (a == ANSWER_YES)
			return true;
		rejected |= a == ANSWER_NO;
	}
	return !rejected;
}

enum answer lvm_sees(const struct lvm_view *view, char *const *name, unsigned int nr)
{
	_cleanup_free_ char *global = setting(view->config, "global_filter");
	_cleanup_free_ char *local = setting(view->config, "filter");

	if (!view->config)
		return ANSWER_UNKNOWN;
	if (lvm_uses_devices_file(view))
		return is_listed(view, name, nr);
	return filter_accepts(global, name, nr) && filter_accepts(local, name, nr) ?
	       ANSWER_YES : ANSWER_NO;
}

void lvm_view_free(struct lvm_view *view)
{
	free(view->config);
	free(view->devices_file);
	memset(view, 0, sizeof(*view));
}
