/* base/json, reading: what is accepted, what is refused, where, and why. */
#include "base/json.h"

#include "support/tap.h"

#define DEEP_32 "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
#define HSAH_32 "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"

/* One letter per scalar; keys and strings as they are meant. */
static void
show(const struct cdn_json *json, const struct cdn_json_node *node,
    struct cdn_arena *arena, struct cdn_buf *out)
{
	const struct cdn_json_node *child;
	cdn_str text = { "?", 1 };
	bool yes = false;

	if (cdn_json_key(json, node, arena, &text))
		cdn_buf_printf(out, "<%.*s>", CDN_STR_ARG(text));
	switch ((enum cdn_json_type)node->type) {
	case CDN_JSON_NULL:
		cdn_buf_puts(out, "n");
		break;
	case CDN_JSON_BOOL:
		cdn_buf_puts(out, cdn_json_bool(json, node, &yes) && yes ?
		    "t" : "f");
		break;
	case CDN_JSON_NUMBER:
		cdn_buf_puts(out, node->integer ? "i" : "r");
		cdn_buf_str(out, cdn_json_raw(json, node));
		break;
	case CDN_JSON_STRING:
		if (!cdn_json_string(json, node, arena, &text))
			cdn_buf_puts(out, "FAILED");
		cdn_buf_printf(out, "'%.*s'", CDN_STR_ARG(text));
		break;
	case CDN_JSON_ARRAY:
	case CDN_JSON_OBJECT:
		cdn_buf_printf(out, "%c%u", node->type == CDN_JSON_ARRAY ?
		    '[' : '{', node->count);
		for (child = cdn_json_first(json, node); child != NULL;
		    child = cdn_json_next(json, child)) {
			cdn_buf_putc(out, ' ');
			show(json, child, arena, out);
		}
		cdn_buf_putc(out, node->type == CDN_JSON_ARRAY ? ']' : '}');
		break;
	case CDN_JSON_TYPE_MAX:
		cdn_buf_puts(out, "NO TYPE");
	}
}

static void
test_accepted(void)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "null", "n" },
		{ " \t\r\n true \n", "t" },
		{ "false", "f" },
		{ "\"\"", "''" },
		{ "[]", "[0]" },
		{ "{}", "{0}" },
		{ "[ ]", "[0]" },
		{ "{ \n }", "{0}" },
		{ "[1, 2,3 ]", "[3 i1 i2 i3]" },
		{ "[[],[[]],{}]", "[3 [0] [1 [0]] {0}]" },
		{ "{\"a\":1,\"b\":{\"c\":[null]},\"d\":\"e\"}",
		    "{3 <a>i1 <b>{1 <c>[1 n]} <d>'e'}" },
		{ "{ \"a\" : { } , \"b\" : [ ] }", "{2 <a>{0} <b>[0]}" },
		{ "{\"\":0}", "{1 <>i0}" },
		/* the same key in different objects */
		{ "{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":2}}",
		    "{2 <a>{1 <a>{1 <a>i1}} <b>{1 <a>i2}}" },
		{ "[{\"a\":1},{\"a\":1}]", "[2 {1 <a>i1} {1 <a>i1}]" },
		/* keys of which one begins another */
		{ "{\"a\":1,\"ab\":2,\"A\":3}", "{3 <a>i1 <ab>i2 <A>i3}" },
		{ "{\"a\":1,\"\\\\u0061\":2}", "{2 <a>i1 <\\u0061>i2}" },
		/* numbers, kept as they are */
		{ "0", "i0" },
		{ "-0", "i-0" },
		{ "10", "i10" },
		{ "-1", "i-1" },
		{ "0.5", "r0.5" },
		{ "1e5", "r1e5" },
		{ "1E+05", "r1E+05" },
		{ "-0.0e-0", "r-0.0e-0" },
		{ "1e400", "r1e400" },
		{ "123456789012345678901234567890",
		    "i123456789012345678901234567890" },
		{ "0.1000000000000000055511151231257827",
		    "r0.1000000000000000055511151231257827" },
		/* strings */
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t'" },
		{ "\"\\u0041\\u00e9\\u20AC\"", "'A\xc3\xa9\xe2\x82\xac'" },
		{ "\"\\uD83D\\uDE00\"", "'\xf0\x9f\x98\x80'" },
		{ "\"\\udbff\\udfff\"", "'\xf4\x8f\xbf\xbf'" },
		{ "\"\\ud7ff\\ue000\"", "'\xed\x9f\xbf\xee\x80\x80'" },
		{ "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
		    "'\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'" },
		{ "\"\x7f\"", "'\x7f'" },
		{ "\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"",
		    "'\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf'" },
		{ "\"plain text of more than sixteen bytes\"",
		    "'plain text of more than sixteen bytes'" },
		{ "\"0123456\\n89abcdef\\t0123456789\"",
		    "'0123456\n89abcdef\t0123456789'" },
	};
	struct cdn_buf out;

	cdn_buf_init(&out, 65536);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cordon_error err = { .text = "" };
		struct cdn_json json;
		int r = cdn_json_parse(cdn_str_of(rows[i].text), NULL, arena,
		    &json, &err);

		cdn_buf_reset(&out);
		if (r == 0)
			show(&json, &json.nodes[0], arena, &out);
		ok_f(r == 0 && strcmp(out.p, rows[i].want) == 0,
		    "accepts %s%s%s", rows[i].text, r == 0 ? "" : ": ",
		    err.text);
		cdn_arena_free(arena);
	}
	cdn_buf_done(&out);
}

