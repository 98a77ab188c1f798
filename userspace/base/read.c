// SPDX-License-Identifier: GPL-2.0-only
/* Reading files and descriptors as a whole. */
#include "base/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"

char *read_stream(int fd, size_t limit)
{
	struct strbuf b = { 0 };
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		strbuf_append(&b, chunk, n);
		if (b.len > limit) {
			errno = EFBIG;
			n = -1;
			break;
		}
	}
	if (n < 0) {
		free(b.text);
		return NULL;
	}
	return strbuf_take(&b);
}

char *read_line_of(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_stream(fd, 65536);
	if (!text)
		return NULL;

	text[strcspn(text, "\n")] = 0;
	/* sysfs pads vendor and model names with spaces */
	for (len = strlen(text); len && text[len - 1] == ' '; len--)
		text[len - 1] = 0;
	return text;
}

void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
