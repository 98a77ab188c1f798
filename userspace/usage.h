/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with a command line, and what was probably meant: all log it. */
#ifndef NOCLONE_USAGE_H
#define NOCLONE_USAGE_H

#include "cmd/cmd.h"

void usage_unknown_command(const struct command_list *list, const char *name);
/*
 * Is the first word a command that dmsetup has and this tool lacks?  Then log the command
 * line of dmsetup that does it.
 */
bool usage_is_dmsetup(int argc, char **argv);
/* After options_parse() failed; @cmd is NULL if the command is not known. */
void usage_bad_option(const struct options *o, const struct command *cmd);
/* Options were given that @cmd does not take. */
void usage_other_options(const struct command *cmd, option_bits given);
/* The number of words is wrong; @argv[0] is the command. */
void usage_words(const struct command *cmd, int argc, char **argv);

#endif /* NOCLONE_USAGE_H */
