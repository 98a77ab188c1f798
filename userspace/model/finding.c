// SPDX-License-Identifier: GPL-2.0-only
/* What "noclone doctor" says. */
#include "model/finding.h"

#include <stdlib.h>
#include <string.h>

void finding_add(struct findings *f, enum finding_level level, const char *what,
		 const char *fmt, ...)
{
	char *text, *fix;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	fix = strchr(text, '\n');
	if (fix)
		*fix++ = 0;
	GROW(f->finding, f->nr);
	f->finding[f->nr++] = (struct finding) {
		.level = level,
		.check = f->check,
		.what = xstrdup(what),
		.text = text,
		.fix = fix ? xstrdup(fix) : NULL,
	};
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
	static const char *const names[] = {
		[FINDING_OK] = "ok",
		[FINDING_NOTE] = "note",
		[FINDING_WARNING] = "warning",
		[FINDING_PROBLEM] = "problem",
	};

	return names[level];
}

char *finding_print(const struct finding *f)
{
	return xasprintf("%-7s  %s: %s%s%s", finding_level_name(f->level), f->what,
			 f->text, f->fix ? "; fix: " : "", f->fix ? f->fix : "");
}

void findings_free(struct findings *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		free(f->finding[i].what);
		free(f->finding[i].text);
		free(f->finding[i].fix);
	}
	free(f->finding);
	memset(f, 0, sizeof(*f));
}
