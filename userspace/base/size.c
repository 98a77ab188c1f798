// SPDX-License-Identifier: GPL-2.0-only
/* Sizes with units, as users write them. */
#include "base/size.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

static const char units[] = "KMGTP";

/* Bytes in one unit, or 0 if the word is no unit. Small letters are no other units. */
static uint64_t size_unit_bytes(const char *unit)
{
	const char *at;
	uint64_t base, bytes = 1;
	ptrdiff_t i;

	if (!strcasecmp(unit, "B"))
		return 1;
	if (!strcasecmp(unit, "s"))
		return SECTOR_SIZE;

	at = *unit ? strchr(units, toupper((unsigned char)*unit)) : NULL;
	if (!at)
		return 0;
	if (!unit[1] || !strcasecmp(unit + 1, "iB"))
		base = 1024;
	else if (!strcasecmp(unit + 1, "B"))
		base = 1000;
	else
		return 0;

	for (i = 0; i <= at - units; i++)
		bytes *= base;
	return bytes;
}

/* @text up to its unit: digits, perhaps with decimals. */
struct decimal {
	uint64_t digits;	/* without the point */
	uint64_t scale;		/* 10 for each decimal */
	const char *unit;
};

static const char *size_parse_decimal(const char *text, struct decimal *d)
{
	static const char no_number[] =
		"not a number with a unit (for example 64K, 1.5G or 2048s)";
	bool point = false;

	*d = (struct decimal) { .scale = 1, .unit = text };
	if (!isdigit((unsigned char)*text))
		return no_number;
	for (; isdigit((unsigned char)*d->unit) || *d->unit == '.'; d->unit++) {
		if (*d->unit == '.' && (point || !isdigit((unsigned char)d->unit[1])))
			return no_number;
		if (*d->unit == '.') {
			point = true;
			continue;
		}
		if (__builtin_mul_overflow(d->digits, 10U, &d->digits) ||
		    __builtin_add_overflow(d->digits, (unsigned int)(*d->unit - '0'),
					   &d->digits))
			return "number too large";
		if (point && __builtin_mul_overflow(d->scale, 10U, &d->scale))
			return "too many decimals";
	}
	return NULL;
}

static uint64_t size_greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* digits * unit / scale, and the decimals must add up to whole sectors. */
static const char *size_count_sectors(const struct decimal *d, uint64_t unit,
				      uint64_t *sectors)
{
	uint64_t divisor = size_greatest_divisor(d->scale, unit);
	uint64_t scale = d->scale / divisor, bytes;

	if (d->digits % scale)
		return "not a multiple of a sector of 512 bytes";
	if (__builtin_mul_overflow(d->digits / scale, unit / divisor, &bytes))
		return "number too large";
	if (bytes % SECTOR_SIZE)
		return "not a multiple of a sector of 512 bytes";
	*sectors = bytes / SECTOR_SIZE;
	return NULL;
}

const char *size_parse(const char *text, uint64_t *sectors)
{
	struct decimal d;
	const char *wrong = size_parse_decimal(text, &d);
	uint64_t unit;

	if (wrong)
		return wrong;
	if (!*d.unit && (d.digits || d.scale != 1))
		return "a unit is missing: K, M, G, T, or s for sectors";
	unit = *d.unit ? size_unit_bytes(d.unit) : 1;
	if (!unit)
		return "unknown unit (known: s B K M G T P, KiB... and KB...)";
	/* a number of sectors may be too large for a number of bytes */
	if (unit == SECTOR_SIZE) {
		if (d.digits % d.scale)
			return "not a whole number of sectors";
		*sectors = d.digits / d.scale;
		return NULL;
	}
	return size_count_sectors(&d, unit, sectors);
}

char *size_format(uint64_t sectors)
{
	uint64_t number = sectors / 2;
	int unit = 0;

	if (!sectors)
		return xstrdup("0");
	/* what is too large in bytes is read in sectors only */
	if (sectors % 2 || sectors > UINT64_MAX / SECTOR_SIZE)
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
