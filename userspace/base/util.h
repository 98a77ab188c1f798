/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation that cannot fail, cleanup attributes, a growing string, reading files, messages.
 *
 * The tool is short-lived and has nothing to undo after a failed allocation, so
 * running out of memory ends it.  Where that would leave a device half-way
 * through a change, memory is allocated before.
 */
#ifndef NOCLONE_UTIL_H
#define NOCLONE_UTIL_H

#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)	((a) < (b) ? (a) : (b))
#define MAX(a, b)	((a) > (b) ? (a) : (b))
#define SECTOR_SHIFT	9
#define SECTOR_SIZE	(1U << SECTOR_SHIFT)

#define __printf(fmt, first)	__attribute__((format(printf, fmt, first)))
#define __unused		__attribute__((unused))

/* Ends the tool if that is NULL, for want of memory. */
void *xchecked(void *p);
void *xzalloc(size_t size);
void *xrealloc_array(void *old, size_t nr, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __printf(1, 2);
char *xvasprintf(const char *fmt, va_list ap);

/* Make room for one more element of @array, which holds @nr of them. */
#define GROW(array, nr) \
	((array) = xrealloc_array((array), (size_t)(nr) + 1, sizeof(*(array))))

/**
 * struct strbuf - a string that grows
 * @text: zero-terminated, NULL while nothing was added
 * @len: length without the terminating zero
 */
struct strbuf {
	char *text;
	size_t len;
};

void strbuf_add(struct strbuf *b, const char *fmt, ...) __printf(2, 3);
void strbuf_append(struct strbuf *b, const char *s, size_t len);
void strbuf_putc(struct strbuf *b, char c, unsigned int times);
char *strbuf_take(struct strbuf *b);

/* Sizes with units, as users write them, in sectors of 512 bytes. */

/**
 * size_parse - read a size
 * @text: a number and its unit
 * @sectors: set to the size
 *
 * K, M, G, T, P (or KiB, MiB, ...) are powers of 1024, KB, MB, ... powers of
 * 1000, B are bytes and s sectors.  A number other than 0 needs its unit:
 * tools disagree on what a bare one means.  Decimals are accepted if they give whole
 * sectors: 1.5M, but not 0.3K.
 *
 * Return: NULL, or a sentence saying what is wrong.
 */
const char *size_parse(const char *text, uint64_t *sectors);

/**
 * size_format - the shortest exact way to write a size
 * @sectors: size
 *
 * Return: for example "64K", "1536M", "7s"; the caller frees it.
 */
char *size_format(uint64_t sectors);

/* Rounded to at most five characters and one decimal: "1.4T" */
char *size_format_short(uint64_t sectors);

/* Names of mapped devices, or of saved ones; or the words of a line. */
struct names {
	char **name;
	unsigned int nr;
};

void names_add(struct names *names, const char *name);
/* The words of a string that is split at white space. */
void names_split(struct names *words, const char *line);
void names_free(struct names *names);

bool str_starts(const char *s, const char *prefix);
bool parse_u64(const char *s, uint64_t *value);
bool parse_u32(const char *s, uint32_t *value);
char *shell_quote(const char *s);
/* A word of the user in a message: two quotes if it is empty. */
const char *shown(const char *word);
/* Without control characters, which would act on a terminal: a new string. */
char *visible(const char *s);

/*
 * All that @fd gives, with a zero byte behind it; NULL with errno set, EFBIG beyond @limit.
 * @length may be NULL.
 */
char *read_bytes(int fd, size_t limit, size_t *length);
/*
 * The text of a regular file; NULL with errno set, also for a file with a zero byte, where
 * the text would seem to end.
 */
char *read_text_file(const char *path, size_t limit);
/* The reason why read_text_file() has failed, in words; @err is the errno that it has set. */
const char *read_text_problem(const char *path, int err);
/* The first line of a text, without blanks at its end: a new string. */
char *first_line(const char *text);
/* The first line of a small file such as a sysfs attribute; NULL with errno set. */
char *read_line_of(const char *path);

/*
 * Open /dev/null on each of the descriptors 0 to 2 that is closed.  A program calls this before
 * it opens any other file: that file would get the number, and the messages with it.
 * Return: 0 or a negative errno.
 */
int open_standard_files(void);

/* The next name that does not begin with a dot; NULL at the end, and if @dir is NULL. */
const char *read_name(DIR *dir);

/* Messages: to stderr only, so that stdout stays machine-readable. */

/* Is log_verbose() to print? */
extern bool log_is_verbose;

void log_err(const char *fmt, ...) __printf(1, 2);
void log_warn(const char *fmt, ...) __printf(1, 2);
void log_note(const char *fmt, ...) __printf(1, 2);

/*
 * print_now() prints to standard output what a command has done, while it has more to do. A reader
 * that is gone or a full disk does not end the command half-way.
 * print_flush() writes all that was printed. Return: 0, or the first error of standard output.
 */
void print_now(const char *fmt, ...) __printf(1, 2);
int print_flush(void);
void log_verbose(const char *fmt, ...) __printf(1, 2);
/* How far a long step is, on a terminal, in percent; the line ends when @done is @all. */
void log_progress(const char *doing, uint64_t done, uint64_t all);
/*
 * Between these two messages are kept: stderr may be a file on the device that is
 * suspended, and writing to it would wait for ever.
 */
void log_hold(void);
void log_release(void);

void cleanup_free(void *p);
void cleanup_strbuf(struct strbuf *b);
void cleanup_close(int *fd);
void cleanup_dir(DIR **dir);

#define _cleanup_free_		__attribute__((cleanup(cleanup_free)))
#define _cleanup_names_		__attribute__((cleanup(names_free)))
#define _cleanup_strbuf_	__attribute__((cleanup(cleanup_strbuf)))
#define _cleanup_close_		__attribute__((cleanup(cleanup_close)))
#define _cleanup_dir_		__attribute__((cleanup(cleanup_dir)))

#endif /* NOCLONE_UTIL_H */
