/* SPDX-License-Identifier: GPL-2.0-only */
/* From the words of create and reload to a table. */
#ifndef NOCLONE_BUILD_H
#define NOCLONE_BUILD_H

#include "model/table.h"
#include "system/backing.h"
#include "cli/options.h"

/**
 * struct build - what create and reload were given
 * @options: options
 * @self: the device that gets the table, 0 if it is new
 * @seen: its table, which says what the words do not; NULL if it is new
 * @argc: number of words after the name of the device
 * @argv: "linear DEV...", "striped DEV..." or "file PATH"; none with --table
 */
struct build {
	const struct options *options;
	dev_t self;
	const struct table *seen;
	int argc;
	char **argv;
};

/* Words DEV[:START[+LEN]] as legs: NULL, or what is wrong with one: a new string. */
char *build_legs(struct plan_request *req, int argc, char **argv);

/* What is wrong with the command line: a new string; NULL if nothing is. */
char *build_usage(const struct build *b);

/**
 * build_table - make the table that the command line describes
 * @b: build_usage() finds nothing wrong with it
 * @backing: planned if the table is on a file
 * @t: filled with the table
 * @findings: gets what is wrong with it
 *
 * Return: 0, or a negative errno after a message.
 */
int build_table(const struct build *b, struct backing *backing,
		struct table *t, struct findings *findings);

/*
 * Read a whole file, or standard input if @path is "-".  Return: 0, or a negative
 * errno after a message.
 */
int input_read(const char *path, char **text);

#endif /* NOCLONE_BUILD_H */
