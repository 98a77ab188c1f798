// SPDX-License-Identifier: GPL-2.0-only
/* Reading the kernel log around an ioctl. */
#include "system/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

#define RECORD_MAX	8192

void kmsg_mark(struct kmsg *k)
{
	k->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (k->fd < 0)
		log_debug("/dev/kmsg: %s", strerror(errno));
	else
		lseek(k->fd, 0, SEEK_END);
}

char *kmsg_sentence(const char *record)
{
	const char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text++;
	if (str_starts(text, "device-mapper: "))
		text += strlen("device-mapper: ");
	else if (!str_starts(text, "dm-noclone"))
		return NULL;
	return xstrndup(text, strcspn(text, "\n"));
}

char *kmsg_read(struct kmsg *k)
{
	struct strbuf b = { 0 };
	char record[RECORD_MAX + 1];
	ssize_t n;

	/* EPIPE: the oldest records were overwritten, the next read goes on */
	while (k->fd >= 0 &&
	       ((n = read(k->fd, record, RECORD_MAX)) > 0 ||
		(n < 0 && errno == EPIPE))) {
		_cleanup_free_ char *sentence = NULL;

		if (n < 0)
			continue;
		record[n] = 0;
		sentence = kmsg_sentence(record);
		if (sentence)
			strbuf_add(&b, "%s%s", b.len ? "\n" : "", sentence);
	}
	return b.text;
}

void kmsg_close(struct kmsg *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}
