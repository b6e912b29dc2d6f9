/*
 * May one configuration replace another?  OLD is the one before.
 */
#include "engine/decide/git_config.h"

#include "support/tap.h"

#define CORE   "[core]\n\tbare = false\n"
#define ORIGIN                                         \
	"[remote \"origin\"]\n\turl = /srv/r\n\tfetch = " \
	"+refs/heads/*:refs/remotes/origin/*\n"
#define OLD    CORE ORIGIN
#define NEW    "[remote \"new\"]\n\turl = https://example.org/r.git\n"
#define BRANCH(line) OLD "[branch \"x\"]\n\t" line "\n"
#define REMOTE(line) OLD "[remote \"new\"]\n\t" line "\n"
#define URL(url)     REMOTE("url = " url)
#define FETCH(spec)  URL("https://h/r") "\tfetch = " spec "\n"

/* clang-format off */
static const struct {
	const char *now;
	bool may;
} rows[] = {
	{ OLD, true },
	{ "# " OLD, false }, /* that would be a comment */
	{ "# a comment\n" OLD "\n; another\n", true },
	{ CORE, false }, { ORIGIN, false }, { "", false },
	{ ORIGIN CORE, false },
	/* branches */
	{ BRANCH("remote = origin"), true },
	{ BRANCH("remote = ."), true },
	{ BRANCH("remote = nowhere"), false },
	{ BRANCH("remote = ./evil"), false },
	{ BRANCH("remote = /evil"), false },
	{ BRANCH("remote = ext::sh"), false },
	{ BRANCH("remote = host:x"), false },
	{ BRANCH("remote"), false },
	{ BRANCH("remote = \"origin\""), false },
	{ BRANCH("remote = origin # x"), false },
	{ BRANCH("merge = refs/heads/a/b-c"), true },
	{ BRANCH("merge = x"), false },
	{ BRANCH("rebase = true"), true },
	{ BRANCH("rebase = !x"), false },
	{ BRANCH("description = what it is\\nfor"), true },
	{ BRANCH("description = \"a ; b\""), true },
	{ BRANCH("description = \"open"), false },
	{ BRANCH("description = \\x"), false },
	{ BRANCH("description = more \\\n\t[core]\nfsmonitor = x"), false },
	{ BRANCH("description = more \\"), false },
	{ BRANCH("mergeoptions = -s evil"), false },
	{ BRANCH("pushremote = evil"), false },
	{ OLD "[BRANCH \"x\"]\n\tRemote = origin\n", true },
	{ OLD "[branch]\n\tremote = origin\n", false },
	{ OLD "[branch.x]\n\tremote = origin\n", false },
	{ OLD "[branch \"x\"] remote = origin\n", false },
	{ OLD "[branch \"x]\n\tremote = origin\n", false },
	{ OLD "[branch \"x\\\"]\"]\n\tremote = origin\n", true },
	/* the user */
	{ OLD "[user]\n\tname = A B\n\temail = a@b\n", true },
	{ OLD "[user]\n\tsigningkey = x\n", false },
	{ OLD "[user \"x\"]\n\tname = x\n", false },
	{ OLD "[user]\n\tname = a\rb\n", false },
	/* remotes */
	{ OLD NEW, true },
	{ OLD NEW "\tfetch = +refs/heads/*:refs/remotes/new/*\n", true },
	{ OLD NEW "[branch \"x\"]\n\tremote = new\n", true },
	{ URL("ssh://git@example.org:22/~a/r"), true },
	{ URL("git@example.org:a/r.git"), true },
	{ URL("http://example.org/r"), false },
	{ URL("git://example.org/r"), false },
	{ URL("file:///evil"), false },
	{ URL("/evil"), false }, { URL("../evil"), false },
	{ URL("ext::sh -c x"), false }, { URL("https::x"), false },
	{ URL("https://"), false }, { URL("ssh://-oProxyCommand=x/r"), false },
	{ URL("ssh://a@-oProxyCommand=x/r"), false },
	{ URL("-oProxyCommand=x@h:r"), false }, { URL("a@-ox:r"), false },
	{ URL("a@h::r"), false }, { URL("a@h:-r"), false },
	{ URL("https://h/r # x"), false }, { URL("\"https://h/r\""), false },
	{ FETCH("+refs/heads/main:refs/remotes/new/main"), true },
	{ FETCH("refs/heads/*:refs/remotes/new/*"), true },
	{ FETCH("+refs/heads/*:refs/heads/*"), false },
	{ FETCH("+refs/*:refs/*"), false },
	{ FETCH("+refs/heads/*:refs/remotes/origin/*"), false },
	{ FETCH("+refs/heads/*:refs/remotes/newer/*"), false },
	{ FETCH("+refs/heads/*:refs/remotes/new/"), false },
	{ REMOTE("uploadpack = evil"), false },
	{ REMOTE("vcs = evil"), false },
	{ REMOTE("proxy = evil"), false },
	{ REMOTE("fetch = +refs/heads/*:refs/remotes/new/*") "[branch \"x\"]\n"
	    "\tremote = new\n", false }, /* without a URL it is a path */
	{ OLD "[remote \"origin\"]\n\turl = https://h/r\n", false },
	{ OLD "[remote \"\\origin\"]\n\turl = https://h/r\n", false },
	{ OLD "[remote.origin]\n\turl = https://h/r\n", false },
	{ OLD "[remote \"../x\"]\n\turl = https://h/r\n", false },
	{ OLD "[remote \"-x\"]\n\turl = https://h/r\n", false },
	{ OLD "[remote \"a b\"]\n\turl = https://h/r\n", false },
	{ CORE "[remote \"origin\"]\n\turl = https://h/r\n"
	    "\tfetch = +refs/heads/*:refs/remotes/origin/*\n", false },
	/* what runs */
	{ OLD "[core]\n\tfsmonitor = x\n", false },
	{ "[core]\n\tbare = false\n\tfsmonitor = x\n" ORIGIN, false },
	{ "[core]\n\tbare = false\n[branch \"x\"]\n\tremote = .\n"
	    "\tfsmonitor = x\n" ORIGIN, false },
	{ OLD "[branch \"x\"]\n\tremote = .\n[alias]\n\ts = !x\n", false },
	{ OLD "[include]\n\tpath = x\n", false },
	{ OLD "[includeIf \"gitdir:/\"]\n\tpath = x\n", false },
	{ OLD "[url \"ext::sh\"]\n\tinsteadOf = https://\n", false },
	{ OLD "[filter \"x\"]\n\tclean = x\n", false },
	/* what git reads otherwise, or not at all */
	{ "\xef\xbb\xbf" OLD, false },
	{ OLD "remote = origin\n", false },
	{ OLD "[branch \"x\"]\n\tremote origin\n", false },
	{ OLD "[branch \"x\"]x\n\tremote = .\n", false },
	{ OLD "[branch \"x\"\n]\n\tremote = .\n", false },
	{ OLD "[branch  \"x\"]\n\tremote = .\n", false },
	{ OLD "[]\n", false }, { OLD "[\n", false }, { OLD "=\n", false },
};
/* clang-format on */

