/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command would do: its table and the dmsetup command line. */
#ifndef NOCLONE_DRY_RUN_H
#define NOCLONE_DRY_RUN_H

#include "cli/options.h"
#include "model/finding.h"
#include "model/table.h"

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

/* "dmsetup VERB NAME OPTIONS" with the table the way dmsetup takes it. */
char *dry_run_dmsetup(const char *verb, const char *name,
		      const char *options, const struct table *t);
/* The same of "reload", and the resume that switches. */
char *dry_run_reload(const struct options *o, const char *name, bool readonly,
		     const struct table *t);

#endif /* NOCLONE_DRY_RUN_H */
