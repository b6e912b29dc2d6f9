/*
 * The two sides of a probe: what counts as agreement, and what as nothing.
 */
#include "enforce/verify/verify.h"

#include <errno.h>

#include "enforce/verify/probe.h"
#include "support/tap.h"

static struct cdn_region regions[] = {
	{ .path = "/w", .held = CDN_REGION_PASSAGE, .directory = true },
	{ .path = "/w/open", .held = CDN_REGION_OPEN, .directory = true },
};
static struct cdn_rule rule = { .pos = { "p.yaml", 7, 3 } };
static struct cdn_plan_rule rules[] = {
	{ .rule = &rule, .op = CORDON_EXEC, .layer = CORDON_LAYER_POLICY,
	    .by = CDN_BY_EFFORT, .why = "best effort" },
};
static struct cdn_shortfall shortfalls[] = {
	{ .id = "broker-metadata", .text = "metadata" },
	{ .id = "broker-sockets", .text = "sockets", .stricter = true },
};
static const struct cdn_plan plan = { .caged = true,
	.mode = CDN_PLAN_MODE_B, .regions = regions,
	.region_count = CDN_LEN(regions), .rules = rules,
	.rule_count = CDN_LEN(rules), .shortfalls = shortfalls,
	.shortfall_count = CDN_LEN(shortfalls) };

#define P "/w/open/file"

static const struct {
	const char *text;
	enum cdn_try how;
	const char *path;
	bool allowed;
	int control, result;
	enum cordon_outcome want;
} rows[] = {
	{ "both allow", CDN_TRY_READ, P, true, 0, 0, CORDON_AGREES },
	{ "both deny", CDN_TRY_READ, P, false, 0, -EACCES, CORDON_AGREES },
	{ "a leak", CDN_TRY_READ, P, false, 0, 0, CORDON_LEAKS },
	{ "refused", CDN_TRY_READ, P, true, 0, -EACCES, CORDON_REFUSES },
	{ "refused, with another errno", CDN_TRY_WRITE, P, true, 0, -EPERM,
	    CORDON_REFUSES },

	/* A refusal that is nobody's merit. */
	{ "modes deny it, too", CDN_TRY_READ, P, false, -EACCES, -EACCES,
	    CORDON_NOT_PROBED },
	{ "a file system that cannot be written", CDN_TRY_WRITE, P, false,
	    -EROFS, -EACCES, CORDON_NOT_PROBED },
	{ "gone meanwhile", CDN_TRY_READ, P, false, 0, -ENOENT,
	    CORDON_NOT_PROBED },
	{ "a program that runs", CDN_TRY_WRITE, P, true, 0, -ETXTBSY,
	    CORDON_NOT_PROBED },
	{ "no turn inside", CDN_TRY_READ, P, false, 0, CDN_NOT_TRIED,
	    CORDON_NOT_PROBED },
	{ "no turn outside", CDN_TRY_READ, P, true, CDN_NOT_TRIED, 0,
	    CORDON_NOT_PROBED },
	{ "another object inside", CDN_TRY_READ, P, false, 0, CDN_NOT_SAME,
	    CORDON_NOT_PROBED },
	{ "not made", CDN_TRY_CHMOD, P, true, 0, CDN_NOT_MADE,
	    CORDON_NOT_PROBED },

	/* ENODATA is what an allowed removal of nothing comes to. */
	{ "reached", CDN_TRY_XATTR, P, true, -ENODATA, -ENODATA,
	    CORDON_AGREES },
	{ "not reached", CDN_TRY_XATTR, P, false, -ENODATA, -EACCES,
	    CORDON_AGREES },
	{ "no attributes there", CDN_TRY_XATTR, P, false, -EOPNOTSUPP,
	    -EACCES, CORDON_NOT_PROBED },

	/* What the plan says itself. */
	{ "a shortfall explains a leak", CDN_TRY_XATTR, P, false, -ENODATA,
	    -ENODATA, CORDON_KNOWN },
	{ "but no refusal", CDN_TRY_XATTR, P, true, -ENODATA, -EACCES,
	    CORDON_REFUSES },
	{ "a stricter one explains a refusal", CDN_TRY_CONNECT_UNIX, P, true,
	    0, -EACCES, CORDON_KNOWN },
	{ "but no leak", CDN_TRY_CONNECT_UNIX, P, false, 0, 0, CORDON_LEAKS },
	{ "a rule of best effort", CDN_TRY_EXEC, P, false, 0, 0,
	    CORDON_KNOWN },
	{ "names below a passage", CDN_TRY_LIST, "/w/closed", false, 0, 0,
	    CORDON_KNOWN },
	{ "but not what is in files there", CDN_TRY_READ, "/w/closed/x",
	    false, 0, 0, CORDON_LEAKS },
	{ "names elsewhere", CDN_TRY_LIST, "/v", false, 0, 0, CORDON_LEAKS },

	/* Escapes: death is a refusal, and so is every errno. */
	{ "an escape", CDN_TRY_ESCAPE, "x", false, 0, 0, CORDON_LEAKS },
	{ "killed", CDN_TRY_ESCAPE, "x", false, 0, -(CDN_DIED + 31),
	    CORDON_AGREES },
	{ "refused", CDN_TRY_ESCAPE, "x", false, 0, -ENOSYS, CORDON_AGREES },
	{ "not there at all", CDN_TRY_ESCAPE, "x", false, -ENOSYS, -ENOSYS,
	    CORDON_NOT_PROBED },
};

