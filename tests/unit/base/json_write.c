/* base/json, writing: escapes, commas, what fails and how. */
#include "base/json.h"

#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"

static void
test_strings(void)
{
	static const struct {
		cdn_str text;
		const char *want;
		bool replaced;
	} rows[] = {
		{ { "", 0 }, "\"\"", false },
		{ { NULL, 0 }, "\"\"", false },
		{ { "plain", 5 }, "\"plain\"", false },
		{ { "a/b", 3 }, "\"a/b\"", false }, /* '/' stays */
		{ { "\"\\", 2 }, "\"\\\"\\\\\"", false },
		{ { "\b\f\n\r\t", 5 }, "\"\\b\\f\\n\\r\\t\"", false },
		{ { "\0\x01\x1f", 3 }, "\"\\u0000\\u0001\\u001f\"", false },
		{ { "\x7f", 1 }, "\"\x7f\"", false }, /* DEL is allowed */
		{ { "\xc3\xa9", 2 }, "\"\xc3\xa9\"", false },
		{ { "\xf0\x9f\x98\x80", 4 }, "\"\xf0\x9f\x98\x80\"", false },
		{ { "\xe2\x80\xa8", 3 }, "\"\xe2\x80\xa8\"", false },
		{ { "a\xff" "b", 3 }, "\"a\xef\xbf\xbd" "b\"", true },
		{ { "\xc0\xaf", 2 }, "\"\xef\xbf\xbd\xef\xbf\xbd\"", true },
		{ { "\xed\xa0\x80", 3 },
		    "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", true },
		{ { "\xe2\x82", 2 }, "\"\xef\xbf\xbd\xef\xbf\xbd\"", true },
		{ { "\xef\xbf\xbd", 3 }, "\"\xef\xbf\xbd\"", false },
	};
	struct cdn_buf buf;

	cdn_buf_init(&buf, 4096);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_json_writer w;

		cdn_buf_reset(&buf);
		cdn_json_begin(&w, &buf);
		cdn_json_put_string(&w, rows[i].text);
		ok_f(cdn_json_end(&w) && strcmp(buf.p, rows[i].want) == 0 &&
		    w.replaced == rows[i].replaced, "string %zu is %s", i,
		    rows[i].want);
	}
	cdn_buf_done(&buf);
}

static void
put_members(struct cdn_json_writer *w)
{
	cdn_json_put_key(w, "schema");
	cdn_json_put_int(w, 1);
	cdn_json_put_key(w, "a\nb");
	cdn_json_put_cstring(w, "x");
	cdn_json_put_key(w, "");
	cdn_json_put_cstring(w, NULL);
	cdn_json_put_key(w, "list");
	cdn_json_open(w, '[');
	cdn_json_put_bool(w, true);
	cdn_json_put_bool(w, false);
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "k");
	cdn_json_put_int(w, 0);
	cdn_json_close(w);
	cdn_json_open(w, '[');
	cdn_json_put_int(w, 0);
	cdn_json_close(w);
	cdn_json_open(w, '[');
	cdn_json_close(w);
	cdn_json_open(w, '{');
	cdn_json_close(w);
	cdn_json_put_uint(w, UINT64_MAX);
	cdn_json_put_int(w, INT64_MIN);
	cdn_json_put_raw(w, CDN_STR("{ \"as\" : 1e400 }"));
	cdn_json_close(w);
	cdn_json_put_key(w, "last");
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "k");
	cdn_json_put_null(w);
	cdn_json_close(w);
}

static void
test_structure(void)
{
	static const char want[] = "{\"schema\":1,\"a\\nb\":\"x\",\"\":null,"
	    "\"list\":[true,false,{\"k\":0},[0],[],{},18446744073709551615,"
	    "-9223372036854775808,{ \"as\" : 1e400 }],"
	    "\"last\":{\"k\":null}}";
	struct cdn_json_writer w;
	struct cdn_buf buf;

	cdn_buf_init(&buf, 4096);
	cdn_json_begin(&w, &buf);
	cdn_json_open(&w, '{');
	put_members(&w);
	cdn_json_close(&w);
	ok(cdn_json_end(&w) && strcmp(buf.p, want) == 0,
	    "one object with everything in it");
	cdn_buf_done(&buf);
}

