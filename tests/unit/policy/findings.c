/* Every kind of finding can be found, and keeps its identifier. */
#include "base/buf.h"
#include "engine/policy/policy.h"
#include "engine/policy/report.h"

#include "support/tap.h"

#define TOP	"schemaVersion: 2\nkind: Policy\n"
#define HEAD	TOP "metadata: {name: x}\nspec:\n  "
#define PROFILE HEAD "fsProfiles: {p: {"

/* clang-format off */
static const struct {
	const char *id;
	const char *text; /* NULL: too large */
} cases[] = {
	{ "P001", NULL },
	{ "P002", TOP "# \xff\n" },
	{ "P003", TOP "# \x01\n" },
	{ "P004", TOP "spec: [\n" },
	{ "P005", HEAD "{}\n---\n{}\n" },
	{ "P006", HEAD "x: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n" },
	{ "P007", HEAD "denyRead: &a []\n" },
	{ "P008", HEAD "denyRead: !a []\n" },
	{ "P009", HEAD "{[a]: b}\n" },
	{ "P010", HEAD "{denyRead: [], denyRead: []}\n" },
	{ "P011", "" },
	{ "P012", HEAD "denyRead: a\n" },
	{ "P013", TOP "metadata: {name: x}\n" },
	{ "P014", HEAD "deny: []\n" },
	{ "P015", "schemaVersion: 1\n" },
	{ "P016", "schemaVersion: 2\nkind: Job\n" },
	{ "P017", TOP "metadata: {name: a/b}\nspec: {}\n" },
	{ "P018", HEAD "fsProfiles: {\" \": {}}\n" },
	{ "P019", HEAD "protect: [" },
	{ "P020", HEAD "denyRead: [/a]\n" },
	{ "P021", PROFILE "modify: [a]}}\n" },
	{ "P022", HEAD "{denyRead: [a], fsProfiles: {p: {read: [a]}}}\n" },
	{ "P023", HEAD "denyRead: [\"!a\"]\n" },
	{ "P024", HEAD "protect: [a]\n" },
	{ "P025", PROFILE "network: some}}\n" },
	{ "P026", PROFILE "limits: {wall: 1x}}}\n" },
	{ "P027", HEAD "enforcement: never\n" },
	{ "P028", HEAD "env: {pass: [a-b]}\n" },
	{ "P029", HEAD "sealed: [nobody]\n" },
	{ "P030", HEAD "mcp: {\"\": {}}\n" },
};
/* clang-format on */

static void
make(size_t i, struct cdn_buf *ret)
{
	cdn_buf_init(ret, 4UL << 20);
	cdn_buf_puts(ret, cases[i].text == NULL ? "" : cases[i].text);
	while (cases[i].text == NULL && ret->n <= CDN_DOCUMENT_MAX)
		cdn_buf_putc(ret, '#');
	if (strcmp(cases[i].id, "P019") != 0)
		return;
	for (int k = 0; k <= CDN_ROOTS_MAX; k++)
		cdn_buf_puts(ret, "/a,");
	cdn_buf_puts(ret, "]\n");
}

int
main(void)
{
	ok(CDN_LEN(cases) == CDN_FINDING_MAX, "there is a case for each kind");
	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		struct cordon_diags *diags = cordon_diags_new();
		struct cordon_policy *policy = NULL;
		struct cordon_error err = { 0 };
		const struct cordon_diag *d;
		struct cdn_buf text;
		int code;

		make(i, &text);
		code = cdn_policy_parse((cdn_str){ text.p, text.n }, "f.yaml",
		    diags, &policy, &err);
		d = cordon_diags_get(diags, 0);
		ok_f(code == CORDON_E_INVALID && policy == NULL && d != NULL &&
			cordon_diags_count(diags) == 1 &&
			strcmp(d->id, cases[i].id) == 0 &&
			strcmp(d->text, err.text) == 0 && d->line == err.line &&
			d->column == err.column && err.line > 0 &&
			strcmp(err.source, "f.yaml") == 0,
		    "%s: %u:%u: %s", cases[i].id, err.line, err.column,
		    err.text);
		cordon_diags_free(diags);
		cdn_buf_done(&text);
	}
	return done_testing();
}
