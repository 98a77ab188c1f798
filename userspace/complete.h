/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion of the words of a command line. */
#ifndef NOCLONE_COMPLETE_H
#define NOCLONE_COMPLETE_H

/**
 * complete_word() - find the candidates for a word
 * @nr: the number of words before it
 * @words: these words and the word itself; the first one is the program
 *
 * Return: a new string with a line for each candidate. A tab and the meaning follow a candidate
 * that has a meaning. A line that begins with a tab stands for file names. The shell drops
 * candidates that do not begin with the typed part of the word.
 */
char *complete_word(unsigned int nr, char **words);
/*
 * Print the candidates for one word: "noclone __complete NUMBER WORD...". The number of the word
 * counts from 0; a new word at the end has the next number. Return: the exit status.
 */
int complete_main(int argc, char **argv);

#endif /* NOCLONE_COMPLETE_H */