/* Every maximum from 0 up: it fails, or it is all there. */
/* One line, or a buffer that says it failed: never half of one as a whole. */
static void
test_line(void)
{
	static const char want[] = "{\"a\":\"b\",\"n\":null}\n";
	bool good = true;

	for (size_t room = 1; room <= sizeof(want) + 1; room++) {
		struct cdn_json_writer w;
		struct cdn_buf buf;

		cdn_buf_init(&buf, room);
		cdn_json_begin(&w, &buf);
		cdn_json_open(&w, '{');
		cdn_json_put_member(&w, "a", "b");
		cdn_json_put_member(&w, "n", NULL);
		cdn_json_end_line(&w);
		good = good && (cdn_buf_failed(&buf) ? room < sizeof(want) :
			strcmp(buf.p, want) == 0);
		cdn_buf_done(&buf);
	}
	ok(good, "a line is whole, or its buffer failed");
}

static void
test_full_buffer(void)
{
	bool right = true;
	size_t whole = 0;

	for (size_t max = 0; max < 300; max++) {
		struct cdn_json_writer w;
		struct cdn_buf buf;
		bool good;

		cdn_buf_init(&buf, max);
		cdn_json_begin(&w, &buf);
		cdn_json_open(&w, '{');
		put_members(&w);
		cdn_json_close(&w);
		good = cdn_json_end(&w);
		if (good && whole == 0)
			whole = max;
		right &= good == (whole != 0);
		right &= !good || buf.n == whole;
		cdn_buf_done(&buf);
	}
	ok_f(right && whole > 100, "whole from %zu bytes on, else failed",
	    whole);
}

static bool
nests(unsigned levels)
{
	struct cdn_json_writer w;
	struct cdn_buf buf;
	bool good;

	cdn_buf_init(&buf, 4096);
	cdn_json_begin(&w, &buf);
	for (unsigned i = 0; i < levels; i++)
		cdn_json_open(&w, '[');
	cdn_json_put_null(&w);
	for (unsigned i = 0; i < levels; i++)
		cdn_json_close(&w);
	good = cdn_json_end(&w) && buf.n == 2 * (size_t)levels + 4;
	cdn_buf_done(&buf);
	return good;
}

/* ----- Mistakes of the caller -------------------------------------------- */

static void
key_in_array(struct cdn_json_writer *w)
{
	cdn_json_open(w, '[');
	cdn_json_put_key(w, "k");
}

static void
value_without_key(struct cdn_json_writer *w)
{
	cdn_json_open(w, '{');
	cdn_json_put_null(w);
}

static void
key_without_value(struct cdn_json_writer *w)
{
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "k");
	cdn_json_close(w);
}

static void
two_values(struct cdn_json_writer *w)
{
	cdn_json_put_null(w);
	cdn_json_put_null(w);
}

static void
left_open(struct cdn_json_writer *w)
{
	cdn_json_open(w, '[');
	if (cdn_json_end(w))
		return;
}

static void
nothing(struct cdn_json_writer *w)
{
	if (cdn_json_end(w))
		return;
}

static void
close_only(struct cdn_json_writer *w)
{
	cdn_json_close(w);
}

static void
one_value(struct cdn_json_writer *w)
{
	cdn_json_put_null(w);
	if (!cdn_json_end(w))
		abort();
}

static bool
aborts(void (*mistake)(struct cdn_json_writer *w))
{
	struct cdn_json_writer w;
	struct cdn_buf buf;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(1);
		cdn_buf_init(&buf, 4096);
		cdn_json_begin(&w, &buf);
		mistake(&w);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child &&
	    WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void
test_mistakes(void)
{
	static const struct {
		const char *name;
		void (*fn)(struct cdn_json_writer *w);
		bool wrong;
	} rows[] = {
		{ "a key in an array", key_in_array, true },
		{ "a value without a key", value_without_key, true },
		{ "a key without a value", key_without_value, true },
		{ "two values", two_values, true },
		{ "an array left open", left_open, true },
		{ "nothing at all", nothing, true },
		{ "a close too many", close_only, true },
		{ "one value", one_value, false },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++)
		ok_f(aborts(rows[i].fn) == rows[i].wrong, "%s %s",
		    rows[i].name, rows[i].wrong ? "stops" : "is fine");
}

int
main(void)
{
	test_strings();
	test_structure();
	test_line();
	test_full_buffer();
	ok(nests(CDN_JSON_LEVELS_MAX), "as deep as it goes");
	ok(!nests(CDN_JSON_LEVELS_MAX + 1), "one level deeper fails");
	test_mistakes();
	return done_testing();
}
