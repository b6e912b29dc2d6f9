/*
 * Who holds which rule: nothing is claimed that is not so.
 */
#include "tree.h"

#define DEV(denies, rules) .profile = "dev", .documents = { { \
	CORDON_LAYER_USER, true, denies "  fsProfiles: {dev: {" rules "}}\n" } }

struct row {
	const char *name;
	struct world_spec world;
	const char *tree;
	const char *with;    /* a broker: the rows of documents and roots */
	const char *without;
};

/* clang-format off */
static const struct row rows[] = {
	{ "whole directories",
	  { DEV("", "read: [\"**\"], modify: [\"src/**\"]") }, "/w/src/a /w/b",
	  "read:**=landlock modify:src/**=landlock exec:**=landlock "
	  "connect:none=seccomp",
	  "read:**=landlock modify:src/**=landlock exec:**=landlock "
	  "connect:none=seccomp" },
	{ "a floating deny of modifying leaves reading to the kernel",
	  { DEV("  denyModify: [\"**/*.lock\"]\n",
	      "read: [\"**\"], modify: [\"**\"]") }, "/w/src/a /w/b",
	  "read:**=landlock modify:**=broker modify:!**/*.lock=broker "
	  "exec:**=landlock connect:none=seccomp",
	  "read:**=landlock modify:**=nobody modify:!**/*.lock=nobody "
	  "exec:**=landlock connect:none=seccomp" },
	{ "a floating deny of reading takes all three",
	  { DEV("  denyRead: [\"**/*.env\"]\n",
	      "read: [\"**\"], modify: [\"src/**\"]") }, "/w/src/a /w/b",
	  "read:**=broker read:!**/*.env=broker modify:src/**=broker "
	  "exec:**=effort exec:!**/*.env=effort connect:none=seccomp",
	  "read:**=nobody read:!**/*.env=nobody modify:src/**=nobody "
	  "exec:**=nobody exec:!**/*.env=nobody connect:none=seccomp" },
	{ "an anchored deny where names are made",
	  { DEV("  denyModify: [\".git/hooks/**\"]\n",
	      "read: [\"**\"], modify: [\"**\", \"src/**\"]") },
	  "/w/src/a /w/.git/hooks/b",
	  "read:**=landlock modify:**=broker modify:src/**=landlock "
	  "modify:!.git/hooks/**=landlock exec:**=landlock "
	  "connect:none=seccomp",
	  "read:**=landlock modify:**=nobody modify:src/**=nobody "
	  "modify:!.git/hooks/**=nobody exec:**=landlock "
	  "connect:none=seccomp" },
	{ "an anchored deny of reading is the broker's",
	  { DEV("  denyRead: [\"secrets/**\"]\n",
	      "read: [\"**\"], modify: [\"**\"]") },
	  "/w/src/a /w/secrets/b",
	  "read:**=broker read:!secrets/**=broker modify:**=broker "
	  "exec:**=effort exec:!secrets/**=effort connect:none=seccomp",
	  "read:**=nobody read:!secrets/**=nobody modify:**=nobody "
	  "exec:**=nobody exec:!secrets/**=nobody connect:none=seccomp" },
	{ "the same, where nothing is made",
	  { DEV("  denyRead: [\"secrets/**\"]\n", "read: [\"**\"]") },
	  "/w/src/a /w/secrets/b",
	  "read:**=landlock read:!secrets/**=landlock exec:**=landlock "
	  "exec:!secrets/**=landlock connect:none=seccomp",
	  "read:**=landlock read:!secrets/**=landlock exec:**=landlock "
	  "exec:!secrets/**=landlock connect:none=seccomp" },
	{ "a rule that reaches into a mixed region",
	  { DEV("  denyModify: [\"**/*.lock\"]\n",
	      "read: [\"**\"], modify: [\"src/**\"]") }, "/w/src/a /w/b",
	  "read:**=landlock modify:src/**=broker modify:!**/*.lock=broker "
	  "exec:**=landlock connect:none=seccomp",
	  "read:**=landlock modify:src/**=nobody modify:!**/*.lock=nobody "
	  "exec:**=landlock connect:none=seccomp" },
	{ "nothing is modified, whatever is read",
	  { DEV("  denyRead: [\"**/*.env\"]\n  denyModify: [\"x\"]\n",
	      "read: [\"**\"]") }, "/w/a",
	  "read:**=broker read:!**/*.env=broker modify:!x=landlock "
	  "exec:**=effort exec:!**/*.env=effort connect:none=seccomp",
	  "read:**=nobody read:!**/*.env=nobody modify:!x=landlock "
	  "exec:**=nobody exec:!**/*.env=nobody connect:none=seccomp" },
	{ "no execution",
	  { DEV("", "read: [\"**\"], exec: [\"!**\"]") }, "/w/a",
	  "read:**=broker exec:!**=effort connect:none=seccomp",
	  "read:**=landlock exec:!**=nobody connect:none=seccomp" },
	{ "roots of documents and of the command line",
	  { DEV("", "read: [\"**\"], host: {read: [/d], modify: [/o]}, "
	      "sockets: [/run/x.sock]"), .read = "/r", .write = "/x",
	    .write_roots = "/y" },
	  "/w/ /d/a /o/b /r/c /x/ /y/",
	  "read:**=landlock exec:**=landlock read:/d=landlock "
	  "modify:/o=landlock connect:/run/x.sock=broker "
	  "connect:none=seccomp read:/r=landlock modify:/x=landlock "
	  "modify:/y=landlock",
	  "read:**=landlock exec:**=landlock read:/d=landlock "
	  "modify:/o=landlock connect:/run/x.sock=seccomp "
	  "connect:none=seccomp read:/r=landlock modify:/x=landlock "
	  "modify:/y=landlock" },
	{ "the preset's own rules, when it speaks",
	  { .preset = CORDON_PRESET_STRICT }, "/w/a",
	  "read:**=landlock exec:**=landlock connect:none=seccomp",
	  "read:**=landlock exec:**=landlock connect:none=seccomp" },

	{ "full network", { DEV("", "read: [\"**\"], network: full") }, "/w/",
	  "read:**=landlock exec:**=landlock connect:full=seccomp",
	  "read:**=landlock exec:**=landlock connect:full=seccomp" },
	{ "loopback", { DEV("", "read: [\"**\"], network: loopback") }, "/w/",
	  "read:**=landlock exec:**=landlock connect:loopback=broker",
	  "read:**=landlock exec:**=landlock connect:loopback=seccomp" },
	{ "addresses and names",
	  { DEV("", "read: [\"**\"], network: [\"10.0.0.1:80\", a.org, "
	      "\"!10.0.0.2\", \"*.b.org\", \"[::1]:1\"]") }, "/w/",
	  "read:**=landlock exec:**=landlock connect:10.0.0.1:80=broker "
	  "connect:a.org:*=nobody connect:!10.0.0.2:*=broker "
	  "connect:*.b.org:*=nobody connect:[::1]:1=broker",
	  "read:**=landlock exec:**=landlock connect:10.0.0.1:80=seccomp "
	  "connect:a.org:*=nobody connect:!10.0.0.2:*=seccomp "
	  "connect:*.b.org:*=nobody connect:[::1]:1=seccomp" },
	{ "the command line closes what a document opens",
	  { DEV("", "read: [\"**\"], network: full"), .network = "none" },
	  "/w/",
	  "read:**=landlock exec:**=landlock connect:none=seccomp",
	  "read:**=landlock exec:**=landlock connect:none=seccomp" },
};

