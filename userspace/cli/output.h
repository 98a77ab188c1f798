/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON output.  The schema is described in noclone-json(5); within one schema
 * number, members are added but never removed, renamed or given another type.
 */
#ifndef NOCLONE_OUTPUT_H
#define NOCLONE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "dm-noclone.h"
#include "model/table.h"
#include "system/module.h"
#include "cli/options.h"

#define NOCLONE_JSON_SCHEMA	5

struct json_object;

/* {"schema": ..., "version": ..., "command": @command} */
struct json_object *output_new(const char *command);
/*
 * What the command prints with --json: one object, or one for each of its devices.  Takes the
 * object over.  Return: whether --json is given.
 */
bool output_print(const struct options *o, struct json_object *out);
/* At the end: print it as one object; several are in its array "results". */
void output_finish(void);

/* Bytes that are no UTF-8 become U+FFFD. */
struct json_object *output_string(const char *s);
void output_add_string(struct json_object *o, const char *key, const char *s);
void output_add_number(struct json_object *o, const char *key, uint64_t n);
/* "8:0", or null for 0 */
void output_add_devno(struct json_object *o, const char *key, dev_t devno);
void output_add_bool(struct json_object *o, const char *key, bool b);
/* "findings": those that matter @least that much. */
void output_add_findings(struct json_object *o, const struct findings *f,
			 enum finding_level least);
/* "ok", "errors", "warnings" of all, and "findings" */
void output_add_judgement(struct json_object *o, const struct findings *f,
			  enum finding_level least);
/* Lines of @text as an array of strings. */
struct json_object *output_lines(const char *text);

/* As messages; notes with --verbose only.  @where: the subject of those without one. */
void findings_log(const struct findings *f, const char *where, enum finding_level least);
/* A line for each on stdout: "warning  subject:line: text; fix: command". */
void findings_print(const struct findings *f, const char *where, enum finding_level least);

/**
 * dry_run - print what a command would do
 * @o: --json
 * @command: the command
 * @name: the device
 * @uuid: its UUID, or NULL
 * @t: its table, or NULL
 * @findings: what the checks found, or NULL
 * @dmsetup: the equivalent dmsetup command line
 */
void dry_run(const struct options *o, const char *command, const char *name,
	     const char *uuid, const struct table *t,
	     const struct findings *findings, const char *dmsetup);

#endif /* NOCLONE_OUTPUT_H */
