/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON output. noclone-json(5) describes the schema. While the number of the schema stays the same,
 * new members may be added to an object, but no member is removed, is renamed or gets another type.
 */
#ifndef NOCLONE_OUTPUT_H
#define NOCLONE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "dm-noclone.h"
#include "model/finding.h"
#include "model/table.h"
#include "system/devmap.h"
#include "system/module.h"
#include "cli/options.h"

#define NOCLONE_JSON_SCHEMA	1

struct json_object;

/* Return: a new object {"schema": ..., "version": ..., "command": @command}. */
struct json_object *output_new(const char *command);
/*
 * If --json is given, keep the object @out until output_finish() prints it; otherwise free the
 * object. A command calls this function once, or once for each of its devices. Return: true if
 * --json is given.
 */
bool output_print(const struct options *o, struct json_object *out);
/*
 * Print the objects that output_print() has kept. A single object is printed without a change;
 * several objects are printed as the array "results" of one object.
 */
void output_finish(void);

/*
 * Return: the object that a command prints after it has changed the device @dev, with the members
 * of output_add_device().
 */
struct json_object *output_device(const char *command, const struct devmap_device *dev);

/*
 * Add the members "name", "uuid", "device" and "path" of a device. "device" is the device number,
 * and "path" is the path of the device node.
 */
void output_add_device(struct json_object *o, const struct devmap_device *dev);

/* Return: a JSON string in which each byte of @s that is not UTF-8 is replaced by U+FFFD. */
struct json_object *output_string(const char *s);
void output_add_string(struct json_object *o, const char *key, const char *s);
void output_add_number(struct json_object *o, const char *key, uint64_t n);
/* Add a device number as a string such as "8:0"; the number 0 becomes null. */
void output_add_devno(struct json_object *o, const char *key, dev_t devno);
void output_add_bool(struct json_object *o, const char *key, bool b);
/* Add the member "findings" with all findings whose level is @least or higher. */
void output_add_findings(struct json_object *o, const struct findings *f,
			 enum finding_level least);
/*
 * Add the members "ok", "errors" and "warnings" about all findings, and the member "findings" with
 * the findings whose level is @least or higher.
 */
void output_add_judgement(struct json_object *o, const struct findings *f,
			  enum finding_level least);
/* Return: the lines of @text as an array of strings. */
struct json_object *output_lines(const char *text);

/*
 * Print a message for each finding whose level is @least or higher; notes and findings with the
 * level FINDING_OK need --verbose. @where: the words that replace a missing subject, as for
 * finding_words()
 */
void output_log_findings(const struct findings *f, const char *where, enum finding_level least);
/*
 * Print a line to stdout for each finding whose level is @least or higher: "warning subject:line:
 * text; fix: command".
 */
void output_print_findings(const struct findings *f, const char *where, enum finding_level least);

/**
 * output_dry_run_parts - print what a command would do
 * @o: the options; with --json, the output is a JSON object
 * @command: the command
 * @name: the name of the device
 * @uuid: the UUID of the device, or NULL
 * @t: the table that the command would load, or NULL
 * @findings: the findings of the checks, or NULL
 * @parts: a JSON array with the devices of the partitions, which this function frees; or NULL
 * @dmsetup: the command line of dmsetup that does the same
 */
void output_dry_run_parts(const struct options *o, const char *command, const char *name,
			  const char *uuid, const struct table *t, const struct findings *findings,
			  struct json_object *parts, const char *dmsetup);
/* Call output_dry_run_parts() for a device without partitions. */
void output_dry_run(const struct options *o, const char *command, const char *name,
		    const char *uuid, const struct table *t,
		    const struct findings *findings, const char *dmsetup);

#endif /* NOCLONE_OUTPUT_H */
