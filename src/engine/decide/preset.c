#include "engine/decide/preset.h"

#include "engine/decide/git_rules.h"
#include "engine/decide/home_rules.h"
#include "engine/match/pattern.h"

/* clang-format off */
static const struct cdn_preset presets[] = {
	[CORDON_PRESET_WORKSPACE] = {
		.name = "workspace", .source = "<preset workspace>",
		.modifies = true, .defaults = true, .toolchains = true,
		.own_home = true, .own_tmp = true,
		.network = CDN_NETWORK_NONE,
	},
	[CORDON_PRESET_PROTECT] = {
		.name = "protect", .source = "<preset protect>",
		.modifies = true, .whole_host = true, .toolchains = true,
		.network = CDN_NETWORK_FULL,
	},
	[CORDON_PRESET_STRICT] = {
		.name = "strict", .source = "<preset strict>", .defaults = true,
		.own_home = true, .own_tmp = true,
		.network = CDN_NETWORK_NONE,
	},
};

/*
 * An entry that holds at any depth, except below directories of packages:
 * packages bring such files along, and unpacking them is everyday work.
 * `target` is not among them: cargo renames a directory to that name, and a
 * rename may not change verdicts.
 */
#define PACKAGED(pattern, what, program, group)                               \
	{                                                                     \
		"**/" pattern, what, program, group,                          \
		{                                                             \
			"**/node_modules/**/" pattern,                        \
			"**/vendor/**/" pattern,                              \
			"**/.venv/**/" pattern,                               \
		},                                                            \
		{                                                             \
			"**/" pattern "/node_modules/**",                     \
			"**/" pattern "/vendor/**",                           \
			"**/" pattern "/.venv/**",                            \
		}                                                             \
	}

/*
 * The defaults.  Each git entry is a way to run code at the host's next plain
 * `git status`, in the repository, its submodules or its worktrees: what git
 * reads there as configuration, runs, or is led elsewhere by.  Those with **
 * inside also keep links out of every .git, through which the host's git would
 * write.  The entry for .git alone is the name itself: no .git appears or goes;
 * so it is with .hg, .sl and .jj, which lead elsewhere by files in them.
 * The others are read by the program named when it opens the tree.
 *
 */
