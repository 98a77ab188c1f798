/* SPDX-License-Identifier: GPL-2.0-only */
/* Two examples for each command, for its help. */
#ifndef NOCLONE_EXAMPLES_H
#define NOCLONE_EXAMPLES_H

struct examples {
	const char *line[2];
};

/* NULL for an unknown command. */
const struct examples *examples_find(const char *command);

#endif /* NOCLONE_EXAMPLES_H */
