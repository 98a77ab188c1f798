/* SPDX-License-Identifier: GPL-2.0-only */
/* The reasons why the fast path of a device is off; dm-noclone.h lists and classifies them. */
#ifndef NOCLONE_REASON_H
#define NOCLONE_REASON_H

/**
 * enum reason_enable - what "noclone enable" does after it has sent "fastpath on" to a device
 * @REASON_WAITS: it waits, because a device can be in this state for a moment while the module
 *	attaches the fast path
 * @REASON_LASTS: it does not wait, and fails
 * @REASON_NEVER: it does not wait, and fails if the user has named this device
 */
enum reason_enable {
	REASON_WAITS,
	REASON_LASTS,
	REASON_NEVER,
};

/**
 * enum reason_doctor - what "noclone doctor" says about a device
 * @REASON_CHOSEN: nothing, because the user or the table has chosen this state
 * @REASON_WARNS: a warning
 * @REASON_GRAVE: an error
 */
enum reason_doctor {
	REASON_CHOSEN,
	REASON_WARNS,
	REASON_GRAVE,
};

/**
 * struct reason - a reason for "off"
 * @word: the word after "off:"
 * @enable: what "noclone enable" does
 * @doctor: what "noclone doctor" says
 * @meaning: what the word means, or NULL
 * @remedy: what the user can do: "@" stands for the name of the device, "#" for the dmsetup command
 *	that accepts this name; or NULL
 */
struct reason {
	const char *word;
	enum reason_enable enable;
	enum reason_doctor doctor;
	const char *meaning;
	const char *remedy;
};

/*
 * Return: the reason in a state "off:suspended". A reason that only a newer module has gets no
 * meaning and no remedy; the tool assumes that the reason may pass, and warns of it. Return: NULL
 * if @state is not "off", and if it is NULL.
 */
const struct reason *reason_of_state(const char *state);
/* Return: the meaning of a word after "off:", or NULL if this tool does not know the word. */
const char *reason_meaning(const char *word);
/* Return: what the user can do about a word after "off:": a new string, or NULL. */
char *reason_remedy(const char *word, const char *name);
/*
 * Return: "the device is suspended: dmsetup resume data" for a state "off:suspended", a new string.
 */
char *reason_words(const char *state, const char *name);

#endif /* NOCLONE_REASON_H */
