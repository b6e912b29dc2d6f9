/* Every limit: just at it, and one past it. */
#include "base/buf.h"
#include "engine/policy/digest.h"
#include "engine/policy/policy.h"

#include "support/tap.h"

#define HEAD "schemaVersion: 2\nkind: Policy\nmetadata: {name: big}\nspec:\n"

static struct cordon_diags *diags;

/* The code, and the first finding in err. */
static int
parse(const struct cdn_buf *text, struct cordon_error *err)
{
	struct cordon_policy *policy = NULL;
	int code;

	cordon_diags_free(diags);
	diags = cordon_diags_new();
	memset(err, 0, sizeof(*err));
	code = cdn_policy_parse((cdn_str){ text->p, text->n }, "big.yaml",
	    diags, &policy, err);
	cdn_policy_free(policy);
	return code;
}

/* HEAD, then `open`, then n entries, then `close`. */
static int
parse_many(const char *open, const char *entry, size_t n, const char *close,
    struct cordon_error *err)
{
	struct cdn_buf text;
	int code;

	cdn_buf_init(&text, 16UL << 20);
	cdn_buf_puts(&text, HEAD);
	cdn_buf_puts(&text, open);
	for (size_t i = 0; i < n; i++) {
		cdn_buf_puts(&text, i == 0 ? "" : ", ");
		for (const char *p = entry; *p != '\0'; p++)
			if (*p == '#')
				cdn_buf_printf(&text, "%zu", i);
			else
				cdn_buf_putc(&text, *p);
	}
	cdn_buf_puts(&text, close);
	code = parse(&text, err);
	cdn_buf_done(&text);
	return code;
}

/* clang-format off */
static const struct {
	const char *what;
	const char *open, *entry, *close;
	size_t max;
	const char *finding;
} counts[] = {
	{ "rules", "  denyRead: [", "a", "]\n", CDN_RULES_MAX,
	    "'spec.denyRead' has 65537 entries, more than the maximum of 65536" },
	{ "profiles", "  fsProfiles: {", "p#: {}", "}\n", CDN_PROFILES_MAX,
	    "'spec.fsProfiles' has 1025 entries, more than the maximum of 1024" },
	{ "roots", "  protect: [", "/a", "]\n", CDN_ROOTS_MAX,
	    "'spec.protect' has 1025 entries, more than the maximum of 1024" },
	{ "variables", "  env: {pass: [", "A", "]}\n", CDN_NAMES_MAX,
	    "'spec.env.pass' has 1025 entries, more than the maximum of 1024" },
	{ "settings", "  env: {set: {", "A#: b", "}}\n", CDN_NAMES_MAX,
	    "'spec.env.set' has 1025 entries, more than the maximum of 1024" },
	{ "sealed", "  sealed: [", "unrestricted", "]\n", CDN_NAMES_MAX,
	    "'spec.sealed' has 1025 entries, more than the maximum of 1024" },
	{ "tools", "  mcp: {", "t#: {a: path}", "}\n", CDN_NAMES_MAX,
	    "'spec.mcp' has 1025 entries, more than the maximum of 1024" },
	{ "fields", "  mcp: {t: {", "a#: path", "}}\n", CDN_NAMES_MAX,
	    "policy 'big': spec.mcp: 1025 fields, more than the maximum of 1024" },
	{ "endpoints", "  fsProfiles: {p: {network: [", "a", "]}}\n",
	    CDN_RULES_MAX,
	    "'spec.fsProfiles.p.network' has 65537 entries, more than the "
	    "maximum of 65536" },
};
/* clang-format on */

static void
check_counts(void)
{
	struct cordon_error err;

	for (size_t i = 0; i < CDN_LEN(counts); i++) {
		ok_f(parse_many(counts[i].open, counts[i].entry, counts[i].max,
			 counts[i].close, &err) == 0,
		    "%zu %s (%s)", counts[i].max, counts[i].what, err.text);
		ok_f(parse_many(counts[i].open, counts[i].entry,
			 counts[i].max + 1, counts[i].close,
			 &err) == CORDON_E_INVALID &&
			strcmp(err.text, counts[i].finding) == 0,
		    "one more: %s", err.text);
	}
}

