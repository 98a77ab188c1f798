/* SPDX-License-Identifier: GPL-2.0-only */
/* What to do when the fast path is off. */
#ifndef NOCLONE_REMEDY_H
#define NOCLONE_REMEDY_H

/* For a word after "off:": what the user can do about the device: a new string, or NULL. */
char *remedy_of_reason(const char *reason, const char *name);
/* "the device is suspended: dmsetup resume data" for a state "off:suspended": a new string */
char *remedy_words(const char *state, const char *name);

#endif /* NOCLONE_REMEDY_H */
