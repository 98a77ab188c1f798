// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz files of saved devices: a file is printed and read again. */
#include "fuzz.h"

#include "model/finding.h"
#include "model/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_findings_ struct findings findings = { 0 }, again = { 0 };
	_cleanup_free_ char *text = fuzz_text(data, size), *old = NULL, *new = NULL;
	_cleanup_free_ char *uuid = saved_find_uuid(text);
	_cleanup_saved_ struct saved s = { 0 }, read = { 0 };

	saved_parse(&s, text, &findings);
	assert(!uuid == !s.uuid && (!uuid || !strcmp(uuid, s.uuid)));
	if (findings_count(&findings, FINDING_ERROR))
		return 0;
	old = saved_print(&s);
	saved_parse(&read, old, &again);
	assert(!findings_count(&again, FINDING_ERROR));
	new = saved_print(&read);
	assert(!strcmp(old, new) && saved_is_readable(old));
	assert(s.readonly == read.readonly && s.nr == read.nr && !strcmp(s.uuid, read.uuid));
	return 0;
}