static void
check_size(void)
{
	struct cordon_error err;
	struct cdn_buf text;

	cdn_buf_init(&text, 4UL << 20);
	cdn_buf_puts(&text, HEAD "  {}\n#");
	while (text.n < CDN_DOCUMENT_MAX)
		cdn_buf_putc(&text, 'x');
	ok(parse(&text, &err) == 0, "a document of 1 MiB");
	cdn_buf_putc(&text, 'x');
	ok(parse(&text, &err) == CORDON_E_INVALID && err.line == 1 &&
		strcmp(err.text,
		    "document has 1048577 bytes, more than the "
		    "maximum of 1048576") == 0,
	    err.text);
	cdn_buf_done(&text);
}

/* Nothing of this may take more than linear time and a moment. */
static void
check_hostile(void)
{
	struct cordon_error err;

	ok(parse_many("  labels: {", "k#: ", 100000, "}\n", &err) ==
		CORDON_E_INVALID,
	    "a hundred thousand keys");
	ok(parse_many("  {", "a: ", 100000, "}\n", &err) == CORDON_E_INVALID,
	    "one key a hundred thousand times");
	ok_f(cordon_diags_count(diags) == CDN_DIAGS_MAX &&
		cordon_diags_errors(diags) > 99999 &&
		cordon_diags_omitted(diags) ==
		    cordon_diags_errors(diags) - CDN_DIAGS_MAX,
	    "%zu findings, %zu of them kept", cordon_diags_errors(diags),
	    cordon_diags_count(diags));
	ok(parse_many("  fsProfiles: {p: {modify: [", "x#", 65000,
	       "], read: []}}\n", &err) == CORDON_E_INVALID,
	    "65000 rules that nothing covers");
	ok(parse_many("  denyModify: [a, ", "\"!x#\"", 65000, "]\n", &err) ==
		CORDON_E_INVALID,
	    "65000 exceptions that nothing contains");
	ok(parse_many("  x: ", "[", 100000, "\n", &err) == CORDON_E_INVALID,
	    "a hundred thousand brackets");
	ok(parse_many("  x: ", "{a: ", 100000, "\n", &err) == CORDON_E_INVALID,
	    "a hundred thousand braces");
	ok(parse_many("", "? ", 100000, "\n", &err) == CORDON_E_INVALID,
	    "a hundred thousand question marks");
	ok(parse_many("  x: ", "- ", 100000, "\n", &err) == CORDON_E_INVALID,
	    "a hundred thousand dashes");
}

/* clang-format off */
static const struct {
	const char *text;
	const char *want;
} digests[] = { /* FIPS 180-4 */
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc",
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
};
/* clang-format on */

static void
check_digest(void)
{
	struct cordon_policy *policy = NULL;
	char digest[CDN_DIGEST_SIZE];
	cdn_str text = CDN_STR(HEAD "  {}\n");

	for (size_t i = 0; i < CDN_LEN(digests); i++) {
		cdn_digest(cdn_str_of(digests[i].text), digest);
		ok_f(strcmp(digest, digests[i].want) == 0, "SHA-256 of '%s'",
		    digests[i].text);
	}
	cdn_digest(text, digest);
	ok(cdn_policy_parse(text, "x", NULL, &policy, NULL) == 0 &&
		strcmp(policy->digest, digest) == 0,
	    "a policy has the digest of its bytes");
	cdn_policy_free(policy);
}

int
main(void)
{
	check_size();
	check_counts();
	check_hostile();
	check_digest();
	cordon_diags_free(diags);
	cdn_policy_free(NULL);
	return done_testing();
}