/* ----- Refused ----------------------------------------------------------- */

#define ROW(text) { text, sizeof(text) - 1 }

static const struct {
	cdn_str text;
	const char *want; /* behind "invalid JSON at byte " */
} refused[] = {
	/* not one value */
	{ ROW(""), "0: it ends where a value should follow" },
	{ ROW(" \n"), "2: it ends where a value should follow" },
	{ ROW("null null"), "5: more text after the value" },
	{ ROW("{}}"), "2: more text after the value" },
	{ ROW("1,2"), "1: more text after the value" },
	{ ROW("null\0"), "4: more text after the value" },
	{ ROW("null\v"), "4: more text after the value" },
	{ ROW("null\xc2\xa0"), "4: more text after the value" },
	{ ROW("\xef\xbb\xbf{}"), "0: a byte order mark (remove it)" },
	{ ROW("\xff\xfe[\0]\0"), "0: expected a value" },
	/* words */
	{ ROW("nul"), "0: expected a value" },
	{ ROW("True"), "0: expected a value" },
	{ ROW("NaN"), "0: expected a value" },
	{ ROW("-Infinity"), "1: expected a digit" },
	{ ROW("'a'"), "0: expected a value" },
	{ ROW("undefined"), "0: expected a value" },
	{ ROW("nullx"), "4: more text after the value" },
	{ ROW("/**/1"), "0: expected a value" },
	/* numbers */
	{ ROW("01"), "1: more text after the value" },
	{ ROW("-01"), "2: more text after the value" },
	{ ROW("+1"), "0: expected a value" },
	{ ROW("-"), "1: it ends where a digit should follow" },
	{ ROW(".5"), "0: expected a value" },
	{ ROW("1."), "2: it ends where a digit should follow" },
	{ ROW("1.e1"), "2: expected a digit" },
	{ ROW("1e"), "2: it ends where a digit should follow" },
	{ ROW("1e+"), "3: it ends where a digit should follow" },
	{ ROW("0x10"), "1: more text after the value" },
	{ ROW("1_000"), "1: more text after the value" },
	{ ROW("[1 2]"), "3: expected ',' or ']'" },
	/* arrays and objects */
	{ ROW("["), "1: it ends where a value should follow" },
	{ ROW("[1"), "2: it ends where ',' or ']' should follow" },
	{ ROW("[1,"), "3: it ends where a value should follow" },
	{ ROW("[1,]"), "3: expected a value" },
	{ ROW("[,1]"), "1: expected a value" },
	{ ROW("[1}"), "2: expected ',' or ']'" },
	{ ROW("]"), "0: expected a value" },
	{ ROW("{"), "1: it ends where a key in double quotes should follow" },
	{ ROW("{1:2}"), "1: expected a key in double quotes" },
	{ ROW("{a:2}"), "1: expected a key in double quotes" },
	{ ROW("{\"a\"}"), "4: expected ':' after a key" },
	{ ROW("{\"a\""), "4: it ends where ':' after a key should follow" },
	{ ROW("{\"a\" 1}"), "5: expected ':' after a key" },
	{ ROW("{\"a\":}"), "5: expected a value" },
	{ ROW("{\"a\":1,}"), "7: expected a key in double quotes" },
	{ ROW("{,\"a\":1}"), "1: expected a key in double quotes" },
	{ ROW("{\"a\":1]"), "6: expected ',' or '}'" },
	{ ROW("{\"a\":1 \"b\":2}"), "7: expected ',' or '}'" },
	/* strings */
	{ ROW("\""), "1: it ends inside a string" },
	{ ROW("\"abc"), "4: it ends inside a string" },
	{ ROW("\"abc\\"), "4: it ends inside a string" },
	{ ROW("\"abc\\\""), "6: it ends inside a string" },
	{ ROW("\"a\nb\""), "2: a control character in a string "
	    "(write it as '\\u00XX')" },
	{ ROW("\"0123456789abcdef\x1f\""), "17: a control character in a "
	    "string (write it as '\\u00XX')" },
	{ ROW("\"\\x41\""), "1: unknown escape "
	    "(write a backslash as '\\\\')" },
	{ ROW("\"\\'\""), "1: unknown escape (write a backslash as '\\\\')" },
	{ ROW("\"\\\0\""), "1: unknown escape "
	    "(write a backslash as '\\\\')" },
	{ ROW("\"\\u12g4\""), "1: '\\u' needs four hex digits" },
	{ ROW("\"\\u+123\""), "1: '\\u' needs four hex digits" },
	{ ROW("\"\\u123\""), "1: '\\u' needs four hex digits" },
	{ ROW("\"\\U0041\""), "1: unknown escape "
	    "(write a backslash as '\\\\')" },
	/* what C strings would end at */
	{ ROW("\"/ok\0/../etc\""), "4: NUL in a string" },
	{ ROW("\"/ok\\u0000/../etc\""), "4: NUL in a string" },
	{ ROW("{\"a\\u0000\":1}"), "3: NUL in a string" },
	{ ROW("[\0]"), "1: expected a value" },
	{ ROW("\"0123456789abcdef0\0\""), "18: NUL in a string" },
	/* surrogates */
	{ ROW("\"\\ud800\""), "1: half a surrogate pair" },
	{ ROW("\"\\udbff\\u0041\""), "1: half a surrogate pair" },
	{ ROW("\"\\ud800\\ud800\""), "1: half a surrogate pair" },
	{ ROW("\"\\udc00\\ud800\""), "1: half a surrogate pair" },
	{ ROW("\"\\udc00\\udc00\""), "1: half a surrogate pair" },
	{ ROW("\"\\ud800\\udbff\""), "1: half a surrogate pair" },
	{ ROW("\"\\ud800\\ue000\""), "1: half a surrogate pair" },
	{ ROW("\"\\ud83d\\n\""), "1: half a surrogate pair" },
	{ ROW("\"\\ud83d\\u"), "1: half a surrogate pair" },
	{ ROW("\"\\ud83d\\ude0\""), "1: half a surrogate pair" },
	{ ROW("{\"\\ud800\":1}"), "2: half a surrogate pair" },
	/* UTF-8 */
	{ ROW("\"\xff\""), "1: bad UTF-8 in a string" },
	{ ROW("\"\x80\""), "1: bad UTF-8 in a string" },
	{ ROW("\"\xc0\xaf\""), "1: bad UTF-8 in a string" },
	{ ROW("\"\xe0\x80\xaf\""), "1: bad UTF-8 in a string" },
	{ ROW("\"\xed\xa0\x80\""), "1: bad UTF-8 in a string" },
	{ ROW("\"\xf4\x90\x80\x80\""), "1: bad UTF-8 in a string" },
	{ ROW("\"\xc3\""), "1: bad UTF-8 in a string" },
	{ ROW("\"\xf0\x9f\x98"), "1: bad UTF-8 in a string" },
	{ ROW("\"\xc3\xa9\xc3\xa9\xc3\""), "5: bad UTF-8 in a string" },
	{ ROW("\"0123456789abcde\xff\""), "16: bad UTF-8 in a string" },
	{ ROW("{\"\xc3\":1}"), "2: bad UTF-8 in a string" },
	/* keys */
	{ ROW("{\"a\":1,\"a\":2}"), "7: key 'a' appears twice "
	    "(write each key once)" },
	{ ROW("{\"a\":1,\"\\u0061\":2}"), "7: key '\\u0061' appears twice "
	    "(write each key once)" },
	{ ROW("{\"\\u006a\":1,\"\\u006A\":2}"), "12: key '\\u006A' appears "
	    "twice (write each key once)" },
	{ ROW("{\"/\":1,\"\\/\":2}"), "7: key '\\/' appears twice "
	    "(write each key once)" },
	{ ROW("{\"\xc3\xa9\":1,\"\\u00e9\":2}"), "8: key '\\u00e9' appears "
	    "twice (write each key once)" },
	{ ROW("{\"\":1,\"\":2}"), "6: key '' appears twice "
	    "(write each key once)" },
	{ ROW("[{\"a\":{\"b\":1,\"c\":2,\"b\":3}}]"), "19: key 'b' appears "
	    "twice (write each key once)" },
	{ ROW("{\"a\":{\"b\":1},\"c\":[{}],\"a\":0}"), "22: key 'a' appears "
	    "twice (write each key once)" },
	/* depth */
	{ ROW(DEEP_32 "[" HSAH_32 "]"), "32: nested deeper than 32 levels" },
	{ ROW(DEEP_32 "{}" HSAH_32), "32: nested deeper than 32 levels" },
};

