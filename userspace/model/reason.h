/* SPDX-License-Identifier: GPL-2.0-only */
/* The reasons why the fast path of a device is off; dm-noclone.h lists and classifies them. */
#ifndef NOCLONE_REASON_H
#define NOCLONE_REASON_H

/**
 * enum reason_enable - what "noclone enable" does after it has sent "fastpath on" to a device
 * @REASON_WAITS: the command waits, because a device can be in this state for a moment while the
 *	module attaches the fast path
 * @REASON_LASTS: the command does not wait, and fails
 * @REASON_NEVER: the command does not wait, and fails only if the user has named this device
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
 * struct reason - a reason why the fast path is off
 * @word: the word after "off:"
 * @enable: what "noclone enable" does if a device has this reason
 * @doctor: what "noclone doctor" says about a device that has this reason
 * @meaning: what the word means; NULL if this tool does not know the word
 * @remedy: what the user can do; NULL if this tool does not know the word. In the text, "@" stands
 *	for the name of the device, and "#" stands for the dmsetup command that accepts this name
 */
struct reason {
	const char *word;
	enum reason_enable enable;
	enum reason_doctor doctor;
	const char *meaning;
	const char *remedy;
};

/*
 * Return: the reason in @state, such as "off:suspended"; NULL if @state is NULL, or does not begin
 * with "off:". A newer module may have a reason that this tool does not know. The result then has
 * neither a meaning nor a remedy, "noclone enable" waits for the end of this state, and "noclone
 * doctor" warns.
 */
const struct reason *reason_of_state(const char *state);
/* Return: the meaning of a word after "off:", or NULL if this tool does not know the word. */
const char *reason_meaning(const char *word);
/*
 * Return: what the user can do if @word follows "off:" in the state of the device @name, a new
 * string; NULL if this tool does not know the word.
 */
char *reason_remedy(const char *word, const char *name);
/*
 * Return: the meaning and the remedy of the reason in a state, a new string, such as "the device is
 * suspended: dmsetup resume data" for "off:suspended".
 */
char *reason_words(const char *state, const char *name);

#endif /* NOCLONE_REASON_H */
