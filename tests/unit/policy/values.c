/* Durations, sizes and counts. */
#include "engine/policy/values.h"

#include "support/tap.h"

#define D CDN_VALUE_DURATION
#define S CDN_VALUE_SIZE
#define C CDN_VALUE_COUNT

/* clang-format off */
static const struct {
	enum cdn_value_kind kind;
	const char *text;
	uint64_t want;
	const char *printed;
} accepted[] = {
	{ D, "1", 1000, "1s" },
	{ D, "1ms", 1, "1ms" },
	{ D, "999ms", 999, "999ms" },
	{ D, "1000ms", 1000, "1s" },
	{ D, "90s", 90000, "90s" },
	{ D, "60s", 60000, "1m" },
	{ D, "10m", 600000, "10m" },
	{ D, "24h", 86400000, "24h" },
	{ D, "9223372036854ms", 9223372036854, "9223372036854ms" },

	{ S, "1", 1, "1" },
	{ S, "1023", 1023, "1023" },
	{ S, "1024", 1024, "1K" },
	{ S, "1K", 1024, "1K" },
	{ S, "1536K", 1572864, "1536K" },
	{ S, "2G", 2147483648, "2G" },
	{ S, "9223372036854775807", 9223372036854775807, "9223372036854775807" },
	{ S, "8589934591G", 8589934591UL << 30, "8589934591G" },

	{ C, "1", 1, "1" },
	{ C, "1024", 1024, "1024" },
	{ C, "2147483647", 2147483647, "2147483647" },
};
/* clang-format on */

/* clang-format off */
static const struct {
	enum cdn_value_kind kind;
	const char *text;
	const char *want;
} refused[] = {
	{ D, "", "'' is not a duration" },
	{ D, "s", "'s' is not a duration" },
	{ D, "10x", "'10x' is not a duration" },
	{ D, "10 m", "'10 m' is not a duration" },
	{ D, " 10m", "' 10m' is not a duration" },
	{ D, "10M", "'10M' is not a duration" },
	{ D, "1.5h", "'1.5h' is not a duration" },
	{ D, "-1s", "'-1s' is not a duration" },
	{ D, "+1s", "'+1s' is not a duration" },
	{ D, "1d", "'1d' is not a duration" },
	{ D, "1h30m", "'1h30m' is not a duration" },
	{ D, "010", "'010' is not a duration" },
	{ D, "00", "'00' is not a duration" },
	{ D, "1_000", "'1_000' is not a duration" },
	{ D, "0x10", "'0x10' is not a duration" },
	{ D, "0", "'0' must be greater than zero" },
	{ D, "0ms", "'0ms' must be greater than zero" },
	{ D, "9223372036855ms", "'9223372036855ms' is too large for a duration" },
	{ D, "18446744073709551616", "'18446744073709551616' is too large for a duration" },
	{ D, "18446744073709551615h", "'18446744073709551615h' is too large for a duration" },

	{ S, "2GB", "'2GB' is not a size" },
	{ S, "2GiB", "'2GiB' is not a size" },
	{ S, "2g", "'2g' is not a size" },
	{ S, "1T", "'1T' is not a size" },
	{ S, "K", "'K' is not a size" },
	{ S, "0K", "'0K' must be greater than zero" },
	{ S, "9223372036854775808", "'9223372036854775808' is too large for a size" },
	{ S, "8589934592G", "'8589934592G' is too large for a size" },
	{ S, "17179869184G", "'17179869184G' is too large for a size" },

	{ C, "1K", "'1K' is not a number" },
	{ C, "1e3", "'1e3' is not a number" },
	{ C, "two", "'two' is not a number" },
	{ C, "0", "'0' must be greater than zero" },
	{ C, "2147483648", "'2147483648' is too large for a number" },
};
/* clang-format on */

int
main(void)
{
	struct cordon_error err;
	struct cdn_buf buf;
	uint64_t value;
	int code;

	for (size_t i = 0; i < CDN_LEN(accepted); i++) {
		code = cdn_value_parse(accepted[i].kind,
		    cdn_str_of(accepted[i].text), &value, &err);
		ok_f(code == 0 && value == accepted[i].want, "'%s' is %llu",
		    accepted[i].text, (unsigned long long)accepted[i].want);
		cdn_buf_init(&buf, 64);
		cdn_value_format(accepted[i].kind, accepted[i].want, &buf);
		ok_f(buf.p != NULL && strcmp(buf.p, accepted[i].printed) == 0,
		    "and is printed as '%s'", accepted[i].printed);
		cdn_buf_done(&buf);
	}
	for (size_t i = 0; i < CDN_LEN(refused); i++) {
		value = 42;
		code = cdn_value_parse(refused[i].kind,
		    cdn_str_of(refused[i].text), &value, &err);
		ok_f(code == CORDON_E_INVALID && value == 42 &&
			strcmp(err.text, refused[i].want) == 0,
		    "%s", refused[i].want);
	}
	ok(cdn_value_parse(C, (cdn_str){ "1\0", 2 }, &value, NULL) ==
		CORDON_E_INVALID,
	    "a NUL is no digit, and err may be NULL");
	return done_testing();
}
