#include "engine/match/endpoint.h"

#define HOST_MAX  253 /* bytes of a host name */
#define LABEL_MAX 63
#define V4_BYTES  4
#define V6_BYTES  16

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
lower(char c)
{
	if (c < 'A' || c > 'Z')
		return c;
	return (char)(c - 'A' + 'a');
}

/* ----- Numbers -------------------------------------------------------------- */

/* Decimal as everyone reads it: no leading zero, which some take for octal. */
static bool
parse_decimal(cdn_str s, uint64_t max, uint64_t *ret)
{
	if (s.n > 1 && s.p[0] == '0')
		return false;
	return cdn_str_parse_u64(s, ret) && *ret <= max;
}

static bool
parse_v4(cdn_str s, uint8_t out[V4_BYTES])
{
	size_t n = 0;
	cdn_str part;

	while (cdn_str_next(&s, '.', &part)) {
		uint64_t value;

		if (n == V4_BYTES || !parse_decimal(part, 255, &value))
			return false;
		out[n++] = (uint8_t)value;
	}
	return n == V4_BYTES;
}

static bool
parse_hex_group(cdn_str s, uint8_t out[2])
{
	unsigned value = 0;

	if (s.n == 0 || s.n > 4)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int digit = cdn_hex_value(s.p[i]);

		if (digit < 0)
			return false;
		value = value << 4 | (unsigned)digit;
	}
	out[0] = (uint8_t)(value >> 8);
	out[1] = (uint8_t)value;
	return true;
}

/* "a:b:c", perhaps ending in an IPv4 address.  Bytes written, or -1. */
static int
parse_groups(cdn_str s, bool v4_at_end, uint8_t out[V6_BYTES])
{
	size_t n = 0;
	cdn_str part;

	if (s.n == 0)
		return 0;
	while (cdn_str_next(&s, ':', &part)) {
		if (v4_at_end && s.p == NULL && n + V4_BYTES <= V6_BYTES &&
		    parse_v4(part, out + n))
			return (int)(n + V4_BYTES);
		if (n + 2 > V6_BYTES || !parse_hex_group(part, out + n))
			return -1;
		n += 2;
	}
	return (int)n;
}

static bool
parse_v6(cdn_str s, uint8_t out[V6_BYTES])
{
	uint8_t tail[V6_BYTES] = { 0 };
	size_t gap = 0;
	int before, after;

	memset(out, 0, V6_BYTES);
	while (gap + 1 < s.n && (s.p[gap] != ':' || s.p[gap + 1] != ':'))
		gap++;
	if (gap + 1 >= s.n)
		return parse_groups(s, true, out) == V6_BYTES;
	before = parse_groups((cdn_str){ s.p, gap }, false, out);
	after = parse_groups(cdn_str_from(s, gap + 2), true, tail);
	/* "::" stands for one group at least. */
	if (before < 0 || after < 0 || before + after > V6_BYTES - 2)
		return false;
	memcpy(out + V6_BYTES - after, tail, (size_t)after);
	return true;
}

/* ----- The shortest form ------------------------------------------------------ */

/* The longest run of at least two zero groups, the first of equals. */
static void
longest_zeros(const uint8_t v6[V6_BYTES], size_t *ret_at, size_t *ret_groups)
{
	size_t run = 0;

	*ret_at = 0;
	*ret_groups = 0;
	for (size_t i = 0; i < V6_BYTES / 2; i++) {
		run = v6[2 * i] == 0 && v6[2 * i + 1] == 0 ? run + 1 : 0;
		if (run >= 2 && run > *ret_groups) {
			*ret_groups = run;
			*ret_at = i + 1 - run;
		}
	}
}

static size_t
format_v6(const uint8_t v6[V6_BYTES], char *out, size_t size)
{
	size_t gap, groups, n = 0;

	longest_zeros(v6, &gap, &groups);
	n += (size_t)snprintf(out + n, size - n, "[");
	for (size_t i = 0; i < V6_BYTES / 2; i++) {
		if (groups > 0 && i == gap) {
			n += (size_t)snprintf(out + n, size - n, "::");
			i += groups - 1;
			continue;
		}
		n += (size_t)snprintf(out + n, size - n, "%s%x",
		    i == 0 || (groups > 0 && i == gap + groups) ? "" : ":",
		    (unsigned)v6[2 * i] << 8 | v6[2 * i + 1]);
	}
	n += (size_t)snprintf(out + n, size - n, "]");
	return n;
}

static size_t
format_address(const uint8_t v6[V6_BYTES], char *out, size_t size)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (memcmp(v6, mapped, sizeof(mapped)) != 0)
		return format_v6(v6, out, size);
	return (size_t)snprintf(out, size, "%u.%u.%u.%u", v6[12], v6[13],
	    v6[14], v6[15]);
}

/* ----- Names --------------------------------------------------------------- */

/* Does a resolver take the host for an address, because it ends like one? */
static bool
ends_in_number(cdn_str host)
{
	cdn_str label = host;
	bool digits;

	for (size_t i = host.n; i > 0; i--)
		if (host.p[i - 1] == '.') {
			label = cdn_str_from(host, i);
			break;
		}
	digits = label.n > 0;
	for (size_t i = 0; i < label.n; i++)
		digits = digits && is_digit(label.p[i]);
	if (digits || label.n < 2)
		return digits;
	if (label.p[0] != '0' || lower(label.p[1]) != 'x')
		return false;
	for (size_t i = 2; i < label.n; i++)
		if (cdn_hex_value(label.p[i]) < 0)
			return false;
	return true;
}