static void
test_refused(void)
{
	for (size_t i = 0; i < CDN_LEN(refused); i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cordon_error err = { .text = "(nothing)" };
		struct cdn_json json = { .count = 77 };
		char want[256];
		int r = cdn_json_parse(refused[i].text, NULL, arena, &json,
		    &err);

		snprintf(want, sizeof(want), "invalid JSON at byte %s",
		    refused[i].want);
		ok_f(r == CORDON_E_INVALID && err.code == r &&
		    strcmp(err.text, want) == 0 && json.count == 77,
		    "row %zu: %s%s%s", i, want,
		    strcmp(err.text, want) == 0 ? "" : ", not ",
		    strcmp(err.text, want) == 0 ? "" : err.text);
		cdn_arena_free(arena);
	}
}

/* ----- Limits ------------------------------------------------------------ */

static int
parse(cdn_str text, const struct cdn_json_options *options,
    struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_json json;
	int r = cdn_json_parse(text, options, arena, &json, err);

	cdn_arena_free(arena);
	return r;
}

static void
test_limits(void)
{
	struct cdn_json_options bytes = { .max_bytes = 4 };
	struct cdn_json_options nodes = { .max_nodes = 3 };
	struct cdn_json_options depth = { .max_depth = 2 };
	struct cordon_error err;

	ok(parse(CDN_STR(DEEP_32 HSAH_32), NULL, NULL) == 0,
	    "32 levels are accepted");
	ok(parse(CDN_STR("1234"), &bytes, NULL) == 0, "as long as allowed");
	ok(parse(CDN_STR("123 4"), &bytes, &err) == CORDON_E_INVALID &&
	    strcmp(err.text, "invalid JSON at byte 4: longer than 4 bytes") ==
	    0, "one byte longer");
	ok(parse(CDN_STR("[1,2]"), &nodes, NULL) == 0, "as many as allowed");
	ok(parse(CDN_STR("[1,2,3]"), &nodes, &err) == CORDON_E_INVALID &&
	    strcmp(err.text, "invalid JSON at byte 5: more than 3 values") ==
	    0, "one value more");
	ok(parse(CDN_STR("[{}]"), &depth, NULL) == 0, "as deep as allowed");
	ok(parse(CDN_STR("[{\"a\":[]}]"), &depth, &err) == CORDON_E_INVALID &&
	    strcmp(err.text, "invalid JSON at byte 6: "
	    "nested deeper than 2 levels") == 0, "one level deeper");
}

