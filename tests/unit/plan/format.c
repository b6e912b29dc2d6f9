/*
 * A plan as JSON and as text: read back by another reader, the same bytes each
 * time, whatever the names are.
 */
#include <jansson.h>

#include "tree.h"

static const struct world_spec spec = {
	.profile = "dev",
	.documents = { { CORDON_LAYER_USER, true,
	    "  denyModify: [\"**/*.lock\"]\n"
	    "  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"], "
	    "network: [\"10.0.0.1\", a.org]}}\n" } },
	.runtime_read = "/etc", .closed = "/etc/shadow",
};

static const char files[] = "/w/a /etc/shadow /etc/odd\x1b[31m /etc/\xff\xfe";

static char *
print(const struct cdn_plan *plan, enum cordon_format format, size_t *ret_n)
{
	struct cdn_buf out;
	char *text;

	cdn_buf_init(&out, 1 << 20);
	need(cdn_plan_format(plan, &(struct cdn_plan_words){ "native",
		 "none" }, format, &out, NULL) == 0, "format");
	*ret_n = out.n;
	text = cdn_buf_take(&out);
	need(text != NULL, "memory");
	return text;
}

/* ----- JSON --------------------------------------------------------------------- */

static bool
keys_are(const json_t *object, const char *want)
{
	char got[256] = "";
	const char *key;
	const json_t *value;

	json_object_foreach((json_t *)(uintptr_t)object, key, value) {
		size_t n = strlen(got);

		snprintf(got + n, sizeof(got) - n, "%s%s", n > 0 ? " " : "",
		    key);
	}
	if (strcmp(got, want) == 0)
		return true;
	printf("#  got %s\n# want %s\n", got, want);
	return false;
}

static bool
is(const json_t *object, const char *key, const char *want)
{
	const json_t *value = json_object_get(object, key);

	return want == NULL ? json_is_null(value) : json_is_string(value) &&
		strcmp(json_string_value(value), want) == 0;
}

static bool
is_line(const json_t *row, const char *rule, const char *layer,
    const char *by, const char *why)
{
	return is(row, "rule", rule) && is(row, "layer", layer) &&
	    is(row, "by", by) && is(row, "why", why);
}

static void
check_regions(const json_t *regions, const struct cdn_plan *plan)
{
	const json_t *w = json_array_get(regions,
	    json_array_size(regions) - 1);

	ok(json_array_size(regions) == plan->region_count,
	    "every region is there");
	ok(keys_are(w, "path read modify exec") && is(w, "path", "/w") &&
		is(w, "read", "allow") && is(w, "modify", "mixed") &&
		is(w, "exec", "allow"), "a region says what holds in it");
}

static void
check_rules(const json_t *rules, const struct cdn_plan *plan)
{
	bool kernel = false, unheld = false, named = false;
	const json_t *row;
	size_t i;

	ok(json_array_size(rules) == plan->rule_count, "every rule is there");
	json_array_foreach((json_t *)(uintptr_t)rules, i, row) {
		kernel |= is_line(row, "/etc/shadow", "floor",
		    "kernel (landlock)", NULL) && is(row, "op", "read") &&
		    json_is_null(json_object_get(row, "line"));
		unheld |= is(row, "rule", "!**/*.lock") &&
		    is(row, "op", "modify") && is(row, "source", "t.yaml") &&
		    json_integer_value(json_object_get(row, "line")) == 5 &&
		    strncmp(json_string_value(json_object_get(row, "by")),
			"NOT ENFORCED: no broker", 23) == 0 &&
		    json_is_string(json_object_get(row, "why"));
		named |= is(row, "rule", "a.org:*") && is(row, "op", "connect");
	}
	ok(kernel && unheld && named, "... with who holds it and why not");
	ok(keys_are(json_array_get(rules, 0),
	    "rule op layer source line by why"), "... under the agreed keys");
}

static void
check_json(const struct cdn_plan *plan)
{
	size_t n;
	char *text = print(plan, CORDON_FORMAT_JSON, &n);
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	const json_t *first;

	if (!ok(root != NULL, "another reader takes it"))
		return;
	ok(strncmp(text, "{\"schema\":1,", 12) == 0 && text[n - 1] == '\n' &&
		strlen(text) == n && strchr(text, '\n') == text + n - 1,
	    "one line, the schema first");
	ok(keys_are(root, "schema backend mode isolation network enforced "
	    "regions rules shortfall limits"), "the agreed keys");
	ok(is(root, "backend", "native") && is(root, "isolation", "none") &&
		is(root, "mode", "none") && is(root, "network", "none") &&
		json_is_false(json_object_get(root, "enforced")),
	    "the agreed words");
	check_regions(json_object_get(root, "regions"), plan);
	check_rules(json_object_get(root, "rules"), plan);
	first = json_array_get(json_object_get(root, "shortfall"), 0);
	ok(keys_are(first, "id text remedy stricter") &&
		is(first, "id", "broker-modify"), "what is missing, with help");
	json_decref(root);
	free(text);
}

