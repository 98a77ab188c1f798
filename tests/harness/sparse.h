/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included by sparse before everything else: what kernel headers since 7.2 use
 * and Debian's sparse (0.6.4) does not know, in words that it does.
 */
#define __typeof_unqual__ __typeof__
/* A constant in static_assert(): only ever used on literals there. */
#define __builtin_strlen(s) (sizeof(s) - 1)
