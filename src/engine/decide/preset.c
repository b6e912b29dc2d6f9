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
 * Each git entry is a way to run code at the host's next plain `git status`;
 * the others are read by editors, shells and agents when they open the tree.
 * The entry for .git alone is the name itself: no .git appears or goes.
 */
static const struct {
	const char *pattern;
	enum cdn_preset_git until; /* it holds up to this word */
} executed[] = {
	{ ".git/hooks/**",			CDN_GIT_NESTED },
	{ ".git/config",			CDN_GIT_NESTED },
	{ ".git/config.worktree",		CDN_GIT_FRESH },
	{ ".git/commondir",			CDN_GIT_FRESH },
	{ ".git/modules/**/config",		CDN_GIT_FRESH },
	{ ".git/modules/**/hooks/**",		CDN_GIT_FRESH },
	{ ".git/worktrees/*/config.worktree",	CDN_GIT_FRESH },
	{ ".git/worktrees/*/commondir",		CDN_GIT_FRESH },
	{ ".git/worktrees/*/gitdir",		CDN_GIT_FRESH },
	{ "**/.git/config",			CDN_GIT_FIXED },
	{ "**/.git/hooks/**",			CDN_GIT_FIXED },
	{ "**/.git",				CDN_GIT_FIXED },
	{ ".envrc",				CDN_GIT_FRESH },
	{ ".vscode/**",				CDN_GIT_FRESH },
	{ ".idea/**",				CDN_GIT_FRESH },
	{ ".devcontainer/**",			CDN_GIT_FRESH },
	{ ".mcp.json",				CDN_GIT_FRESH },
	{ ".claude/**",				CDN_GIT_FRESH },
	{ ".codex/**",				CDN_GIT_FRESH },
	{ ".gemini/**",				CDN_GIT_FRESH },
	{ ".cursor/**",				CDN_GIT_FRESH },
	{ ".cordon/**",				CDN_GIT_FRESH },
};

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

static struct cdn_rule
preset_rule(const struct cdn_preset *preset, const char *pattern, bool negated)
{
	return (struct cdn_rule){ .text = cdn_str_of(pattern),
		.pattern = cdn_str_of(pattern), .negated = negated,
		.pos = { .source = preset->source } };
}

int
cdn_preset_rules(struct cdn_arena *arena, const struct cdn_preset *preset,
    enum cordon_op op, enum cdn_preset_git git, struct cdn_rules *ret,
    struct cordon_error *err)
{
	struct cdn_rules rules = { 0 };

	rules.v = cdn_arena_array(arena, 1 + CDN_LEN(executed),
	    sizeof(*rules.v));
	if (rules.v == NULL)
		return cdn_err_nomem(err);
	if (op != CORDON_MODIFY || preset->modifies)
		rules.v[rules.n++] = preset_rule(preset, "**", false);
	if (op == CORDON_MODIFY && preset->denies)
		for (size_t i = 0; i < CDN_LEN(executed); i++)
			if (executed[i].until >= git)
				rules.v[rules.n++] = preset_rule(preset,
				    executed[i].pattern, true);
	*ret = rules;
	return 0;
}
