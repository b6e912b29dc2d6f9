/* A policy is parsed, validated and printed while memory runs out. */
#include "base/buf.h"
#include "engine/policy/policy.h"

#include "support/chaos.h"

static const char good[] =
    "schemaVersion: 2\nkind: Policy\n"
    "metadata: {name: demo, description: d, labels: {a: [b, {c: d}]}}\n"
    "spec:\n  denyRead: [\"a/**\"]\n"
    "  denyModify: [\"b/**\", \"!b/c\"]\n"
    "  fsProfiles:\n    dev:\n      read: [\"**\", \"!x/**\"]\n"
    "      modify: [\"src/**\"]\n      exec: []\n"
    "      host: {read: [\"~/x\"]}\n      network: [a.org, \"!b.org:80\"]\n"
    "      limits: {wall: 5s}\n"
    "  env: {pass: [A], set: {B: c}, drop: [\"*\"]}\n"
    "  sealed: [dev]\n  mcp: {t: {f: path}}\n";

static const char bad[] =
    "schemaVersion: 2\nkind: Policy\nmetadata: {name: a/b}\n"
    "spec:\n  denyRead: [\"/a\", &x b, !t c]\n  denyModify: [\"!z\"]\n"
    "  unknown: 1\n  fsProfiles:\n    dev: {read: [], modify: [q]}\n"
    "    dev: {limits: {wall: 0}}\n";

static const char syntax[] = "schemaVersion: [2\nkind: Policy\n";

static int
parse(const char *text, bool want_good)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };
	int code;

	if (diags == NULL)
		return CORDON_E_NOMEM;
	code = cdn_policy_parse(cdn_str_of(text), "p.yaml", diags, &policy,
	    &err);
	cordon_diags_free(diags);
	cdn_policy_free(policy);
	if (code == 0)
		return want_good ? 0 : 1;
	if (code != err.code)
		return 1;
	if (code == CORDON_E_INVALID && !want_good)
		return 0; /* found what is wrong with it */
	return code == CORDON_E_INVALID ? 1 : code;
}

static int
parse_good(void *arg)
{
	(void)arg;
	return parse(good, true);
}

static int
parse_bad(void *arg)
{
	return parse(arg, false);
}

static int
print(void *arg)
{
	struct cordon_error err = { 0 };
	struct cdn_buf out;
	int code;

	cdn_buf_init(&out, 1 << 20);
	code = cdn_policy_format(arg, CORDON_FORMAT_YAML, &out, &err);
	cdn_buf_reset(&out);
	if (code == 0)
		code = cdn_policy_format(arg, CORDON_FORMAT_JSON, &out, &err);
	cdn_buf_done(&out);
	return code;
}

static int
generate(void *arg)
{
	struct cordon_error err = { 0 };
	struct cdn_buf out;
	int code;

	(void)arg;
	cdn_buf_init(&out, 1 << 20);
	code = cdn_policy_schema(&out, &err);
	cdn_buf_done(&out);
	if (code != 0)
		return code;
	code = cdn_policy_reference(&out, &err);
	cdn_buf_done(&out);
	return code;
}

static char text_bad[sizeof(bad)], text_syntax[sizeof(syntax)];

int
main(void)
{
	struct cordon_policy *policy = NULL;

	memcpy(text_bad, bad, sizeof(bad));
	memcpy(text_syntax, syntax, sizeof(syntax));
	chaos_run("a good policy", parse_good, NULL, 0);
	/* diags may lose a text and count it: then the findings still hold. */
	chaos_run("a bad policy", parse_bad, text_bad, CHAOS_ABSORBS);
	chaos_run("not YAML", parse_bad, text_syntax, CHAOS_ABSORBS);
	if (ok(cdn_policy_parse(cdn_str_of(good), "p.yaml", NULL, &policy,
		   NULL) == 0,
		"the policy to print"))
		chaos_run("printing", print, policy, 0);
	cdn_policy_free(policy);
	chaos_run("schema and reference page", generate, NULL, 0);
	return done_testing();
}