/* Levels that are closed again do not count. */
static void
test_many_siblings(void)
{
	struct cdn_buf text;

	cdn_buf_init(&text, 4096);
	cdn_buf_puts(&text, "[{}");
	for (int i = 0; i < 100; i++)
		cdn_buf_puts(&text, ",[],{\"a\":[{}]}");
	cdn_buf_putc(&text, ']');
	ok(parse((cdn_str){ text.p, text.n }, NULL, NULL) == 0,
	    "a hundred containers side by side");
	cdn_buf_done(&text);
}

static void
test_default_size(void)
{
	char *text = malloc(CDN_JSON_MAX + 1);
	struct cdn_json_options all = { .max_bytes = SIZE_MAX };

	if (text == NULL) {
		skip("no memory");
		return;
	}
	memset(text, ' ', CDN_JSON_MAX + 1);
	text[0] = '1';
	ok(parse((cdn_str){ text, CDN_JSON_MAX }, NULL, NULL) == 0,
	    "CDN_JSON_MAX bytes");
	ok(parse((cdn_str){ text, CDN_JSON_MAX + 1 }, NULL, NULL) ==
	    CORDON_E_INVALID, "and one more");
	ok(parse((cdn_str){ text, CDN_JSON_MAX + 1 }, &all, NULL) == 0,
	    "unless the caller wants more");
	free(text);
}