static const struct cdn_executed executed[] = {
	PACKAGED(".envrc", "shell environment", "direnv", "shell"),
	PACKAGED(".vscode/**", "editor tasks", "VS Code", "editors"),
	PACKAGED(".idea/**", "editor tasks", "JetBrains IDEs", "editors"),
	PACKAGED(".zed/**", "editor tasks", "Zed", "editors"),
	PACKAGED(".helix/**", "editor tasks", "Helix", "editors"),
	PACKAGED(".devcontainer/**", "container", "Dev Containers", "editors"),
	PACKAGED(".devcontainer.json", "container", "Dev Containers", "editors"),
	PACKAGED(".mcp.json", "agent configuration", "Claude Code", "agents"),
	PACKAGED(".claude/**", "agent configuration", "Claude Code", "agents"),
	PACKAGED(".codex/**", "agent configuration", "Codex", "agents"),
	PACKAGED(".gemini/**", "agent configuration", "Gemini CLI", "agents"),
	PACKAGED(".cursor/**", "agent configuration", "Cursor", "agents"),
	PACKAGED(".opencode/**", "agent configuration", "opencode", "agents"),
	PACKAGED("opencode.json*", "agent configuration", "opencode", "agents"),
	PACKAGED(".agents/**", "agent configuration", "Codex, Gemini CLI",
	    "agents"),
	PACKAGED(".qwen/**", "agent configuration", "Qwen Code", "agents"),
	PACKAGED(".kiro/**", "agent configuration", "Kiro", "agents"),
	PACKAGED(".aider.conf.yml", "agent configuration", "aider", "agents"),
	PACKAGED("crush.json", "agent configuration", "Crush", "agents"),
	PACKAGED(".crush.json", "agent configuration", "Crush", "agents"),
	PACKAGED(".cordon/**", "cordon policy", "cordon", "agents"),
	PACKAGED(".pre-commit-config.yaml", "git hook", "pre-commit", "hooks"),
	PACKAGED(".pre-commit-config.yml", "git hook", "prek", "hooks"),
	PACKAGED(".husky/**", "git hook", "husky", "hooks"),
	PACKAGED(".githooks/**", "git hook", "git", "hooks"),
	PACKAGED("lefthook.*", "git hook", "lefthook", "hooks"),
	PACKAGED(".lefthook.*", "git hook", "lefthook", "hooks"),
	PACKAGED("lefthook-local.*", "git hook", "lefthook", "hooks"),
	PACKAGED(".lefthook-local.*", "git hook", "lefthook", "hooks"),
	PACKAGED(".lefthook/**", "git hook", "lefthook", "hooks"),
	PACKAGED(".lefthook-local/**", "git hook", "lefthook", "hooks"),
	PACKAGED(".config/lefthook*", "git hook", "lefthook", "hooks"),
	{ "**/.hg/hgrc*", "Mercurial configuration", "hg", "mercurial", { 0 }, { 0 } },
	{ "**/.hg/requires", "Mercurial configuration", "hg", "mercurial", { 0 }, { 0 } },
	{ "**/.hg/shared", "Mercurial configuration", "hg", "mercurial", { 0 }, { 0 } },
	{ "**/.hg/sharedpath", "Mercurial configuration", "hg", "mercurial", { 0 }, { 0 } },
	{ "**/.hg", "Mercurial repository", "hg", "mercurial", { 0 }, { 0 } },
	{ "**/.sl/config", "Sapling configuration", "sl", "sapling", { 0 }, { 0 } },
	{ "**/.sl/requires", "Sapling configuration", "sl", "sapling", { 0 }, { 0 } },
	{ "**/.sl/shared", "Sapling configuration", "sl", "sapling", { 0 }, { 0 } },
	{ "**/.sl/sharedpath", "Sapling configuration", "sl", "sapling", { 0 }, { 0 } },
	{ "**/.sl", "Sapling repository", "sl", "sapling", { 0 }, { 0 } },
	{ "**/.jj/repo/config.toml", "Jujutsu configuration", "jj", "jujutsu", { 0 }, { 0 } },
	{ "**/.jj/repo/store/git_target", "Jujutsu configuration", "jj", "jujutsu", { 0 }, { 0 } },
	{ "**/.jj/repo", "Jujutsu repository", "jj", "jujutsu", { 0 }, { 0 } },
	{ "**/.jj", "Jujutsu repository", "jj", "jujutsu", { 0 }, { 0 } },
	{ "**/.git/hooks/**", "git hook", "git", "git", { 0 }, { 0 } },
	{ "**/.git/config", "git configuration", "git", "git", { 0 }, { 0 } },
	{ "**/.git/**/config.worktree", "git configuration", "git", "git", { 0 }, { 0 } },
	{ "**/.git/**/commondir", "git configuration", "git", "git", { 0 }, { 0 } },
	{ "**/.git/modules/**/config", "git configuration", "git", "git", { 0 }, { 0 } },
	{ "**/.git/modules/**/hooks/**", "git hook", "git", "git", { 0 }, { 0 } },
	{ "**/.git/worktrees/*/config", "git configuration", "git", "git", { 0 }, { 0 } },
	{ "**/.git/worktrees/*/hooks/**", "git hook", "git", "git", { 0 }, { 0 } },
	{ "**/.git/worktrees/*/gitdir", "git configuration", "git", "git", { 0 }, { 0 } },
	{ "**/.git", "git repository", "git", "git", { 0 }, { 0 } },
};

/*
 * What the host executes, too, but writing it is the work that is asked for: not
 * denied, but looked at afterwards.
 */
