/* SPDX-License-Identifier: GPL-2.0-only */
/* What the completion scripts of all shells have. */
#ifndef NOCLONE_COMPLETION_WORDS_H
#define NOCLONE_COMPLETION_WORDS_H

#include "base/util.h"
#include "cmd/cmd.h"
#include "cli/options.h"

/* Of the words of a command, by enum word_kind */
const char *completion_kind(const struct command *cmd);
/* @text in a string with single quotes, after a backslash for each of @special. */
void completion_quote(struct strbuf *b, const char *text, const char *special);
bool completion_takes_path(const struct option_info *o);
/* What the argument of an option of that command may be: a new string; NULL: anything. */
char *completion_choices(const struct command *cmd, const struct option_info *o);

#endif /* NOCLONE_COMPLETION_WORDS_H */
