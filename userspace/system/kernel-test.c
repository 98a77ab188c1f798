// SPDX-License-Identifier: GPL-2.0-only
/* Read the record of a kernel test, and decide whether the kernel has passed. */
#include "system/kernel-test.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"

#define RECORD_MAX	(1U << 20)
#define DEPTH_MAX	8
#define FORMAT		1

/* Return: the member @key if its value has this type, or NULL. */
static struct json_object *kernel_test_member(struct json_object *o, const char *key,
					      enum json_type type)
{
	struct json_object *member = json_object_object_get(o, key);

	return json_object_is_type(member, type) ? member : NULL;
}

/* Return: the text of a member, or "". */
static const char *kernel_test_text(struct json_object *o, const char *key)
{
	struct json_object *member = kernel_test_member(o, key, json_type_string);

	return member ? json_object_get_string(member) : "";
}

/* Return: the result of a test: "passed", "failed", "not run", or another word from the record. */
static const char *kernel_test_result(struct json_object *tests, const char *name)
{
	struct json_object *test = json_object_object_get(tests, name);

	return test ? kernel_test_text(test, "result") : "not run";
}

/*
 * Return: a sentence that says why a test does not allow the fast path, a new string, or NULL if
 * the test has passed.
 */
static char *kernel_test_objection(struct json_object *tests, const char *name)
{
	const char *result = kernel_test_result(tests, name);
	const char *why = kernel_test_text(json_object_object_get(tests, name), "reason");

	if (!strcmp(result, "passed"))
		return NULL;
	return xasprintf("the test \"%s\" of this kernel %s%s%s", name,
			 !strcmp(result, "failed") ? "has failed" : "did not run",
			 *why ? ": " : "", why);
}

/* Is this a valid member of the object "tests"? */
static bool kernel_test_is_result(const char *name, struct json_object *test)
{
	const char *result = kernel_test_text(test, "result"), *why = kernel_test_text(test, "reason");

	if (strlen(name) != 2 || *name != 'T' || name[1] < '1' || name[1] > '9')
		return false;
	if (strchr(why, '\n'))
		return false;
	return !strcmp(result, "passed") ||
	       (*why && (!strcmp(result, "failed") || !strcmp(result, "not run")));
}

/*
 * Return: the name of the first member that is missing or has a wrong value, or NULL. No text and no
 * name may have a line break, because the remedy of a finding begins behind its first line break.
 */
static const char *kernel_test_flaw(struct json_object *record)
{
	static const char * const texts[] = { "release", "version", "build", "date" };
	struct json_object *tests = kernel_test_member(record, "tests", json_type_object);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *text = kernel_test_text(record, texts[i]);

		if (!*text || strchr(text, '\n'))
			return texts[i];
	}
	if (!tests)
		return "tests";
	json_object_object_foreach(tests, name, test)
		if (!kernel_test_is_result(name, test))
			return strchr(name, '\n') ? "tests" : name;
	return NULL;
}

/* Is the JSON value a test record in the format that this version of the tool reads? */
static bool kernel_test_is_record(struct json_object *record)
{
	struct json_object *format = kernel_test_member(record, "format", json_type_int);

	return format && json_object_get_int64(format) == FORMAT;
}

/*
 * Return: a sentence that says why the results do not allow the fast path, a new string, or NULL if
 * they allow it. The first test that has not passed decides about @failed.
 */
static char *kernel_test_judge_results(struct json_object *tests, bool *failed)
{
	static const char * const needed[] = { "T1", "T2", "T3", "T4", "T5", "T6", "T9" };
	char *objection = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(needed) && !objection; i++) {
		objection = kernel_test_objection(tests, needed[i]);
		*failed = !strcmp(kernel_test_result(tests, needed[i]), "failed");
	}
	return objection;
}

/*
 * Return: a sentence that says why a record does not allow the fast path, a new string, or NULL if
 * the record allows it. Set @failed if a test has failed.
 */
