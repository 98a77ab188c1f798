/* SPDX-License-Identifier: GPL-2.0-only */
/* The key that has signed a module: does the kernel know it? */
#ifndef NOCLONE_KEY_H
#define NOCLONE_KEY_H

#include <stdbool.h>

/**
 * key_is_unknown - does the kernel not know the key that has signed a module?
 * @keys: text of /proc/keys
 * @signer: of the module, as modinfo(8) has it, and @sig_key, which may be NULL
 * @certificate: "openssl x509 -serial -ext subjectKeyIdentifier" of the key that dkms signs
 *	with, or NULL
 *
 * A signature has the name and the serial number of a certificate, /proc/keys has its name
 * and its key identifier: the certificate has all of them.  Of a module that another key has
 * signed, only the name is compared.
 */
bool key_is_unknown(const char *keys, const char *signer, const char *sig_key,
		    const char *certificate);

#endif /* NOCLONE_KEY_H */