static const struct cdn_handed_entry handed_on[] = {
	{ "**/.git/hooks/*.sample",	"git hook, a sample that is not run" },
	{ "**/.gitmodules",		"git configuration" },
	{ "**/.gitattributes",		"git configuration" },
	{ "**/*.code-workspace",	"editor tasks" },
	{ "**/.exrc",			"editor tasks" },
	{ "**/.nvim.lua",		"editor tasks" },
	{ "**/Dockerfile",		"container" },
	{ "**/docker-compose.yml",	"container" },
	{ "**/compose.yaml",		"container" },
	{ ".github/workflows/**",	"CI" },
	{ ".github/actions/**",		"CI" },
	{ ".forgejo/workflows/**",	"CI" },
	{ ".gitea/workflows/**",	"CI" },
	{ ".gitlab-ci.yml",		"CI" },
	{ ".gitlab/**",			"CI" },
	{ ".circleci/**",		"CI" },
	{ ".buildkite/**",		"CI" },
	{ ".woodpecker/**",		"CI" },
	{ ".ci/**",			"CI" },
	{ ".travis.yml",		"CI" },
	{ ".drone.yml",			"CI" },
	{ "azure-pipelines.yml",	"CI" },
	{ "bitbucket-pipelines.yml",	"CI" },
	{ "Jenkinsfile",		"CI" },
	{ "**/package.json",		"package script" },
	{ "**/.npmrc",			"package script" },
	{ "**/.yarnrc.yml",		"package script" },
	{ "**/binding.gyp",		"package script" },
	{ "**/setup.py",		"package script" },
	{ "**/setup.cfg",		"package script" },
	{ "**/pyproject.toml",		"package script" },
	{ "**/conftest.py",		"package script" },
	{ "**/noxfile.py",		"package script" },
	{ "**/tox.ini",			"package script" },
	{ "**/*.pth",			"package script" },
	{ "**/build.rs",		"package script" },
	{ "**/.cargo/config.toml",	"package script" },
	{ "**/Gemfile",			"package script" },
	{ "**/*.gemspec",		"package script" },
	{ "**/composer.json",		"package script" },
	{ "**/build.gradle",		"package script" },
	{ "**/build.gradle.kts",	"package script" },
	{ "**/pom.xml",			"package script" },
	{ "**/Makefile",		"build script" },
	{ "**/makefile",		"build script" },
	{ "**/GNUmakefile",		"build script" },
	{ "**/*.mk",			"build script" },
	{ "**/CMakeLists.txt",		"build script" },
	{ "**/*.cmake",			"build script" },
	{ "**/meson.build",		"build script" },
	{ "**/Rakefile",		"build script" },
	{ "**/justfile",		"build script" },
	{ "**/Taskfile.yml",		"build script" },
	{ "**/CLAUDE.md",		"agent instructions" },
	{ "**/AGENTS.md",		"agent instructions" },
	{ "**/GEMINI.md",		"agent instructions" },
};

/*
 * Any directory with a HEAD, objects and refs is a repository to git, with a
 * config of its own: so no HEAD appears outside of a git directory.
 */
static const char any_head[] = "**/HEAD";

/* Names for --allow, beside those of the entries. */
static const struct cdn_preset_group groups[] = {
	{ "agents", "configuration of coding agents" },
	{ "editors", "settings and tasks of editors" },
	{ CDN_GROUP_GIT, "hooks and configuration of git, new repositories" },
	{ CDN_GROUP_HOME, "start files of shells and sessions in your home" },
	{ CDN_GROUP_HOOKS, "hook managers, and what core.hooksPath names" },
	{ "jujutsu", "configuration of Jujutsu, new repositories" },
	{ "mercurial", "configuration of Mercurial, new repositories" },
	{ "sapling", "configuration of Sapling, new repositories" },
	{ "shell", "environments that direnv loads" },
};

static const char any_git[] = "**/.git";
static const char any_config[] = "**/.git/config";
#define ANYWHERE 3 /* bytes of "**" and a slash */

