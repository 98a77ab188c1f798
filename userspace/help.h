/* SPDX-License-Identifier: GPL-2.0-only */
/* The help texts, made from the command table. */
#ifndef NOCLONE_HELP_H
#define NOCLONE_HELP_H

#include "cmd/cmd.h"

void help_overview(const struct command_list *list);
void help_command(const struct command *cmd);

#endif /* NOCLONE_HELP_H */
