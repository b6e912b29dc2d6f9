/*
 * Other names of protected files, with real hard links.
 */
#include "enforce/session/linked.h"

#include <cordon/cordon.h>

#include "base/limits.h"
#include "enforce/path/names.h"
#include "made.h"

/* What was told: "OP path" relative to the test's directory, one per line. */
struct told {
	char text[1024];
	bool complete;
};

static void
tell(const struct cdn_linked *linked, void *arg)
{
	struct told *told = arg;
	size_t n = strlen(told->text), root = strlen(tmp_root) + 1;

	snprintf(told->text + n, sizeof(told->text) - n, "%s %s for %s\n",
	    linked->op == CORDON_READ ? "read" :
	    linked->op == CORDON_MODIFY ? "modify" : "exec",
	    linked->path + root, linked->name + root);
}

static struct told
ask(struct cordon_session_options options)
{
	struct cordon_session *s = made_session(options);
	struct told told = { .complete = false };

	need(cdn_session_linked(s, tell, &told, &told.complete, NULL) == 0,
	    "linked");
	cordon_session_free(s);
	return told;
}

static bool
is(struct told told, bool complete, const char *text)
{
	if (strcmp(told.text, text) == 0 && told.complete == complete)
		return true;
	for (char *p = told.text; (p = strchr(p, '\n')) != NULL; p++)
		*p = ';';
	printf("# %s: %s\n", told.complete ? "complete" : "incomplete",
	    told.text);
	return false;
}

static void
test_floor(void)
{
	struct cordon_session_options plain = { 0 };

	tmp_file("home/.npmrc", "token");
	tmp_file("w/a", "");
	tmp_hardlink("w/a", "w/b");
	ok(is(ask(plain), true, ""), "no protected file has another name");
	tmp_dir("w/sub");
	tmp_hardlink("home/.npmrc", "w/sub/copy");
	ok(is(ask(plain), true, "read w/sub/copy for home/.npmrc\n"),
	    "a name in the workspace");
	tmp_hardlink("home/.npmrc", "home/.netrc");
	ok(is(ask(plain), true, "read w/sub/copy for home/.netrc\n"
	    "read w/sub/copy for home/.npmrc\n"),
	    "two entries that are one file");
	unlink(tmp_path("w/sub/copy"));
	ok(is(ask(plain), true, ""), "names that are closed themselves");
	unlink(tmp_path("home/.netrc"));
}

static void
test_roots(void)
{
	struct cordon_session_options options = { 0 };
	const char *roots[] = { NULL };

	tmp_dir("extra");
	tmp_hardlink("home/.npmrc", "extra/x");
	ok(strcmp(ask(options).text, "") == 0, "not where nothing is granted");
	roots[0] = tmp_path("extra");
	options.read = roots;
	options.read_count = 1;
	ok(is(ask(options), true, "read extra/x for home/.npmrc\n"),
	    "a root of the command line");
	roots[0] = tmp_path("extra/x");
	ok(is(ask(options), true, "read extra/x for home/.npmrc\n"),
	    "a root that is the file");
	unlink(tmp_path("extra/x"));
}

static void
test_rules(void)
{
	struct cordon_session_options options = { 0 };
	const char *policies[] = { NULL };

	tmp_file("w/.mcp.json", "{}");
	tmp_hardlink("w/.mcp.json", "w/m");
	ok(is(ask(options), true, "modify w/m for w/.mcp.json\n"),
	    "a rule of the defaults");
	unlink(tmp_path("w/m"));
	tmp_file("p.yaml", "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: p}\nspec:\n"
	    "  denyRead: [\"secret\", \"**/*.env\"]\n  denyExec: [\"tool\"]\n");
	tmp_file("w/secret", "s");
	tmp_file("w/tool", "t");
	tmp_file("w/x.env", "e");
	tmp_hardlink("w/secret", "w/sub/s");
	tmp_hardlink("w/x.env", "w/sub/e");
	policies[0] = tmp_path("p.yaml");
	options.policies = policies;
	options.policy_count = 1;
	ok(is(ask(options), true, "read w/sub/s for w/secret\n"),
	    "an exact deny of a document, not a pattern");
	tmp_hardlink("w/tool", "w/sub/t");
	unlink(tmp_path("w/sub/s"));
	ok(is(ask(options), true, "exec w/sub/t for w/tool\n"), "of exec");
	unlink(tmp_path("w/sub/t"));
	unlink(tmp_path("w/tool"));
	tmp_hardlink("home/.npmrc", "w/tool");
	policies[0] = tmp_path("p.yaml");
	ok(is(ask(options), true, "read w/tool for home/.npmrc\n"),
	    "a name that denies less than the other");
	unlink(tmp_path("w/tool"));
}

