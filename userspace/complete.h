/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion of the words of a command line. */
#ifndef NOCLONE_COMPLETE_H
#define NOCLONE_COMPLETE_H

/**
 * complete_word() - find the candidates for a word
 * @nr: the number of words before the word to complete
 * @words: the words before, and the word to complete; the first word is the program
 *
 * Return: a new string with a line for each candidate. A tab and the meaning follow a candidate
 * that has a meaning. A line that begins with a tab stands for file names. The shell drops
 * candidates that do not begin with the typed part of the word.
 */
char *complete_word(unsigned int nr, char **words);
/*
 * Print the candidates for one word of a command line: "noclone __complete NUMBER WORD...". The
 * words are those of the command line, with the program as word 0. NUMBER is the number of the word
 * to complete; for a new word at the end, NUMBER is the number of the words. Return: the exit
 * status.
 */
int complete_main(int argc, char **argv);

#endif /* NOCLONE_COMPLETE_H */
