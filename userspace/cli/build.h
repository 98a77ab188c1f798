/* SPDX-License-Identifier: GPL-2.0-only */
/* Make a table from the command line of "noclone create" or "noclone reload". */
#ifndef NOCLONE_BUILD_H
#define NOCLONE_BUILD_H

#include "model/finding.h"
#include "model/table.h"
#include "system/backing.h"
#include "cli/options.h"

/**
 * struct build - the command line of "noclone create" or "noclone reload"
 * @options: the options
 * @self: the number of the device that gets the table, or 0 for a new device
 * @seen: the live table of the device. It gives settings that the command line leaves out, such as
 *	the engine; NULL for a new device
 * @argc: the number of words after the name of the device
 * @argv: the words after the name of the device: "linear DEV...", "striped DEV..." or "file PATH";
 *	there are no such words with --table
 */
struct build {
	const struct options *options;
	dev_t self;
	const struct table *seen;
	int argc;
	char **argv;
};

/*
 * Parse words DEV[:START[+LEN]], and add a leg to @req for each word. Return: NULL, or what is
 * wrong with a word, a new string.
 */
char *build_legs(struct plan_request *req, int argc, char **argv);

/* Return: what is wrong with the command line, a new string, or NULL. */
char *build_usage(const struct build *b);

/**
 * build_table - make the table that the command line describes
 * @b: a command line that build_usage() accepts
 * @backing: if the command line names a backing file, build_table() fills this in with the file and
 *	its planned change
 * @t: filled with the table
 * @findings: gets a finding for each problem of the table
 *
 * Return: 0, or a negative errno after a message.
 */
int build_table(const struct build *b, struct backing *backing,
		struct table *t, struct findings *findings);

/*
 * Read a whole file, or standard input if @path is "-".
 *
 * Return: 0, or a negative errno after a message.
 */
int build_read_input(const char *path, char **text);

#endif /* NOCLONE_BUILD_H */
