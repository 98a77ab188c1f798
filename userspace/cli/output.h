/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON output.  The schema is described in noclone-json(5); within one schema
 * number, members are added but never removed, renamed or given another type.
 */
#ifndef NOCLONE_OUTPUT_H
#define NOCLONE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/problems.h"
#include "model/table.h"
#include "model/trouble.h"

#define NOCLONE_JSON_SCHEMA	3

struct json_object;

/* {"schema": ..., "version": ..., "command": @command} */
struct json_object *output_new(const char *command);
/* What the command prints: one object, or one for each of its devices. */
void output_print(struct json_object *o);
/* At the end: print it as one object; several are in its array "results". */
void output_finish(void);

/* Bytes that are no UTF-8 become U+FFFD. */
struct json_object *output_string(const char *s);
void output_add_string(struct json_object *o, const char *key, const char *s);
/* null if @s is, or is no UTF-8 */
void output_add_bytes(struct json_object *o, const char *key, const char *s);
void output_add_number(struct json_object *o, const char *key, uint64_t n);
void output_add_bool(struct json_object *o, const char *key, bool b);
/* {"start", "sectors", "type", "params", and the arguments if they are understood} */
struct json_object *output_target(const struct target *t);
struct json_object *output_table(const struct table *t);
struct json_object *output_problems(const struct problems *p);
/* [{"kind", "start", "name", "text"}...] */
struct json_object *output_troubles(const struct troubles *troubles);
/* Lines of @text as an array of strings. */
struct json_object *output_lines(const char *text);

/* Log all of them; notes with --verbose only. */
void problems_log(const struct problems *p, const char *where);
void problems_log_errors(const struct problems *p, const char *where);

#endif /* NOCLONE_OUTPUT_H */
