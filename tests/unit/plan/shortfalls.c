/*
 * What is said to be missing: every Landlock ABI, with and without a broker,
 * every reason, and whether a run that requires enforcement may start.
 */
#include "tree.h"

#define DEV(rules) .profile = "dev", .documents = { { CORDON_LAYER_USER, true, \
	"  fsProfiles: {dev: {" rules "}}\n" } }
#define VIEW .runtime_write = "/s/me =/dev/null =/dev/ptmx", .own = "/s/me"
#define TREE "/w/a /w/b/c /dev/null /dev/ptmx "

/* clang-format off */
static const struct world_spec
	quiet = { DEV("read: [\"**\"]") },
	strict = { .preset = CORDON_PRESET_STRICT, VIEW },
	open = { DEV("read: [\"**\"], modify: [\"**\"]"), VIEW },
	mixed = { VIEW }, /* the preset's rules: mixed-modify */
	secret = { DEV("read: [\"**\", \"!**/*.env\"], modify: [\"b/**\"]"),
	    VIEW },
	loopback = { DEV("read: [\"**\"], network: loopback") },
	addresses = { DEV("read: [\"**\"], network: [\"10.0.0.1\"]") },
	names = { DEV("read: [\"**\"], network: [a.org]") },
	sockets = { DEV("read: [\"**\"], sockets: [/run/x]") },
	token = { DEV("read: [\"**\"], modify: [\"**\"]"), .closed = "/w/a" },
	whole = { .preset = CORDON_PRESET_PROTECT, .runtime_read = "/",
	    .runtime_write = "/" },
	coming = { DEV("read: [\"**\"], modify: [\"new/**\"]") };

static const struct {
	const char *name;
	const struct world_spec *world;
	int abi;
	bool broker;
	const char *want; /* '~': stricter */
	bool enforced;
} rows[] = {
	/* The kernel's age. */
	{ "read only", &quiet, 7, false, "", true },
	{ "read only", &quiet, 7, true, "", true },
	{ "ABI 6", &quiet, 6, false, "", true },
	{ "ABI 5", &quiet, 5, false,
	  "~landlock-abi-6-abstract landlock-abi-6-signals", false },
	{ "ABI 4", &quiet, 4, false,
	  "~landlock-abi-6-abstract landlock-abi-6-signals", false },
	{ "ABI 3", &quiet, 3, false,
	  "~landlock-abi-6-abstract landlock-abi-6-signals", false },
	{ "ABI 2", &quiet, 2, false, "landlock-abi-3 "
	  "~landlock-abi-6-abstract landlock-abi-6-signals", false },
	{ "ABI 1", &quiet, 1, false,
	  "~landlock-abi-2 landlock-abi-3 "
	  "~landlock-abi-6-abstract landlock-abi-6-signals", false },
	{ "no Landlock", &quiet, 0, false, "landlock", false },
	{ "no Landlock, no broker either", &quiet, 0, true, "landlock", false },
	{ "ABI 1, mode B sees truncate and signals", &open, 1, true,
	  "~landlock-abi-2", true },
	{ "ABI 2, mode B sees truncate", &mixed, 2, true, "", true },
	{ "ABI 2, mode C too", &secret, 2, true, "", true },
	{ "ABI 2, nothing is modified", &quiet, 2, true, "", true },
	{ "ABI 5, mode A judges sockets and signals", &open, 5, true, "",
	  true },

	/* The broker. */
	{ "all of it", &open, 7, true, "", true },
	{ "all of it", &open, 7, false,
	  "broker-metadata ~broker-sockets ~broker-pty", false },
	{ "a default run", &mixed, 7, true, "", true },
	{ "a default run", &mixed, 7, false,
	  "broker-modify broker-metadata ~broker-sockets ~broker-pty", false },
	{ "a secret", &secret, 7, true, "", true },
	{ "a secret", &secret, 7, false, "broker-modify broker-read "
	  "broker-metadata ~broker-sockets ~broker-pty", false },
	{ "a strict run needs none", &strict, 7, false,
	  "~broker-metadata ~broker-sockets ~broker-pty", true },
	{ "a strict run", &strict, 7, true, "", true },
	{ "named sockets", &sockets, 7, true, "", true },
	{ "named sockets", &sockets, 7, false, "~broker-sockets", true },

	/* The network. */
	{ "loopback", &loopback, 7, true, "", true },
	{ "loopback", &loopback, 7, false, "~broker-network", true },
	{ "addresses", &addresses, 7, true, "", true },
	{ "addresses", &addresses, 7, false, "~broker-network", true },
	{ "names", &names, 7, true, "network-names", false },
	{ "names", &names, 7, false, "~broker-network network-names", false },

	/* Directories that had to be broken up. */
	{ "a protected file", &token, 7, true, "", true },
	{ "a protected file", &token, 7, false,
	  "broker-metadata ~broker-sockets ~new-names", false },
	{ "a directory of the policy that is not there", &coming, 7, true, "",
	  true },
	{ "a directory of the policy that is not there", &coming, 7, false,
	  "~new-names", true },
};
/* clang-format on */

