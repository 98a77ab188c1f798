// SPDX-License-Identifier: GPL-2.0-only
/* What the completion scripts of all shells have. */
#include "completion-words.h"

#include <string.h>

#include "base/util.h"
#include "cli/status-columns.h"

static const char *const kind_words[] = {
	[WORD_NONE] = "none",
	[WORD_NAME] = "name",
	[WORD_DEVICE] = "device",
	[WORD_SAVED] = "saved",
	[WORD_FILE] = "file",
	[WORD_CREATE] = "create",
	[WORD_RELOAD] = "reload",
	[WORD_RESIZE] = "resize",
	[WORD_COMMAND] = "command",
};

const char *completion_kind(const struct command *cmd)
{
	return kind_words[cmd->kind];
}

void completion_quote(struct strbuf *b, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_add(b, "'\\'");
		else if (strchr(special, *text))
			strbuf_add(b, "\\");
		strbuf_putc(b, *text, 1);
	}
}

bool completion_takes_path(const struct option_info *o)
{
	return o->bit & (OPT_TABLE | OPT_OUTPUT);
}

char *completion_choices(const struct command *cmd, const struct option_info *o)
{
	const char *choices = option_choices(o);

	const struct report report = status_report();

	if (o->bit & (OPT_OUTPUT | OPT_SORT) && cmd->options & OPT_SORT)
		return report_names(&report);
	return choices ? xstrdup(choices) : NULL;
}
