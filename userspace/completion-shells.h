/* SPDX-License-Identifier: GPL-2.0-only */
/* The completion script of each shell: a new string. */
#ifndef NOCLONE_COMPLETION_SHELLS_H
#define NOCLONE_COMPLETION_SHELLS_H

#include "cmd/cmd.h"

char *complete_bash(const struct command_list *list);
char *complete_zsh(const struct command_list *list);
char *complete_fish(const struct command_list *list);

#endif /* NOCLONE_COMPLETION_SHELLS_H */
