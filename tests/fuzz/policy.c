// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz edits of the policy: an edit takes effect, also after the file is read again, and the same
 * edit once more changes nothing.
 */
#include "fuzz.h"

#include "model/finding.h"
#include "model/name.h"
#include "model/policy.h"

static void policy_read(struct policy *p, const char *text)
{
	_cleanup_findings_ struct findings ignored = { 0 };

	policy_parse(p, text, &ignored);
}

static void policy_prints_what_it_reads(const char *text)
{
	size_t length = strlen(text);
	_cleanup_policy_ struct policy p = { 0 };
	_cleanup_free_ char *printed = NULL;

	policy_read(&p, text);
	printed = policy_print(&p);
	assert(!strncmp(printed, text, length));
	assert(!strcmp(printed + length, length && text[length - 1] != '\n' ? "\n" : ""));
}

/* Edit the rule for @pattern, or for the device if @pattern is NULL. */
static void policy_edit(struct policy *p, enum policy_kind kind, const char *pattern,
			const struct policy_names *names)
{
	if (pattern)
		policy_set(p, &(struct policy_rule) { kind, pattern }, 1);
	else
		policy_set_device(p, kind, names);
	assert(pattern || policy_find(p, names)->kind == kind);
}

static void policy_edits_once(const char *text, enum policy_kind kind, const char *pattern,
			      const struct policy_names *names)
{
	_cleanup_policy_ struct policy p = { 0 }, read = { 0 };
	_cleanup_free_ char *edited = NULL, *again = NULL;

	policy_read(&p, text);
	policy_edit(&p, kind, pattern, names);
	edited = policy_print(&p);
	policy_read(&read, edited);
	policy_edit(&read, kind, pattern, names);
	again = policy_edits(&read);
	assert(!*again);
}

/* The first line of the input is a name and a pattern, and the other lines are the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = fuzz_text(data, size);
	size_t length = strcspn(text, "\n");
	_cleanup_free_ char *word = xstrndup(text, MIN(length, 64U)), *name = name_encode(word);
	const char *rules = text + length + (text[length] == '\n');
	enum policy_kind kind;

	policy_prints_what_it_reads(rules);
	for (kind = POLICY_INCLUDE; *word && kind <= POLICY_EXCLUDE; kind++) {
		policy_edits_once(rules, kind, NULL, &(struct policy_names) { name, NULL });
		policy_edits_once(rules, kind, NULL, &(struct policy_names) { name, "vg0/a" });
		if (!policy_pattern_usage(word))
			policy_edits_once(rules, kind, word, NULL);
	}
	return 0;
}