/* cordon's own document under another name. */
static void
test_document(void)
{
	struct cordon_session_options options = { 0 };
	const char *policies[] = { NULL };

	tmp_hardlink("p.yaml", "w/policy");
	policies[0] = tmp_path("p.yaml");
	options.policies = policies;
	options.policy_count = 1;
	ok(strstr(ask(options).text, "modify w/policy for p.yaml\n") != NULL,
	    "the policy itself");
}

/* ----- Directories of keys ------------------------------------------------------- */

/* And those above it. */
static void
make_dirs(const char *name)
{
	char dir[128];

	for (size_t n = 0; n < strlen(name);) {
		n += 1 + strcspn(name + n + 1, "/");
		snprintf(dir, sizeof(dir), "%.*s", (int)n, name);
		if (!tmp_there(dir))
			tmp_dir(dir);
	}
}

/* One file of the home has a second name in the workspace. */
static bool
finds_deep(const char *dir, const char *file, bool found)
{
	char mine[PATH_MAX], path[128], want[256] = "";
	const char *protect[] = { mine };
	struct cordon_session_options options = { .protect = protect,
		.protect_count = 1 };
	bool told;

	snprintf(mine, sizeof(mine), "%s", tmp_path("home/mine"));
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	make_dirs(dir);
	tmp_file(path, "key");
	tmp_hardlink(path, "w/second");
	if (found)
		snprintf(want, sizeof(want), "read w/second for %s\n", path);
	told = is(ask(options), true, want);
	unlink(tmp_path("w/second"));
	return told;
}

static void
test_keys(void)
{
	static const struct {
		const char *dir, *file;
		bool found;
	} rows[] = {
		{ "home/.ssh", "id", true },
		{ "home/.gnupg/private-keys-v1.d", "1.key", true },
		{ "home/.ssh/a/b/c/d", "id", true },
		{ "home/.config/gh/x", "hosts.yml", true },
		{ "home/mine/a", "token", true },
		{ "home/.mozilla", "profiles.ini", true },
		{ "home/.mozilla/firefox/p", "key4.db", false },
		{ "home/.claude/plugins/p", "pack", false },
		{ "home/plain/a", "file", false },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++)
		ok_f(finds_deep(rows[i].dir, rows[i].file, rows[i].found),
		    "%s/%s %s", rows[i].dir, rows[i].file,
		    rows[i].found ? "is found" : "is not looked for");
}

/* Locks of GnuPG have two names for as long as they are held. */
static void
test_keys_among_them(void)
{
	make_dirs("home/.gnupg/public-keys.d");
	tmp_file("home/.gnupg/public-keys.d/.#lk1", "");
	tmp_hardlink("home/.gnupg/public-keys.d/.#lk1",
	    "home/.gnupg/public-keys.d/pubring.db.lock");
	tmp_hardlink("home/.gnupg/public-keys.d/.#lk1", "home/.gnupg/.#lk1");
	ok(is(ask((struct cordon_session_options){ 0 }), true, ""),
	    "all names lie among the keys");
}

/* What is large lies further down than what is a key. */
static void
test_keys_bound(void)
{
	make_dirs("home/.kube/cache/http");
	for (unsigned i = 0; i < CDN_KEYS_SCAN_MAX; i++) {
		char name[64];

		snprintf(name, sizeof(name), "home/.kube/cache/http/%u", i);
		tmp_file(name, "");
	}
	ok(finds_deep("home/.kube", "config", true), "beside a large one");
	ok(finds_deep("home/.kube/users", "token", true), "or one level down");
}

/* A link right in it leads to a key, others perhaps to a toolchain. */
static void
test_keys_links(void)
{
	struct cordon_session *s;

	tmp_file("w/id", "key");
	tmp_file("w/python", "");
	make_dirs("home/.config/gcloud/virtenv/bin");
	tmp_link(tmp_path("w/id"), "home/.config/gcloud/id");
	tmp_link(tmp_path("w/python"), "home/.config/gcloud/virtenv/bin/python");
	s = made_session((struct cordon_session_options){ 0 });
	ok(!made_allows(s, CORDON_READ, tmp_path("w/id")),
	    "the target of a link right in it is closed");
	ok(made_allows(s, CORDON_READ, tmp_path("w/python")),
	    "that of one further down is not");
	cordon_session_free(s);
}