static char *kernel_test_judge(struct json_object *record, const char *path,
			       const struct kernel_test_of *of, bool *failed)
{
	const char *flaw;

	if (!record)
		return xasprintf("the record %s is damaged: it is not JSON", path);
	if (!kernel_test_is_record(record))
		return xasprintf("the member \"format\" of the record %s is not 1", path);
	flaw = kernel_test_flaw(record);
	if (flaw)
		return xasprintf("the member \"%s\" of the record %s is missing or wrong", flaw, path);
	if (strcmp(kernel_test_text(record, "release"), of->release))
		return xasprintf("%s records the test of another kernel", path);
	if (of->version && strcmp(kernel_test_text(record, "version"), of->version))
		return xasprintf("the recorded test ran on another build of this kernel, \"%s\"",
				 kernel_test_text(record, "version"));
	if (strcmp(kernel_test_text(record, "build"), of->build))
		return xstrdup("the recorded test ran with another build of the module");
	return kernel_test_judge_results(json_object_object_get(record, "tests"), failed);
}

/* Return: the JSON value of the text, or NULL if the text is not exactly one JSON value. */
static struct json_object *kernel_test_parse(const char *text)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	struct json_object *record;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	/*
	 * the length includes the zero byte; otherwise json-c would wait for more digits of a
	 * number
	 */
	record = json_tokener_parse_ex(tokener, text, strlen(text) + 1);
	json_tokener_free(tokener);
	return record;
}

/* Fill @r from a record that allows the fast path. */
static void kernel_test_take(struct json_object *record, const struct kernel_test_of *of,
			     struct kernel_test_result *r)
{
	struct json_object *tests = json_object_object_get(record, "tests");

	r->polled = kernel_test_objection(tests, "T7");
	r->limits = kernel_test_objection(tests, "T8");
	r->entry = xasprintf("%s%s", of->build, r->polled ? "" : NOCLONE_TESTED_POLLED);
}

void kernel_test_read(const struct kernel_test_of *of, struct kernel_test_result *r)
{
	_cleanup_free_ char *path = xasprintf(KERNEL_TEST_DIR "/%s.json", of->release);
	_cleanup_free_ char *text = read_text_file(path, RECORD_MAX);
	struct json_object *record;
	int err = errno;

	*r = (struct kernel_test_result) { 0 };
	if (!text) {
		r->denied = err == EACCES;
		if (err != ENOENT)
			r->reason = xasprintf("%s: %s", path, read_text_problem(path, err));
		return;
	}
	record = kernel_test_parse(text);
	r->reason = kernel_test_judge(record, path, of, &r->failed);
	if (!r->reason)
		kernel_test_take(record, of, r);
	json_object_put(record);
}

void kernel_test_free(struct kernel_test_result *r)
{
	free(r->entry);
	free(r->reason);
	free(r->polled);
	free(r->limits);
}

/* Return: what an entry of @length bytes in the parameter "tested" allows. */
static enum kernel_test_allowed kernel_test_entry(const char *entry, size_t length,
						  const char *build)
{
	size_t digits = strlen(build);

	if (length < digits || strncmp(entry, build, digits))
		return KERNEL_TEST_NONE;
	if (length == digits)
		return KERNEL_TEST_FAST;
	entry += digits;
	length -= digits;
	return length == strlen(NOCLONE_TESTED_POLLED) &&
	       !strncmp(entry, NOCLONE_TESTED_POLLED, length) ? KERNEL_TEST_POLLED : KERNEL_TEST_NONE;
}

enum kernel_test_allowed kernel_test_allowed(const char *options, const char *build)
{
	enum kernel_test_allowed most = KERNEL_TEST_NONE, now;
	_cleanup_names_ struct names words = { 0 };
	unsigned int i;
	size_t length;

	names_split(&words, options);
	for (i = 0; i < words.nr; i++) {
		/* the kernel drops quotation marks around a word or its value */
		const char *at = words.name[i] + (*words.name[i] == '"');

		if (!str_starts(at, "tested="))
			continue;
		for (at += strlen("tested="); *at; at += length + !!at[length]) {
			length = strcspn(at, ",\"");
			now = kernel_test_entry(at, length, build);
			most = now > most ? now : most;
		}
	}
	return most;
}
