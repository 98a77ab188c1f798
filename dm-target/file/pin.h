/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_PIN_H
#define DM_NOCLONE_PIN_H

#include <linux/types.h>

struct noclone_backing;
struct noclone_file_c;

bool noclone_pin_has_writers(const struct noclone_backing *b);
const char *noclone_pin_acquire(struct noclone_backing *b);
bool noclone_pin_release(struct noclone_backing *b);
void noclone_pin_unmark(struct noclone_backing *b);
void noclone_pin_note_writes(struct noclone_backing *b);
void noclone_pin_publish_writes(struct noclone_file_c *fc);

#endif /* DM_NOCLONE_PIN_H */
