#include "engine/decide/agents.h"

#define STATE(path) \
	{ { path, false, false, "agent state", true }, CDN_AGENT_DIR }
#define FILE_AT(path) { { path, false, true, "agent state" }, CDN_AGENT_FILE }
#define KEYS(path) \
	{ { path, false, true, "agent credentials" }, CDN_AGENT_PART }

#define ROWS(table) (table), CDN_LEN(table)

/* clang-format off */

/*
 * Below the state of any agent.  Scripts: what settings often name.  What an
 * agent writes for its own shells (snapshots, aliases) is here too: another
 * one, outside of any cage, may be using the same directory.
 */
static const char *const obeyed_by_all[] = {
	"settings.json", "settings.*.json", "*.toml", "mcp.json",
	"*-settings.json", "keybindings.json", "hooks", "hooks.json",
	"CLAUDE.md", "AGENTS.md", "GEMINI.md", "*.md",
	"agents", "commands", "prompts", "skills", "plugins", "extensions",
	"policies", "rules", "bin", "scripts", ".env",
	"*.sh", "*.js", "*.mjs", "*.cjs", "*.ts", "*.py",
};

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
	".claude.json", "shell-snapshots", "session-env", "local",
	"output-styles", "workflows", "themes", NULL,
};

/* What its plugins count; rewritten at each start. */
static const char *const claude_data[] = { "plugins/store", NULL };

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

static const char *const codex_obeyed[] = { "packages", "automations", "shell_snapshots",
	"tmp", NULL };

static const char *const codex_pass[] = {
	"CODEX_*", "OPENAI_*", NULL,
};

/* ----- Gemini CLI ---------------------------------------------------------- */

static const struct cdn_agent_place gemini_places[] = {
	STATE("~/.gemini"),
};

static const char *const gemini_obeyed[] = {
	"trustedFolders.json", "tmp/bin", NULL,
};

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

static const char *const opencode_set[] = {
	"OPENCODE_DISABLE_AUTOUPDATE=1", NULL,
};

static const char *const opencode_pass[] = { "OPENCODE_*", NULL };

/* ----- Grok ---------------------------------------------------------------- */

static const struct cdn_agent_place grok_places[] = {
	STATE("~/.grok"),
};

static const char *const grok_pass[] = { "GROK_*", "XAI_*", NULL };

/* ----- All of them --------------------------------------------------------- */

static const char *const nothing[] = { NULL };

static const struct cdn_agent agents[] = {
	{ "claude", "<agent claude>", "CLAUDE_CONFIG_DIR", ROWS(claude_places),
	    ROWS(claude_beside), claude_obeyed, claude_data, claude_set, claude_pass,
	    "/tmp/claude-", true },
	{ "codex", "<agent codex>", "CODEX_HOME", ROWS(codex_places),
	    NULL, 0, codex_obeyed, nothing, nothing, codex_pass, NULL, false },
	{ "gemini", "<agent gemini>", NULL, ROWS(gemini_places),
	    NULL, 0, gemini_obeyed, nothing, gemini_set, gemini_pass, NULL, false },
	{ "opencode", "<agent opencode>", NULL, ROWS(opencode_places),
	    NULL, 0, opencode_obeyed, nothing, opencode_set, opencode_pass, NULL,
	    false },
	{ "grok", "<agent grok>", "GROK_HOME", ROWS(grok_places),
	    NULL, 0, nothing, nothing, nothing, grok_pass, NULL, false },
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
