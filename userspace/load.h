/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of a create or reload: built, checked, ready for the kernel. */
#ifndef NOCLONE_LOAD_H
#define NOCLONE_LOAD_H

#include "lint.h"
#include "options.h"
#include "problems.h"
#include "table.h"

/**
 * load_prepare - make the table that the command line asks for
 * @o: options
 * @self: the device it is for
 * @argc: words behind the device's name
 * @argv: "linear DEV..." or "striped DEV...", or none with --table
 * @t: filled with the table, devices as canonical paths
 * @problems: gets what was found; already reported to the user
 *
 * Return: an exit code.
 */
int load_prepare(const struct options *o, const struct lint_self *self,
		 int argc, char **argv, struct table *t,
		 struct problems *problems);

/* A table file's text, "-" being stdin; NULL after a message. */
char *load_file(const char *path);

#endif /* NOCLONE_LOAD_H */
