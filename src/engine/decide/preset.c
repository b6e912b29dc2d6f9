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
static const char *const executed[] = {
	"**/.git/hooks/**",
	"**/.git/config",
	"**/.git/**/config.worktree",
	"**/.git/**/commondir",
	"**/.git/modules/**/config",
	"**/.git/modules/**/hooks/**",
	"**/.git/worktrees/*/config",
	"**/.git/worktrees/*/hooks/**",
	"**/.git/worktrees/*/gitdir",
	"**/.git",
	".envrc",
	".vscode/**",
	".idea/**",
	".devcontainer/**",
	".mcp.json",
	".claude/**",
	".codex/**",
	".gemini/**",
	".cursor/**",
	".cordon/**",
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
	return i < CDN_LEN(executed) ? executed[i] : NULL;
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
		if ((entry = entry_for(executed[i], facts->git)) != NULL)
			rules.v[rules.n++] = preset_rule(preset, entry, true);
	for (size_t i = 0; i < facts->executed_count; i++)
		rules.v[rules.n++] = preset_rule(preset, facts->executed[i],
		    true);
	*ret = rules;
	return 0;
}
