/* SPDX-License-Identifier: GPL-2.0-only */
/* A device in a line: what it is, and which share of its I/O takes the fast path. */
#ifndef NOCLONE_OVERVIEW_H
#define NOCLONE_OVERVIEW_H

#include <stdbool.h>

#include "model/status.h"
#include "model/table.h"

/**
 * struct overview - a device in a line
 * @name: of the device
 * @type: of its targets, with commas
 * @origin: program that made it, or NULL
 * @state: "on", "off:reason", or "stock": dm core's path, nobody counts
 * @trouble: what is wrong below it, "/dev/sdb failed", or NULL
 * @counted: there are counters: the rest is valid
 * @fast: I/Os that took the fast path
 * @other: I/Os that did not
 * @status: the counters, for the reasons
 */
struct overview {
	char *name;
	char *type;
	char *origin;
	char *state;
	char *trouble;
	bool counted;
	uint64_t fast;
	uint64_t other;
	struct status status;
};

/*
 * Is there anything to say about a device with this table: a target of ours, or a
 * stock one that could have the fast path?
 */
bool overview_is_for(const struct table *t);
/* @status: that of a target with a fast path, which is emptied, or NULL */
void overview_fill(struct overview *v, const char *name, const char *uuid,
		   const struct table *t, struct status *status);
/* What has happened to a device since @old, which is NULL if it is new: not counted. */
void overview_since(struct overview *d, const struct overview *v,
		    const struct overview *old);
/* From 0 to 1; -1: not known, or there was no I/O. */
double overview_share(const struct overview *v);
/* The most frequent reason why an I/O did not take the fast path, or NULL. */
const char *overview_reason(const struct overview *v);
void overview_free(struct overview *v);

/* X(enumerator, heading, with rates, right-aligned, usually shown) */
#define OVERVIEW_COLUMNS(X)				\
	X(NAME,		"NAME",		"NAME",		false,	true)	\
	X(TYPE,		"TYPE",		"TYPE",		false,	true)	\
	X(MADE_BY,	"MADE-BY",	"MADE-BY",	false,	true)	\
	X(STATE,	"STATE",	"STATE",	false,	true)	\
	X(IO,		"IO",		"IO/S",		true,	false)	\
	X(FAST,		"FAST",		"FAST/S",	true,	false)	\
	X(SHARE,	"SHARE",	"SHARE",	true,	true)	\
	X(REASON,	"REASON",	"REASON",	false,	true)	\
	X(WHY,		"WHY",		"WHY",		false,	false)

#define OVERVIEW_COLUMN(column, ...)	OVERVIEW_##column,
enum overview_column { OVERVIEW_COLUMNS(OVERVIEW_COLUMN) OVERVIEW_NR };

struct overview_column_info {
	const char *heading, *with_rates;
	bool right;
	bool usual;
};

extern const struct overview_column_info overview_columns[OVERVIEW_NR];

#define OVERVIEW_MAX_COLUMNS	32

/* Columns in the order in which they are shown. */
struct overview_selection {
	enum overview_column column[OVERVIEW_MAX_COLUMNS];
	unsigned int nr;
};

/*
 * The columns of a list "NAME,SHARE"; with a "+" in front, after the usual ones, which
 * are also those of NULL.  With @rates, numbers are usual too.  Return: NULL, or
 * a sentence saying what is wrong.
 */
const char *overview_select(struct overview_selection *s, const char *list,
			    bool rates);
/* "IO", or with @rates "IO/S" */
const char *overview_heading(enum overview_column column, bool rates);
/*
 * What stands in a column: a new string, or NULL.  With @seconds not 0, numbers are
 * rates over that time.
 */
char *overview_cell(const struct overview *v, enum overview_column column,
		    double seconds);

#endif /* NOCLONE_OVERVIEW_H */
