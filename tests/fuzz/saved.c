// SPDX-License-Identifier: GPL-2.0-only
/* Files of saved devices: printed and read again. */
#include "fuzz.h"

#include "model/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_problems_ struct problems problems = { 0 }, again = { 0 };
	_cleanup_free_ char *text = fuzz_text(data, size), *old = NULL, *new = NULL;
	_cleanup_saved_ struct saved s = { 0 }, read = { 0 };

	saved_parse(&s, text, &problems);
	if (problems_count(&problems, PROBLEM_ERROR))
		return 0;
	old = saved_print(&s, "data");
	saved_parse(&read, old, &again);
	assert(!problems_count(&again, PROBLEM_ERROR));
	new = saved_print(&read, "data");
	assert(!strcmp(old, new) && saved_is_readable(old, "data"));
	assert(s.readonly == read.readonly && s.nr == read.nr && !strcmp(s.uuid, read.uuid));
	return 0;
}
