/*
 * What is a session's own: its home and tmp, and what its options open.
 */
#include <cordon/cordon.h>

#include <sys/stat.h>

#include "made.h"

static bool
is_hex(const char *id)
{
	return strspn(id, "0123456789abcdef") == 16 && id[16] == '\0';
}

static bool
reads(const struct cordon_session *s, const char *path)
{
	return made_allows(s, CORDON_READ, path);
}

static bool
writes(const struct cordon_session *s, const char *path)
{
	return made_allows(s, CORDON_MODIFY, path);
}

/* DIR/name in a static buffer. */
static const char *
in(const char *dir, const char *name)
{
	static char path[PATH_MAX * 2];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* ----- Home and tmp ------------------------------------------------------------ */

/* "/" and homes are told from a workspace, whatever they are named by. */
static void
test_wide(void)
{
	static const struct {
		const char *workspace; /* below the root, or absolute */
		bool wide;
	} cases[] = { { "w", false }, { "home", true }, { "/", true },
		{ "home/project", false }, { "to_home", true } };

	tmp_dir("home/project");
	tmp_link("home", "to_home");
	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		const char *dir = cases[i].workspace;
		struct cordon_session *s = made_session(
		    (struct cordon_session_options){ .workspace =
			dir[0] == '/' ? dir : tmp_path(dir) });

		ok_f(cordon_session_is_wide(s) == cases[i].wide,
		    "'%s' is %s", dir, cases[i].wide ? "wide" : "not wide");
		cordon_session_free(s);
	}
	unlink(tmp_path("to_home"));
	rmdir(tmp_path("home/project"));
}

static void
test_places(void)
{
	struct cordon_session *s = made_session(
	    (struct cordon_session_options){ 0 });
	struct cordon_session *t = made_session(
	    (struct cordon_session_options){ 0 });

	ok(is_hex(s->own.id), "an id");
	ok(strcmp(s->own.id, t->own.id) != 0, "another one each time");
	ok(strcmp(s->own.base, tmp_path("home/.local/state/cordon")) == 0, "base");
	ok(!s->own.substitute, "which can be made");
	ok(cdn_str_starts(cdn_str_of(s->own.home),
	       cdn_str_of(tmp_path("home/.local/state/cordon/homes/"))),
	    "a home");
	ok(strcmp(s->own.home, t->own.home) == 0, "the same for the same workspace");
	ok(strcmp(s->own.tmp, t->own.tmp) != 0, "a tmp of its own");
	ok(writes(s, in(s->own.home, "x")) && writes(s, in(s->own.tmp, "x")),
	    "both can be written");
	ok(!reads(s, t->own.tmp) && !writes(s, in(t->own.tmp, "x")),
	    "another session's tmp is closed");
	ok(!writes(s, in(s->own.base, "trust.json")), "and so is the rest");
	ok(!tmp_there("home/.local"), "nothing was made");
	cordon_session_free(s);
	cordon_session_free(t);
}

/* ----- Which home ---------------------------------------------------------------- */

/* Is the home of a session with these options that of a plain one? */
static bool
same_home(struct cordon_session_options options)
{
	struct cordon_session *plain = made_session(
	    (struct cordon_session_options){ 0 });
	struct cordon_session *s = made_session(options);
	bool same = strcmp(plain->own.home, s->own.home) == 0;

	ok(strcmp(s->own.home, s->own.unconfined) != 0,
	    "one that nothing confines has another");
	cordon_session_free(plain);
	cordon_session_free(s);
	return same;
}

static const char *
class_policy(const char *profile)
{
	char text[256];

	snprintf(text, sizeof(text), "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: p}\nspec:\n  fsProfiles: {dev: {%s}}\n",
	    profile);
	tmp_file("class.yaml", text);
	return tmp_path("class.yaml");
}

static bool
same_with_policy(const char *profile)
{
	const char *policies[] = { class_policy(profile) };

	return same_home((struct cordon_session_options){
	    .policies = policies, .policy_count = 1, .profile = "dev" });
}

