/* SPDX-License-Identifier: GPL-2.0-only */
/* What the word of a command line may be, for completion/noclone.*. */
#ifndef NOCLONE_COMPLETE_H
#define NOCLONE_COMPLETE_H

#include "cli/options.h"

/**
 * complete_word() - the candidates for a word
 * @list: the commands
 * @nr: number of the words before it
 * @words: these and the word itself; the first one is the program
 *
 * Return: a new string with a line for each candidate, a tab behind it and then what it
 * means, if there is something to say.  A line that begins with a tab stands for the
 * names of files.  What does not begin as the word does is for the shell to leave out.
 */
char *complete_word(const struct command *list, unsigned int nr, char **words);

#endif /* NOCLONE_COMPLETE_H */
