/* SPDX-License-Identifier: GPL-2.0-only */
/* A measurement next to an earlier one. */
#ifndef NOCLONE_BENCH_COMPARE_H
#define NOCLONE_BENCH_COMPARE_H

struct json_object;

/* Read the JSON of an earlier one: 0, or a negative errno after a message. */
int compare_load(const char *path, struct json_object **then);
/* Print what has changed since @then, which was read from @path. */
void compare_print(struct json_object *then, struct json_object *now,
		   const char *path);

#endif /* NOCLONE_BENCH_COMPARE_H */
