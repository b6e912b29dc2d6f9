#include "engine/decide/agents.h"

#define STATE(path) \
	{ { path, false, false, "agent state", true }, CDN_AGENT_DIR }
#define FILE_AT(path) { { path, false, true, "agent state" }, CDN_AGENT_FILE }
#define KEYS(path) \
	{ { path, false, true, "agent credentials" }, CDN_AGENT_PART }

/* clang-format off */

/*
 * In the state of any agent.  Scripts: settings often name them.
 */
static const char *const obeyed_by_all[] = {
	"settings.json", "settings.*.json", "*.toml", "mcp.json",
	"*-settings.json", "keybindings.json", "hooks", "hooks.json",
	"CLAUDE.md", "AGENTS.md", "GEMINI.md", "*.md",
	"agents", "commands", "prompts", "skills", "plugins", "extensions",
	"policies", "rules", "bin", "scripts", ".env",
	"*.sh", "*.js", "*.mjs", "*.cjs", "*.ts", "*.py",
};

static const char *const nothing[] = { NULL };

/* ----- Claude Code --------------------------------------------------------- */

static const struct cdn_agent_place claude_places[] = {
	STATE("~/.claude"),
	KEYS("~/.claude/.credentials.json"),
	FILE_AT("~/.claude.json"),
};

static const struct cdn_agent_beside claude_beside[] = {
	{ "~/.claude.json.lock", false },
	{ "~/.claude.json.tmp.*.*", true }, /* process and time */
};

static const char *const claude_obeyed[] = {
	"local", "output-styles", "workflows", "themes", NULL,
};

/* It counts in plugins/store, and rewrites the lists beside it. */
static const char *const claude_spread[] = { "plugins", NULL };

static const char *const claude_private[] = {
	"projects", "history.jsonl", "todos", "tasks", "plans", "teams",
	"file-history", "paste-cache", "image-cache", "uploads", "debug",
	"sessions", "session-env", "shell-snapshots", "backups", "ide",
	"usage-data", "telemetry", "plugins/store", NULL,
};

static const char *const claude_copied[] = {
	"~/.claude.json", "~/.claude/settings.json", NULL,
};

static const struct cdn_agent_login claude_logins[] = {
	{ "~/.claude/.credentials.json", false },
};

static const char *const claude_moves[] = {
	"CLAUDE_CONFIG_DIR=.claude", NULL,
};

static const char *const claude_set[] = {
	"IS_SANDBOX=1", "DISABLE_AUTOUPDATER=1", NULL,
};

static const char *const claude_pass[] = {
	"ANTHROPIC_*", "CLAUDE_*", "DISABLE_TELEMETRY",
	"DISABLE_ERROR_REPORTING", "MAX_THINKING_TOKENS", "MCP_TIMEOUT",
	"MCP_TOOL_TIMEOUT", "MAX_MCP_OUTPUT_TOKENS", NULL,
};

/* ----- Codex --------------------------------------------------------------- */

static const struct cdn_agent_place codex_places[] = {
	STATE("~/.codex"),
};

static const char *const codex_obeyed[] = { "automations", NULL };

static const char *const codex_spread[] = { "rules", NULL };

static const char *const codex_private[] = {
	"sessions", "archived_sessions", "history.jsonl", "log", "*.sqlite",
	"*.sqlite-wal", "*.sqlite-shm", "*.sqlite-journal", "memories",
	"session_index.jsonl", "shell_snapshots", "attachments", NULL,
};

static const char *const codex_copied[] = {
	"~/.codex/config.toml", "~/.codex/rules/default.rules", NULL,
};

static const struct cdn_agent_login codex_logins[] = {
	{ "~/.codex/auth.json", false },
	{ "~/.codex/.credentials.json", false },
};

static const char *const codex_moves[] = { "CODEX_HOME=.codex", NULL };

static const char *const codex_pass[] = {
	"CODEX_*", "OPENAI_*", NULL,
};

/* ----- Gemini CLI ---------------------------------------------------------- */

static const struct cdn_agent_place gemini_places[] = {
	STATE("~/.gemini"),
};

static const char *const gemini_spread[] = { "policies", NULL };

static const char *const gemini_private[] = {
	"tmp", "history", "antigravity", "projects.json", NULL,
};

static const char *const gemini_copied[] = {
	"~/.gemini/settings.json", "~/.gemini/trustedFolders.json",
	"~/.gemini/trusted_hooks.json", "~/.gemini/google_accounts.json",
	"~/.gemini/state.json", "~/.gemini/policies/auto-saved.toml", NULL,
};

static const struct cdn_agent_login gemini_logins[] = {
	{ "~/.gemini/oauth_creds.json", false },
	{ "~/.gemini/gemini-credentials.json", false },
	{ "~/.gemini/mcp-oauth-tokens.json", false },
};

/* It appends ".gemini" itself. */
static const char *const gemini_moves[] = { "GEMINI_CLI_HOME=", NULL };

/* The latter: it is in one, and starts none of its own. */
static const char *const gemini_set[] = { "SANDBOX=cordon", NULL };

static const char *const gemini_pass[] = {
	"GEMINI_*", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL",
	"GOOGLE_VERTEX_BASE_URL", "GOOGLE_GENAI_*", "GOOGLE_CLOUD_PROJECT",
	"GOOGLE_CLOUD_LOCATION", NULL,
};

/* ----- opencode ------------------------------------------------------------ */

static const struct cdn_agent_place opencode_places[] = {
	STATE("~/.config/opencode"),
	STATE("~/.local/share/opencode"),
};