static const char *const system_dirs[] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	"/etc", "/opt", "/nix", "/gnu", "/snap", "/var/lib", "/proc", "/sys",
	"/run/systemd/resolve", "/run/NetworkManager",
};

static const char *const toolchains[] = {
	"/.cargo", "/.rustup", "/.nvm", "/.pyenv", "/.rbenv", "/.sdkman",
	"/.volta", "/.bun", "/.deno", "/.local/bin", "/.local/lib",
	"/.local/share/uv", "/.local/share/pipx", "/.local/share/pnpm",
	"/.local/share/mise", "/.local/share/fnm", "/.local/share/claude",
	"/go/bin",
};
/* clang-format on */

const struct cdn_preset *
cdn_preset_get(enum cordon_preset preset)
{
	return &presets[preset];
}

const char *
cdn_preset_executed(size_t i)
{
	return i < CDN_LEN(executed) ? executed[i].pattern : NULL;
}

bool
cdn_preset_handed(size_t i, struct cdn_handed_entry *ret)
{
	if (i < CDN_LEN(executed)) {
		*ret = (struct cdn_handed_entry){ executed[i].pattern,
			executed[i].what };
		return true;
	}
	i -= CDN_LEN(executed);
	if (i < CDN_LEN(handed_on))
		*ret = handed_on[i];
	return i < CDN_LEN(handed_on);
}

const struct cdn_executed *
cdn_preset_entry(size_t i)
{
	return i < CDN_LEN(executed) ? &executed[i] : NULL;
}

bool
cdn_preset_is_group(const char *name)
{
	for (size_t i = 0; i < CDN_LEN(groups); i++)
		if (strcmp(groups[i].name, name) == 0)
			return true;
	return false;
}

const struct cdn_preset_group *
cdn_preset_group(size_t i)
{
	return i < CDN_LEN(groups) ? &groups[i] : NULL;
}

/* A person may leave out what says "at any depth": denials show it so, too. */
static bool
is_entry(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 ||
	    (strncmp(pattern, any_git, ANYWHERE) == 0 &&
		strcmp(pattern + ANYWHERE, name) == 0);
}

bool
cdn_preset_may_allow(const char *name)
{
	const struct cdn_home_entry *entry;

	for (size_t i = 0; i < CDN_LEN(executed); i++)
		if (is_entry(executed[i].pattern, name))
			return true;
	for (size_t i = 0; (entry = cdn_home_entry(i)) != NULL; i++)
		if (strcmp(entry->name, name) == 0)
			return true;
	return cdn_preset_is_group(name);
}

const char *
cdn_preset_system(size_t i)
{
	return i < CDN_LEN(system_dirs) ? system_dirs[i] : NULL;
}

const char *
cdn_preset_toolchain(size_t i)
{
	return i < CDN_LEN(toolchains) ? toolchains[i] : NULL;
}

/* What an entry says of the repositories of this run; NULL: nothing. */
static const char *
entry_for(const char *pattern, enum cdn_preset_git git)
{
	if (git == CDN_GIT_FIXED ||
	    strncmp(pattern, any_git, sizeof(any_git) - 1) != 0)
		return pattern;
	if (git == CDN_GIT_FRESH || strcmp(pattern, any_git) == 0)
		return NULL;
	return pattern + ANYWHERE;
}

static const char defaults_source[] = "<defaults>";
static const char anchored_source[] = "<defaults>"; /* told apart by address */
static const char link_source[] = "<defaults>";
static const char command_line[] = "<command line>";

bool
cdn_defaults_silent(const struct cdn_rule *rule)
{
	return rule->pos.source == anchored_source ||
	    (!rule->negated && rule->pos.source == defaults_source);
}

bool
cdn_defaults_is_link(const struct cdn_rule *rule)
{
	return rule->pos.source == link_source;
}

