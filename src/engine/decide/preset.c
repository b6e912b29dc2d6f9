#include "engine/decide/preset.h"

/* clang-format off */
static const struct cdn_preset presets[] = {
	[CORDON_PRESET_WORKSPACE] = {
		.name = "workspace", .source = "<preset workspace>",
		.modifies = true, .denies = true, .toolchains = true,
		.own_home = true, .own_tmp = true,
		.network = CDN_NETWORK_NONE,
	},
	[CORDON_PRESET_PROTECT] = {
		.name = "protect", .source = "<preset protect>",
		.modifies = true, .whole_host = true, .toolchains = true,
		.network = CDN_NETWORK_FULL,
	},
	[CORDON_PRESET_STRICT] = {
		.name = "strict", .source = "<preset strict>",
		.own_home = true, .own_tmp = true,
		.network = CDN_NETWORK_NONE,
	},
};

/*
 * Each git entry is a way to run code at the host's next plain `git status`, in
 * the repository, its submodules or its worktrees: what git reads there as
 * configuration, runs, or is led elsewhere by.  Those with ** inside also keep
 * links out of every .git, through which the host's git would write.  The entry
 * for .git alone is the name itself: no .git appears or goes.  The others are
 * read by editors, shells and agents when they open the tree.
 */
static const struct cdn_executed executed[] = {
	{ "**/.git/hooks/**",		  "git hook" },
	{ "**/.git/config",		  "git configuration" },
	{ "**/.git/**/config.worktree",	  "git configuration" },
	{ "**/.git/**/commondir",	  "git configuration" },
	{ "**/.git/modules/**/config",	  "git configuration" },
	{ "**/.git/modules/**/hooks/**",  "git hook" },
	{ "**/.git/worktrees/*/config",	  "git configuration" },
	{ "**/.git/worktrees/*/hooks/**", "git hook" },
	{ "**/.git/worktrees/*/gitdir",	  "git configuration" },
	{ "**/.git",			  "git repository" },
	{ ".envrc",			  "shell environment" },
	{ ".vscode/**",			  "editor tasks" },
	{ ".idea/**",			  "editor tasks" },
	{ ".devcontainer/**",		  "container" },
	{ ".mcp.json",			  "agent configuration" },
	{ ".claude/**",			  "agent configuration" },
	{ ".codex/**",			  "agent configuration" },
	{ ".gemini/**",			  "agent configuration" },
	{ ".cursor/**",			  "agent configuration" },
	{ ".cordon/**",			  "cordon policy" },
};

/*
 * What the host executes, too, but writing it is the work that is asked for: not
 * denied, but looked at afterwards.
 */
static const struct cdn_executed handed_on[] = {
	{ "**/.git/hooks/*.sample",	"git hook, a sample that is not run" },
	{ "**/.gitmodules",		"git configuration" },
	{ "**/.gitattributes",		"git configuration" },
	{ ".pre-commit-config.yaml",	"git hook" },
	{ ".husky/**",			"git hook" },
	{ ".githooks/**",		"git hook" },
	{ "lefthook.yml",		"git hook" },
	{ "**/.envrc",			"shell environment" },
	{ "**/.vscode/**",		"editor tasks" },
	{ "**/.idea/**",		"editor tasks" },
	{ "**/*.code-workspace",	"editor tasks" },
	{ "**/.exrc",			"editor tasks" },
	{ "**/.nvim.lua",		"editor tasks" },
	{ "**/.devcontainer/**",	"container" },
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
	{ "**/.mcp.json",		"agent configuration" },
	{ "**/.claude/**",		"agent configuration" },
	{ "**/.codex/**",		"agent configuration" },
	{ "**/.gemini/**",		"agent configuration" },
	{ "**/.cursor/**",		"agent configuration" },
	{ "**/.opencode/**",		"agent configuration" },
	{ "**/opencode.json",		"agent configuration" },
	{ "**/opencode.jsonc",		"agent configuration" },
	{ "**/.cordon/**",		"cordon policy" },
	{ "**/CLAUDE.md",		"agent instructions" },
	{ "**/AGENTS.md",		"agent instructions" },
	{ "**/GEMINI.md",		"agent instructions" },
};

/*
 * Any directory with a HEAD, objects and refs is a repository to git, with a
 * config of its own: so no HEAD appears outside of a .git.
 */
static const struct {
	const char *pattern;
	bool negated;
} heads[] = {
	{ "**/HEAD", true },
	{ "**/.git/**/HEAD", false },
};

static const char any_git[] = "**/.git";
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

const struct cdn_executed *
cdn_preset_handed(size_t i)
{
	if (i < CDN_LEN(executed))
		return &executed[i];
	i -= CDN_LEN(executed);
	return i < CDN_LEN(handed_on) ? &handed_on[i] : NULL;
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

static struct cdn_rule
preset_rule(const struct cdn_preset *preset, const char *pattern, bool negated)
{
	return (struct cdn_rule){ .text = cdn_str_of(pattern),
		.pattern = cdn_str_of(pattern), .negated = negated,
		.pos = { .source = preset->source } };
}

int
cdn_preset_rules(struct cdn_arena *arena, const struct cdn_preset *preset,
    enum cordon_op op, const struct cdn_preset_facts *facts,
    struct cdn_rules *ret, struct cordon_error *err)
{
	struct cdn_rules rules = { 0 };
	const char *entry;

	rules.v = cdn_arena_array(arena, 1 + CDN_LEN(heads) +
	    CDN_LEN(executed) + facts->executed_count, sizeof(*rules.v));
	if (rules.v == NULL)
		return cdn_err_nomem(err);
	if (op != CORDON_MODIFY || preset->modifies)
		rules.v[rules.n++] = preset_rule(preset, "**", false);
	*ret = rules;
	if (op != CORDON_MODIFY || !preset->denies)
		return 0;
	for (size_t i = 0; facts->git == CDN_GIT_FIXED && i < CDN_LEN(heads);
	     i++)
		rules.v[rules.n++] = preset_rule(preset, heads[i].pattern,
		    heads[i].negated);
	for (size_t i = 0; i < CDN_LEN(executed); i++)
		if ((entry = entry_for(executed[i].pattern, facts->git)) != NULL)
			rules.v[rules.n++] = preset_rule(preset, entry, true);
	for (size_t i = 0; i < facts->executed_count; i++)
		rules.v[rules.n++] = preset_rule(preset, facts->executed[i],
		    true);
	*ret = rules;
	return 0;
}