static void
test_home_class(void)
{
	char outside[PATH_MAX], inside[PATH_MAX], text[PATH_MAX + 64];
	const char *out[] = { outside }, *in_it[] = { inside };

	tmp_dir("outside");
	tmp_dir("w/inside");
	snprintf(outside, sizeof(outside), "%s", tmp_path("outside"));
	snprintf(inside, sizeof(inside), "%s", tmp_path("w/inside"));
	ok(same_home((struct cordon_session_options){ .read = in_it,
	    .read_count = 1 }), "home: a root inside is no other class");
	ok(!same_home((struct cordon_session_options){ .read = out,
	    .read_count = 1 }), "home: one to read outside is");
	ok(!same_home((struct cordon_session_options){ .write = out,
	    .write_count = 1 }), "home: one to write");
	ok(!same_home((struct cordon_session_options){
	    .network = "loopback" }), "home: a network");
	ok(!same_home((struct cordon_session_options){
	    .preset = CORDON_PRESET_STRICT }), "home: a preset");
	ok(!same_home((struct cordon_session_options){
	    .agent = CORDON_AGENT_CLAUDE }), "home: an agent");
	ok(same_with_policy("read: ['**'], modify: [src/**]"),
	    "home: rules inside are no other class");
	ok(!same_with_policy("read: ['**'], network: full"),
	    "home: the network of a policy is");
	snprintf(text, sizeof(text), "read: ['**'], host: {read: ['%s']}",
	    outside);
	ok(!same_with_policy(text), "home: and its roots outside");
	unlink(tmp_path("class.yaml"));
}

static void
test_presets(void)
{
	struct cordon_session *s = made_session((struct cordon_session_options){
	    .preset = CORDON_PRESET_PROTECT });

	ok(s->own.home[0] == '\0' && s->own.tmp[0] == '\0',
	    "protect: the host's own");
	cordon_session_free(s);
	s = made_session((struct cordon_session_options){
	    .preset = CORDON_PRESET_STRICT });
	ok(s->own.home[0] == '/' && s->own.tmp[0] == '/', "strict: private");
	cordon_session_free(s);
	s = made_session((struct cordon_session_options){ .host_home = true });
	ok(s->own.home[0] == '\0', "no home of its own when told so");
	ok(s->own.tmp[0] == '/', "but a tmp");
	ok(!writes(s, tmp_path("home/x")), "the real home is not opened");
	cordon_session_free(s);
}

static int
substitute_body(void *arg)
{
	struct cordon_session *s = made_session(
	    (struct cordon_session_options){ 0 });
	char want[64];
	int bad = 0;

	(void)arg;
	snprintf(want, sizeof(want), "/tmp/cordon-%u-%s",
	    (unsigned)geteuid(), s->own.id);
	bad |= strcmp(s->own.base, want) != 0 ? 1 : 0;
	bad |= !s->own.substitute ? 2 : 0;
	bad |= !writes(s, in(s->own.home, "x")) ? 4 : 0;
	bad |= !writes(s, in(s->own.tmp, "x")) ? 8 : 0;
	cordon_session_free(s);
	return bad;
}

static void
test_substitute(void)
{
	struct cordon_session *s;
	char other[64];
	int bad;

	tmp_file("file", "");
	setenv("XDG_STATE_HOME", tmp_path("file"), 1);
	ok(substitute_body(NULL) == 0,
	    "STATE below a file: a substitute");
	tmp_dir("state");
	tmp_mode("state", 0555);
	setenv("XDG_STATE_HOME", tmp_path("state"), 1);
	bad = tmp_child(substitute_body, NULL, true);
	if (bad < 0)
		skip("nobody else to be here");
	else
		ok(bad == 0, "STATE that may not be written: a substitute");
	tmp_dir("real");
	tmp_link("real", "link");
	setenv("XDG_STATE_HOME", tmp_path("link"), 1);
	s = made_session((struct cordon_session_options){
	    .write = (const char *const[]){ "/tmp" }, .write_count = 1 });
	ok(strcmp(s->own.base, tmp_path("real/cordon")) == 0, "STATE is made real");
	snprintf(other, sizeof(other), "/tmp/cordon-%u-0123456789abcdef/tmp",
	    (unsigned)geteuid());
	ok(!reads(s, other) && !writes(s, other),
	    "another session's substitute is closed");
	ok(writes(s, "/tmp/cordon-x"), "what is called similarly is not");
	cordon_session_free(s);
	unsetenv("XDG_STATE_HOME");
}

/* ----- Git ------------------------------------------------------------------------ */

