/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel module and its parameters. */
#ifndef NOCLONE_MODULE_H
#define NOCLONE_MODULE_H

#include "model/switch-plan.h"
#include "model/table.h"

/* Look at the parameters; this never loads the module. */
void module_params(struct module_params *m);
/* Load the module: 0, or a negative errno after a message. */
int module_load(void);
/* The same if a table needs it and it is not loaded. */
int module_load_for(const struct table *t);
/* Set a parameter: 0, or a negative errno after a message. */
int module_set(const char *parameter, const char *value);

#endif /* NOCLONE_MODULE_H */
