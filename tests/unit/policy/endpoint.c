/* HOST:PORT: one spelling, and nothing that two readers take differently. */
#include "engine/match/endpoint.h"

#include "support/tap.h"

#define RULE	 CDN_ENDPOINT_RULE
#define QUESTION CDN_ENDPOINT_QUESTION

/* clang-format off */
static const struct {
	enum cdn_endpoint_use use;
	const char *in;
	const char *want;
	bool address;
} accepted[] = {
	/* names */
	{ RULE, "example.org", "example.org:*", false },
	{ RULE, "Example.ORG:443", "example.org:443", false },
	{ RULE, "example.org.", "example.org:*", false },
	{ RULE, "example.org.:80", "example.org:80", false },
	{ RULE, "localhost", "localhost:*", false },
	{ RULE, "localhost:*", "localhost:*", false },
	{ RULE, " a:1 ", "a:1", false },
	{ RULE, "xn--bcher-kva.de", "xn--bcher-kva.de:*", false },
	{ RULE, "my_host-1.x", "my_host-1.x:*", false },
	{ RULE, "*.example.org", "*.example.org:*", false },
	{ RULE, "*.example.org:443", "*.example.org:443", false },
	{ RULE, "*", "*:*", false },
	{ RULE, "*:443", "*:443", false },
	{ RULE, "1.2.3.4.example", "1.2.3.4.example:*", false },
	{ RULE, "0x7f.org", "0x7f.org:*", false },
	{ RULE, "a.0xyz", "a.0xyz:*", false },
	{ QUESTION, "example.org:443", "example.org:443", false },
	{ QUESTION, "EXAMPLE.org.:1", "example.org:1", false },
	{ QUESTION, "x:65535", "x:65535", false },

	/* IPv4 */
	{ RULE, "127.0.0.1", "127.0.0.1:*", true },
	{ RULE, "0.0.0.0:80", "0.0.0.0:80", true },
	{ QUESTION, "255.255.255.255:1", "255.255.255.255:1", true },

	/* IPv6, shortest form */
	{ RULE, "[::]", "[::]:*", true },
	{ RULE, "[::1]:443", "[::1]:443", true },
	{ RULE, "[0:0:0:0:0:0:0:1]", "[::1]:*", true },
	{ RULE, "[2001:DB8::0:1]", "[2001:db8::1]:*", true },
	{ RULE, "[2001:0db8:0000:0000:0000:0000:0000:0001]:*",
	    "[2001:db8::1]:*", true },
	{ RULE, "[2001:db8:0:1:0:0:0:1]", "[2001:db8:0:1::1]:*", true },
	{ RULE, "[1:0:0:2:0:0:3:4]", "[1::2:0:0:3:4]:*", true },
	{ RULE, "[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]:*", true },
	{ RULE, "[1::2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]:*", true },
	{ RULE, "[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]:*", true },
	{ RULE, "[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]:*", true },
	{ RULE, "[1:2::]", "[1:2::]:*", true },
	{ RULE, "[fe80::1]", "[fe80::1]:*", true },
	{ RULE, "[ff02::1:2]", "[ff02::1:2]:*", true },
	{ RULE, "[::1.2.3.4]", "[::102:304]:*", true },
	{ RULE, "[64:ff9b::1.2.3.4]", "[64:ff9b::102:304]:*", true },
	{ QUESTION, "[::1]:1", "[::1]:1", true },

	/* an IPv4 address inside IPv6 */
	{ RULE, "[::ffff:127.0.0.1]", "127.0.0.1:*", true },
	{ RULE, "[::FFFF:7f00:1]:80", "127.0.0.1:80", true },
	{ RULE, "[0:0:0:0:0:ffff:10.0.0.1]", "10.0.0.1:*", true },
	{ QUESTION, "[::ffff:0.0.0.0]:1", "0.0.0.0:1", true },
	{ RULE, "[::fffe:127.0.0.1]", "[::fffe:7f00:1]:*", true },
	{ RULE, "[::ffff:0:127.0.0.1]", "[::ffff:0:7f00:1]:*", true },
};
/* clang-format on */

