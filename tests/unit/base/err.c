/* base/err: codes, positions, what is kept when a text is too long. */
#include "base/err.h"

#include <errno.h>

#include "support/tap.h"

static struct cordon_error
junk(void)
{
	struct cordon_error err;

	memset(&err, 0x5a, sizeof(err));
	return err;
}

static void
test_names(void)
{
	static const struct {
		int code;
		const char *want;
	} rows[] = {
		{ CORDON_OK, "Ok" },
		{ CORDON_E_INVALID, "InvalidInput" },
		{ CORDON_E_NOMEM, "OutOfMemory" },
		{ CORDON_E_SYSTEM, "SystemError" },
		{ CORDON_E_NOT_FOUND, "NotFound" },
		{ CORDON_E_WORKSPACE, "WorkspaceMissing" },
		{ CORDON_E_LINKS, "TooManyLinks" },
		{ CORDON_E_RESOLVE, "ResolveFailed" },
		{ 1, "UnknownError" },
		{ -1000, "UnknownError" },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++)
		ok_f(strcmp(cordon_code_name(rows[i].code), rows[i].want) == 0,
		    "code %d is %s", rows[i].code, rows[i].want);
}

static void
test_filling(void)
{
	struct cdn_pos pos = { "p.yaml", 3, 11 };
	struct cordon_error err = junk();
	int r;

	r = cdn_err(&err, CORDON_E_INVALID, "no such rule '%s'", "x");
	ok(r == CORDON_E_INVALID && err.code == r, "the code comes back");
	ok(err.line == 0 && err.column == 0 && err.sys_errno == 0 &&
	    err.source[0] == '\0', "everything is filled");
	ok(strcmp(err.text, "no such rule 'x'") == 0, "the text");

	err = junk();
	r = cdn_err_at(&err, CORDON_E_INVALID, pos, "unknown key '%s'", "k");
	ok(r == CORDON_E_INVALID && err.line == 3 && err.column == 11 &&
	    strcmp(err.source, "p.yaml") == 0, "a position");

	err = junk();
	r = cdn_err_sys(&err, ENOENT, "cannot open '%s'", "f");
	ok(r == CORDON_E_SYSTEM && err.code == r && err.sys_errno == ENOENT,
	    "a system error");
	ok(strcmp(err.text, "cannot open 'f': No such file or directory") == 0,
	    "says why");

	err = junk();
	ok(cdn_err_nomem(&err) == CORDON_E_NOMEM &&
	    strcmp(err.text, "out of memory") == 0, "out of memory");
}

static void
test_null(void)
{
	struct cdn_pos pos = { NULL, 1, 1 };

	ok(cdn_err(NULL, CORDON_E_LINKS, "x") == CORDON_E_LINKS &&
	    cdn_err_at(NULL, CORDON_E_LINKS, pos, "x") == CORDON_E_LINKS &&
	    cdn_err_sys(NULL, EPERM, "x") == CORDON_E_SYSTEM &&
	    cdn_err_nomem(NULL) == CORDON_E_NOMEM &&
	    cdn_err_context(NULL, -5, "x") == -5, "err may be NULL");
}

static void
test_context(void)
{
	struct cdn_pos pos = { "p.yaml", 2, 4 };
	struct cordon_error err = junk();

	cdn_err_at(&err, CORDON_E_INVALID, pos, "empty rule");
	ok(cdn_err_context(&err, CORDON_E_INVALID, "profile '%s'", "dev") ==
	    CORDON_E_INVALID, "context keeps the code");
	ok(strcmp(err.text, "profile 'dev': empty rule") == 0,
	    "context in front");
	ok(err.line == 2 && strcmp(err.source, "p.yaml") == 0,
	    "the position stays");
	cdn_err_context(&err, CORDON_E_INVALID, "policy");
	ok(strcmp(err.text, "policy: profile 'dev': empty rule") == 0,
	    "context twice");
}

/* ----- Too long ---------------------------------------------------------- */

static char *
fill(char *out, size_t n, const char *tail)
{
	memset(out, 'x', n);
	memcpy(out + n - strlen(tail), tail, strlen(tail) + 1);
	return out;
}

