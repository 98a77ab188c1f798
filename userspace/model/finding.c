// SPDX-License-Identifier: GPL-2.0-only
/* Findings: problems and remarks. */
#include "model/finding.h"

#include <stdlib.h>
#include <string.h>

/*
 * Drop the last finding if it repeats an earlier one. For example, two legs of a target may be on
 * the same missing device.
 */
static void finding_drop_repeated(struct findings *f)
{
	const struct finding *last = &f->finding[f->nr - 1], *other;

	for (other = f->finding; other < last; other++) {
		if (other->line != last->line || strcmp(other->text, last->text))
			continue;
		free(last->text);
		f->nr--;
		return;
	}
}

void finding_add_at(struct findings *f, enum finding_level level, const char *subject,
		    unsigned int line, const char *fmt, ...)
{
	struct finding new = { .level = level, .line = line };
	char *fix = NULL;
	va_list ap;

	if (!f)
		return;
	va_start(ap, fmt);
	new.text = xvasprintf(fmt, ap);
	va_end(ap);
	if (subject)
		fix = strchr(new.text, '\n');
	if (fix)
		*fix++ = 0;
	new.check = f->check;
	new.fix = fix ? xstrdup(fix) : NULL;
	new.subject = subject ? xstrdup(subject) : NULL;
	GROW(f->finding, f->nr);
	f->finding[f->nr++] = new;
	if (!subject)
		finding_drop_repeated(f);
}

unsigned int findings_count(const struct findings *f, enum finding_level level)
{
	unsigned int i, n = 0;

	for (i = 0; i < f->nr; i++)
		n += f->finding[i].level == level;
	return n;
}

const char *finding_level_name(enum finding_level level)
{
	static const char * const names[] = { "ok", "note", "warning", "error" };

	return names[level];
}

char *finding_words(const struct finding *f, const char *where)
{
	const char *subject = f->subject ? f->subject : where;
	struct strbuf b = { 0 };

	if (subject && *subject)
		strbuf_add(&b, "%s:", subject);
	if (f->line && (!subject || *subject))
		strbuf_add(&b, subject ? "%u:" : "part %u:", f->line);
	strbuf_add(&b, "%s%s", b.len ? " " : "", f->text);
	if (f->fix)
		strbuf_add(&b, "; fix: %s", f->fix);
	return strbuf_take(&b);
}

void findings_free(struct findings *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		free(f->finding[i].subject);
		free(f->finding[i].text);
		free(f->finding[i].fix);
	}
	free(f->finding);
	memset(f, 0, sizeof(*f));
}
