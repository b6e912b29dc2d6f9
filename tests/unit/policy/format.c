/* Printing: JSON for programs, and merged policies as YAML. */
#include <jansson.h>

#include "base/buf.h"
#include "engine/policy/policy.h"
#include "engine/profile/profile.h"

#include "support/policy_equal.h"
#include "support/tap.h"

#define HEAD "schemaVersion: 2\nkind: Policy\nmetadata: {name: demo}\nspec:\n"

static struct cordon_policy *
parse(const char *text)
{
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };

	if (cdn_policy_parse(cdn_str_of(text), "p.yaml", NULL, &policy, &err) !=
	    0)
		printf("# %u:%u: %s\n", err.line, err.column, err.text);
	return policy;
}

static void
check_json(const char *text, const char *want)
{
	struct cordon_policy *policy = parse(text);
	struct cdn_buf out;
	json_t *got, *wanted;

	cdn_buf_init(&out, 1 << 20);
	if (!ok(policy != NULL, "it loads"))
		return;
	ok(cdn_policy_format(policy, CORDON_FORMAT_JSON, &out, NULL) == 0,
	    "it is printed");
	got = json_loadb(out.p, out.n, JSON_REJECT_DUPLICATES, NULL);
	wanted = json_loads(want, 0, NULL);
	ok_f(got != NULL && wanted != NULL && json_equal(got, wanted), "%s",
	    out.p);
	ok_f(strncmp(out.p, "{\"schema\":1,\"name\":", 18) == 0 &&
		memchr(out.p, '\n', out.n) == NULL,
	    "the schema comes first, in one line");
	json_decref(got);
	json_decref(wanted);
	cdn_buf_done(&out);
	cdn_policy_free(policy);
}

/* As `policy merge` prints it: it must load again, and mean the merge. */
static void
check_merge(const char *what, const char *global, const char *workspace,
    const char *want)
{
	struct cordon_policy *a = parse(global), *b = parse(workspace);
	struct cordon_policy *merged = NULL, *again = NULL;
	struct cdn_buf out;

	cdn_buf_init(&out, 1 << 20);
	ok_f(a != NULL && b != NULL &&
		cdn_policy_merge(a, b, NULL, &merged, NULL) == 0,
	    "%s: merge", what);
	cdn_policy_free(a);
	cdn_policy_free(b);
	if (merged == NULL)
		return;
	ok_f(cdn_policy_format(merged, CORDON_FORMAT_YAML, &out, NULL) == 0 &&
		strstr(out.p, want) != NULL,
	    "%s: it is printed", what);
	again = parse(out.p);
	ok_f(again != NULL, "%s: it loads again", what);
	if (again == NULL || strstr(out.p, want) == NULL)
		printf("# %s\n", out.p);
	cdn_buf_done(&out);
	cdn_policy_free(merged);
	cdn_policy_free(again);
}

int
main(void)
{
	struct cordon_policy *policy;
	struct cdn_buf out;

	check_json(HEAD "  {}\n",
	    "{\"schema\":1,\"name\":\"demo\",\"description\":null,\"denyRead\":[],"
	    "\"denyModify\":[],\"denyExec\":[],\"fsProfiles\":{},\"widened\":[]}");
	check_json(
	    "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: x, description: \"a \\\"b\\\"\\n\"}\nspec:\n"
	    "  denyRead: [\"./a\"]\n  denyModify: [\"b/**\", \"!b/c\"]\n"
	    "  denyExec: [\"x\\\\y\"]\n"
	    "  fsProfiles: {p: {read: [\" ./** \"], modify: [\"!q\"], exec: [z]}}\n",
	    "{\"schema\":1,\"name\":\"x\",\"description\":\"a \\\"b\\\"\\n\","
	    "\"denyRead\":[\"./a\"],\"denyModify\":[\"b/**\",\"!b/c\"],"
	    "\"denyExec\":[\"x\\\\y\"],"
	    "\"fsProfiles\":{\"p\":{\"read\":[\" ./** \"],\"modify\":[\"!q\"]}},"
	    "\"widened\":[]}");

	check_merge("a variable set by both",
	    HEAD "  env: {set: {A: g, B: g}}\n", HEAD "  env: {set: {A: w}}\n",
	    "    set:\n      B: \"g\"\n      A: \"w\"\n");
	check_merge("fields of one tool from both",
	    HEAD "  mcp: {t: {a: path}, u: {x: text}}\n",
	    HEAD "  mcp: {t: {b: text}}\n",
	    "    t:\n      a: path\n      b: text\n    u:\n      x: text\n");
	check_merge("an empty list of variables to pass",
	    HEAD "  env: {pass: []}\n", HEAD "  {}\n", "    pass: []\n");

	policy = parse(HEAD "  denyRead: [a]\n");
	cdn_buf_init(&out, 20);
	ok(cdn_policy_format(policy, CORDON_FORMAT_YAML, &out, NULL) ==
		CORDON_E_NOMEM,
	    "a buffer that is too small is an error");
	cdn_buf_done(&out);
	cdn_policy_free(policy);
	return done_testing();
}
