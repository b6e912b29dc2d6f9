/* Which strings are paths, and what they may mean. */
#include "engine/rpc/value.h"

#include "support/tap.h"

#define LETTERS "PHF" /* of enum cdn_rpc_form_kind */

/* clang-format off */
static const struct {
	const char *text;
	const char *guess;	/* its forms, "P/etc/passwd|..."; "" = text */
	const char *known;
} rows[] = {
	{ "/etc/passwd", "P/etc/passwd", "P/etc/passwd" },
	{ " /etc/passwd\n", "P /etc/passwd\n|P/etc/passwd",
	    "P /etc/passwd\n|P/etc/passwd" },
	{ "sub/x", "", "Psub/x" },
	{ "../../x", "", "P../../x" },
	{ "~", "H", "H" },
	{ "~/.ssh/id", "H/.ssh/id", "H/.ssh/id" },
	{ "~root/x", "F~root/x", "F~root/x" },
	{ "C:\\Windows", "FC:\\Windows", "FC:\\Windows" },
	{ "c:/x", "Fc:/x", "Fc:/x" },
	{ "\\\\srv\\share", "F\\\\srv\\share", "F\\\\srv\\share" },
	{ "..\\..\\x", "", "P..\\..\\x|P../../x" },
	{ "..%2f..%2fx", "", "P..%2f..%2fx|P../../x" },
	{ "..%252fx", "", "P..%252fx|P..%2fx|P../x" },
	{ "100%", "", "P100%" },
	{ "a%zz", "", "Pa%zz" },
	{ "/a%00b", "P/a%00b|F/a", "P/a%00b|F/a" },
	{ "https://x.y/etc", "", "Phttps://x.y/etc" },
	{ "xy://../../../etc", "", "Pxy://../../../etc" },
	{ "x://y", "Fx://y", "Fx://y" },	/* as a drive */
	{ "file:///etc/passwd", "P/etc/passwd", "P/etc/passwd" },
	{ "FILE://localhost/etc", "P/etc", "P/etc" },
	{ "file:/etc", "P/etc", "P/etc" },
	{ "file://host/share", "Fhost", "Fhost" },
	{ "file:///%65tc", "P/%65tc|P/etc", "P/%65tc|P/etc" },
	{ "file:///a?b", "P/a|P/a?b", "P/a|P/a?b" },
	{ "file:///a%62?b", "P/a%62|P/ab|P/a%62?b|P/ab?b",
	    "P/a%62|P/ab|P/a%62?b|P/ab?b" },
	{ "fi\tle:///e\ntc", "P/etc|Pfi\tle:///e\ntc",
	    "P/etc|Pfi\tle:///e\ntc" },
	{ "/etc ", "P/etc |P/etc", "P/etc |P/etc" },
	{ "a\tb", "", "Pab|Pa\tb" },
	{ "/dev/null", "", "" },
	{ "file:///dev/null", "", "" },
	{ "/dev/sda", "P/dev/sda", "P/dev/sda" },

	/* encoded where nobody knows of a path */
	{ "%2fetc%2fpasswd", "P/etc/passwd", "P%2fetc%2fpasswd|P/etc/passwd" },
	{ "%252fetc/passwd", "P/etc/passwd",
	    "P%252fetc/passwd|P%2fetc/passwd|P/etc/passwd" },
	{ "%20%2Fetc%2Fpasswd", "P/etc/passwd", "P%20%2Fetc%2Fpasswd|P /etc/passwd" },
	{ "%7e/.ssh/id", "H/.ssh/id", "P%7e/.ssh/id|H/.ssh/id" },
	{ "%66ile:///etc", "P/etc", "P/etc|P%66ile:///etc|Pfile:///etc" },
	{ "file%3A///etc", "P/etc", "P/etc|Pfile%3A///etc|Pfile:///etc" },
	{ "fi%0Ale:///etc", "P/etc", "P/etc|Pfi%0Ale:///etc|Pfi\nle:///etc" },
	{ "%5cd+", "", "P%5cd+|F\\d+" },
	{ "%2f%2f comment", "", "P%2f%2f comment|P// comment" },
	{ "50%25 of /etc", "", "P50%25 of /etc|P50% of /etc" },

	/* text that only begins like a path */
	{ "// comment", "", "P// comment" },
	{ "/* c */", "", "P/* c */" },
	{ "/ 2 = 1", "", "P/ 2 = 1" },
	{ "~ 3 days", "", "F~ 3 days" },
	{ "/etc\nsecond line", "", "P/etcsecond line|P/etc\nsecond line" },
	{ "\\d+", "", "F\\d+" },
	{ "note: x", "", "Pnote: x" },
	{ "", "", "" },
	{ " \t", "", "" },
};
/* clang-format on */

