/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation that cannot fail, cleanup attributes, a growing string, reading files.
 *
 * If no memory is left, the tool ends. This is acceptable, because the tool is short-lived, and has
 * nothing to undo after a failed allocation. Memory for the change of a device is allocated before
 * the change, because the tool must not end in the middle of the change.
 */
#ifndef NOCLONE_UTIL_H
#define NOCLONE_UTIL_H

#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)	((a) < (b) ? (a) : (b))
#define MAX(a, b)	((a) > (b) ? (a) : (b))
#define SECTOR_SHIFT	9
#define SECTOR_SIZE	(1U << SECTOR_SHIFT)

#define __printf(fmt, first)	__attribute__((format(printf, fmt, first)))
#define __unused		__attribute__((unused))

/* Return: @p. If @p is NULL, no memory is left, and the tool ends. */
void *xchecked(void *p);
void *xzalloc(size_t size);
void *xrealloc_array(void *old, size_t nr, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __printf(1, 2);
char *xvasprintf(const char *fmt, va_list ap);

/* Make room for one more element of @array, which has @nr elements. */
#define GROW(array, nr) \
	((array) = xrealloc_array((array), (size_t)(nr) + 1, sizeof(*(array))))

/**
 * struct strbuf - a string that grows
 * @text: the text with a zero byte at its end, or NULL as long as nothing was added
 * @len: the length without the zero byte
 */
struct strbuf {
	char *text;
	size_t len;
};

void strbuf_add(struct strbuf *b, const char *fmt, ...) __printf(2, 3);
void strbuf_append(struct strbuf *b, const char *s, size_t len);
void strbuf_putc(struct strbuf *b, char c, unsigned int times);
char *strbuf_take(struct strbuf *b);

/* Sizes with units, as users write them. The functions count a size in sectors of 512 bytes. */

/**
 * size_parse - read a size
 * @text: a number and its unit
 * @sectors: set to the size
 *
 * K, M, G, T, P (or KiB, MiB, ...) are powers of 1024, and KB, MB, ... are powers of 1000. B stands
 * for bytes, and s for sectors. A number other than 0 needs a unit, because tools disagree about
 * the meaning of a number without a unit. A number may have decimals if the size is a number of
 * whole sectors: 1.5M is accepted, and 0.3K is not.
 *
 * Return: NULL, or a sentence that says what is wrong.
 */
const char *size_parse(const char *text, uint64_t *sectors);

/**
 * size_format - print a size exactly, in the shortest way
 * @sectors: the size
 *
 * Return: a new string such as "64K", "1536M" or "7s".
 */
char *size_format(uint64_t sectors);

/*
 * Return: a rounded size with at most five characters and one decimal, such as "1.4T", a new
 * string.
 */
char *size_format_short(uint64_t sectors);

/*
 * A list of words, such as the names of mapped devices or of saved devices, or the words of a line.
 */
struct names {
	char **name;
	unsigned int nr;
};

void names_add(struct names *names, const char *name);
/* Split a string at white space into words. */
void names_split(struct names *words, const char *line);
void names_free(struct names *names);

bool str_starts(const char *s, const char *prefix);
bool parse_u64(const char *s, uint64_t *value);
bool parse_u32(const char *s, uint32_t *value);
char *shell_quote(const char *s);
/*
 * Return: @word as a message shows this word of the user: two quotes if it is empty, otherwise
 * unchanged.
 */
const char *shown(const char *word);
/*
 * Return: a new string, @s with \xNN in the place of each control character, so that the text
 * cannot control a terminal.
 */
char *visible(const char *s);

/*
 * Read all bytes of @fd, and add a zero byte. Return: a new buffer, or NULL with errno set. errno
 * is EFBIG if @fd has more than @limit bytes. @length may be NULL.
 */
char *read_bytes(int fd, size_t limit, size_t *length);
/*
 * Remove the byte order mark of UTF-8, which some editors write at the start of a text. It is
 * invisible, and would become a part of the first word.
 */
void read_drop_mark(char *text);
/*
 * Read the text of a regular file, without a byte order mark. Return: a new string, or NULL with
 * errno set. A file with a zero byte is an error, because the text would seem to end at this byte.
 */
char *read_text_file(const char *path, size_t limit);
/*
 * Read a file as read_text_file() does, and set @st to the result of fstat(2) before the first
 * read.
 */
char *read_text_file_stat(const char *path, size_t limit, struct stat *st);
/*
 * Return: in words, why read_text_file() has failed for @path. @err: the errno of read_text_file()
 */
const char *read_text_problem(const char *path, int err);
/* Return: the first line of a text without the blanks at its end, a new string. */
char *first_line(const char *text);
/*
 * Read the first line of a small file, such as a sysfs attribute. Return: a new string, or NULL
 * with errno set.
 */
char *read_line_of(const char *path);

/*
 * Open /dev/null on each of the descriptors 0 to 2 that is closed. A program calls this before it
 * opens any other file. Otherwise that file could get the number 2, and messages would be written
 * into it.
 *
 * Return: 0 or a negative errno.
 */
int open_standard_files(void);

/*
 * Return: the next name in a directory that does not begin with a dot, or NULL if there is none or
 * if @dir is NULL.
 */
const char *read_name(DIR *dir);

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
