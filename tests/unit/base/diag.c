/* base/diag: order, ownership, the maximum. */
#include "base/diag.h"

#include "support/tap.h"

static void
test_null(void)
{
	struct cdn_pos pos = { NULL, 0, 0 };

	cdn_diag_add(NULL, CORDON_ERROR, "P001", pos, NULL, "x");
	cordon_diags_free(NULL);
	ok(cordon_diags_count(NULL) == 0 && cordon_diags_errors(NULL) == 0 &&
	    cordon_diags_omitted(NULL) == 0 &&
	    cordon_diags_get(NULL, 0) == NULL, "NULL is an empty list");
}

static void
test_one(void)
{
	struct cordon_diags *diags = cordon_diags_new();
	const struct cordon_diag *d;
	char source[] = "p.yaml";
	char hint[] = "write 'allow'";
	struct cdn_pos pos = { source, 12, 7 };

	ok(cordon_diags_count(diags) == 0 && cordon_diags_errors(diags) == 0 &&
	    cordon_diags_get(diags, 0) == NULL, "a new list is empty");
	cdn_diag_add(diags, CORDON_ERROR, "P014", pos, hint,
	    "unknown key '%s'", "alow");
	memset(source, '!', sizeof(source) - 1);
	memset(hint, '!', sizeof(hint) - 1);
	d = cordon_diags_get(diags, 0);
	ok(d != NULL && d->severity == CORDON_ERROR && d->line == 12 &&
	    d->column == 7, "what was found, and where");
	ok(d != NULL && strcmp(d->id, "P014") == 0 &&
	    strcmp(d->source, "p.yaml") == 0 &&
	    strcmp(d->text, "unknown key 'alow'") == 0 &&
	    strcmp(d->hint, "write 'allow'") == 0, "the list owns its texts");
	ok(cordon_diags_get(diags, 1) == NULL, "NULL past the end");
	cordon_diags_free(diags);
}

static void
test_order(void)
{
	static const struct {
		const char *source;
		enum cordon_severity severity;
	} rows[] = {
		{ "b.yaml", CORDON_WARNING },
		{ "b.yaml", CORDON_ERROR },
		{ "a.yaml", CORDON_ERROR },
		{ NULL, CORDON_WARNING },
		{ "b.yaml", CORDON_WARNING },
	};
	struct cordon_diags *diags = cordon_diags_new();
	const struct cordon_diag *d;

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_pos pos = { rows[i].source, 9 - (unsigned)i, 1 };

		cdn_diag_add(diags, rows[i].severity, "P001", pos, NULL,
		    "number %zu", i);
	}
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const char *want = rows[i].source == NULL ? "" :
		    rows[i].source;

		d = cordon_diags_get(diags, i);
		ok_f(d != NULL && strcmp(d->source, want) == 0 &&
		    d->text[7] == (char)('0' + i) && d->hint == NULL &&
		    d->severity == rows[i].severity,
		    "finding %zu stands where it was added", i);
	}
	ok(cordon_diags_errors(diags) == 2, "warnings are not errors");
	ok(cordon_diags_omitted(diags) == 0, "none is missing");
	cordon_diags_free(diags);
}

static void
test_maximum(void)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cdn_pos pos = { "p.yaml", 1, 1 };
	const struct cordon_diag *first, *last;

	cdn_diag_add(diags, CORDON_WARNING, "W001", pos, NULL, "first");
	first = cordon_diags_get(diags, 0);
	for (unsigned i = 0; i < 2 * CDN_DIAGS_MAX; i++)
		cdn_diag_add(diags, i >= CDN_DIAGS_MAX + 50 ? CORDON_ERROR :
		    CORDON_WARNING, "P001", pos, NULL, "%u", i);
	last = cordon_diags_get(diags, CDN_DIAGS_MAX - 1);
	ok(cordon_diags_count(diags) == CDN_DIAGS_MAX, "the maximum is kept");
	ok(cordon_diags_omitted(diags) == CDN_DIAGS_MAX + 1,
	    "the rest is counted");
	ok(cordon_diags_errors(diags) == CDN_DIAGS_MAX - 50,
	    "errors beyond the maximum count");
	ok(last != NULL && strcmp(last->text, "98") == 0, "the first stay");
	ok(first == cordon_diags_get(diags, 0) &&
	    strcmp(first->text, "first") == 0, "and do not move");
	ok(cordon_diags_get(diags, CDN_DIAGS_MAX) == NULL, "none behind");
	cordon_diags_free(diags);
}

static void
test_long(void)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cdn_pos pos = { "p.yaml", 1, 1 };
	const struct cordon_diag *d;
	char rule[CDN_RULE_MAX + 1];

	memset(rule, 'x', CDN_RULE_MAX);
	rule[CDN_RULE_MAX] = '\0';
	cdn_diag_add(diags, CORDON_ERROR, "P001", pos, NULL,
	    "rule '%s' is\nwrong", rule);
	cdn_diag_add(diags, CORDON_ERROR, "P001", pos, NULL, "%99999d", 1);
	d = cordon_diags_get(diags, 0);
	ok(d != NULL && cdn_str_ends(cdn_str_of(d->text),
	    CDN_STR("xxx' is?wrong")), "the longest rule fits, on one line");
	d = cordon_diags_get(diags, 1);
	ok(d != NULL && strlen(d->text) < 8192 &&
	    cdn_str_ends(cdn_str_of(d->text), CDN_STR("...")),
	    "anything longer is cut");
	cordon_diags_free(diags);
}

int
main(void)
{
	test_null();
	test_one();
	test_order();
	test_maximum();
	test_long();
	return done_testing();
}