/* ----- Whose rule it is ---------------------------------------------------------- */

static const char *
write_policy(const char *name, const char *deny, const char *allow)
{
	char text[512];

	snprintf(text, sizeof(text), "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: p}\nspec:\n%s  fsProfiles:\n    dev: %s\n", deny,
	    allow);
	tmp_file(name, text);
	return tmp_path(name);
}

/* What one document denies no silence of another one opens. */
static void
test_layers(void)
{
	static const char all_of_it[] = "{read: [./**], modify: [./**]}";
	static const struct {
		const char *what;
		const char *deny[2], *allow[2];
		bool read, modify;
	} rows[] = {
		{ "a pattern", { "  denyRead: ['**/*.env']\n" },
		    { all_of_it }, false, false },
		{ "an outer document is silent",
		    { "", "  denyRead: ['**/*.env']\n" },
		    { "{read: [sub/**], modify: [sub/**]}", all_of_it },
		    false, false },
		{ "an inner one is", { "  denyRead: ['**/*.env']\n", "" },
		    { all_of_it, "{read: [sub/**], modify: [sub/**]}" },
		    false, false },
		{ "the name is silent to modify, and denied to read",
		    { "  denyRead: ['**/*.env']\n" },
		    { "{read: [./**], modify: [sub/**]}" }, false, false },
		{ "denied to modify alone", { "  denyModify: ['**/*.env']\n" },
		    { all_of_it }, true, false },
		{ "of two the inner one denies to modify",
		    { "", "  denyModify: ['**/*.env']\n" },
		    { "{read: [./**], modify: [sub/**]}", all_of_it },
		    true, false },
		{ "by its own name, and silent to read",
		    { "  denyModify: [y.env]\n" },
		    { "{read: [sub/**], modify: [sub/**]}" }, true, false },
		{ "nothing grants the name, and nothing denies it", { "" },
		    { "{read: [sub/**], modify: [sub/**]}" }, true, true },
	};

	tmp_file("w/y.env", "e");
	tmp_hardlink("w/y.env", "w/sub/y");
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cordon_session_options options = { .profile = "dev" };
		const char *policies[2], *name;
		struct cordon_session *s;

		policies[0] = write_policy("one.yaml", rows[i].deny[0],
		    rows[i].allow[0]);
		options.policy_count = rows[i].allow[1] == NULL ? 1 : 2;
		if (options.policy_count == 2)
			policies[1] = write_policy("two.yaml",
			    rows[i].deny[1], rows[i].allow[1]);
		options.policies = policies;
		s = made_session(options);
		name = tmp_path("w/sub/y");
		ok_f(made_allows(s, CORDON_READ, name) == rows[i].read &&
		    made_allows(s, CORDON_MODIFY, name) == rows[i].modify,
		    "%s", rows[i].what);
		cordon_session_free(s);
	}
}

/* ----- The bound ------------------------------------------------------------------ */

static bool
all(const struct stat *st, void *arg)
{
	(void)st;
	(void)arg;
	return true;
}

static bool
count(const char *path, const struct stat *st, const struct stat *parent,
    void *arg)
{
	(void)path;
	(void)st;
	(void)parent;
	++*(unsigned *)arg;
	return true;
}

static void
test_bound(void)
{
	unsigned n = 0;
	struct cdn_names names = { .wanted = all, .found = count, .arg = &n,
		.left = 100 };

	tmp_dir("many");
	for (unsigned i = 0; i < 20; i++) {
		char name[32];

		snprintf(name, sizeof(name), "many/%u", i);
		tmp_file(name, "");
	}
	cdn_names_scan(&names, tmp_path("many"));
	ok(n == 20 && !names.incomplete && names.left == 79, "all of them");
	n = 0;
	names.left = 21;
	cdn_names_scan(&names, tmp_path("many"));
	ok(n == 20, "exactly as many as may be looked at");
	n = 0;
	names = (struct cdn_names){ .wanted = all, .found = count, .arg = &n,
		.left = 10 };
	cdn_names_scan(&names, tmp_path("many"));
	ok(n == 9 && names.incomplete, "no more than the bound, and it tells");
}

int
main(void)
{
	made_begin();
	test_floor();
	test_roots();
	test_rules();
	test_document();
	unlink(tmp_path("w/policy"));
	unlink(tmp_path("w/m"));
	test_keys();
	test_keys_among_them();
	test_keys_bound();
	test_keys_links();
	test_layers();
	test_bound();
	tmp_end();
	return done_testing();
}
