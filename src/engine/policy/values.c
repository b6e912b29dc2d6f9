#include "engine/policy/values.h"

#define UNITS_MAX 4

struct unit {
	const char *name;
	uint64_t factor;
};

/* Units from the largest; the one written without a name stands in `bare`. */
/* clang-format off */
static const struct kind {
	const char *name;
	const char *hint;
	uint64_t max;
	uint64_t bare;
	struct unit units[UNITS_MAX];
} kinds[] = {
	[CDN_VALUE_DURATION] = { "duration",
	    "write a number and ms, s, m or h, such as 90s or 10m",
	    CDN_DURATION_MAX, 1000,
	    { { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 } } },
	[CDN_VALUE_SIZE] = { "size",
	    "write a number and nothing, K, M or G, such as 512M",
	    CDN_SIZE_MAX, 1,
	    { { "G", 1UL << 30 }, { "M", 1UL << 20 }, { "K", 1UL << 10 },
		{ "", 1 } } },
	[CDN_VALUE_COUNT] = { "number", "write a whole number, such as 200",
	    CDN_COUNT_MAX, 1, { { "", 1 } } },
};
/* clang-format on */

const char *
cdn_value_hint(enum cdn_value_kind kind)
{
	return kinds[kind].hint;
}

/* The factor of this unit, or 0 when there is none of that name. */
static uint64_t
unit_factor(const struct kind *kind, cdn_str name)
{
	if (name.n == 0)
		return kind->bare;
	for (size_t i = 0; i < UNITS_MAX && kind->units[i].factor != 0; i++)
		if (cdn_str_is(name, kind->units[i].name))
			return kind->units[i].factor;
	return 0;
}

static cdn_str
leading_digits(cdn_str text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	return (cdn_str){ text.p, n };
}

int
cdn_value_parse(enum cdn_value_kind kind, cdn_str text, uint64_t *ret,
    struct cordon_error *err)
{
	const struct kind *info = &kinds[kind];
	cdn_str digits = leading_digits(text);
	uint64_t factor = unit_factor(info, cdn_str_from(text, digits.n));
	bool zero = digits.n > 0 && digits.p[0] == '0';
	int shown = text.n < 64 ? (int)text.n : 64;
	uint64_t value;

	if (zero && digits.n == 1 && factor != 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%.*s' must be greater than zero", shown, text.p);
	if (digits.n == 0 || zero || factor == 0)
		return cdn_err(err, CORDON_E_INVALID, "'%.*s' is not a %s",
		    shown, text.n == 0 ? "" : text.p, info->name);
	if (!cdn_str_parse_u64(digits, &value) ||
	    __builtin_mul_overflow(value, factor, &value) || value > info->max)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%.*s' is too large for a %s", shown, text.p, info->name);
	*ret = value;
	return 0;
}

void
cdn_value_format(enum cdn_value_kind kind, uint64_t value, struct cdn_buf *out)
{
	const struct unit *unit = kinds[kind].units;

	while (value % unit->factor != 0)
		unit++; /* the last one is 1 */
	cdn_buf_printf(out, "%llu%s",
	    (unsigned long long)(value / unit->factor), unit->name);
}
