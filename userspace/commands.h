/* SPDX-License-Identifier: GPL-2.0-only */
/* The command table and the dispatcher. */
#ifndef NOCLONE_COMMANDS_H
#define NOCLONE_COMMANDS_H

#include "cli/options.h"

extern const struct command commands[];

/* Parse, check and run; argv[0] is the program.  Return: the exit status. */
int command_main(int argc, char **argv);

#endif /* NOCLONE_COMMANDS_H */