static struct cdn_rule
own_rule(const char *source, const char *pattern, bool negated)
{
	return (struct cdn_rule){ .text = cdn_str_of(pattern),
		.pattern = cdn_str_of(pattern), .negated = negated,
		.pos = { .source = source } };
}

int
cdn_preset_rules(struct cdn_arena *arena, const struct cdn_preset *preset,
    enum cordon_op op, struct cdn_rules *ret, struct cordon_error *err)
{
	struct cdn_rules rules = { 0 };

	rules.v = cdn_arena_array(arena, 1, sizeof(*rules.v));
	if (rules.v == NULL)
		return cdn_err_nomem(err);
	if (op != CORDON_MODIFY || preset->modifies)
		rules.v[rules.n++] = own_rule(preset->source, "**", false);
	*ret = rules;
	return 0;
}

/* ----- The defaults ---------------------------------------------------------- */

static bool
is_allowed(const struct cdn_preset_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->allow_count; i++)
		if (is_entry(name, facts->allow[i]))
			return true;
	return false;
}

static bool
is_entry_allowed(const struct cdn_preset_facts *facts,
    const struct cdn_executed *entry)
{
	return is_allowed(facts, entry->group) ||
	    is_allowed(facts, entry->pattern);
}

/* An entry that --allow names stays in the list, and allows. */
static void
push_entry(struct cdn_rules *rules, const struct cdn_preset_facts *facts,
    const struct cdn_executed *entry)
{
	const char *pattern = entry_for(entry->pattern, facts->git);
	bool allow = is_entry_allowed(facts, entry);

	if (pattern != NULL)
		rules->v[rules->n++] = own_rule(allow ? command_line :
		    defaults_source, pattern, !allow);
}

static void
push_exceptions(struct cdn_rules *rules, const struct cdn_preset_facts *facts,
    const struct cdn_executed *entry)
{
	for (size_t i = 0; i < CDN_LEN(entry->except) &&
	    entry->except[i] != NULL && !is_entry_allowed(facts, entry); i++)
		rules->v[rules->n++] = own_rule(defaults_source,
		    entry->except[i], false);
}

/* Ends with a slash and two stars: a directory. */
static bool
is_directory(const struct cdn_executed *entry)
{
	return cdn_str_ends(cdn_str_of(entry->pattern), CDN_STR("/**"));
}

/*
 * Threat:    a run makes sub/.vscode/node_modules/p/.claude/x, although
 *	      sub/.vscode is protected.
 * Invariant: no exception reaches below a directory of this table.
 * Held by:   these rules, behind all exceptions; tests/cli/defaults.bats.
 */
static void
push_within(struct cdn_rules *rules, const struct cdn_preset_facts *facts,
    const struct cdn_executed *entry)
{
	for (size_t i = 0; i < CDN_LEN(entry->within) &&
	    entry->within[i] != NULL && is_directory(entry) &&
	    !is_entry_allowed(facts, entry); i++)
		rules->v[rules->n++] = own_rule(anchored_source,
		    entry->within[i], true);
}

/*
 * The same at the top of the workspace, behind all exceptions: nothing below
 * .claude is a package's, and a rule about one path holds for the hard links
 * and mounts of the file there, too.  One with a wildcard would not, and be
 * reported as a loss wherever a part of the workspace is mounted again.
 */
static void
push_anchored(struct cdn_rules *rules, const struct cdn_preset_facts *facts,
    const struct cdn_executed *entry)
{
	cdn_str name = cdn_str_of(entry->pattern + ANYWHERE);

	if (is_directory(entry))
		name.n -= 3;
	if (entry->except[0] != NULL && !is_entry_allowed(facts, entry) &&
	    cdn_rule_is_exact(name))
		rules->v[rules->n++] = own_rule(anchored_source,
		    entry->pattern + ANYWHERE, true);
}

/*
 * Behind all entries with exceptions, which may lift none of these, and before
 * the entries that deny in a git directory.
 */