/* Of the floor: what lies where something is granted. */
static const struct row floor_rows[] = {
	{ "carved out, for root",
	  { DEV("", "read: [\"**\"]"), .runtime_read = "/etc",
	    .closed = "/etc/shadow /home/u/.ssh" },
	  "/w/ /etc/shadow /etc/passwd",
	  "modify:/etc=landlock read:/etc/shadow=landlock "
	  "modify:/etc/shadow=landlock",
	  "modify:/etc=landlock read:/etc/shadow=landlock "
	  "modify:/etc/shadow=landlock" },
	{ "left to the file's mode, for a user",
	  { DEV("", "read: [\"**\"]"), .runtime_read = "/etc",
	    .closed = "/etc/shadow /home/u/.ssh" },
	  "/w/ #/etc/shadow /etc/passwd",
	  "modify:/etc=landlock modify:/etc/shadow=landlock",
	  "modify:/etc=landlock modify:/etc/shadow=landlock" },
	{ "in a workspace where names are made",
	  { DEV("", "read: [\"**\"], modify: [\"**\"]"), .closed = "/w/token",
	    .sealed = "/w/.cordon" },
	  "/w/a /w/token /w/.cordon/p",
	  "modify:/w/.cordon=landlock read:/w/token=broker "
	  "modify:/w/token=broker",
	  "modify:/w/.cordon=landlock read:/w/token=landlock "
	  "modify:/w/token=landlock" },
	{ "one that is not there yet, and nobody judges",
	  { DEV("", "read: [\"**\"], modify: [\"**\"]"), .closed = "/w/token",
	    .sealed = "/w/.cordon" },
	  "/w/a /w/.cordon/p",
	  "modify:/w/.cordon=landlock read:/w/token=broker "
	  "modify:/w/token=broker",
	  "modify:/w/.cordon=nobody read:/w/token=nobody "
	  "modify:/w/token=nobody" },
	{ "nowhere near",
	  { DEV("", "read: [\"**\"]"), .closed = "/home/u/.ssh" }, "/w/",
	  "", "" },
};
/* clang-format on */