static void
spell(const struct cdn_plan *plan, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < plan->shortfall_count; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s%s",
		    i > 0 ? " " : "", plan->shortfalls[i].stricter ? "~" : "",
		    plan->shortfalls[i].id);
	need(at < size, "shortfalls too long");
}

static bool
has_words(const struct cdn_plan *plan)
{
	for (size_t i = 0; i < plan->shortfall_count; i++)
		if (plan->shortfalls[i].text[0] == '\0' ||
		    plan->shortfalls[i].remedy[0] == '\0')
			return false;
	return true;
}

static bool
check(const char *name, const struct world_spec *spec,
    const struct cdn_host *host, bool broker, const char *want, bool enforced)
{
	char got[1024];
	const struct cdn_plan *plan;
	struct world w;
	struct tree t;
	bool good;

	world_make(&w, spec);
	tree_make(&t, TREE);
	plan = tree_plan(&t, &w, host, broker);
	spell(plan, got, sizeof(got));
	good = ok_f(strcmp(got, want) == 0 && plan->enforced == enforced &&
		plan->caged == (host->landlock_abi > 0) && has_words(plan),
	    "%s%s", name, broker ? ", with a broker" : "");
	if (!good)
		printf("#  got [%s] enforced %d\n# want [%s]\n", got,
		    plan->enforced, want);
	world_done(&w);
	return good;
}

/* What the host lacks besides. */
static void
check_hosts(void)
{
	struct cdn_host host = tree_host;

	host.yama_scope = 2;
	check("Yama 2", &open, &host, true, "yama", false);
	check("Yama 2, nobody to be hindered", &quiet, &host, true, "", true);
	host.yama_scope = 1;
	check("Yama 1", &open, &host, true, "", true);
	host.notify_wait_killable = false;
	check("Linux 5.14", &open, &host, true, "~notify-wait", true);
	host.seccomp_notify = false;
	check("a broker without a listener is none", &open, &host, true,
	    "broker-metadata ~broker-sockets ~broker-pty", false);
	host.seccomp_filter = false;
	check("no seccomp", &quiet, &host, true, "seccomp", false);
}

/* What the filter is told. */
static void
check_terms(const char *name, const struct world_spec *spec, bool broker,
    bool no_modify, enum cdn_plan_unix sockets_are, bool is_strict,
    enum cdn_network_mode network)
{
	const struct cdn_plan *plan;
	struct world w;
	struct tree t;

	world_make(&w, spec);
	tree_make(&t, TREE);
	plan = tree_plan(&t, &w, NULL, broker);
	ok_f(plan->no_modify == no_modify && plan->unix_sockets == sockets_are &&
		plan->strict == is_strict && plan->network == network &&
		strcmp(plan->workspace, "/w") == 0,
	    "terms: %s%s", name, broker ? ", with a broker" : "");
	world_done(&w);
}

static void
check_all_terms(void)
{
	const enum cdn_plan_unix judged = CDN_PLAN_UNIX_JUDGED;
	const enum cdn_plan_unix none = CDN_PLAN_UNIX_NONE;

	check_terms("read only", &quiet, true, true, none, false,
	    CDN_NETWORK_NONE);
	check_terms("open", &open, true, false, judged, false,
	    CDN_NETWORK_NONE);
	check_terms("open", &open, false, false, none, false,
	    CDN_NETWORK_NONE);
	check_terms("strict", &strict, true, false, judged, true,
	    CDN_NETWORK_NONE);
	check_terms("strict", &strict, false, true, none, true,
	    CDN_NETWORK_NONE);
	check_terms("the whole host", &whole, false, false, none, false,
	    CDN_NETWORK_FULL);
	check_terms("loopback", &loopback, true, true, judged, false,
	    CDN_NETWORK_LOOPBACK);
	check_terms("loopback", &loopback, false, true, none, false,
	    CDN_NETWORK_NONE);
	check_terms("addresses", &addresses, true, true, judged, false,
	    CDN_NETWORK_LIST);
	check_terms("addresses", &addresses, false, true, none, false,
	    CDN_NETWORK_NONE);
}

/* All is performed, so that all is seen. */
static void
check_trace(void)
{
	const struct cdn_plan *plan = NULL;
	struct cdn_plan_reader reader;
	struct cdn_plan_input in = { .host = &tree_host, .reader = &reader,
		.has_broker = true, .trace = true };
	struct world w;
	struct tree t;

	world_make(&w, &quiet);
	tree_make(&t, TREE);
	reader = tree_reader(&t);
	in.authority = w.authority;
	in.spec = &w.spec;
	ok(cdn_plan_build(w.arena, &in, &plan, NULL) == 0 &&
		plan->mode == CDN_PLAN_MODE_C, "a traced run is in mode C");
	in.has_broker = false;
	ok(cdn_plan_build(w.arena, &in, &plan, NULL) == 0 &&
		plan->mode == CDN_PLAN_MODE_NONE, "... if somebody traces");
	world_done(&w);
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_host host = tree_host;

		host.landlock_abi = rows[i].abi;
		check(rows[i].name, rows[i].world, &host, rows[i].broker,
		    rows[i].want, rows[i].enforced);
	}
	check_hosts();
	check_all_terms();
	check_trace();
	return done_testing();
}
