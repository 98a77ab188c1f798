/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel module: loaded, and installed. */
#ifndef NOCLONE_MODULE_H
#define NOCLONE_MODULE_H

#include "model/doctor.h"
#include "model/table.h"

/* The version of the loaded module: a new string, or NULL. */
char *module_version(void);
/* Look at the parameters; this never loads the module. */
void module_params(struct module_params *m);
/* Load the module: 0, or a negative errno after a message. */
int module_load(void);
/* The same if a table needs it and it is not loaded. */
int module_load_for(const struct table *t);
/* Set a parameter: 0, or a negative errno after a message. */
int module_set(const char *parameter, const char *value);

/* The module that modprobe would load on the kernel @release. */
void module_file_look(const char *release, struct module_file *file);
/* The command that makes and installs the module for @release: a new string. */
char *module_build_command(const char *release);
/* The certificate of the key that dkms signs with for @release: a new string. */
char *module_certificate(const char *release);
/* Is the module that is loaded not the one in that file?  If it cannot be told, no. */
bool module_is_another_build(const char *path);
/* The last word of the kernel's command line that begins so: a new string, or NULL. */
char *module_boot_word(const char *prefix);
/* Does module_blacklist= of the command line keep the kernel from loading it? */
bool module_is_denied(void);

#endif /* NOCLONE_MODULE_H */
