/* SPDX-License-Identifier: GPL-2.0-only */
/* What to do when the fast path is off. */
#ifndef NOCLONE_REMEDY_H
#define NOCLONE_REMEDY_H

/* For a word after "off:": what the user can do, or NULL. */
const char *remedy_of_reason(const char *reason);
/* "the device is suspended: resume it" for a state "off:suspended": a new string */
char *remedy_words(const char *state);

#endif /* NOCLONE_REMEDY_H */