static bool
may(const char *old, const char *now)
{
	struct cdn_arena *arena = cdn_arena_new();
	bool r = cdn_git_config_may_replace(arena, cdn_str_of(old),
	    cdn_str_of(now));

	cdn_arena_free(arena);
	return r;
}

static void
test_pairs(void)
{
	static const char half[] = OLD NEW, two[] = OLD BRANCH("remote = .");

	ok(may(half, OLD NEW "\tfetch = +refs/heads/*:refs/remotes/new/*\n"),
	    "a remote gets what is fetched after its URL");
	ok(!may(half, OLD), "it is not removed");
	ok(!may(half, OLD NEW "\turl = https://other/r\n"),
	    "nor does it get another URL");
	ok(may(two, OLD OLD), "a branch is removed");
	ok(!may(OLD "[remote \"or\\igin\"]\n\tx = y\n",
	       OLD "[remote \"or\\igin\"]\n\tx = y\n" NEW),
	    "none is new beside one whose name is not what it looks like");
	ok(may(BRANCH("remote = ./odd"), BRANCH("remote = ./odd")
	    "[user]\n\tname = x\n"), "what was there may stay");
	ok(!may("[core\n", "[core\n"), "what cannot be read is not replaced");
	ok(!may(OLD "\ta = b \\\n\tc\n", OLD "\ta = b \\\n\tc\n"),
	    "nor what goes on in the next line");
}

static void
test_nul(void)
{
	static const char with[] = OLD "[user]\n\tname = a\0b\n";
	struct cdn_arena *arena = cdn_arena_new();

	ok(!cdn_git_config_may_replace(arena, cdn_str_of(OLD),
	       (cdn_str){ with, sizeof(with) - 1 }), "a NUL byte");
	cdn_arena_free(arena);
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++)
		ok_f(may(OLD, rows[i].now) == rows[i].may, "%s: row %zu",
		    rows[i].may ? "replaces" : "does not replace", i);
	test_pairs();
	test_nul();
	return done_testing();
}
