// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion scripts for shells, made from the command table. The folder completion/
 * has them as they are installed.
 */
#include "completion.h"

#include "completion-shells.h"

char *completion_script(const struct command_list *list, enum shell shell)
{
	switch (shell) {
	case SHELL_ZSH:
		return complete_zsh(list);
	case SHELL_FISH:
		return complete_fish(list);
	default:
		return complete_bash(list);
	}
}
