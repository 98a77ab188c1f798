/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of a create or reload: built, checked, ready for the kernel. */
#ifndef NOCLONE_LOAD_H
#define NOCLONE_LOAD_H

#include "cli/build.h"

/**
 * load_prepare - build the table and check it
 * @b: what the command was given; build_usage() finds nothing wrong with it
 * @backing: planned if the table is on a file
 * @t: filled with the table, devices as canonical paths
 * @findings: gets what was found; it is logged as well
 *
 * Return: 0, or a negative errno after a message.
 */
int load_prepare(const struct build *b, struct backing *backing,
		 struct table *t, struct findings *findings);

/* After load_prepare(): facts as they will be after load_begin(). */
const struct facts_source *load_facts(const struct backing *backing);

/* May the errors among the findings be ignored?  Says so, or that --force does it. */
bool load_overridden(const struct options *o, const struct findings *findings);

/**
 * load_begin - load the module, create or grow the backing file, check the table again
 * @b: as given to load_prepare()
 * @t: its table
 * @backing: likewise
 *
 * From here to load_end(), signals that end the program are held back.
 *
 * Return: 0, or a negative errno after a message.
 */
int load_begin(const struct build *b, const struct table *t,
	       struct backing *backing);
/* After load_begin(), also if it failed; unless @good, undo what it did. */
void load_end(struct backing *backing, bool good);

/**
 * struct load_check - for load_still_unused()
 * @known: what --force has overridden
 * @table: what was loaded
 * @saved: parts of saved devices that are not active count
 * @readonly: the table only reads
 */
struct load_check {
	const struct findings *known;
	const struct table *table;
	bool saved;
	bool readonly;
};

/**
 * load_still_unused - has another process taken parts of a device since they were checked?
 * @name: of the mapped device, which has the table as its inactive one
 * @data: struct load_check
 *
 * Device-mapper lets devices share the sectors of their legs.  Of two who load a table and
 * look for others before it runs, the later one finds the other: inactive tables count.
 *
 * Return: 0, or a negative errno after a message.
 */
int load_still_unused(const char *name, void *data);

/*
 * The kernel permits a writable mapped device on a read-only leg: an error for each
 * such device or file.
 */
void load_check_writable(const struct table *t, const struct facts_source *src,
			 struct findings *findings);

#endif /* NOCLONE_LOAD_H */
