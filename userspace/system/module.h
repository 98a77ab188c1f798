/* SPDX-License-Identifier: GPL-2.0-only */
/* The loaded kernel module, and the installed one. */
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
 * @loaded: the module is loaded; otherwise the other members are empty
 * @interface: the interface number of the dm-noclone.h that the module was built with
 * @stock: the parameter "stock" of the module is on: stock devices understand the messages of the
 *	module
 */
struct module_params {
	bool loaded;
	unsigned int interface;
	bool stock;
};

/* Return: the version of the loaded module, a new string, or NULL. */
char *module_version(void);
/* Do stock devices understand messages? */
bool module_stock_is_on(void);
/* Read the parameters of the module. This function never loads the module. */
void module_params(struct module_params *m);
/* Return: why this tool cannot switch any device with the loaded module, a new string, or NULL. */
char *module_objection(const struct module_params *m);
/* Load the module. Return: 0, or a negative errno after a message. */
int module_load(void);
/* Load the module if a table needs it. Return: 0, or a negative errno after a message. */
int module_load_for(const struct table *t);
/* Set the parameter "stock" of the module. Return: 0, or a negative errno after a message. */
int module_set_stock(const char *value);

/* Return: the last word of the kernel's command line with this prefix, a new string, or NULL. */
char *module_boot_word(const char *prefix);
/*
 * Add a finding: can this kernel load the module, and use its fast path? NULL stands for the
 * running kernel.
 */
void module_check_kernel(const char *release, struct findings *f);
/*
 * Add findings about faults that prevent the load of the module by its name, or the use of the fast
 * path.
 */
void module_check(struct findings *f);

/**
 * module_key_is_unknown - is the key that has signed a module unknown to the kernel?
 * @keys: the text of /proc/keys
 * @signer: the signer of the module, from modinfo(8)
 * @sig_key: the number of its key, from modinfo(8), or NULL
 * @certificate: the output of "openssl x509 -serial -ext subjectKeyIdentifier" for the key that
 *	dkms signs with, or NULL
 *
 * A signature has the name and the serial number of a certificate. /proc/keys has the name and the
 * key identifier of a certificate. The certificate itself has all three. If another key has signed
 * the module, only the name is compared.
 */
bool module_key_is_unknown(const char *keys, const char *signer, const char *sig_key,
			   const char *certificate);

#endif /* NOCLONE_MODULE_H */
