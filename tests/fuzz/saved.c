// SPDX-License-Identifier: GPL-2.0-only
/* Files of saved devices: printed, read again, and changed in one respect. */
#include "fuzz.h"

#include "model/saved.h"

/* Does @text say the same, and whether it is outdated? */
static void saved_is_same(const struct saved *s, const char *text, bool outdated)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_free_ char *old = saved_print(s, "data"), *new = NULL;
	_cleanup_saved_ struct saved read = { 0 };

	saved_parse(&read, text, &problems);
	assert(!problems_count(&problems, PROBLEM_ERROR));
	new = saved_print(&read, "data");
	assert(!strcmp(old, new) && saved_is_readable(old, "data"));
	assert(s->readonly == read.readonly && s->nr == read.nr);
	assert(outdated == !!read.outdated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *printed = NULL, *commented = NULL, *outdated = NULL, *fresh = NULL;
	_cleanup_free_ char *text = fuzz_text(data, size), *twice = NULL;
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_saved_ struct saved s = { 0 };

	saved_parse(&s, text, &problems);
	if (problems_count(&problems, PROBLEM_ERROR))
		return 0;
	printed = saved_print(&s, "data");
	commented = saved_with_comments(printed, text);
	outdated = saved_with_outdated(text);
	twice = saved_with_outdated(outdated);
	fresh = saved_with_signatures(&s, outdated);
	saved_is_same(&s, printed, false);
	saved_is_same(&s, commented, false);
	saved_is_same(&s, outdated, true);
	saved_is_same(&s, fresh, false);
	assert(!strcmp(outdated, twice));
	return 0;
}