static void
test_position(void)
{
	struct cdn_json_options file = { .source = "trust.json" };
	struct cordon_error err;

	ok(parse(CDN_STR("{\n  \"a\": 1,\n  \"b\" 2\n}"), &file, &err) ==
	    CORDON_E_INVALID && err.line == 3 && err.column == 7 &&
	    strcmp(err.source, "trust.json") == 0, "line and column");
	ok(parse(CDN_STR("{\n"), &file, &err) == CORDON_E_INVALID &&
	    err.line == 2 && err.column == 1, "of the very end");
	ok(parse(CDN_STR("{\n"), NULL, &err) == CORDON_E_INVALID &&
	    err.line == 0 && err.source[0] == '\0', "none without a source");
}

/* ----- Using what was read ----------------------------------------------- */

static void
test_find(void)
{
	static const char text[] = "{\"jsonrpc\": \"2.0\", \"id\": 17,"
	    " \"meth\\u006fd\": \"tools\\/call\", \"params\": {\"p\" : [1, 2]},"
	    " \"back\\\\slash\": true}";
	struct cdn_arena *arena = cdn_arena_new();
	const struct cdn_json_node *root, *node;
	struct cdn_json json;
	cdn_str s = { NULL, 0 };
	bool yes = false;

	if (!ok(cdn_json_parse(cdn_str_of(text), NULL, arena, &json, NULL) ==
	    0, "a message"))
		return;
	root = &json.nodes[0];
	node = cdn_json_find(&json, root, "params");
	ok(node != NULL && cdn_str_is(cdn_json_raw(&json, node),
	    "{\"p\" : [1, 2]}"), "a member, byte for byte");
	ok(node != NULL && cdn_json_find(&json, node, "p") != NULL,
	    "a member of a member");
	ok(cdn_json_find(&json, root, "p") == NULL,
	    "which is not one of the outer object");
	node = cdn_json_find(&json, root, "method");
	ok(node != NULL && cdn_json_is(&json, node, CDN_STR("tools/call")),
	    "escapes do not hide a key or a value");
	ok(node != NULL && !cdn_json_is(&json, node, CDN_STR("tools\\/call")),
	    "a value is what it means, not how it is written");
	ok(node != NULL && cdn_json_string(&json, node, arena, &s) &&
	    cdn_str_is(s, "tools/call"), "its text");
	ok(node != NULL && cdn_json_key(&json, node, arena, &s) &&
	    cdn_str_is(s, "method"), "its key");
	ok(cdn_json_find(&json, root, "meth\\u006fd") == NULL,
	    "a key is what it means too");
	ok(cdn_json_find(&json, root, "back\\slash") != NULL &&
	    cdn_json_find(&json, root, "back\\\\slash") == NULL,
	    "even with a backslash in it");
	ok(cdn_json_find(&json, root, "absent") == NULL, "absent");
	node = cdn_json_find(&json, root, "jsonrpc");
	ok(node != NULL && cdn_json_string(&json, node, arena, &s) &&
	    s.p == text + node->start + 1, "a plain text is not copied");
	ok(node != NULL && cdn_json_find(&json, node, "x") == NULL &&
	    cdn_json_first(&json, node) == NULL, "a string has no members");
	ok(node != NULL && !cdn_json_bool(&json, node, &yes), "nor is it true");
	ok(!cdn_json_key(&json, root, arena, &s) &&
	    !cdn_json_string(&json, root, arena, &s) &&
	    !cdn_json_is(&json, root, CDN_STR("")), "the root is no string");
	cdn_arena_free(arena);
}