/* clang-format off */
static const struct {
	enum cdn_endpoint_use use;
	const char *in;
	const char *reason;
} refused[] = {
	{ RULE, "", "empty" },
	{ RULE, "  ", "empty" },
	{ RULE, ":443", "a label of the name is empty" },
	{ RULE, ".", "a label of the name is empty" },
	{ RULE, "..", "a label of the name is empty" },
	{ RULE, "a..b", "a label of the name is empty" },
	{ RULE, "a.org..", "a label of the name is empty" },
	{ RULE, ".a", "a label of the name is empty" },
	{ RULE, "-a", "a label begins or ends with '-'" },
	{ RULE, "a-.org", "a label begins or ends with '-'" },
	{ RULE, "a b", "not a host name" },
	{ RULE, "a@b", "not a host name" },
	{ RULE, "user:pw@host:80", "an IPv6 address stands in brackets" },
	{ RULE, "a%00", "not a host name" },
	{ RULE, "https://a.org", "a host has no scheme, path or prefix length" },
	{ RULE, "a.org/x", "a host has no scheme, path or prefix length" },
	{ RULE, "10.0.0.0/8", "a host has no scheme, path or prefix length" },
	{ RULE, "b\xc3\xbc" "cher.de", "names beyond ASCII are written as xn--..." },
	{ RULE, "a\xe3\x80\x82org", "names beyond ASCII are written as xn--..." },
	{ RULE, "a.*.org", "'*' may only stand for the whole first label" },
	{ RULE, "a*.org", "'*' may only stand for the whole first label" },
	{ RULE, "**.org", "'*' may only stand for the whole first label" },
	{ RULE, "a.?", "'*' may only stand for the whole first label" },
	{ RULE, "10.0.0.*", "'*' may only stand for the whole first label" },

	/* what inet_aton() takes and others do not */
	{ RULE, "127.1", "an IPv4 address is four" },
	{ RULE, "1", "an IPv4 address is four" },
	{ RULE, "2130706433", "an IPv4 address is four" },
	{ RULE, "0x7f000001", "an IPv4 address is four" },
	{ RULE, "0x7f.1", "an IPv4 address is four" },
	{ RULE, "1.2.3.0x4", "an IPv4 address is four" },
	{ RULE, "1.2.3.0X", "an IPv4 address is four" },
	{ RULE, "127.0.0.01", "an IPv4 address is four" },
	{ RULE, "010.0.0.1", "an IPv4 address is four" },
	{ RULE, "1.2.3.256", "an IPv4 address is four" },
	{ RULE, "1.2.3.4.5", "an IPv4 address is four" },
	{ RULE, "1.2.3.4.", "an IPv4 address is four" },
	{ RULE, "*.1", "an IPv4 address is four" },
	{ RULE, "a.b.1", "an IPv4 address is four" },
	{ RULE, "example.123:80", "an IPv4 address is four" },

	/* IPv6 */
	{ RULE, "::1", "an IPv6 address stands in brackets" },
	{ RULE, "::1:443", "an IPv6 address stands in brackets" },
	{ RULE, "[::1", "the bracket is not closed" },
	{ RULE, "[::1]443", "only :PORT may follow the bracket" },
	{ RULE, "[]", "not an IPv6 address" },
	{ RULE, "[:]", "not an IPv6 address" },
	{ RULE, "[:::]", "not an IPv6 address" },
	{ RULE, "[1:::2]", "not an IPv6 address" },
	{ RULE, "[1::2::3]", "not an IPv6 address" },
	{ RULE, "[1:2:3:4:5:6:7]", "not an IPv6 address" },
	{ RULE, "[1:2:3:4:5:6:7:8:9]", "not an IPv6 address" },
	{ RULE, "[1:2:3:4:5:6:7:8::]", "not an IPv6 address" },
	{ RULE, "[::1:2:3:4:5:6:7:8]", "not an IPv6 address" },
	{ RULE, "[12345::]", "not an IPv6 address" },
	{ RULE, "[g::]", "not an IPv6 address" },
	{ RULE, "[1:2:3:4:5:6:7:]", "not an IPv6 address" },
	{ RULE, "[:1:2:3:4:5:6:7]", "not an IPv6 address" },
	{ RULE, "[::1.2.3]", "not an IPv6 address" },
	{ RULE, "[::1.2.3.04]", "not an IPv6 address" },
	{ RULE, "[1.2.3.4::]", "not an IPv6 address" },
	{ RULE, "[1:2:3:4:5:6:7:1.2.3.4]", "not an IPv6 address" },
	{ RULE, "[fe80::1%eth0]", "not an IPv6 address" },
	{ RULE, "[127.0.0.1]", "not an IPv6 address" },
	{ RULE, "[::1] ]:80", "only :PORT may follow the bracket" },

	/* ports */
	{ RULE, "a:", "a port is a number from 1 to 65535" },
	{ RULE, "a:0", "a port is a number from 1 to 65535" },
	{ RULE, "a:65536", "a port is a number from 1 to 65535" },
	{ RULE, "a:0443", "a port is a number from 1 to 65535" },
	{ RULE, "a:+80", "a port is a number from 1 to 65535" },
	{ RULE, "a:http", "a port is a number from 1 to 65535" },
	{ RULE, "a:80-90", "a port is a number from 1 to 65535" },
	{ RULE, "a:99999999999999999999", "a port is a number from 1 to 65535" },
	{ RULE, "[::1]:", "a port is a number from 1 to 65535" },

	/* questions are about one thing */
	{ QUESTION, "example.org", "the port is missing" },
	{ QUESTION, "[::1]", "the port is missing" },
	{ QUESTION, "example.org:*", "a port is a number from 1 to 65535" },
	{ QUESTION, "*.example.org:80", "'*' may only stand for the whole" },
	{ QUESTION, "*:80", "'*' may only stand for the whole" },
};
/* clang-format on */