/* clang-format off */
static const struct {
	const char *path;
	bool fixed, nested, fresh;
} git_rows[] = {
	{ "w/.git",			false, true,  true },
	{ "w/.git/HEAD",		true,  true,  true },
	{ "w/.git/config",		false, false, true },
	{ "w/.git/hooks/pre-commit",	false, false, true },
	{ "w/.git/commondir",		false, false, true },
	{ "w/.git/info/exclude",	true,  true,  true },
	{ "w/HEAD",			false, true,  true },
	{ "w/sub/HEAD",			false, true,  true },
	{ "w/sub/HEADER",		true,  true,  true },
	{ "w/sub/.git/logs/HEAD",	true,  true,  true },
	{ "w/.git/modules/a/HEAD",	true,  true,  true },
	{ "w/.git/modules/a/b/config",	false, false, true },
	{ "w/.git/modules/a/hooks/x",	false, false, true },
	{ "w/.git/modules/a/commondir",	false, false, true },
	{ "w/.git/modules/a/config.worktree", false, false, true },
	{ "w/.git/modules/a/index",	true,  true,  true },
	{ "w/.git/worktrees/a/config",	false, false, true },
	{ "w/.git/worktrees/a/hooks",	false, false, true },
	{ "w/.git/worktrees/a/gitdir",	false, false, true },
	{ "w/.git/worktrees/a/commondir", false, false, true },
	{ "w/.git/worktrees/a/config.worktree", false, false, true },
	{ "w/.git/worktrees/a/index",	true,  true,  true },
	{ "w/sub/.git/commondir",	false, true,  true },
	{ "w/sub/.git/modules/a/config", false, true, true },
	{ "w/sub/.git/worktrees/a/commondir", false, true, true },
	{ "w/sub/.git",			false, true,  true },
	{ "w/sub/.git/config",		false, true,  true },
	{ "w/sub/.git/hooks/x",		false, true,  true },
	{ "w/.envrc",			false, false, false },
	{ "w/src/a",			true,  true,  true },
};
/* clang-format on */

static void
check_git(const char *word, struct cordon_session *s, size_t column)
{
	for (size_t i = 0; i < CDN_LEN(git_rows); i++) {
		const bool want[] = { git_rows[i].fixed, git_rows[i].nested,
			git_rows[i].fresh };

		ok_f(writes(s, tmp_path(git_rows[i].path)) == want[column],
		    "%s: %s", word, git_rows[i].path);
	}
	cordon_session_free(s);
}

static void
test_nested_git(void)
{
	struct cordon_session_options nested = { .nested_git = true };

	check_git("fresh", made_session(nested), 2);
	tmp_dir("w/.git");
	check_git("nested", made_session(nested), 1);
	check_git("fixed", made_session((struct cordon_session_options){ 0 }),
	    0);
	tmp_clear(tmp_path("w/.git"));
}

