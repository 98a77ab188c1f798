/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs of others say. */
#ifndef NOCLONE_PROGRAM_H
#define NOCLONE_PROGRAM_H

/*
 * The standard output of a program that only looks: a new string; NULL if it is not
 * there or fails.  Also those in the folders for root are found.
 */
char *program_output(char **argv);

#endif /* NOCLONE_PROGRAM_H */
