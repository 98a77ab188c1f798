/* SPDX-License-Identifier: GPL-2.0-only */
/* The help texts, made from the list of commands. */
#ifndef NOCLONE_HELP_H
#define NOCLONE_HELP_H

#include "cli/options.h"

void help_overview(const struct command *list);
void help_command(const struct command *cmd);

void usage_unknown_command(const struct command *list, const char *name);
/* options_parse() does not know @word; @cmd is NULL if the command is not known. */
void usage_unknown_option(const char *word, const struct command *cmd);
/* Is the first word a command that dmsetup has and this tool lacks?  Then log a message. */
bool usage_is_dmsetup(int argc, char **argv);
/* Options were given that @cmd does not take. */
void usage_other_options(const struct command *cmd, option_bits given);
/* The number of words is wrong; @argv[0] is the command. */
void usage_words(const struct command *cmd, int argc, char **argv);

#endif /* NOCLONE_HELP_H */
