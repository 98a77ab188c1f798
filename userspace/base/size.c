// SPDX-License-Identifier: GPL-2.0-only
/* Sizes with units, as users write them. */
#include "base/size.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static const char units[] = "KMGTP";

/* Bytes in one unit, or 0 if the word is no unit. */
static uint64_t unit_bytes(const char *unit)
{
	const char *at;
	uint64_t base, bytes = 1;
	ptrdiff_t i;

	if (!strcmp(unit, "B"))
		return 1;
	if (!strcmp(unit, "s"))
		return SECTOR_SIZE;

	at = *unit ? strchr(units, toupper((unsigned char)*unit)) : NULL;
	if (!at)
		return 0;
	if (!unit[1] || !strcmp(unit + 1, "iB"))
		base = 1024;
	else if (!strcmp(unit + 1, "B"))
		base = 1000;
	else
		return 0;

	for (i = 0; i <= at - units; i++)
		bytes *= base;
	return bytes;
}

const char *size_parse(const char *text, uint64_t *sectors)
{
	unsigned long long number;
	uint64_t bytes, unit;
	char *end;

	if (!isdigit((unsigned char)*text))
		return "not a number with a unit (for example 64K, 10G or 2048s)";
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return "number too large";
	if (!*end && number)
		return "a unit is missing: K, M, G, T, or s for sectors";

	unit = *end ? unit_bytes(end) : 1;
	if (!unit)
		return "unknown unit (known: s B K M G T P, KiB... and KB...)";
	if (unit == SECTOR_SIZE) {
		*sectors = number;
		return NULL;
	}
	if (__builtin_mul_overflow(number, unit, &bytes))
		return "number too large";
	if (bytes % SECTOR_SIZE)
		return "not a multiple of a sector of 512 bytes";

	*sectors = bytes / SECTOR_SIZE;
	return NULL;
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
	if (number >= 100 || number == (uint64_t)number)
		return xasprintf("%.0f%c", number, units[unit]);
	return xasprintf("%.1f%c", number, units[unit]);
}
