/* SPDX-License-Identifier: GPL-2.0-only */
/* The help texts, made from the list of commands. */
#ifndef NOCLONE_HELP_H
#define NOCLONE_HELP_H

#include "cli/command-list.h"

void help_overview(const struct command *list);
void help_command(const struct command *cmd);

#endif /* NOCLONE_HELP_H */
