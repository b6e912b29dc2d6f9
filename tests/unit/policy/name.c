/* Names that become file names. */
#include "engine/policy/policy.h"

#include "support/tap.h"

/* Sixteen and 128 characters. */
#define X16  "xxxxxxxxxxxxxxxx"
#define X128 X16 X16 X16 X16 X16 X16 X16 X16

static const char *const accepted[] = {
	"a",
	"A",
	"task_auto_pipeline",
	"local-policy_1",
	"policy 1",
	"1",
	"-x",
	"\xc3\xa4\xc3\xb6",
	"a\xc2\xa0z",
	"~",
	"*",
	"a'b",
	X128,
};

#define EMPTY	   "must not be empty"
#define SPACE	   "must not begin or end with whitespace"
#define START	   "must not start with `.`"
#define DOTS	   "must not contain `..`"
#define SEPARATORS "must not contain path separators or `:`"
#define EXTENSION  "must not contain `.`, it is a name without extension"
#define CONTROL	   "must not contain control characters"

/* clang-format off */
static const struct {
	const char *name;
	const char *reason;
} refused[] = {
	{ "", EMPTY },
	{ " ", EMPTY },
	{ "\t\n", EMPTY },
	{ "\xe3\x80\x80", EMPTY },
	{ " a", SPACE },
	{ "a ", SPACE },
	{ "a\n", SPACE },
	{ "\xc2\xa0" "a", SPACE },
	{ "a\xe2\x80\x83", SPACE },
	{ ".", START },
	{ "..", START },
	{ ".hidden", START },
	{ "../x", START },
	{ "x/../y", DOTS },
	{ "a..b", DOTS },
	{ "a..", DOTS },
	{ "x/y", SEPARATORS },
	{ "/x", SEPARATORS },
	{ "x\\y", SEPARATORS },
	{ "foo:bar", SEPARATORS },
	{ "C:", SEPARATORS },
	{ "foo.yaml", EXTENSION },
	{ "a.", EXTENSION },
	{ "foo\nbar", CONTROL },
	{ "foo\x1b[0m", CONTROL },
	{ "foo\x7f" "bar", CONTROL },
	{ "foo\xc2\x9b" "bar", CONTROL },
	{ "foo\xe2\x80\xae" "bar", CONTROL },
	{ "foo\xff" "bar", "must be UTF-8" },
	{ X128 "x", "must not be longer than 128 bytes" },
};
/* clang-format on */

int
main(void)
{
	struct cordon_error err;
	int code;

	for (size_t i = 0; i < CDN_LEN(accepted); i++)
		ok_f(cdn_name_check(cdn_str_of(accepted[i]), &err) == 0,
		    "'%s' is a name", accepted[i]);
	for (size_t i = 0; i < CDN_LEN(refused); i++) {
		memset(&err, 0, sizeof(err));
		code = cdn_name_check(cdn_str_of(refused[i].name), &err);
		ok_f(code == CORDON_E_INVALID &&
			strncmp(err.text, "invalid resource name '", 23) == 0 &&
			strstr(err.text, refused[i].reason) != NULL,
		    "'%s' %s (%s)", refused[i].name, refused[i].reason,
		    err.text);
	}
	ok(cdn_name_check((cdn_str){ "a\0b", 3 }, &err) == CORDON_E_INVALID &&
		strstr(err.text, CONTROL) != NULL,
	    "NUL is a control character");
	ok(cdn_name_check(CDN_STR("a/b"), NULL) == CORDON_E_INVALID,
	    "err may be NULL");
	return done_testing();
}
