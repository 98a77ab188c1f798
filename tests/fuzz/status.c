// SPDX-License-Identifier: GPL-2.0-only
/* Status lines: what was read of one is all that is needed to write it again. */
#include "fuzz.h"

#include "model/status.h"

static void status_add_values(struct strbuf *b, const struct status_values *list)
{
	unsigned int i;

	strbuf_add(b, " %u", 2 * list->nr);
	for (i = 0; i < list->nr; i++)
		strbuf_add(b, " %s %s", list->value[i].name, list->value[i].text);
}

static char *status_print(const struct status *s)
{
	struct strbuf b = { 0 };

	if (s->engine) {
		strbuf_add(&b, "engine %s", s->engine);
		status_add_values(&b, &s->facts);
		status_add_values(&b, &s->file_counters);
		status_file_id(s);
	}
	if (s->health)
		strbuf_add(&b, "1 1 %s", s->health);
	if (!s->has_fastpath)
		return strbuf_take(&b);
	strbuf_add(&b, " fastpath %s%s", s->fast ? "on" : "off:", s->fast ? "" : s->reason);
	status_add_values(&b, &s->counters);
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