static void
test_source_tail(void)
{
	static const struct {
		size_t n; /* bytes of the name */
		bool cut;
	} rows[] = { { 0, false }, { 126, false }, { 127, false },
		{ 128, true }, { 129, true }, { 4000, true } };
	char name[4001];
	struct cordon_error err;

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_pos pos = { name, 1, 1 };

		fill(name, rows[i].n, rows[i].n == 0 ? "" : "/policy.yaml");
		err = junk();
		cdn_err_at(&err, CORDON_E_INVALID, pos, "x");
		ok_f(strlen(err.source) == (rows[i].cut ? 127 : rows[i].n) &&
		    (strncmp(err.source, "...", 3) == 0) == rows[i].cut &&
		    strcmp(err.source + strlen(err.source),
		    name + rows[i].n) == 0,
		    "a source of %zu bytes is %s", rows[i].n,
		    rows[i].cut ? "cut" : "whole");
		ok_f(rows[i].n == 0 || strcmp(err.source +
		    strlen(err.source) - 12, "/policy.yaml") == 0,
		    "a source of %zu bytes keeps its tail", rows[i].n);
	}
}

static bool
is_utf8(const char *text)
{
	return cdn_utf8_bad(cdn_str_of(text)) == strlen(text);
}

/* Characters of two bytes: one byte before or behind shifts every cut. */
static void
test_whole_characters(void)
{
	for (size_t odd = 0; odd < 4; odd++) {
		char name[1000] = "x";
		struct cdn_pos pos = { name, 1, 1 };
		struct cordon_error err = junk();
		size_t n = odd & 1;

		for (; n + 4 < sizeof(name); n += 2)
			snprintf(name + n, 3, "\xc3\xa9");
		if (odd & 2)
			snprintf(name + n, 2, "y");
		cdn_err_at(&err, CORDON_E_INVALID, pos, "%s", name);
		ok_f(is_utf8(err.text) && strlen(err.text) > 500,
		    "a text is cut between characters (%zu)", odd);
		ok_f(is_utf8(err.source) && strlen(err.source) > 120,
		    "and so is a source (%zu)", odd);
		cdn_err_context(&err, CORDON_E_INVALID, "%s", name);
		ok_f(is_utf8(err.text) && strlen(err.text) > 500,
		    "and so are both halves of a text (%zu)", odd);
	}
}

static bool
ends_in(const char *text, const char *tail)
{
	return cdn_str_ends(cdn_str_of(text), cdn_str_of(tail));
}

static void
test_long_text(void)
{
	struct cordon_error err = junk();
	char path[4001];

	fill(path, 4000, "/end");
	cdn_err(&err, CORDON_E_INVALID, "cannot use '%s'", path);
	ok(strlen(err.text) == sizeof(err.text) - 1 &&
	    ends_in(err.text, "x..."), "a long text ends in dots");
	cdn_err_sys(&err, ENOENT, "cannot open '%s'", path);
	ok(ends_in(err.text, "x...: No such file or directory"),
	    "a long path does not push out the reason");
	cdn_err(&err, CORDON_E_INVALID, "empty rule");
	cdn_err_context(&err, CORDON_E_INVALID, "reading '%s'", path);
	ok(ends_in(err.text, "x...: empty rule"),
	    "nor does a long context push out the cause");
	cdn_err(&err, CORDON_E_INVALID, "rule '%s'", path);
	cdn_err_context(&err, CORDON_E_INVALID, "reading '%s'", path);
	ok(cdn_str_starts(cdn_str_of(err.text), CDN_STR("reading 'xxx")) &&
	    strstr(err.text, "...: rule 'xxx") != NULL &&
	    ends_in(err.text, "x...") &&
	    strlen(err.text) == sizeof(err.text) - 1,
	    "two long halves share the room");
}

static void
test_one_line(void)
{
	struct cordon_error err = junk();

	cdn_err(&err, CORDON_E_INVALID, "no file '%s'", "a\nb\x1b[31m\x7f" "c\t");
	ok(strcmp(err.text, "no file 'a?b?[31m?c?'") == 0,
	    "a file name brings neither lines nor escapes");
	cdn_err(&err, CORDON_E_INVALID, "no file 'caf\xc3\xa9'");
	ok(strcmp(err.text, "no file 'caf\xc3\xa9'") == 0,
	    "other characters stay");
}

static void
test_own_parts(void)
{
	struct cordon_error err = junk();
	struct cdn_pos pos = { "p.yaml", 1, 2 };

	cdn_err_at(&err, CORDON_E_INVALID, pos, "inner");
	pos.source = err.source;
	cdn_err_at(&err, CORDON_E_INVALID, pos, "outer of '%s'", err.text);
	ok(strcmp(err.text, "outer of 'inner'") == 0 &&
	    strcmp(err.source, "p.yaml") == 0,
	    "an error can be made from its own parts");
}

int
main(void)
{
	test_names();
	test_filling();
	test_null();
	test_context();
	test_source_tail();
	test_whole_characters();
	test_long_text();
	test_one_line();
	test_own_parts();
	return done_testing();
}
