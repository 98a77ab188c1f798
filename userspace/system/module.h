/* SPDX-License-Identifier: GPL-2.0-only */
/* The loaded kernel module, and the installed kernel module. */
#ifndef NOCLONE_MODULE_H
#define NOCLONE_MODULE_H

#include "dm-noclone.h"
#include "model/finding.h"
#include "model/table.h"

#define VERSION_TEXT_(x)	#x
#define VERSION_TEXT(x)		VERSION_TEXT_(x)
#define TOOL_VERSION		VERSION_TEXT(NOCLONE_VERSION_MAJOR) "." \
				VERSION_TEXT(NOCLONE_VERSION_MINOR) "." \
				VERSION_TEXT(NOCLONE_VERSION_PATCH)

/**
 * struct module_params - the state of the loaded module
 * @loaded: the module is loaded; if it is not, the other members are 0 or false
 * @interface: the interface number of the dm-noclone.h that the module was built with
 * @stock: the parameter "stock" of the module is on, so stock devices, which have dm's own targets,
 *	understand the messages of the module
 */
struct module_params {
	bool loaded;
	unsigned int interface;
	bool stock;
};

/* Return: the version of the loaded module, a new string, or NULL. */
char *module_version(void);
/* Is the parameter "stock" of the module on, so that stock devices understand messages? */
bool module_stock_is_on(void);
/* Read the parameters of the module. This function never loads the module. */
void module_params(struct module_params *m);
/*
 * Return: why this tool cannot use the loaded module, a new string; or NULL if the tool can use it,
 * or if no module is loaded.
 */
char *module_objection(const struct module_params *m);
/*
 * Load the module. Return: 0, or a negative errno after a message; -EINTR if a signal has ended the
 * load.
 */
int module_load(void);
/* Load the module if a table needs it. Return: 0, or a negative errno after a message. */
int module_load_for(const struct table *t);
/* Set the parameter "stock" of the module. Return: 0, or a negative errno after a message. */
int module_set_stock(const char *value);
/*
 * Add a finding that says whether a kernel can load the module and use its fast path. @release: the
 * release of the kernel, or NULL for the running kernel
 */
void module_check_kernel(const char *release, struct findings *f);
/*
 * Add findings about settings that prevent loading the module by its name, or the fast path, and
 * about a loaded module that is not the installed one. If there are no such findings, add a finding
 * that the settings are right.
 */
void module_check(struct findings *f);

/**
 * module_key_is_unknown - is the key that has signed a module unknown to the kernel?
 * @keys: the text of /proc/keys, which lists the keys of the kernel
 * @signer: the signer of the module, from modinfo(8)
 * @sig_key: the serial number in the signature of the module, from modinfo(8), or NULL
 * @certificate: the output of "openssl x509 -serial -ext subjectKeyIdentifier" for the key that
 *	dkms signs with, or NULL
 *
 * A signature has the name and the serial number of a certificate. /proc/keys has the name and the
 * key identifier of a certificate. Only the certificate itself has the name and both numbers. If
 * the signature does not belong to @certificate, the function compares only the name.
 */
bool module_key_is_unknown(const char *keys, const char *signer, const char *sig_key,
			   const char *certificate);

#endif /* NOCLONE_MODULE_H */
