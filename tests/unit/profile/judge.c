/*
 * One list, one path: the contract strings.  And the network key.
 */
#include "engine/profile/profile.h"

#include "support/engine.h"

/* clang-format off */
static const struct {
	const char *rules;
	const char *path;
	bool allowed;
	const char *matched;
	const char *deny; /* behind "[]"; NULL = none */
} rows[] = {
	/* no positive rule: denied with "[]", a deny is told beside it */
	{ "",			"a",	 false, "[]", NULL },
	{ "!a",			"a",	 false, "[]", "a" },
	{ "!a",			"b",	 false, "[]", NULL },
	{ "!** !a",		"a",	 false, "[]", "a" },

	/* nothing matches */
	{ "a",			"b",	 false, "<no matching rule>", NULL },
	{ "a !b",		"c",	 false, "<no matching rule>", NULL },

	/* the last match wins, and reports its pattern without '!' */
	{ "**",			"a/b",	 true,	"**", NULL },
	{ "** !a",		"a",	 false, "a", NULL },
	{ "** !a",		"a/b",	 true,	"**", NULL },
	{ "** !a/** a/b",	"a/b",	 true,	"a/b", NULL },
	{ "a/b !a/** **",	"a/b",	 true,	"**", NULL },
	{ "!a **",		"a",	 true,	"**", NULL },
	{ "** !!a",		"!a",	 false, "!a", NULL },
	{ "** !a a !a",		"a",	 false, "a", NULL },

	/* the root */
	{ "**",			"",	 true,	"**", NULL },
	{ ".",			"",	 true,	".", NULL },
	{ "a",			"",	 false, "<no matching rule>", NULL },
};
/* clang-format on */

static void
test_rows(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cdn_rule_set set;
		struct cdn_finding f;
		struct cordon_verdict v;

		need(arena != NULL, "memory");
		need(cdn_rule_set_build(arena, rules_of(arena, rows[i].rules),
			 false, &set, NULL) == 0, "set");
		f = cdn_rule_set_judge(&set, cdn_str_of(rows[i].path));
		ok_f(f.allowed == rows[i].allowed &&
		    strcmp(f.matched_rule, rows[i].matched) == 0,
		    "[%s] '%s': %s by %s", rows[i].rules, rows[i].path,
		    rows[i].allowed ? "allowed" : "denied", rows[i].matched);
		ok_f((f.deny_rule == NULL) == (rows[i].deny == NULL) &&
		    (f.deny_rule == NULL ||
			cdn_str_is(f.deny_rule->pattern, rows[i].deny)),
		    "[%s] '%s': the deny beside it", rows[i].rules,
		    rows[i].path);
		v = cdn_finding_verdict(&f, CORDON_AS_POLICY, CORDON_READ,
		    CORDON_LAYER_USER, "p");
		ok_f(v.allowed == f.allowed &&
		    v.decision == (f.allowed ? CORDON_ALLOW : CORDON_DENY) &&
		    v.layer == CORDON_LAYER_USER &&
		    v.matched_rule == f.matched_rule &&
		    (v.line != 0) == (f.rule != NULL || f.deny_rule != NULL),
		    "[%s] '%s': the same as a verdict", rows[i].rules,
		    rows[i].path);
		cdn_arena_free(arena);
	}
}

/* clang-format off */
static const struct {
	const char *network; /* "" = no key */
	const char *endpoint;
	bool allowed;
	const char *matched;
} networks[] = {
	{ "",			"a.org:80",	    false, "[]" },
	{ "none",		"a.org:80",	    false, "[]" },
	{ "none",		"127.0.0.1:80",	    false, "[]" },
	{ "full",		"a.org:80",	    true,  "full" },
	{ "full",		"127.0.0.1:80",	    true,  "full" },
	{ "loopback",		"127.0.0.1:80",	    true,  "loopback" },
	{ "loopback",		"127.8.9.1:80",	    true,  "loopback" },
	{ "loopback",		"[::1]:80",	    true,  "loopback" },
	{ "loopback",		"localhost:80",	    true,  "loopback" },
	{ "loopback",		"a.org:80",	    false, "<no matching rule>" },
	{ "loopback",		"128.0.0.1:80",	    false, "<no matching rule>" },
	{ "loopback",		"127.evil.org:80",  false, "<no matching rule>" },
	{ "loopback",		"localhost.org:80", false, "<no matching rule>" },
	{ "[\"a.org\"]",	"a.org:80",	    true,  "a.org:*" },
	{ "[\"a.org:443\"]",	"a.org:443",	    true,  "a.org:443" },
	{ "[\"a.org:443\"]",	"a.org:80",	    false, "<no matching rule>" },
	{ "[\"*.a.org\"]",	"b.a.org:1",	    true,  "*.a.org:*" },
	{ "[\"*.a.org\"]",	"a.org:1",	    false, "<no matching rule>" },
	{ "[\"*.a.org\", \"!x.a.org\"]", "x.a.org:1", false, "x.a.org:*" },
	{ "[\"10.0.0.1\"]",	"10.0.0.1:5",	    true,  "10.0.0.1:*" },
	{ "[]",			"a.org:80",	    false, "[]" },
};
/* clang-format on */

static void
test_network(void)
{
	for (size_t i = 0; i < CDN_LEN(networks); i++) {
		const char *word = networks[i].network;
		struct cordon_profile *profile = NULL;
		struct cordon_policy *policy;
		struct cdn_finding f;
		char spec[256];

		snprintf(spec, sizeof(spec), "  fsProfiles:\n    p:\n"
		    "      read: []\n%s%s\n", word[0] != '\0' ?
		    "      network: " : "", word);
		policy = policy_of(spec);
		need(cdn_profile_resolve(policy, CDN_STR("p"),
			 CDN_RESOLVE_STRICT, &profile, NULL) == 0, "profile");
		f = cdn_network_judge(&profile->network,
		    cdn_str_of(networks[i].endpoint));
		if (!ok_f(f.allowed == networks[i].allowed &&
			strcmp(f.matched_rule, networks[i].matched) == 0,
			"network %s, %s: %s by %s", word,
			networks[i].endpoint,
			networks[i].allowed ? "allowed" : "denied",
			networks[i].matched))
			printf("# got %s by %s\n", f.allowed ? "allowed" :
			    "denied", f.matched_rule);
		ok_f(!f.allowed || (f.rule != NULL && f.rule->pos.line == 8),
		    "network %s: an allow has its line", word);
		cdn_profile_free(profile);
		cdn_policy_free(policy);
	}
}

int
main(void)
{
	test_rows();
	test_network();
	return done_testing();
}
