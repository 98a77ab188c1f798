/* SPDX-License-Identifier: GPL-2.0-only */
/* The definitions that every fuzzer includes. */
#ifndef NOCLONE_FUZZ_H
#define NOCLONE_FUZZ_H

#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Return: the input up to its first zero byte, because read_text_file() refuses zero bytes. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	return xstrndup(size ? (const char *)data : "", size);
}

#endif /* NOCLONE_FUZZ_H */
