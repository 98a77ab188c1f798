// SPDX-License-Identifier: GPL-2.0-only
/* Sizes with units, as users write them. */
#include "base/size.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

/* What decimals may be off, in sectors, because they are no sum of powers of two. */
#define ROUNDING	1e-6L

static const char units[] = "KMGTP";

/* Bytes in one unit, or 0 if the word is no unit. Small letters are no other units. */
static uint64_t size_unit_bytes(const char *unit)
{
	const char *at = strchr(units, toupper((unsigned char)*unit));
	uint64_t base = *unit && !strcasecmp(unit + 1, "B") ? 1000 : 1024, bytes = 1;

	if (!strcasecmp(unit, "B"))
		return 1;
	if (!strcasecmp(unit, "s"))
		return SECTOR_SIZE;
	if (!*unit || !at || (unit[1] && base == 1024 && strcasecmp(unit + 1, "iB")))
		return 0;
	for (; at >= units; at--)
		bytes *= base;
	return bytes;
}

/* Long doubles have all numbers below 2^64. */
const char *size_parse(const char *text, uint64_t *sectors)
{
	size_t length = strspn(text, "0123456789.");
	const char *unit = text + length;
	char *end;
	long double exact = strtold(text, &end), rest;

	/* no 0x10, 1e3, .5 or 1. */
	if (end != unit || !length || *text == '.' || unit[-1] == '.')
		return "not a number with a unit (for example 64K, 1.5G or 2048s)";
	if (!*unit && strcmp(text, "0"))
		return "a unit is missing: K, M, G, T, or s for sectors";
	if (*unit && !size_unit_bytes(unit))
		return "unknown unit (known: s B K M G T P, KiB... and KB...)";

	exact = exact * size_unit_bytes(unit) / SECTOR_SIZE;
	if (exact >= 0x1p64L)
		return "number too large";
	*sectors = exact;
	rest = exact - *sectors;
	if (rest > 0.5L) {
		*sectors += 1;
		rest = 1 - rest;
	}
	return rest > ROUNDING || (exact > 0 && !*sectors) ?
	       "not a multiple of a sector of 512 bytes" : NULL;
}

char *size_format(uint64_t sectors)
{
	uint64_t number = sectors / 2;
	int unit = 0;

	if (!sectors)
		return xstrdup("0");
	if (sectors % 2)
		return xasprintf("%llus", (unsigned long long)sectors);
	while (number % 1024 == 0 && unit < 4) {
		number /= 1024;
		unit++;
	}
	return xasprintf("%llu%c", (unsigned long long)number, units[unit]);
}

char *size_format_short(uint64_t sectors)
{
	double number = sectors / 2.0;
	int unit = 0;

	if (sectors < 2)
		return size_format(sectors);
	while (number >= 1024 && unit < 4) {
		number /= 1024;
		unit++;
	}
	return xasprintf("%.*f%c", number < 100 && number != (uint64_t)number, number, units[unit]);
}
