/* SPDX-License-Identifier: GPL-2.0-only */
/* The headers that every unit test includes, in the order that cmocka requires. */
#ifndef NOCLONE_UNIT_H
#define NOCLONE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif /* NOCLONE_UNIT_H */