static const char *const words[] = {
	[CDN_BY_LANDLOCK] = "landlock",
	[CDN_BY_SECCOMP] = "seccomp",
	[CDN_BY_SEATBELT] = "seatbelt",
	[CDN_BY_BROKER] = "broker",
	[CDN_BY_EFFORT] = "effort",
	[CDN_BY_MOUNT] = "mount",
	[CDN_BY_APPLICATION] = "application",
	[CDN_BY_NOBODY] = "nobody",
};

static void
spell(const struct cdn_plan *plan, bool of_floor, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < plan->rule_count; i++) {
		const struct cdn_plan_rule *r = &plan->rules[i];

		if ((r->layer == CORDON_LAYER_FLOOR) != of_floor)
			continue;
		at += (size_t)snprintf(out + at, size - at, "%s%s:%s%.*s=%s",
		    at > 0 ? " " : "", cordon_op_name(r->op),
		    r->rule->negated && !of_floor ? "!" : "",
		    CDN_STR_ARG(r->rule->pattern), words[r->by]);
		need(at < size, "rows too long");
	}
}

/* Layer by layer; a reason exactly where it is not held, or not always. */
static bool
in_order(const struct cdn_plan *plan)
{
	for (size_t i = 0; i < plan->rule_count; i++) {
		if (i > 0 && plan->rules[i].layer < plan->rules[i - 1].layer)
			return false;
		if ((plan->rules[i].why != NULL) !=
		    (plan->rules[i].by == CDN_BY_NOBODY ||
			plan->rules[i].by == CDN_BY_EFFORT))
			return false;
	}
	return true;
}

static void
check(const struct row *row, bool of_floor, bool broker, const char *want)
{
	char got[4096];
	const struct cdn_plan *plan;
	struct world w;
	struct tree t;

	world_make(&w, &row->world);
	tree_make(&t, row->tree);
	plan = tree_plan(&t, &w, NULL, broker);
	spell(plan, of_floor, got, sizeof(got));
	if (!ok_f(strcmp(got, want) == 0 && in_order(plan), "%s%s", row->name,
		broker ? ", with a broker" : ""))
		printf("#  got %s\n# want %s\n", got, want);
	ok_f(!plan->enforced || strstr(got, "=nobody") == NULL,
	    "... and is not called enforced if it is not");
	world_done(&w);
}

/* Without Landlock or seccomp nobody holds anything. */
static void
check_hosts(void)
{
	const struct world_spec spec = { DEV("",
	    "read: [\"**\"], modify: [\"**\"], network: none") };
	struct cdn_host none = tree_host, unfiltered = tree_host;
	char got[4096];
	struct world w;
	struct tree t;

	none.landlock_abi = 0;
	unfiltered.seccomp_filter = false;
	world_make(&w, &spec);
	tree_make(&t, "/w/a");
	spell(tree_plan(&t, &w, &none, true), false, got, sizeof(got));
	ok(strcmp(got, "read:**=nobody modify:**=nobody exec:**=nobody "
	    "connect:none=seccomp") == 0, "without Landlock no path rule is held");
	spell(tree_plan(&t, &w, &unfiltered, true), false, got, sizeof(got));
	ok(strcmp(got, "read:**=landlock modify:**=landlock "
	    "exec:**=landlock connect:none=nobody") == 0,
	    "without seccomp no network rule is held");
	world_done(&w);
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		check(&rows[i], false, true, rows[i].with);
		check(&rows[i], false, false, rows[i].without);
	}
	for (size_t i = 0; i < CDN_LEN(floor_rows); i++) {
		check(&floor_rows[i], true, true, floor_rows[i].with);
		check(&floor_rows[i], true, false, floor_rows[i].without);
	}
	check_hosts();
	return done_testing();
}