/* ----- Text ------------------------------------------------------------------------- */

static void
check_text(const struct cdn_plan *plan)
{
	static const char *const wanted[] = { "workspace  /w\n",
		"mode       none (no broker is asked)\n", "enforced   no\n",
		"mixed-modify, held to open\n", "odd\\x1b[31m",
		"\nkernel (landlock)\n", "\nNOT ENFORCED: no broker",
		"!**/*.lock", "t.yaml:5 (user)\n", "\nnot enforced here\n",
		"broker-modify: ", "    hint: ",
		"\nstricter than the policy here\n", "names and metadata" };
	size_t n;
	char *text = print(plan, CORDON_FORMAT_YAML, &n);

	for (size_t i = 0; i < CDN_LEN(wanted); i++)
		ok_f(strstr(text, wanted[i]) != NULL, "text has '%s'",
		    wanted[i]);
	ok(strchr(text, '\x1b') == NULL, "no control character gets out");
	free(text);
}

/* ----- The same input, the same bytes --------------------------------------------------- */

static void
check_same(const struct world *w)
{
	struct tree t;

	for (int broker = 0; broker < 2; broker++)
		for (enum cordon_format f = CORDON_FORMAT_YAML;
		     f <= CORDON_FORMAT_JSON; f++) {
			size_t n, m;
			char *a, *b;

			tree_make(&t, files);
			a = print(tree_plan(&t, w, NULL, broker != 0), f, &n);
			t.backwards = true;
			b = print(tree_plan(&t, w, NULL, broker != 0), f, &m);
			ok(n == m && memcmp(a, b, n) == 0,
			    "the same input gives the same bytes");
			free(a);
			free(b);
		}
}

/* ----- The record ------------------------------------------------------------------------ */

static void
check_report(void)
{
	struct world_spec many = { .profile = "dev" };
	char text[12000];
	const struct cdn_plan *plan;
	struct cdn_buf out;
	struct world w;
	struct tree t;
	json_t *root;
	size_t at;

	at = (size_t)snprintf(text, sizeof(text),
	    "  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"");
	for (int i = 0; i < 600; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
		    ", \"!**/x%d\"", i);
	snprintf(text + at, sizeof(text) - at, "]}}\n");
	many.documents[0].layer = CORDON_LAYER_USER;
	many.documents[0].trusted = true;
	many.documents[0].spec = text;
	world_make(&w, &many);
	tree_make(&t, "/w/a");
	plan = tree_plan(&t, &w, NULL, false);
	cdn_buf_init(&out, 65536);
	need(cdn_plan_report(plan, &out, NULL) == 0, "report");
	root = json_loadb(out.p, out.n, JSON_REJECT_DUPLICATES, NULL);
	ok(keys_are(root, "mode network enforced rules not_enforced "
	    "unrecorded shortfall"), "a report has the agreed keys");
	ok(keys_are(json_object_get(root, "unrecorded"), "read modify") &&
	    json_array_size(json_object_get(json_object_get(root,
		"unrecorded"), "read")) > 0,
	    "it says what goes on without an event");
	ok_f(out.n < 16384 && json_array_size(json_object_get(root,
		"not_enforced")) == CDN_PLAN_REPORT_MAX,
	    "600 rules that nobody holds are %zu bytes", out.n);
	ok(json_integer_value(json_object_get(json_object_get(root, "rules"),
	    "NOT ENFORCED")) == 601, "but all are counted");
	json_decref(root);
	cdn_buf_done(&out);
	world_done(&w);
}

/* Those that namespaces close are not said with them, the others are. */
static void
check_limits(const struct cdn_plan *plan)
{
	static const struct cdn_plan_words shared = { "native", "none" },
		apart = { "native", "namespaces" };
	const struct cdn_plan_limit *limit;
	size_t closed = 0, wrong = 0;

	for (size_t i = 0; (limit = cdn_plan_limit(i)) != NULL; i++) {
		bool said = cdn_plan_limit_applies(plan, &shared, i);

		closed += limit->apart;
		wrong += cdn_plan_limit_applies(plan, &apart, i) !=
		    (said && !limit->apart);
	}
	ok_f(closed > 0 && wrong == 0, "%zu limits are closed by namespaces",
	    closed);
}

int
main(void)
{
	const struct cdn_plan *plan;
	struct world w;
	struct tree t;

	world_make(&w, &spec);
	tree_make(&t, files);
	plan = tree_plan(&t, &w, NULL, false);
	check_json(plan);
	check_text(plan);
	check_limits(plan);
	check_same(&w);
	world_done(&w);
	check_report();
	return done_testing();
}