/* A repository with a worktree, as git makes them; back: what it names. */
static void
make_worktree(const char *back)
{
	static const char *const dirs[] = { "repo", "repo/.git",
		"repo/.git/objects", "repo/.git/refs", "repo/.git/worktrees",
		"repo/.git/worktrees/w" };
	char line[PATH_MAX * 2];

	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		tmp_dir(dirs[i]);
	snprintf(line, sizeof(line), "gitdir: %s\n",
	    tmp_path("repo/.git/worktrees/w"));
	tmp_file("w/.git", line);
	snprintf(line, sizeof(line), "%s\n", tmp_path(back));
	tmp_file("repo/.git/worktrees/w/gitdir", line);
	tmp_file("repo/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
	tmp_file("repo/.git/worktrees/w/commondir", "../..\n");
	tmp_file("repo/.git/HEAD", "ref: refs/heads/main\n");
	tmp_file("repo/.git/config", "");
}

static void
remove_worktree(void)
{
	tmp_clear(tmp_path("repo"));
	unlink(tmp_path("w/.git"));
}

/* clang-format off */
static const struct {
	const char *path;
	bool readable, writable;
} worktree_rows[] = {
	{ "repo/.git/worktrees/w/index",	  true,  true },
	{ "repo/.git/worktrees/w/HEAD.lock",	  true,  true },
	{ "repo/.git/worktrees/w/commondir",	  true,  false },
	{ "repo/.git/worktrees/w/gitdir",	  true,  false },
	{ "repo/.git/worktrees/w/config.worktree", true, false },
	{ "repo/.git/worktrees/w/config",	  true,  false },
	{ "repo/.git/worktrees/w/hooks/x",	  true,  false },
	{ "repo/.git/worktrees/w/modules/a/index", true, true },
	{ "repo/.git/worktrees/w/modules/a/config", true, false },
	{ "repo/.git/worktrees/w/modules/a/hooks/x", true, false },
	{ "repo/.git/worktrees/w/modules/a/commondir", true, false },
	{ "repo/.git/worktrees/w/modules/a/b/config.worktree", true, false },
	{ "repo/.git/worktrees/other/index",	  true,  false },
	{ "repo/.git/objects/ab/cd",		  true,  true },
	{ "repo/.git/refs/heads/x",		  true,  true },
	{ "repo/.git/logs/HEAD",		  true,  true },
	{ "repo/.git/packed-refs",		  true,  true },
	{ "repo/.git/packed-refs.lock",		  true,  true },
	{ "repo/.git/config",			  true,  false },
	{ "repo/.git/hooks/pre-commit",		  true,  false },
	{ "repo/src",				  false, false },
	{ "w/src",				  true,  true },
};
/* clang-format on */

static void
test_worktree(void)
{
	struct cordon_session *s;

	make_worktree("w/.git");
	s = made_session((struct cordon_session_options){ 0 });
	for (size_t i = 0; i < CDN_LEN(worktree_rows); i++) {
		const char *path = tmp_path(worktree_rows[i].path);

		ok_f(reads(s, path) == worktree_rows[i].readable,
		    "worktree: read %s", worktree_rows[i].path);
		ok_f(writes(s, path) == worktree_rows[i].writable,
		    "worktree: modify %s", worktree_rows[i].path);
	}
	cordon_session_free(s);
	s = made_session((struct cordon_session_options){
	    .preset = CORDON_PRESET_STRICT });
	ok(reads(s, tmp_path("repo/.git/HEAD")) &&
	    !writes(s, tmp_path("repo/.git/refs/x")), "strict: only read");
	cordon_session_free(s);
	remove_worktree();
}

/* Each is a lie of the workspace; nothing of the repository opens. */
static void
test_worktree_lies(void)
{
	struct cordon_session *s;

	make_worktree("elsewhere/.git");
	s = made_session((struct cordon_session_options){ 0 });
	ok(!reads(s, tmp_path("repo/.git/HEAD")) &&
	    !writes(s, tmp_path("repo/.git/refs/x")),
	    "a repository that does not name this file");
	cordon_session_free(s);
	remove_worktree();

	make_worktree("copy");
	tmp_file("copy", "gitdir: x\n");
	s = made_session((struct cordon_session_options){ 0 });
	ok(!reads(s, tmp_path("repo/.git/HEAD")),
	    "one that names another file");
	cordon_session_free(s);
	remove_worktree();

	make_worktree("w/.git");
	tmp_need(rename(tmp_path("repo/.git/worktrees"),
		     tmp_path("repo/.git/modules")) == 0, "rename", "repo");
	tmp_need(unlink(tmp_path("w/.git")) == 0, "unlink", ".git");
	tmp_file("w/.git", "gitdir: ../repo/.git/modules/w\n");
	s = made_session((struct cordon_session_options){ 0 });
	ok(!reads(s, tmp_path("repo/.git/HEAD")), "not below worktrees");
	cordon_session_free(s);
	remove_worktree();

	make_worktree("w/.git");
	tmp_need(rename(tmp_path("w/.git"), tmp_path("w/git")) == 0, "rename",
	    ".git");
	tmp_link("git", "w/.git");
	s = made_session((struct cordon_session_options){ 0 });
	ok(!reads(s, tmp_path("repo/.git/HEAD")), "a link is no .git file");
	cordon_session_free(s);
	unlink(tmp_path("w/git"));
	remove_worktree();
}

/* ----- Programs ---------------------------------------------------------------------- */

static void
make_packages(void)
{
	static const char *const dirs[] = { "home/bin", "opt", "opt/lib",
		"opt/lib/node_modules", "opt/lib/node_modules/x",
		"opt/lib/node_modules/x/node_modules",
		"opt/lib/node_modules/x/node_modules/y", "opt/t",
		"opt/t/versions", "opt/t/versions/1.2", "opt/t/versions/1.3" };

	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		tmp_dir(dirs[i]);
	tmp_file("opt/lib/node_modules/x/node_modules/y/cli.js", "");
	tmp_file("opt/t/versions/1.2/t", "");
	tmp_mode("opt/lib/node_modules/x/node_modules/y/cli.js", 0755);
	tmp_mode("opt/t/versions/1.2/t", 0755);
	tmp_link("../../opt/lib/node_modules/x/node_modules/y/cli.js",
	    "home/bin/y");
	tmp_link("../../opt/t/versions/1.2/t", "home/bin/t");
}

static void
test_command(void)
{
	struct cordon_session *s;

	make_packages();
	setenv("PATH", tmp_path("home/bin"), 1);
	s = made_session((struct cordon_session_options){ .command = "y" });
	ok(reads(s, tmp_path("opt/lib/node_modules/z/a")), "its node_modules");
	ok(!reads(s, tmp_path("opt/lib/x")) &&
	    !writes(s, tmp_path("opt/lib/node_modules/z")), "and no more");
	cordon_session_free(s);
	s = made_session((struct cordon_session_options){
	    .command = tmp_path("home/bin/t") });
	ok(reads(s, tmp_path("opt/t/versions/1.2/lib")), "its version");
	ok(!reads(s, tmp_path("opt/t/versions/1.3")), "not the other");
	cordon_session_free(s);
	s = made_session((struct cordon_session_options){ .command = "none" });
	ok(!reads(s, tmp_path("opt/t/versions/1.2/t")), "no command, nothing");
	cordon_session_free(s);
	setenv("PATH", "/usr/bin:/bin", 1);
}

static void
test_variables(void)
{
	struct cordon_session *s;

	tmp_dir("opt/rust");
	setenv("RUSTUP_HOME", tmp_path("opt/rust"), 1);
	setenv("NVM_DIR", tmp_path("home"), 1);
	setenv("PYENV_ROOT", tmp_path(""), 1);
	s = made_session((struct cordon_session_options){ 0 });
	ok(reads(s, tmp_path("opt/rust/bin/x")) &&
	    !writes(s, tmp_path("opt/rust/x")), "RUSTUP_HOME is readable");
	ok(!reads(s, tmp_path("home/x")), "a home is not, whatever names it");
	ok(!reads(s, tmp_path("x")), "nor what lies above it");
	cordon_session_free(s);
	s = made_session((struct cordon_session_options){
	    .preset = CORDON_PRESET_STRICT });
	ok(!reads(s, tmp_path("opt/rust/x")), "strict: no toolchains");
	cordon_session_free(s);
	tmp_dir("home/.ssh");
	setenv("RUSTUP_HOME", tmp_path("home/.ssh"), 1);
	s = made_session((struct cordon_session_options){ 0 });
	ok(!reads(s, tmp_path("home/.ssh/id")), "nor a floor entry");
	cordon_session_free(s);
	unsetenv("RUSTUP_HOME");
	unsetenv("NVM_DIR");
	unsetenv("PYENV_ROOT");
}

/* ----- Callers of another day ----------------------------------------------------------- */

static void
test_sizes(void)
{
	struct {
		struct cordon_session_options options;
		char later[64];
	} both = { .options = { .workspace = tmp_path("w"),
		       .host_home = true } };
	struct cordon_session_options options = both.options;
	size_t first = offsetof(struct cordon_session_options, host_home);
	struct cordon_session *s = NULL;

	options.size = first;
	ok(cordon_session_new(&options, NULL, &s, NULL) == 0,
	    "the first size");
	ok(s != NULL && s->own.home[0] == '/', "later fields are not read");
	cordon_session_free(s);
	both.options.size = sizeof(both);
	ok(cordon_session_new(&both.options, NULL, &s, NULL) == 0,
	    "a later size");
	ok(s->own.home[0] == '\0', "what is known is read");
	cordon_session_free(s);
	both.later[63] = 1;
	ok(cordon_session_new(&both.options, NULL, &s, NULL) ==
	    CORDON_E_INVALID, "an option of a later version is not ignored");
	options.size = (size_t)1 << 20;
	ok(cordon_session_new(&options, NULL, &s, NULL) == CORDON_E_INVALID,
	    "a size that is none");
	options.size = first - 1;
	ok(cordon_session_new(&options, NULL, &s, NULL) == CORDON_E_INVALID,
	    "less than the first");
}

int
main(void)
{
	made_begin();
	test_places();
	test_wide();
	test_home_class();
	test_presets();
	test_substitute();
	test_nested_git();
	test_worktree();
	test_worktree_lies();
	test_command();
	test_variables();
	test_sizes();
	tmp_end();
	return done_testing();
}
