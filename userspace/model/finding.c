// SPDX-License-Identifier: GPL-2.0-only
/* What is wrong or worth a word. */
#include "model/finding.h"

#include <stdlib.h>
#include <string.h>

static struct finding *finding_new(struct findings *f, enum finding_level level)
{
	GROW(f->finding, f->nr);
	f->finding[f->nr] = (struct finding) { .level = level, .check = f->check };
	return &f->finding[f->nr++];
}

void finding_add(struct findings *f, enum finding_level level, const char *subject,
		 const char *fmt, ...)
{
	struct finding *new = finding_new(f, level);
	char *fix;
	va_list ap;

	va_start(ap, fmt);
	new->text = xvasprintf(fmt, ap);
	va_end(ap);
	fix = strchr(new->text, '\n');
	if (fix)
		*fix++ = 0;
	new->fix = fix ? xstrdup(fix) : NULL;
	new->subject = xstrdup(subject);
}

/* Two legs may be on a device that does not exist. */
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

void finding_at(struct findings *f, enum finding_level level, unsigned int line,
		const char *fmt, ...)
{
	struct finding *new;
	va_list ap;

	if (!f)
		return;
	new = finding_new(f, level);
	new->line = line;
	va_start(ap, fmt);
	new->text = xvasprintf(fmt, ap);
	va_end(ap);
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
	struct strbuf b = { 0 };

	strbuf_add(&b, "%s:", f->subject ? f->subject : where);
	if (f->line)
		strbuf_add(&b, "%u:", f->line);
	strbuf_add(&b, " %s", f->text);
	if (f->fix)
		strbuf_add(&b, "; fix: %s", f->fix);
	return strbuf_take(&b);
}

void findings_move(struct findings *to, struct findings *from)
{
	unsigned int i;

	for (i = 0; i < from->nr; i++) {
		GROW(to->finding, to->nr);
		to->finding[to->nr++] = from->finding[i];
	}
	from->nr = 0;
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
