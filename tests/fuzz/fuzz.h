/* SPDX-License-Identifier: GPL-2.0-only */
/* What every fuzzer includes. */
#ifndef NOCLONE_FUZZ_H
#define NOCLONE_FUZZ_H

#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Up to the first zero byte: read_text_file() refuses a file that has one. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	return xstrndup(size ? (const char *)data : "", size);
}

#endif /* NOCLONE_FUZZ_H */
