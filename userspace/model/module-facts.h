/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tool knows of the kernel module: the loaded one, and the one that is installed. */
#ifndef NOCLONE_MODULE_FACTS_H
#define NOCLONE_MODULE_FACTS_H

#include <stdbool.h>

/**
 * struct module_params - what is to know of the loaded module
 * @loaded: the module is loaded; else the rest is empty
 * @interface: the number of dm-noclone.h that it was built with
 * @stock: its parameter: stock devices understand messages
 */
struct module_params {
	bool loaded;
	unsigned int interface;
	bool stock;
};

/**
 * struct module_file - the module that modprobe finds for a kernel
 * @path: its file, MODULE_BUILTIN, or NULL; the strings below may be NULL as well
 * @version: of the module
 * @srcversion: of its source
 * @vermagic: begins with the release that it was built for
 * @signer: the name in its signature
 * @kernel: how that kernel differs from all that were read for the module, or "known"
 * @install: the command that modprobe.d(5) runs in place of loading it
 * @blacklisted: modprobe.d or the kernel's command line says so
 */
struct module_file {
	char *path;
	char *version;
	char *srcversion;
	char *vermagic;
	char *signer;
	char *kernel;
	char *install;
	bool blacklisted;
};

#define MODULE_BUILTIN	"(builtin)"

#endif /* NOCLONE_MODULE_FACTS_H */
