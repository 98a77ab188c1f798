// SPDX-License-Identifier: GPL-2.0-only
/* Reading files and descriptors as a whole. */
#include "base/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"

char *read_bytes(int fd, size_t limit, size_t *length)
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
	if (length)
		*length = b.len;
	return strbuf_take(&b);
}

char *read_text_file(const char *path, size_t limit)
{
	/* without O_NONBLOCK a FIFO would wait for a writer */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	size_t length;
	char *text;

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : ENOSTR;
		return NULL;
	}
	text = read_bytes(fd, limit, &length);
	if (text && strlen(text) != length) {
		cleanup_free(&text);
		text = NULL;
		errno = EILSEQ;
	}
	return text;
}

const char *read_text_problem(int err)
{
	switch (err) {
	case ENOSTR:
		return "it is not a regular file";
	case EILSEQ:
		return "it is damaged: there is a zero byte in it";
	default:
		return strerror(err);
	}
}

char *read_line_of(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_bytes(fd, 65536, NULL);
	if (!text)
		return NULL;

	text[strcspn(text, "\n")] = 0;
	/* sysfs pads vendor and model names with spaces */
	for (len = strlen(text); len && text[len - 1] == ' '; len--)
		text[len - 1] = 0;
	return text;
}

const char *read_name(DIR *dir)
{
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			return entry->d_name;
	return NULL;
}

void cleanup_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
