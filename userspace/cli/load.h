/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of a create or reload: built, checked, ready for the kernel. */
#ifndef NOCLONE_LOAD_H
#define NOCLONE_LOAD_H

#include "system/backing.h"
#include "model/lint.h"
#include "cli/options.h"
#include "model/problems.h"
#include "model/table.h"

/**
 * load_prepare - make the table that the command line asks for
 * @o: options
 * @self: the device it is for
 * @argc: words behind the device's name
 * @argv: "linear DEV...", "striped DEV..." or "file PATH", or none with
 *	--table
 * @file: filled with what has to be done to the file, if it is one
 * @t: filled with the table, devices as canonical paths
 * @problems: gets what was found; already reported to the user
 *
 * Return: an exit code.
 */
int load_prepare(const struct options *o, const struct self_device *self,
		 int argc, char **argv, struct backing *file, struct table *t,
		 struct problems *problems);

/* Facts as they will be when that is done; after load_prepare(). */
const struct facts_source *load_source(const struct backing *file);

/**
 * load_begin - do what has to be done to the file, and check again
 * @o: options
 * @self: the device it is for
 * @t: table of load_prepare()
 * @file: likewise
 *
 * From here to load_end(), signals that want a stop wait for it.
 *
 * Return: an exit code.
 */
int load_begin(const struct options *o, const struct self_device *self,
	       const struct table *t, struct backing *file);
/* After load_begin(), however it went: with @good false, undo what it did. */
void load_end(struct backing *file, bool good);

/* A table file's text, "-" being stdin; NULL after a message. */
char *load_file(const char *path);

#endif /* NOCLONE_LOAD_H */
