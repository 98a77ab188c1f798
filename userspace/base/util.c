// SPDX-License-Identifier: GPL-2.0-only
/* Allocation, strings, numbers and files in the few forms the tool needs. */
#include "base/util.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

void *xchecked(void *p)
{
	if (!p) {
		fputs("noclone: out of memory\n", stderr);
		_exit(1);
	}
	return p;
}

void *xzalloc(size_t size)
{
	return xchecked(calloc(1, size));
}

void *xrealloc_array(void *old, size_t nr, size_t size)
{
	return xchecked(reallocarray(old, nr, size));
}

char *xstrdup(const char *s)
{
	return xchecked(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return xchecked(strndup(s, n));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		xchecked(NULL);
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void strbuf_append(struct strbuf *b, const char *s, size_t len)
{
	b->text = xrealloc_array(b->text, b->len + len + 1, 1);
	memcpy(b->text + b->len, s, len);
	b->len += len;
	b->text[b->len] = 0;
}

void strbuf_add(struct strbuf *b, const char *fmt, ...)
{
	_cleanup_free_ char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	strbuf_append(b, s, strlen(s));
}

void strbuf_putc(struct strbuf *b, char c, unsigned int times)
{
	while (times--)
		strbuf_append(b, &c, 1);
}

/*
 * Return: the text, which the caller frees. The text is never NULL, so that an empty text needs no
 * special case.
 */
char *strbuf_take(struct strbuf *b)
{
	char *text = b->text ? b->text : xstrdup("");

	b->text = NULL;
	b->len = 0;
	return text;
}

void names_add(struct names *names, const char *name)
{
	GROW(names->name, names->nr);
	names->name[names->nr++] = xstrdup(name);
}

void names_free(struct names *names)
{
	while (names->nr)
		free(names->name[--names->nr]);
	free(names->name);
	names->name = NULL;
}

void names_split(struct names *words, const char *line)
{
	_cleanup_free_ char *text = xstrdup(line);
	char *save = NULL, *word;

	*words = (struct names) { 0 };
	for (word = strtok_r(text, " \t\r\n", &save); word;
	     word = strtok_r(NULL, " \t\r\n", &save))
		names_add(words, word);
}

bool str_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/*
 * Read a number that has decimal digits only: no sign, no blank and no 0x. A number that is too
 * large is an error.
 */
bool parse_u64(const char *s, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*value = strtoull(s, &end, 10);
	return !errno && !*end;
}

bool parse_u32(const char *s, uint32_t *value)
{
	uint64_t v;

	if (!parse_u64(s, &v) || v > UINT32_MAX)
		return false;
	*value = v;
	return true;
}

const char *shown(const char *word)
{
	return *word ? word : "\"\"";
}

/* Return: the first control character of @s, or the zero byte at the end of @s. */
static const char *util_find_control(const char *s)
{
	while (*s && !iscntrl((unsigned char)*s))
		s++;
	return s;
}

char *visible(const char *s)
{
	struct strbuf b = { 0 };
	const char *control;

	for (; *(control = util_find_control(s)); s = control + 1) {
		strbuf_append(&b, s, control - s);
		strbuf_add(&b, "\\x%02x", (unsigned char)*control);
	}
	strbuf_append(&b, s, control - s);
	return strbuf_take(&b);
}

/*
 * Quote a word that has control characters, which would control a terminal. The result has the form
 * $'...', which bash and zsh read.
 */
static char *util_quote_controls(const char *s)
{
	struct strbuf b = { 0 };

	strbuf_add(&b, "$'");
	for (; *s; s++) {
		if (iscntrl((unsigned char)*s)) {
			strbuf_add(&b, "\\x%02x", (unsigned char)*s);
			continue;
		}
		strbuf_putc(&b, '\\', *s == '\\' || *s == '\'');
		strbuf_putc(&b, *s, 1);
	}
	strbuf_add(&b, "'");
	return strbuf_take(&b);
}

/* Quote a word for a POSIX shell, but only if that is necessary. */
char *shell_quote(const char *s)
{
	struct strbuf b = { 0 };

	if (*util_find_control(s))
		return util_quote_controls(s);

	if (*s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
			       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789/._:=@%+-")])
		return xstrdup(s);

	strbuf_add(&b, "'");
	for (; *s; s++) {
		if (*s == '\'')
			strbuf_add(&b, "'\\''");
		else
			strbuf_putc(&b, *s, 1);
	}
	strbuf_add(&b, "'");
	return strbuf_take(&b);
}

/*
 * ROUNDING: the largest rounding error, in sectors, of a number with decimals. A long double cannot
 * hold most decimals exactly, because they are no sums of powers of two.
 */
#define ROUNDING	1e-6L

static const char units[] = "KMGTP";

/*
 * Return: the number of bytes in @unit, or 0 if this word is no unit. Units may be in lower case.
 */
static uint64_t util_unit_bytes(const char *unit)
{
	const char *at = strchr(units, toupper((unsigned char)*unit));
	uint64_t base = *unit && !strcasecmp(unit + 1, "B") ? 1000 : 1024, bytes = 1;

	if (!strcasecmp(unit, "B"))
		return 1;
	if (!strcasecmp(unit, "s"))
		return SECTOR_SIZE;
	if (!*unit || !at || (unit[1] && base == 1024 && strcasecmp(unit + 1, "iB")))
		return 0;
	for (; at >= units; at--)
		bytes *= base;
	return bytes;
}

/* The function computes with a long double, which holds each integer below 2^64 exactly. */
const char *size_parse(const char *text, uint64_t *sectors)
{
	size_t length = strspn(text, "0123456789.");
	const char *unit = text + length;
	char *end;
	long double exact = strtold(text, &end), rest;

	/* forms such as 0x10, 1e3, .5 and 1. are not accepted */
	if (end != unit || !length || *text == '.' || unit[-1] == '.')
		return "not a number with a unit (for example 64K, 1.5G or 2048s)";
	if (!*unit && strcmp(text, "0"))
		return "a unit is missing: K, M, G, T, or s for sectors";
	if (*unit && !util_unit_bytes(unit))
		return "unknown unit (known: s B K M G T P, KiB... and KB...)";

	exact = exact * util_unit_bytes(unit) / SECTOR_SIZE;
	if (exact >= 0x1p64L)
		return "number too large";
	*sectors = exact;
	rest = exact - *sectors;
	if (rest > 0.5L) {
		*sectors += 1;
		rest = 1 - rest;
	}
	return rest > ROUNDING || (exact > 0 && !*sectors) ?
	       "not a multiple of a sector of 512 bytes (1M has 1024 x 1024 bytes, 1MB 1000 x 1000)" : NULL;
}

char *size_format(uint64_t sectors)
{
	uint64_t number = sectors / 2;
	int unit = 0;

	if (!sectors)
		return xstrdup("0");
	if (sectors % 2)
		return xasprintf("%llus", (unsigned long long)sectors);
	while (number % 1024 == 0 && unit < 4) {
		number /= 1024;
		unit++;
	}
	return xasprintf("%llu%c", (unsigned long long)number, units[unit]);
}

char *size_format_short(uint64_t sectors)
{
	double number = sectors / 2.0;
	int unit = 0;

	if (sectors < 2)
		return size_format(sectors);
	while (number >= 1024 && unit < 4) {
		number /= 1024;
		unit++;
	}
	return xasprintf("%.*f%c", number < 100 && number != (uint64_t)number, number, units[unit]);
}

/* Reading whole files and descriptors. */

/*
 * @size: the number of bytes in the file, or 0 if unknown. With a known size, the last read(2),
 *	which would only find the end of the file, is not necessary.
 */
static char *util_read(int fd, size_t size, size_t limit, size_t *length)
{
	struct strbuf b = { 0 };
	char chunk[4096];
	ssize_t n;

	do {
		n = read(fd, chunk, sizeof(chunk));
		if (n > 0)
			strbuf_append(&b, chunk, n);
		if (b.len > limit) {
			errno = EFBIG;
			n = -1;
		}
	} while (n > 0 && b.len != size);
	if (n < 0) {
		free(b.text);
		return NULL;
	}
	if (length)
		*length = b.len;
	return strbuf_take(&b);
}

char *read_bytes(int fd, size_t limit, size_t *length)
{
	return util_read(fd, 0, limit, length);
}

void read_drop_mark(char *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *rest = text + strlen(mark);

	if (str_starts(text, mark))
		memmove(text, rest, strlen(rest) + 1);
}

char *read_text_file_stat(const char *path, size_t limit, struct stat *st)
{
	/* without O_NONBLOCK, opening a FIFO would wait for a writer */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t length;
	char *text;

	if (fd < 0 || fstat(fd, st))
		return NULL;
	if (!S_ISREG(st->st_mode)) {
		errno = S_ISDIR(st->st_mode) ? EISDIR : ENOSTR;
		return NULL;
	}
	text = util_read(fd, st->st_size, limit, &length);
	if (text && strlen(text) != length) {
		cleanup_free(&text);
		text = NULL;
		errno = EILSEQ;
	}
	if (text)
		read_drop_mark(text);
	return text;
}

char *read_text_file(const char *path, size_t limit)
{
	struct stat st;

	return read_text_file_stat(path, limit, &st);
}

const char *read_text_problem(const char *path, int err)
{
	struct stat st;

	switch (err) {
	case EISDIR:
		return "it is a folder";
	case ENOSTR:
		return "it is not a regular file";
	case EILSEQ:
		return "it is damaged, because it has a zero byte";
	case ENOENT:
		return lstat(path, &st) ? strerror(err) : "it is a symbolic link to a file that does not exist";
	default:
		return strerror(err);
	}
}

char *first_line(const char *text)
{
	size_t length = strcspn(text, "\n");

	/* sysfs pads vendor and model names with spaces */
	while (length && text[length - 1] == ' ')
		length--;
	return xstrndup(text, length);
}

char *read_line_of(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = fd < 0 ? NULL : read_bytes(fd, 65536, NULL);

	return text ? first_line(text) : NULL;
}

/*
 * Descriptor 0 is opened only for writing, and 1 and 2 only for reading. So a read from 0 and a
 * write to 1 or 2 fail, as on a closed descriptor, and lost output is still an error. Programs that
 * the tool starts inherit these descriptors.
 */
int open_standard_files(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* open() returns the lowest free descriptor, which is @fd */
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return -errno;
	}
	return 0;
}

const char *read_name(DIR *dir)
{
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			return entry->d_name;
	return NULL;
}

void cleanup_free(void *p)
{
	free(*(void **)p);
}

void cleanup_strbuf(struct strbuf *b)
{
	free(b->text);
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
