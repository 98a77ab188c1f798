/* SPDX-License-Identifier: GPL-2.0-only */
/* The help texts and the completion script, made from the command table. */
#ifndef NOCLONE_HELP_H
#define NOCLONE_HELP_H

#include "cmd/cmd.h"

void help_overview(const struct command_list *list);
void help_command(const struct command *cmd);
/* The completion script for bash: a new string. */
char *help_completion(const struct command_list *list);

#endif /* NOCLONE_HELP_H */