static void
describe(const struct cdn_rpc_value *v, char *out, size_t room)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < v->count && n < room; i++)
		n += (size_t)snprintf(out + n, room - n, "%s%c%.*s",
		    i == 0 ? "" : "|", LETTERS[v->forms[i].kind],
		    CDN_STR_ARG(v->forms[i].text));
}

static void
check(const char *text, enum cdn_rpc_door door, const char *want,
    struct cdn_arena *arena)
{
	struct cdn_rpc_value value;
	char got[512] = "no memory";

	if (cdn_rpc_value_read(cdn_str_of(text), door, arena, &value))
		describe(&value, got, sizeof(got));
	ok_f(strcmp(got, want) == 0, "'%s' %s: %s", text,
	    door == CDN_RPC_KNOWN ? "known" : "guessed", got);
}

static void
check_words(struct cdn_arena *arena)
{
	struct cdn_rpc_value v;

	ok(cdn_rpc_value_read(CDN_STR("/help"), CDN_RPC_GUESS, arena, &v) &&
		v.count == 1 && v.word, "'/help' may be a word");
	ok(cdn_rpc_value_read(CDN_STR("/help"), CDN_RPC_KNOWN, arena, &v) &&
		v.count == 1 && !v.word, "but not where a path is due");
	ok(cdn_rpc_value_read(CDN_STR("/a/b"), CDN_RPC_GUESS, arena, &v) &&
		v.count == 1 && !v.word, "and '/a/b' is none");
}

static void
check_long(struct cdn_arena *arena)
{
	static char text[CDN_PATH_MAX + 3] = "/";
	struct cdn_rpc_value v;

	memset(text + 1, 'a', CDN_PATH_MAX + 1);
	ok(cdn_rpc_value_read((cdn_str){ text, CDN_PATH_MAX }, CDN_RPC_GUESS,
		arena, &v) && v.count == 1, "4096 bytes can be a path");
	ok(cdn_rpc_value_read((cdn_str){ text, CDN_PATH_MAX + 1 },
		CDN_RPC_GUESS, arena, &v) && v.count == 1 &&
		v.forms[0].kind == CDN_RPC_FOREIGN, "4097 are refused");
	ok(cdn_rpc_value_read((cdn_str){ text + 1, CDN_PATH_MAX + 1 },
		CDN_RPC_KNOWN, arena, &v) && v.count == 1 &&
		v.forms[0].kind == CDN_RPC_FOREIGN, "relative ones, too");
	text[CDN_PATH_MAX / 2] = ' ';
	ok(cdn_rpc_value_read((cdn_str){ text, CDN_PATH_MAX + 1 },
		CDN_RPC_GUESS, arena, &v) && v.count == 0,
	    "several words are text");
}

/* However often something is encoded: in the end it is refused. */
static void
check_deep(struct cdn_arena *arena)
{
	char text[256] = "/a%";
	struct cdn_rpc_value v;
	bool refused = false;

	for (int i = 0; i < 20; i++)
		memcpy(text + strlen(text), "25", 3);
	memcpy(text + strlen(text), "2f", 3);
	ok(cdn_rpc_value_read(cdn_str_of(text), CDN_RPC_GUESS, arena, &v),
	    "a value that is encoded many times over");
	for (size_t i = 0; i < v.count; i++)
		refused |= v.forms[i].kind == CDN_RPC_FOREIGN;
	ok_f(refused, "is refused (%zu forms)", v.count);
}

int
main(void)
{
	struct cdn_arena *arena = cdn_arena_new();

	if (arena == NULL)
		return 1;
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		check(rows[i].text, CDN_RPC_GUESS, rows[i].guess, arena);
		check(rows[i].text, CDN_RPC_KNOWN, rows[i].known, arena);
	}
	check_words(arena);
	check_long(arena);
	check_deep(arena);
	cdn_arena_free(arena);
	return done_testing();
}
