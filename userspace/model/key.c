// SPDX-License-Identifier: GPL-2.0-only
/* The key that has signed a module: does the kernel know it? */
#include "model/key.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* "00:5A:B9", up to the end of the line, as "5ab9": a new string. */
static char *key_plain_hex(const char *text)
{
	_cleanup_strbuf_ struct strbuf b = { 0 };

	for (; *text && *text != '\n'; text++) {
		char digit = tolower(*text);

		if (isxdigit(digit) && (b.len || digit != '0'))
			strbuf_append(&b, &digit, 1);
	}
	return b.len ? strbuf_take(&b) : xstrdup("");
}

/* The hexadecimal number that follows @label in the text of the certificate. */
static char *key_number_after(const char *certificate, const char *label)
{
	const char *found = certificate ? strstr(certificate, label) : NULL;

	return key_plain_hex(found ? found + strlen(label) : "");
}

/* Is a line of /proc/keys about such an asymmetric key? */
static bool key_is_listed(const char *keys, const char *words)
{
	const char *at = keys;

	while ((at = strstr(at, words))) {
		const char *line = at;

		while (line > keys && line[-1] != '\n')
			line--;
		if (memmem(line, at - line, " asymmetri", strlen(" asymmetri")))
			return true;
		at++;
	}
	return false;
}

bool key_is_unknown(const char *keys, const char *signer, const char *sig_key,
		    const char *certificate)
{
	_cleanup_free_ char *serial = key_number_after(certificate, "serial=");
	_cleanup_free_ char *id = key_number_after(certificate, "Subject Key Identifier: \n");
	_cleanup_free_ char *signed_by = key_plain_hex(sig_key ? sig_key : "");

	if (!key_is_listed(keys, signer))
		return true;
	return *serial && !strcmp(serial, signed_by) && *id && !key_is_listed(keys, id);
}