static void
check_sizes(void)
{
	char name[400], out[CDN_ENDPOINT_MAX];
	struct cordon_error err;
	size_t n = 99;

	memset(name, 'a', sizeof(name));
	ok(cdn_endpoint_normalize((cdn_str){ name, 63 }, RULE, out, sizeof(out),
	       &n, &err) == 0 &&
		n == 65,
	    "a label of 63 bytes");
	ok(cdn_endpoint_normalize((cdn_str){ name, 64 }, RULE, out, sizeof(out),
	       &n, &err) == CORDON_E_INVALID,
	    "a label of 64 bytes is too long");
	for (size_t i = 63; i < sizeof(name); i += 64)
		name[i] = '.';
	ok(cdn_endpoint_normalize((cdn_str){ name, 253 }, RULE, out,
	       sizeof(out), &n, &err) == 0 &&
		n == 255,
	    "a name of 253 bytes");
	ok(cdn_endpoint_normalize((cdn_str){ name, 254 }, RULE, out,
	       sizeof(out), &n, &err) == CORDON_E_INVALID,
	    "a name of 254 bytes is too long");
	n = 99;
	ok(cdn_endpoint_normalize(CDN_STR("abc:80"), RULE, out, 6, &n, &err) ==
		    CORDON_E_INVALID &&
		n == 99,
	    "no room, nothing written");
	ok(cdn_endpoint_normalize(CDN_STR("abc:80"), RULE, out, 7, &n, NULL) ==
		    0 &&
		n == 6,
	    "just enough room");
	ok(cdn_endpoint_normalize((cdn_str){ "a\0b:80", 6 }, QUESTION, out,
	       sizeof(out), &n, &err) == CORDON_E_INVALID,
	    "NUL");
}

int
main(void)
{
	char out[CDN_ENDPOINT_MAX], again[CDN_ENDPOINT_MAX];
	struct cordon_error err;
	size_t n, m;
	int code;

	for (size_t i = 0; i < CDN_LEN(accepted); i++) {
		code = cdn_endpoint_normalize(cdn_str_of(accepted[i].in),
		    accepted[i].use, out, sizeof(out), &n, &err);
		if (!ok_f(code == 0 && n == strlen(out) &&
			    strcmp(out, accepted[i].want) == 0,
			"'%s' is '%s'", accepted[i].in, accepted[i].want))
			continue;
		ok_f(cdn_endpoint_is_address((cdn_str){ out, n }) ==
			accepted[i].address,
		    "'%s' is %s", out,
		    accepted[i].address ? "an address" : "a name");
		code = cdn_endpoint_normalize((cdn_str){ out, n },
		    accepted[i].use, again, sizeof(again), &m, &err);
		ok_f(code == 0 && strcmp(out, again) == 0,
		    "'%s' stays what it is", out);
	}
	for (size_t i = 0; i < CDN_LEN(refused); i++) {
		code = cdn_endpoint_normalize(cdn_str_of(refused[i].in),
		    refused[i].use, out, sizeof(out), &n, &err);
		ok_f(code == CORDON_E_INVALID &&
			strstr(err.text, refused[i].reason) != NULL,
		    "'%s': %s", refused[i].in, refused[i].reason);
	}
	check_sizes();
	return done_testing();
}
