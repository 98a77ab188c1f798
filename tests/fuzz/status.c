// SPDX-License-Identifier: GPL-2.0-only
/* Status lines: what was read of one is all that is needed to write it again. */
#include "fuzz.h"

#include "model/status.h"

static void status_add_counters(struct strbuf *b, const struct counter *list, unsigned int nr)
{
	unsigned int i;

	strbuf_add(b, " %u", 2 * nr);
	for (i = 0; i < nr; i++)
		strbuf_add(b, " %s %llu", list[i].name, (unsigned long long)list[i].value);
}

static void status_add_file(struct strbuf *b, const struct status *s)
{
	unsigned int i;

	strbuf_add(b, "engine %s %u", s->engine, 2 * s->nr_facts);
	for (i = 0; i < s->nr_facts; i++)
		strbuf_add(b, " %s %s", s->facts[i].name, s->facts[i].value);
	status_add_counters(b, s->file_counters, s->nr_file_counters);
	free(status_file_words(s));
	status_file_id(s);
}

static char *status_print(const struct status *s)
{
	struct strbuf b = { 0 };

	if (s->engine)
		status_add_file(&b, s);
	else
		strbuf_add(&b, "%s", s->stock);
	if (!s->has_fastpath)
		return strbuf_take(&b);
	strbuf_add(&b, " fastpath %s%s", s->fast ? "on" : "off:", s->fast ? "" : s->reason);
	status_add_counters(&b, s->counters, s->nr_counters);
	free(status_state_words(s));
	return strbuf_take(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = fuzz_text(data, size), *printed = NULL, *again = NULL;
	_cleanup_status_ struct status s = { 0 }, read = { 0 };

	if (status_parse(&s, text))
		return 0;
	printed = status_print(&s);
	assert(!status_parse(&read, printed));
	again = status_print(&read);
	assert(!strcmp(printed, again));
	assert(!s.health == !read.health && (!s.health || !strcmp(s.health, read.health)));
	return 0;
}
