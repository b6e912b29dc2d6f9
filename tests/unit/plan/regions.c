/*
 * Which regions a world has: every kind, floating and anchored rules, what the
 * floor carves out, for whom, and what becomes of it without a broker.
 */
#include "tree.h"

#define DEV(rules) .profile = "dev", .documents = { { CORDON_LAYER_USER, true, \
	"  fsProfiles: {dev: {" rules "}}\n" } }
#define DENY(denies, rules) .profile = "dev", .documents = { { \
	CORDON_LAYER_USER, true, denies "  fsProfiles: {dev: {" rules "}}\n" } }
#define ALL "read: [\"**\"], modify: [\"**\"]"

struct row {
	const char *name;
	struct world_spec world;
	const char *tree;
	const char *with;    /* a broker: the mode and the regions */
	const char *without;
};

/* clang-format off */
static const struct row rows[] = {
	{ "all allowed", { DEV(ALL) }, "/w/src/a /w/b",
	  "A /w=open", "none /w=open" },
	{ "read only", { DEV("read: [\"**\"]") }, "/w/src/a /w/b",
	  "none /w=fixed", "none /w=fixed" },
	{ "nothing", { DEV("read: []") }, "/w/src/a",
	  "none /w=closed", "none /w=closed" },
	{ "no execution", { DEV("read: [\"**\"], exec: []") }, "/w/src/a",
	  "C /w=mixed-read", "none /w=mixed-read>fixed" },

	{ "the workspace preset floats", { .profile = NULL },
	  "/w/src/a /w/.git/hooks/x /w/lib/b",
	  "B /w=mixed-modify", "none /w=mixed-modify>open" },
	{ "floating deny of modifying",
	  { DENY("  denyModify: [\"**/*.lock\"]\n", ALL) }, "/w/src/a /w/b",
	  "B /w=mixed-modify", "none /w=mixed-modify>open" },
	{ "floating deny of reading",
	  { DENY("  denyRead: [\"**/*.env\"]\n", ALL) }, "/w/src/a /w/b",
	  "C /w=mixed-read", "none /w=mixed-read>open" },
	{ "floating deny of reading, read only",
	  { DENY("  denyRead: [\"**/*.env\"]\n", "read: [\"**\"]") },
	  "/w/src/a /w/b",
	  "C /w=mixed-read", "none /w=mixed-read>fixed" },

	{ "anchored deny: the others gain",
	  { DENY("  denyModify: [\".git/hooks/**\"]\n", ALL) },
	  "/w/src/a /w/README /w/.git/hooks/x /w/.git/objects/y /w/lib/",
	  "B /w=mixed-modify /w/.git/hooks=fixed /w/.git/objects=open "
	  "/w/lib=open /w/src=open",
	  "none /w=mixed-modify>open" },
	{ "anchored deny of reading: nothing is promised to be closed",
	  { DENY("  denyRead: [\"secrets/**\"]\n", ALL) },
	  "/w/src/a /w/secrets/x /w/README",
	  "C /w=mixed-read /w/src=open", "none /w=mixed-read>open" },
	{ "a pattern further down stays where it is",
	  { DENY("  denyModify: [\"packages/*/dist/**\"]\n", ALL) },
	  "/w/src/a /w/packages/p/dist/x /w/packages/q/",
	  "B /w=mixed-modify /w/src=open", "none /w=mixed-modify>open" },

	{ "modify in part: fixed, and open where it is",
	  { DEV("read: [\"**\"], modify: [\"src/**\", \"docs/**\"]") },
	  "/w/src/a /w/docs/b /w/lib/c /w/README",
	  "A /w=fixed /w/docs=open /w/src=open",
	  "none /w=fixed /w/docs=open /w/src=open" },
	{ "modify in part, deeper",
	  { DEV("read: [\"**\"], modify: [\"a/b/**\"]") },
	  "/w/a/b/x /w/a/c/y /w/d/",
	  "A /w=fixed /w/a=fixed /w/a/b=open",
	  "none /w=fixed /w/a=fixed /w/a/b=open" },
	{ "modify in part, a file",
	  { DEV("read: [\"**\"], modify: [\"notes.txt\"]") },
	  "/w/notes.txt /w/b",
	  "B /w=mixed-modify",
	  "none /w=fixed /w/notes.txt=open" },
	{ "modify in part, and one is not there yet",
	  { DEV("read: [\"**\"], modify: [\"src/**\", \"docs/**\"]") },
	  "/w/src/a /w/lib/c",
	  "B /w=mixed-modify /w/lib=fixed /w/src=open",
	  "none /w=fixed /w/src=open" },
	{ "modify by the end of the name: more may come",
	  { DEV("read: [\"**\"], modify: [\"*.md\"]") },
	  "/w/a.md /w/b/",
	  "B /w=mixed-modify /w/b=fixed",
	  "none /w=fixed /w/a.md=open" },
	{ "read in part",
	  { DEV("read: [\"src/**\"], modify: [\"src/**\"]") },
	  "/w/src/a /w/docs/b /w/README",
	  "A /w=passage /w/src=open", "none /w=passage /w/src=open" },
	{ "read in part, and it is not there yet",
	  { DEV("read: [\"src/**\"], modify: [\"src/**\"]") }, "/w/docs/b",
	  "C /w=mixed-read", "none /w=passage" },
	{ "read in part, never to be made",
	  { DEV("read: [\"src/**\"]") }, "/w/docs/b",
	  "none /w=passage", "none /w=passage" },
	{ "read all but one, read only",
	  { DEV("read: [\"**\", \"!secrets/**\"]") },
	  "/w/a/x /w/b /w/secrets/c @/w/link",
	  "none /w=passage /w/a=fixed /w/b=fixed /w/secrets=closed",
	  "none /w=passage /w/a=fixed /w/b=fixed /w/secrets=closed" },

	{ "two documents: both must allow",
	  { .profile = "dev", .documents = {
	      { CORDON_LAYER_HOST, true,
		"  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"]}}\n" },
	      { CORDON_LAYER_USER, true, "  fsProfiles: {dev: {read: [\"**\"], "
		"modify: [\"src/**\"]}}\n" } } },
	  "/w/src/a /w/b",
	  "A /w=fixed /w/src=open", "none /w=fixed /w/src=open" },

	/* The runtime view and its carve-outs. */
	{ "system directories, for a user",
	  { DEV(ALL), .runtime_read = "/usr /etc /bin /opt",
	    .closed = "+/etc/shadow /etc/ssh/ssh_host_*_key "
		"/etc/ssh/ssh_host_rsa_key /home/u/.ssh" },
	  "/w/ /usr/bin/ls #/etc/shadow /etc/passwd /etc/ssh/ssh_config "
	  "#/etc/ssh/ssh_host_rsa_key @/bin",
	  "A /etc=fixed /usr=fixed /w=open",
	  "none /etc=fixed /usr=fixed /w=open" },
	{ "system directories, for root",
	  { DEV(ALL), .runtime_read = "/usr /etc /bin /opt",
	    .closed = "+/etc/shadow /etc/ssh/ssh_host_*_key "
		"/etc/ssh/ssh_host_rsa_key /home/u/.ssh" },
	  "/w/ /usr/bin/ls /etc/shadow /etc/passwd /etc/ssh/ssh_config "
	  "/etc/ssh/ssh_host_rsa_key /etc/ssl/cert @/bin @/etc/mtab",
	  "A /etc=passage /etc/passwd=fixed /etc/shadow=closed "
	  "/etc/ssh=passage /etc/ssh/ssh_config=fixed "
	  "/etc/ssh/ssh_host_rsa_key=closed /etc/ssl=fixed /usr=fixed /w=open",
	  "none /etc=passage /etc/passwd=fixed /etc/shadow=closed "
	  "/etc/ssh=passage /etc/ssh/ssh_config=fixed "
	  "/etc/ssh/ssh_host_rsa_key=closed /etc/ssl=fixed /usr=fixed /w=open" },
	{ "one readable sidecar is enough",
	  { DEV(ALL), .runtime_read = "/etc", .closed = "+/etc/shadow" },
	  "/w/ #/etc/shadow /etc/shadow-wal /etc/passwd",
	  "A /etc=passage /etc/passwd=fixed /etc/shadow=closed "
	  "/etc/shadow-wal=closed /w=open",
	  "none /etc=passage /etc/passwd=fixed /etc/shadow=closed "
	  "/etc/shadow-wal=closed /w=open" },
	{ "a toolchain whose credentials may come",
	  { DEV(ALL), .runtime_read = "/home/u/.cargo",
	    .closed = "+/home/u/.cargo/credentials" },
	  "/w/ /home/u/.cargo/bin/cargo /home/u/.cargo/env",
	  "A /home/u/.cargo=passage /home/u/.cargo/bin=fixed "
	  "/home/u/.cargo/env=fixed /w=open",
	  "none /home/u/.cargo=passage /home/u/.cargo/bin=fixed "
	  "/home/u/.cargo/env=fixed /w=open" },
	{ "a toolchain with credentials",
	  { DEV(ALL), .runtime_read = "/home/u/.cargo",
	    .closed = "+/home/u/.cargo/credentials" },
	  "/w/ /home/u/.cargo/bin/cargo /home/u/.cargo/credentials",
	  "A /home/u/.cargo=passage /home/u/.cargo/bin=fixed "
	  "/home/u/.cargo/credentials=closed /w=open",
	  "none /home/u/.cargo=passage /home/u/.cargo/bin=fixed "
	  "/home/u/.cargo/credentials=closed /w=open" },
	{ "devices", { DEV("read: [\"**\"]"),
	    .runtime_write = "=/dev/null =/dev/ptmx" },
	  "/w/ /dev/null /dev/ptmx /dev/sda",
	  "A /dev/null=device /dev/ptmx=device /w=fixed",
	  "none /dev/null=device /dev/ptmx=device /w=fixed" },
	{ "its own home and tmp, which are not there yet",
	  { DEV("read: [\"**\"]"), .hidden = "/s/homes /s/tmp", .sealed = "/s",
	    .own = "/s/homes/me /s/tmp/me",
	    .runtime_write = "/s/homes/me /s/tmp/me /s/missing" },
	  "/w/ /s/homes/other/",
	  "A /s/homes/me=open /s/tmp/me=open /w=fixed",
	  "none /s/homes/me=open /s/tmp/me=open /w=fixed" },
	{ "declared roots",
	  { .profile = "dev", .documents = { { CORDON_LAYER_USER, true,
	      "  fsProfiles: {dev: {read: [\"**\"], host: {read: [/data], "
	      "modify: [/out]}}}\n" } }, .read = "/data/more /r /gone",
	    .write = "/data/w" },
	  "/w/ /data/more/x /data/w/y /out/ /r",
	  "A /data=fixed /data/w=open /out=open /r=fixed /w=fixed",
	  "none /data=fixed /data/w=open /out=open /r=fixed /w=fixed" },
	{ "a root that is closed in a mixed region promises nothing",
	  { DENY("  denyRead: [\"secrets/**\"]\n", ALL),
	    .read = "/w/secrets" }, "/w/src/a /w/secrets/x",
	  "C /w=mixed-read /w/src=open", "none /w=mixed-read>open" },
	{ "a root in what the floor closes",
	  { DEV(ALL), .runtime_read = "/etc", .read = "/home/u/.ssh/pub",
	    .closed = "/etc/shadow /home/u/.ssh" },
	  "/w/ #/etc/shadow /home/u/.ssh/pub/x",
	  "A /etc=fixed /home/u/.ssh/pub=closed /w=open",
	  "none /etc=fixed /home/u/.ssh/pub=closed /w=open" },
	{ "a root of a document that only narrows",
	  { .profile = "dev", .documents = {
	      { CORDON_LAYER_USER, true,
		"  fsProfiles: {dev: {read: [\"**\"]}}\n" },
	      { CORDON_LAYER_PROJECT, false, "  fsProfiles: {dev: {read: "
		"[\"**\"], host: {read: [/d]}}}\n" } } }, "/w/ /d/",
	  "none /w=fixed", "none /w=fixed" },
	{ "a workspace below a root",
	  { DEV(ALL), .workspace = "/opt/w", .runtime_read = "/opt" },
	  "/opt/w/a /opt/x/b",
	  "A /opt=fixed /opt/w=open", "none /opt=fixed /opt/w=open" },

	/* The floor without a broker. */
	{ "a protected file in the workspace",
	  { DEV(ALL), .closed = "/w/token" },
	  "/w/src/a /w/token /w/README",
	  "C /w=mixed-read /w/src=open",
	  "none /w=mixed-read>passage /w/README=open /w/src=open "
	  "/w/token=closed" },
	{ "... that is not there", { DEV(ALL), .closed = "/w/token" },
	  "/w/src/a /w/README",
	  "C /w=mixed-read /w/src=open", "none /w=mixed-read>open" },
	{ "... that the run could not read",
	  { DEV(ALL), .closed = "/w/token" }, "/w/src/a #/w/token /w/README",
	  "C /w=mixed-read /w/src=open", "none /w=mixed-read>open" },
	{ "a protected file further down, and floating rules",
	  { DENY("  denyRead: [\"**/*.env\"]\n", ALL), .closed = "/w/a/b/t" },
	  "/w/x.env /w/a/b/t /w/a/b/u /w/a/c/v /w/d/",
	  "C /w=mixed-read",
	  "none /w=mixed-read>passage /w/a=mixed-read>passage "
	  "/w/a/b=mixed-read>passage /w/a/b/t=closed /w/a/b/u=open "
	  "/w/a/c=mixed-read>open /w/d=mixed-read>open /w/x.env=closed" },
	{ "a pattern of the floor, and what it names",
	  { DEV(ALL), .write = "/t", .hidden = "/t/run-*",
	    .own = "/t/run-me", .runtime_write = "/t/run-me" },
	  "/w/ /t/run-other/x /t/mine/y /t/run-me/",
	  "C /t=mixed-read /t/mine=open /t/run-me=open /w=open",
	  "none /t=mixed-read>passage /t/mine=open /t/run-me=open "
	  "/t/run-other=closed /w=open" },
	{ "a pattern of the floor that names nothing today",
	  { DENY("  denyRead: [\"x\"]\n", ALL), .hidden = "/w/run-*" },
	  "/w/x /w/y",
	  "C /w=mixed-read", "none /w=mixed-read>open" },
	{ "its own home in what is broken up, and not there yet",
	  { DEV(ALL), .write = "/s", .hidden = "/s/homes",
	    .own = "/s/homes/me", .runtime_write = "/s/homes/me" },
	  "/w/ /s/homes/other/x /s/y",
	  "C /s=mixed-read /s/homes/me=open /w=open",
	  "none /s=mixed-read>passage /s/homes=passage /s/homes/me=open "
	  "/s/y=open /w=open" },
	{ "the whole host",
	  { .preset = CORDON_PRESET_PROTECT, .workspace = "/home/u/w",
	    .runtime_read = "/", .runtime_write = "/ =/dev/null",
	    .closed = "/home/u/.ssh +/etc/shadow" },
	  "/home/u/w/a /home/u/.ssh/id /home/u/.bashrc /home/v/ /usr/bin/ls "
	  "/usr/local/x #/etc/shadow /tmp/ /dev/null /proc/1/",
	  "C /=mixed-read /dev=mixed-modify /dev/null=device /etc=fixed "
	  "/home/u/w=open /home/v=open /proc=fixed /tmp=open "
	  "/usr=mixed-modify /usr/bin=fixed /usr/local=open",
	  "none /=mixed-read>passage /dev=fixed /dev/null=device /etc=fixed "
	  "/home=mixed-read>passage /home/u=mixed-read>passage "
	  "/home/u/.bashrc=open /home/u/.ssh=closed /home/u/w=open "
	  "/home/v=open /proc=fixed /tmp=open /usr=fixed /usr/local=open" },
};
/* clang-format on */

static void
check(const struct row *row, bool broker, const char *want)
{
	char text[4096], got[4200];
	const struct cdn_plan *plan;
	struct world w;
	struct tree t;

	world_make(&w, &row->world);
	for (int backwards = 0; backwards < 2; backwards++) {
		tree_make(&t, row->tree);
		t.backwards = backwards != 0;
		plan = tree_plan(&t, &w, NULL, broker);
		snprintf(got, sizeof(got), "%s %s",
		    cdn_plan_mode_name(plan->mode),
		    tree_regions(plan, text, sizeof(text)));
		if (!ok_f(strcmp(got, want) == 0, "%s%s%s", row->name,
			broker ? ", with a broker" : "",
			backwards != 0 ? ", listed backwards" : ""))
			printf("#  got %s\n# want %s\n", got, want);
	}
	world_done(&w);
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		check(&rows[i], true, rows[i].with);
		check(&rows[i], false, rows[i].without);
	}
	return done_testing();
}
