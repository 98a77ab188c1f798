/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of noclone-file targets: the part of lint.c that is about files. */
#ifndef NOCLONE_LINT_FILE_H
#define NOCLONE_LINT_FILE_H

#include "model/facts.h"
#include "model/problems.h"
#include "model/table.h"

/* As lint_table(), for the noclone-file targets. */
void lint_files(const struct table *t, const struct facts_source *src,
		const struct self_device *self, struct problems *problems);
/* As lint_is_cycle(), for the same targets; @self is known. */
bool lint_file_is_cycle(const struct table *t, const struct facts_source *src,
			const struct self_device *self);

#endif /* NOCLONE_LINT_FILE_H */
