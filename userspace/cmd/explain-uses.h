/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone explain: who uses a device or file. */
#ifndef NOCLONE_EXPLAIN_USES_H
#define NOCLONE_EXPLAIN_USES_H

#include "model/uses.h"

struct json_object;

/* [{"kind", "by"}...] */
struct json_object *explain_uses_json(const struct uses *uses);
/* A line for each use that is not a signature, or one that there are none. */
void explain_print_uses(const struct uses *uses);

#endif /* NOCLONE_EXPLAIN_USES_H */