static int
push_git(struct cdn_arena *arena, struct cdn_rules *rules,
    const struct cdn_preset_facts *facts, struct cordon_error *err)
{
	int code = 0;

	if (!is_allowed(facts, CDN_GROUP_GIT)) {
		if (facts->git == CDN_GIT_FIXED)
			rules->v[rules->n++] = own_rule(defaults_source,
			    any_head, true);
		code = cdn_git_rules_add(arena, defaults_source, facts, rules,
		    err);
	}
	for (size_t i = 0; code == 0 && i < CDN_LEN(executed); i++)
		if (strcmp(executed[i].group, CDN_GROUP_GIT) == 0)
			push_entry(rules, facts, &executed[i]);
	return code;
}

static void
push_found(struct cdn_rules *rules, const struct cdn_preset_facts *facts,
    const struct cdn_found_executed *found)
{
	bool allow = is_allowed(facts, found->group) ||
	    (found->name != NULL && is_allowed(facts, found->name));

	rules->v[rules->n++] = own_rule(allow ? command_line :
	    found->link ? link_source : defaults_source, found->pattern,
	    !allow);
}

/*
 * An exception may lift entries of packages alone, so those without come behind
 * all exceptions.
 */
static void
push_table(struct cdn_rules *rules, const struct cdn_preset_facts *facts)
{
	for (size_t i = 0; i < CDN_LEN(executed); i++)
		if (executed[i].except[0] != NULL)
			push_entry(rules, facts, &executed[i]);
	for (size_t i = 0; i < CDN_LEN(executed); i++)
		push_exceptions(rules, facts, &executed[i]);
	for (size_t i = 0; i < CDN_LEN(executed); i++)
		push_within(rules, facts, &executed[i]);
	for (size_t i = 0; i < CDN_LEN(executed); i++)
		if (executed[i].except[0] == NULL &&
		    strcmp(executed[i].group, CDN_GROUP_GIT) != 0)
			push_entry(rules, facts, &executed[i]);
}

/* Everything is unprotected: no other rule could decide. */
static bool
is_lifted_whole(const struct cdn_preset_facts *facts)
{
	for (size_t i = 0; i < facts->unprotect.n; i++)
		if (cdn_str_is(facts->unprotect.v[i].pattern, "**"))
			return true;
	return false;
}

bool
cdn_defaults_guard_git(const struct cdn_preset_facts *facts)
{
	return facts->git == CDN_GIT_FIXED && !is_lifted_whole(facts) &&
	    !is_allowed(facts, CDN_GROUP_GIT) && !is_allowed(facts, any_git);
}

int
cdn_defaults_rules(struct cdn_arena *arena, enum cordon_op op,
    const struct cdn_preset_facts *facts, struct cdn_rules *ret,
    struct cordon_error *err)
{
	struct cdn_rules rules = { 0 };
	int code = 0;

	rules.v = cdn_arena_array(arena, 3 + cdn_git_rules_count(facts) +
	    CDN_LEN(executed) * (2 + 2 * CDN_EXCEPT_MAX) + facts->executed_count +
	    facts->unprotect.n, sizeof(*rules.v));
	if (rules.v == NULL)
		return cdn_err_nomem(err);
	rules.v[rules.n++] = own_rule(defaults_source, "**", false);
	if (op == CORDON_MODIFY && !is_lifted_whole(facts)) {
		push_table(&rules, facts);
		code = push_git(arena, &rules, facts, err);
		for (size_t i = 0; i < CDN_LEN(executed); i++)
			push_anchored(&rules, facts, &executed[i]);
		for (size_t i = 0; i < facts->executed_count; i++)
			push_found(&rules, facts, &facts->executed[i]);
	}
	if (op == CORDON_MODIFY && facts->config_compared)
		rules.v[rules.n++] = own_rule(defaults_source, any_config,
		    false);
	for (size_t i = 0; op == CORDON_MODIFY && i < facts->unprotect.n; i++)
		rules.v[rules.n++] = facts->unprotect.v[i];
	*ret = rules;
	return code;
}