static const char *const opencode_obeyed[] = {
	"opencode.json", "opencode.jsonc", "config.json", "tui.json", "agent",
	"command", "mode", "modes", "plugin", "skill", "tool", "tools",
	"themes", "node_modules", "package.json", NULL,
};

static const char *const opencode_private[] = {
	"opencode.db", "opencode.db-wal", "opencode.db-shm", "storage",
	"snapshot", "log", "project", "tool-output", "repos", NULL,
};

/*
 * An entry of the type "wellknown" makes opencode take configuration, programs
 * included, from a server: such a file is not taken from a run.
 */
static const struct cdn_agent_login opencode_logins[] = {
	{ "~/.local/share/opencode/auth.json", true },
	{ "~/.local/share/opencode/mcp-auth.json", false },
};

static const char *const opencode_moves[] = {
	"XDG_CONFIG_HOME=.config", "XDG_DATA_HOME=.local/share",
	"XDG_STATE_HOME=.local/state", "XDG_CACHE_HOME=.cache", NULL,
};

static const char *const opencode_set[] = {
	"OPENCODE_DISABLE_AUTOUPDATE=1", NULL,
};

static const char *const opencode_pass[] = { "OPENCODE_*", NULL };

/* ----- Grok ---------------------------------------------------------------- */

static const struct cdn_agent_place grok_places[] = {
	STATE("~/.grok"),
};

static const char *const grok_moves[] = { "GROK_HOME=.grok", NULL };

static const char *const grok_pass[] = { "GROK_*", "XAI_*", NULL };

/* ----- All of them --------------------------------------------------------- */

static const struct cdn_agent agents[] = {
	{ .name = "claude", .source = "<agent claude>",
	  .variable = "CLAUDE_CONFIG_DIR",
	  .places = claude_places, .place_count = CDN_LEN(claude_places),
	  .beside = claude_beside, .beside_count = CDN_LEN(claude_beside),
	  .obeyed = claude_obeyed, .spread = claude_spread,
	  .private = claude_private, .copied = claude_copied,
	  .logins = claude_logins, .login_count = CDN_LEN(claude_logins),
	  .moves = claude_moves, .set = claude_set, .pass = claude_pass,
	  .scratch = "/tmp/claude-", .keychain = true },
	{ .name = "codex", .source = "<agent codex>", .variable = "CODEX_HOME",
	  .places = codex_places, .place_count = CDN_LEN(codex_places),
	  .obeyed = codex_obeyed, .spread = codex_spread,
	  .private = codex_private, .copied = codex_copied,
	  .logins = codex_logins, .login_count = CDN_LEN(codex_logins),
	  .moves = codex_moves, .set = nothing, .pass = codex_pass },
	{ .name = "gemini", .source = "<agent gemini>",
	  .places = gemini_places, .place_count = CDN_LEN(gemini_places),
	  .obeyed = nothing, .spread = gemini_spread,
	  .private = gemini_private, .copied = gemini_copied,
	  .logins = gemini_logins, .login_count = CDN_LEN(gemini_logins),
	  .moves = gemini_moves, .set = gemini_set, .pass = gemini_pass },
	{ .name = "opencode", .source = "<agent opencode>",
	  .places = opencode_places, .place_count = CDN_LEN(opencode_places),
	  .obeyed = opencode_obeyed, .spread = nothing,
	  .private = opencode_private, .copied = nothing,
	  .logins = opencode_logins, .login_count = CDN_LEN(opencode_logins),
	  .moves = opencode_moves, .set = opencode_set,
	  .pass = opencode_pass },
	{ .name = "grok", .source = "<agent grok>", .variable = "GROK_HOME",
	  .places = grok_places, .place_count = CDN_LEN(grok_places),
	  .obeyed = nothing, .spread = nothing, .private = nothing,
	  .copied = nothing, .moves = grok_moves, .set = nothing,
	  .pass = grok_pass },
};
/* clang-format on */

const struct cdn_agent *
cdn_agent(size_t i)
{
	return i < CDN_LEN(agents) ? &agents[i] : NULL;
}

const struct cdn_agent *
cdn_agent_find(const char *name)
{
	for (size_t i = 0; i < CDN_LEN(agents); i++)
		if (strcmp(agents[i].name, name) == 0)
			return &agents[i];
	return NULL;
}

const char *
cdn_agent_obeyed(const struct cdn_agent *agent, size_t i)
{
	return i < CDN_LEN(obeyed_by_all) ? obeyed_by_all[i] :
		agent->obeyed[i - CDN_LEN(obeyed_by_all)];
}

/* The pattern has at most one star. */
static bool
fits(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t head, tail, n = strlen(name);

	if (star == NULL)
		return strcmp(pattern, name) == 0;
	head = (size_t)(star - pattern);
	tail = strlen(star + 1);
	return n >= head + tail && strncmp(name, pattern, head) == 0 &&
	    strcmp(name + n - tail, star + 1) == 0;
}

bool
cdn_agent_is_private(const struct cdn_agent *agent, const char *name)
{
	for (size_t i = 0; agent->private[i] != NULL; i++)
		if (fits(agent->private[i], name))
			return true;
	return false;
}

bool
cdn_agent_obeys(const struct cdn_agent *agent, const char *name)
{
	const char *pattern;

	if (cdn_agent_is_private(agent, name))
		return false;
	for (size_t i = 0; (pattern = cdn_agent_obeyed(agent, i)) != NULL; i++)
		if (fits(pattern, name))
			return true;
	return false;
}

bool
cdn_agent_spreads(const struct cdn_agent *agent, const char *name)
{
	for (size_t i = 0; agent->spread[i] != NULL; i++)
		if (strcmp(agent->spread[i], name) == 0)
			return true;
	return false;
}
