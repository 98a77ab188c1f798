// SPDX-License-Identifier: GPL-2.0-only
/* The columns of noclone status. */
#include "cli/status-columns.h"

#include <json-c/json.h>

#include "base/util.h"

static bool columns_is(struct json_object *row, const char *key)
{
	return json_object_get_boolean(json_object_object_get(row, key));
}

static char *columns_state(struct json_object *row)
{
	const char *wrong = json_object_get_string(json_object_object_get(row, "wrong"));

	return xasprintf("%s%s%s%s%s%s",
			 json_object_get_string(json_object_object_get(row, "state")),
			 columns_is(row, "suspended") ? ", suspended" : "",
			 columns_is(row, "readonly") ? ", read-only" : "",
			 columns_is(row, "deferred_remove") ? ", removed when closed" : "",
			 wrong ? ", " : "", wrong ?: "");
}

/* Rounded down: 100% means that there was no other I/O. */
static char *columns_share(struct json_object *row)
{
	struct json_object *share = json_object_object_get(row, "share");
	unsigned int permille = json_object_get_double(share) * 1000;

	return share ? xasprintf("%u.%u%%", permille / 10, permille % 10) : NULL;
}

struct report status_report(void)
{
	static const struct report_column columns[] = {
		{ "NAME", "name", REPORT_USUAL, "Name of the device.", NULL },
		{ "TYPE", "type", REPORT_USUAL, "Types of its targets.", NULL },
		{ "SIZE", "sectors", REPORT_USUAL | REPORT_SIZE, "Size of the device.", NULL },
		{ "STATE", "state", REPORT_USUAL,
		  "Fast path: on, off:REASON, stock (unknown to the module) or none; then what is wrong.",
		  columns_state },
		{ "IO", "io", REPORT_RATE, "Number of I/Os.", NULL },
		{ "FAST", "fast", REPORT_RATE, "Number of I/Os that took the fast path.", NULL },
		{ "SHARE", "share", REPORT_USUAL | REPORT_NUMBER,
		  "Share of the I/O that took the fast path, in percent.", columns_share },
		{ "REASON", "reason", REPORT_USUAL,
		  "The counter that has most of the other I/O.", NULL },
		{ "ON", "on", REPORT_USUAL | REPORT_WRAPS,
		  "Devices below, or the backing file.", NULL },
		{ "MADE-BY", "made_by", 0,
		  "The program that made the device, as its UUID says.", NULL },
		{ "UUID", "uuid", REPORT_WRAPS, "DM UUID.", NULL },
		{ "DEVICE", "device", 0, "Device number, major:minor.", NULL },
		{ "OPEN", "open_count", REPORT_NUMBER,
		  "How many times the device is open.", NULL },
		{ "TABLES", "tables", 0, "Tables that are loaded: live, inactive.", NULL },
		{ "EVENTS", "event_nr", REPORT_NUMBER, "Number of events of the device.", NULL },
		{ "WHY", "why", REPORT_WRAPS,
		  "What the state or the reason means, and what to do.", NULL },
	};

	return (struct report) { .columns = columns, .nr_columns = ARRAY_SIZE(columns) };
}
