/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions that sparse includes before everything else.  Kernel headers since 7.2 use words that
 * Debian's sparse (0.6.4) does not know.
 */
#define __typeof_unqual__ __typeof__
/*
 * static_assert() needs a constant. The kernel uses __builtin_strlen() of a literal in
 * static_assert(), and sparse does not accept this as a constant.
 */
#define __builtin_strlen(s) (sizeof(s) - 1)
