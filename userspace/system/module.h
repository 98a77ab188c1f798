/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel module: loaded, and installed. */
#ifndef NOCLONE_MODULE_H
#define NOCLONE_MODULE_H

#include "dm-noclone.h"
#include "model/table.h"

#define VERSION_TEXT_(x)	#x
#define VERSION_TEXT(x)		VERSION_TEXT_(x)
#define TOOL_VERSION		VERSION_TEXT(NOCLONE_VERSION_MAJOR) "." \
				VERSION_TEXT(NOCLONE_VERSION_MINOR) "." \
				VERSION_TEXT(NOCLONE_VERSION_PATCH)

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

/* The version of the loaded module: a new string, or NULL. */
char *module_version(void);
/* Do stock devices understand messages? */
bool module_stock_is_on(void);
/* Look at the parameters; this never loads the module. */
void module_params(struct module_params *m);
/* Why this tool cannot switch anything by that module: a new string, or NULL. */
char *module_objection(const struct module_params *m);
/* Load the module: 0, or a negative errno after a message. */
int module_load(void);
/* The same if a table needs it and it is not loaded. */
int module_load_for(const struct table *t);
/* Set that parameter: 0, or a negative errno after a message. */
int module_set_stock(const char *value);

/* The last word of the kernel's command line that begins so: a new string, or NULL. */
char *module_boot_word(const char *prefix);
/* One finding: can a kernel load the module, and use its fast path?  NULL: the running one. */
void module_check_kernel(const char *release, struct findings *f);
/* What keeps it from being loaded by its name, or devices from the fast path. */
void module_check(struct findings *f);

/**
 * module_key_is_unknown - does the kernel not know the key that has signed a module?
 * @keys: text of /proc/keys
 * @signer: of the module, as modinfo(8) has it, and @sig_key, which may be NULL
 * @certificate: "openssl x509 -serial -ext subjectKeyIdentifier" of the key that dkms signs
 *	with, or NULL
 *
 * A signature has the name and the serial number of a certificate, /proc/keys has its name
 * and its key identifier: the certificate has all of them.  Of a module that another key has
 * signed, only the name is compared.
 */
bool module_key_is_unknown(const char *keys, const char *signer, const char *sig_key,
			   const char *certificate);

#endif /* NOCLONE_MODULE_H */