static struct cdn_probe
probe_of(size_t i)
{
	return (struct cdn_probe){ .how = rows[i].how, .path = rows[i].path,
		.expected = true, .control = rows[i].control,
		.result = rows[i].result, .alone = rows[i].result,
		.escape = 2, /* one that is reached by no errno */
		.verdict = { .allowed = rows[i].allowed,
		    .decision = rows[i].allowed ? CORDON_ALLOW : CORDON_DENY,
		    .operation = cdn_tries[rows[i].how].op,
		    .layer = CORDON_LAYER_POLICY, .matched_rule = "r",
		    .source = "p.yaml", .line = 7, .column = 3 } };
}

static void
test_rows(void)
{
	struct cordon_plan whole = { .plan = &plan };

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_probe probe = probe_of(i);
		char why[CDN_WHY_SIZE] = "";
		enum cordon_outcome got = cdn_compare(&whole, &probe, why);

		if (!ok_f(got == rows[i].want, "%s: %s", rows[i].text,
			cordon_outcome_name(rows[i].want)))
			printf("# got %s: %s\n", cordon_outcome_name(got),
			    why);
		ok_f((got == CORDON_AGREES) == (why[0] == '\0'),
		    "%s: said why", rows[i].text);
	}
}

/* Both sides and the line stand in the words. */
static void
test_words(void)
{
	struct cordon_plan whole = { .plan = &plan };
	struct cdn_probe probe = probe_of(2);
	char why[CDN_WHY_SIZE];

	(void)cdn_compare(&whole, &probe, why);
	ok(strstr(why, "p.yaml:7:3") != NULL, "the line");
	ok(strstr(why, "denies") != NULL && strstr(why, "let it through") !=
	    NULL, "both sides");
	ok(strstr(why, "'/w/open': open") != NULL, "the region");
	(void)cdn_compare_alone(&whole, &probe, why);
	ok(strstr(why, "without the broker") != NULL, "who was not there");
}

/* Without Landlock there is nothing to be sure of. */
static void
test_uncaged(void)
{
	struct cdn_shortfall lost = { .id = "landlock", .text = "none" };
	struct cdn_plan none = { .shortfalls = &lost, .shortfall_count = 1 };
	struct cordon_plan whole = { .plan = &none };
	struct cdn_probe leak = probe_of(2), refusal = probe_of(3);
	char why[CDN_WHY_SIZE];

	ok(cdn_compare(&whole, &leak, why) == CORDON_KNOWN, "no cage, a leak");
	ok(cdn_compare(&whole, &refusal, why) == CORDON_KNOWN,
	    "no cage, a refusal");
}

static void
test_native(void)
{
	static const struct {
		enum cdn_plan_mode mode;
		enum cdn_try how;
		bool allowed, want;
	} natives[] = {
		{ CDN_PLAN_MODE_B, CDN_TRY_WRITE, false, true },
		{ CDN_PLAN_MODE_C, CDN_TRY_WRITE, false, true },
		{ CDN_PLAN_MODE_B, CDN_TRY_READ, false, true },
		/* Nobody else judges it, or Landlock does not. */
		{ CDN_PLAN_MODE_A, CDN_TRY_WRITE, false, false },
		{ CDN_PLAN_MODE_NONE, CDN_TRY_WRITE, false, false },
		{ CDN_PLAN_MODE_C, CDN_TRY_READ, false, false },
		{ CDN_PLAN_MODE_B, CDN_TRY_XATTR, false, false },
		{ CDN_PLAN_MODE_B, CDN_TRY_ESCAPE, false, false },
		/* What is allowed may be the broker's to perform. */
		{ CDN_PLAN_MODE_B, CDN_TRY_WRITE, true, false },
	};

	for (size_t i = 0; i < CDN_LEN(natives); i++) {
		struct cdn_plan of = { .mode = natives[i].mode };
		struct cdn_probe probe = { .how = natives[i].how,
			.verdict = { .allowed = natives[i].allowed } };

		ok_f(cdn_compare_is_native(&of, &probe) == natives[i].want,
		    "mode %s, %s: Landlock %s", cdn_plan_mode_name(of.mode),
		    cdn_tries[probe.how].call,
		    natives[i].want ? "alone" : "not alone");
	}
}

/* Every way has its words; every escape says what it is good for. */
static void
test_tables(void)
{
	for (size_t i = 0; i < CDN_TRY_MAX; i++)
		ok_f(cdn_tries[i].call != NULL, "try %zu has a name", i);
	for (size_t i = 0; i < cdn_escape_count; i++)
		ok_f(cdn_escapes[i].run != NULL &&
			cdn_escapes[i].known != NULL &&
			cdn_escapes[i].what[0] != '\0',
		    "%s is told of", cdn_escapes[i].name);
}

int
main(void)
{
	test_rows();
	test_words();
	test_uncaged();
	test_native();
	test_tables();
	return done_testing();
}
