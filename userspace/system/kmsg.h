/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own messages.  A refused ioctl returns an errno only; the reason
 * is in the kernel log.
 */
#ifndef NOCLONE_KMSG_H
#define NOCLONE_KMSG_H

/**
 * struct kmsg - a place in the kernel log
 * @fd: /dev/kmsg, positioned; -1 if it cannot be read
 */
struct kmsg {
	int fd;
};

/* Remember the end of the log. */
void kmsg_mark(struct kmsg *k);
/* What device-mapper said since the mark, one sentence per line, or NULL. */
char *kmsg_read(struct kmsg *k);
void kmsg_close(struct kmsg *k);

/*
 * The sentence in a record of /dev/kmsg, without prefix and keys: NULL if it
 * is not about device-mapper.  The caller frees it.
 */
char *kmsg_sentence(const char *record);

#endif /* NOCLONE_KMSG_H */
