// SPDX-License-Identifier: GPL-2.0-only
/* Paths as a table holds them. */
#include "model/path.h"

#include "noclone-path.h"
#include "base/util.h"

char *path_encode(const char *path)
{
	struct strbuf b = { 0 };
	char to[NOCLONE_PATH_GROWTH];

	for (; *path; path++)
		strbuf_add(&b, "%.*s", (int)noclone_path_encode(*path, to), to);
	return strbuf_take(&b);
}