static const char *
label_fault(cdn_str label)
{
	if (label.n == 0)
		return "a label of the name is empty";
	if (label.n > LABEL_MAX)
		return "a label of the name is longer than 63 bytes";
	if (label.p[0] == '-' || label.p[label.n - 1] == '-')
		return "a label begins or ends with '-'";
	for (size_t i = 0; i < label.n; i++) {
		char c = label.p[i];

		if ((unsigned char)c >= 0x80)
			return "names beyond ASCII are written as xn--...";
		if (c == '*' || c == '?')
			return "'*' may only stand for the whole first label";
		if (!is_digit(c) && !(lower(c) >= 'a' && lower(c) <= 'z') &&
		    c != '-' && c != '_')
			return "not a host name";
	}
	return NULL;
}

static const char *
name_fault(cdn_str host, bool star_allowed)
{
	cdn_str rest = host, label;
	bool first = true;
	const char *why = NULL;

	if (host.n > HOST_MAX)
		return "the name is longer than 253 bytes";
	while (why == NULL && cdn_str_next(&rest, '.', &label)) {
		if (!(first && star_allowed && cdn_str_is(label, "*")))
			why = label_fault(label);
		first = false;
	}
	return why;
}

/* A name or an IPv4 address, lower case, to out. */
static const char *
put_name(cdn_str host, bool star_allowed, char *out, size_t *ret_n)
{
	uint8_t v4[V4_BYTES];
	cdn_str name = host;
	const char *why;

	if (name.n > 1 && name.p[name.n - 1] == '.')
		name.n--;
	why = name_fault(name, star_allowed);
	if (why != NULL)
		return why;
	if (ends_in_number(name) && (name.n != host.n || !parse_v4(name, v4)))
		return "an IPv4 address is four decimal numbers without leading "
		       "zeros";
	for (size_t i = 0; i < name.n; i++)
		out[i] = lower(name.p[i]);
	*ret_n = name.n;
	return NULL;
}

/* ----- HOST[:PORT] ----------------------------------------------------------- */

struct parts {
	cdn_str host;
	cdn_str port;
	bool bracketed;
	bool has_port;
};

static const char *
split(cdn_str in, struct parts *ret)
{
	const char *at;

	*ret = (struct parts){ .host = in };
	if (in.n == 0)
		return "empty";
	if (memchr(in.p, '/', in.n) != NULL)
		return "a host has no scheme, path or prefix length";
	if (in.p[0] == '[') {
		at = memchr(in.p, ']', in.n);
		if (at == NULL)
			return "the bracket is not closed";
		ret->bracketed = true;
		ret->host = (cdn_str){ in.p + 1, (size_t)(at - in.p) - 1 };
		in = cdn_str_from(in, (size_t)(at - in.p) + 1);
		ret->has_port = in.n > 0;
		ret->port = cdn_str_from(in, 1);
		return in.n > 0 && in.p[0] != ':' ?
		    "only :PORT may follow the bracket" :
		    NULL;
	}
	at = memchr(in.p, ':', in.n);
	if (at == NULL)
		return NULL;
	ret->has_port = true;
	ret->host.n = (size_t)(at - in.p);
	ret->port = cdn_str_from(in, ret->host.n + 1);
	return ret->port.n > 0 &&
		memchr(ret->port.p, ':', ret->port.n) != NULL ?
	    "an IPv6 address stands in brackets" :
	    NULL;
}

static const char *
put_port(const struct parts *parts, enum cdn_endpoint_use use, char *out,
    size_t size, size_t *n)
{
	uint64_t port;

	if (use == CDN_ENDPOINT_RULE &&
	    (!parts->has_port || cdn_str_is(parts->port, "*"))) {
		*n += (size_t)snprintf(out + *n, size - *n, ":*");
		return NULL;
	}
	if (!parts->has_port)
		return "the port is missing";
	if (!parse_decimal(parts->port, 65535, &port) || port == 0)
		return "a port is a number from 1 to 65535";
	*n += (size_t)snprintf(out + *n, size - *n, ":%u", (unsigned)port);
	return NULL;
}

static const char *
normalize(cdn_str in, enum cdn_endpoint_use use, char *out, size_t size,
    size_t *ret_n)
{
	uint8_t v6[V6_BYTES];
	struct parts parts;
	const char *why = split(in, &parts);

	if (why != NULL)
		return why;
	if (!parts.bracketed)
		why = put_name(parts.host, use == CDN_ENDPOINT_RULE, out,
		    ret_n);
	else if (parse_v6(parts.host, v6))
		*ret_n = format_address(v6, out, size);
	else
		why = "not an IPv6 address";
	return why != NULL ? why : put_port(&parts, use, out, size, ret_n);
}

int
cdn_endpoint_normalize(cdn_str in, enum cdn_endpoint_use use, char *out,
    size_t size, size_t *ret_len, struct cordon_error *err)
{
	char normal[CDN_ENDPOINT_MAX];
	cdn_str text = cdn_str_trim(in);
	size_t n = 0;
	const char *why = normalize(text, use, normal, sizeof(normal), &n);

	if (why == NULL && n >= size)
		why = "too long";
	if (why != NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%.*s' is not an endpoint: %s",
		    text.n < 100 ? (int)text.n : 100, text.n > 0 ? text.p : "",
		    why);
	memcpy(out, normal, n);
	out[n] = '\0';
	*ret_len = n;
	return 0;
}

bool
cdn_endpoint_is_address(cdn_str normal)
{
	const char *colon = NULL;

	if (normal.n > 0 && normal.p[0] == '[')
		return true;
	if (normal.n > 0)
		colon = memchr(normal.p, ':', normal.n);
	/* No name ends in a number: see put_name(). */
	return colon != NULL &&
	    ends_in_number((cdn_str){ normal.p, (size_t)(colon - normal.p) });
}
