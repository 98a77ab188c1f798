// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ask devices and files that may not answer.
 *
 * The process that ask() starts first checks whether the device, or a device below the device or
 * file, is suspended. If so, the process sends a sentence that names the suspended device, with a
 * zero byte at its end, and ends. Otherwise the process sends only the zero byte, and after it the
 * answer.
 */
#include "system/silence.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/layers.h"
#include "system/mount.h"

/* MAX_LINKS: the limit of the kernel for symbolic links. */
#define MAX_LINKS	40

/**
 * struct silence_question - a question to a device or file
 * @function: asks the device or file, and sends the answer
 * @data: the argument of @function
 * @path: the path of a device node or of a file
 * @file: @path is a file, not a device node
 */
struct silence_question {
	ask_function function;
	void *data;
	const char *path;
	bool file;
};

/* Functions of the process that ask() starts. */

static char *silence_device_words(const char *path)
{
	dev_t devno = blockdev_at(path);
	_cleanup_free_ char *suspended = layers_suspended(devno);
	_cleanup_free_ char *own = suspended ? blockdev_mapped_name(devno) : NULL;

	if (own && !strcmp(own, suspended))
		return xstrdup("it is suspended");
	return suspended ? xasprintf("the device %s below it is suspended", suspended) : NULL;
}

/**
 * struct silence_way - a path that the process follows part by part
 * @done: the path of the parts that were followed, without symbolic links; "" is the root folder
 * @left: the part of the path that was not followed yet
 * @filesystem: the last file system on the way that was checked; no device below it is suspended
 * @links: the number of symbolic links that were followed
 */
struct silence_way {
	char *done;
	char *left;
	dev_t filesystem;
	unsigned int links;
};

/*
 * Take the next part from @w->left. Return: this part, or "" at the end of the path, a new string.
 */
static char *silence_take_part(struct silence_way *w)
{
	const char *part = w->left + strspn(w->left, "/");
	const size_t length = strcspn(part, "/");
	char *word = xstrndup(part, length), *rest = xstrdup(part + length);

	free(w->left);
	w->left = rest;
	return word;
}

/*
 * Follow the symbolic link @link. Return: false if the link cannot be read, or if there are too
 * many links.
 */
static bool silence_follow_link(struct silence_way *w, const char *link)
{
	char target[PATH_MAX], *left;
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	if (n < 0 || w->links++ >= MAX_LINKS)
		return false;
	target[n] = 0;
	left = xasprintf("%s/%s", target, w->left);
	free(w->left);
	w->left = left;
	if (*target == '/')
		*w->done = 0;
	return true;
}

/*
 * Follow the next part of the path, and set @filesystem to the file system of the folder or file to
 * which it leads. Return: false at the end of the path, or if the path leads to nothing.
 */
static bool silence_step(struct silence_way *w, dev_t *filesystem)
{
	_cleanup_free_ char *part = silence_take_part(w);
	_cleanup_free_ char *next = xasprintf("%s/%s", w->done, part);
	struct stat st;

	if (!strcmp(part, "..") && *w->done)
		*strrchr(w->done, '/') = 0;
	if (!*part)
		return false;
	if (!strcmp(part, ".") || !strcmp(part, ".."))
		return true;
	if (lstat(next, &st))
		return false;
	if (S_ISLNK(st.st_mode))
		return silence_follow_link(w, next);
	*filesystem = st.st_dev;
	free(w->done);
	w->done = xstrdup(next);
	return true;
}

/*
 * Return: the name of a suspended device below one of the file systems through which the path of a
 * file leads, a new string, or NULL.
 */
static char *silence_on_way(const char *path)
{
	_cleanup_free_ char *folder = *path == '/' ? xstrdup("") : getcwd(NULL, 0);
	struct silence_way w = {
		.done = xstrdup(""), .left = xasprintf("%s/%s", folder ? folder : "", path),
	};
	dev_t filesystem = 0;
	char *suspended = NULL;
	struct stat st;

	if (!stat("/", &st))
		filesystem = st.st_dev;
	do {
		if (filesystem == w.filesystem)
			continue;
		w.filesystem = filesystem;
		suspended = layers_suspended(mount_disk(filesystem));
	} while (!suspended && silence_step(&w, &filesystem));
	free(w.done);
	free(w.left);
	return suspended;
}

static char *silence_file_words(const char *path)
{
	_cleanup_free_ char *suspended = silence_on_way(path);

	return suspended ? xasprintf("the device %s below it is suspended", suspended) : NULL;
}

static void silence_answer(int out, void *data)
{
	const struct silence_question *q = data;
	_cleanup_free_ char *words = NULL;

	/*
	 * leave the current folder, because the process may outlive the command, and its current
	 * folder would keep a file system mounted
	 */
	if (*q->path == '/' && chdir("/"))
		_exit(1);
	words = q->file ? silence_file_words(q->path) : silence_device_words(q->path);
	if (dprintf(out, "%s", words ? words : "") >= 0 && write(out, "", 1) == 1 && !words)
		q->function(out, q->data);
}

/* Functions of the command, which waits for the answer of that process. */

static char *silence_explain(int r, const struct answer *a)
{
	_cleanup_free_ char *left = a->left ?
		xasprintf("; process %d is left behind, and ends when the device answers", a->left) : NULL;

	if (r == -ETIMEDOUT)
		return xasprintf("it has not answered for %u seconds%s", a->seconds, left ? left : "");
	if (r == -EIO)
		return xstrdup("the process that reads it was killed");
	return xasprintf("%s%s", r == -EINTR ? "a signal has ended the command" : strerror(-r),
			 left ? left : "");
}

/*
 * Remove the empty sentence from the start of the answer. Return: 0, or -EBUSY with @why set to the
 * sentence if it is not empty.
 */
static int silence_take(struct answer *a, char **why)
{
	const size_t sentence = strlen(a->text);

	if (sentence) {
		*why = xstrdup(a->text);
		return -EBUSY;
	}
	if (a->length) {
		/*
		 * the zero byte at the end of the text is moved as well, although @a->length does
		 * not count it
		 */
		memmove(a->text, a->text + 1, a->length);
		a->length--;
	}
	return 0;
}

int silence_ask(ask_function function, void *data, const char *path, bool file, struct answer *a,
		char **why)
{
	struct silence_question q = { function, data, path, file };
	int r;

	devmap_release();
	r = ask(silence_answer, &q, path, a);
	if (!r)
		return silence_take(a, why);
	*why = silence_explain(r, a);
	return r;
}
