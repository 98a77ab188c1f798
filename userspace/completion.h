/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion scripts for shells, made from the command table. */
#ifndef NOCLONE_COMPLETION_H
#define NOCLONE_COMPLETION_H

#include "cmd/cmd.h"
#include "cli/options.h"

/* A new string. */
char *completion_script(const struct command_list *list, enum shell shell);

#endif /* NOCLONE_COMPLETION_H */