static void
test_int(void)
{
	static const struct {
		const char *text;
		bool good;
		int64_t want;
	} rows[] = {
		{ "0", true, 0 },
		{ "-0", true, 0 },
		{ "42", true, 42 },
		{ "-42", true, -42 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "-9223372036854775809", false, 0 },
		{ "18446744073709551616", false, 0 },
		{ "1.0", false, 0 },
		{ "1e1", false, 0 },
		{ "\"1\"", false, 0 },
		{ "true", false, 0 },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cdn_json json;
		int64_t got = 77;
		bool good = cdn_json_parse(cdn_str_of(rows[i].text), NULL,
		    arena, &json, NULL) == 0 &&
		    cdn_json_int(&json, &json.nodes[0], &got);

		ok_f(good == rows[i].good && got == (good ? rows[i].want : 77),
		    "%s is %s integer of ours", rows[i].text,
		    rows[i].good ? "an" : "no");
		cdn_arena_free(arena);
	}
}

/* A quote at every place behind every kind of byte: the fast path is exact. */
static void
test_every_offset(void)
{
	static const char specials[] = { '"', '\\', '\n', '\x1f', '\x7f', '!',
		'#', '[', ']', ' ', (char)0x80, (char)0xa2, (char)0xdc };
	unsigned wrong = 0;

	for (size_t len = 0; len < 40; len++)
		for (size_t at = 0; at < len; at++)
			for (size_t i = 0; i < CDN_LEN(specials); i++) {
				char text[64] = "\"";
				char c = specials[i];
				bool plain = (c >= ' ' && c != '"' &&
				    c != '\\');
				struct cordon_error err = { .text = "" };

				memset(text + 1, at % 2 == 0 ? '!' : 'a', len);
				text[1 + at] = c;
				text[1 + len] = '"';
				if ((parse((cdn_str){ text, len + 2 }, NULL,
				    &err) == 0) != plain)
					wrong++;
			}
	ok_f(wrong == 0, "a special byte at any place: %u missed", wrong);
}

int
main(void)
{
	test_accepted();
	test_refused();
	test_limits();
	test_many_siblings();
	test_default_size();
	test_position();
	test_find();
	test_int();
	test_every_offset();
	return done_testing();
}
