/*
 * The tables: which tools there are, and what their arguments mean.
 */
#include "engine/dialect/dialect.h"

#include <strings.h>

#define CLAUDE (1U << CORDON_HOOK_CLAUDE)
#define CODEX  (1U << CORDON_HOOK_CODEX)
#define GEMINI (1U << CORDON_HOOK_GEMINI)
#define CURSOR (1U << CORDON_HOOK_CURSOR)
#define ANY    (CLAUDE | CODEX | GEMINI | CURSOR)

#define NOTHING(n) { n, CDN_WANT_NOTHING }
#define READ(n)	   { n, CDN_WANT_READ }
#define MODIFY(n)  { n, CDN_WANT_MODIFY }
#define BASE(n)	   { n, CDN_WANT_BASE }
#define OLD_BASE(n) { n, CDN_WANT_OLD_BASE }
#define PATTERN(n) { n, CDN_WANT_PATTERN }
#define SHELL(n)   { n, CDN_WANT_SHELL }
#define TYPED(n)   { n, CDN_WANT_TYPED }
#define INTERPRETER(n) { n, CDN_WANT_INTERPRETER }
#define PATCH(n)   { n, CDN_WANT_PATCH }
#define EDITS(n)   { n, CDN_WANT_EDITS }
#define URL(n)	   { n, CDN_WANT_URL }
#define NEVER(n)   { n, CDN_WANT_NEVER }

/* clang-format off */
static const struct cdn_dialect_tool tools[] = {
	/* Claude Code; where names begin is said by `path` alone. */
	{ CLAUDE, "Bash", { SHELL("command"), NOTHING("description"),
	    NEVER("dangerouslyDisableSandbox") } },
	{ CLAUDE, "Monitor", { SHELL("command"), NOTHING("description") } },
	{ CLAUDE, "PowerShell", { SHELL("command"), NOTHING("description") } },
	{ CLAUDE | CURSOR, "Read", { READ("file_path"), READ("path"), READ("target_file") } },
	{ CLAUDE | CODEX | CURSOR, "Write", { MODIFY("file_path"), MODIFY("path"),
	    NOTHING("content"), NOTHING("contents"), PATCH("command") } },
	{ CLAUDE | CODEX | CURSOR, "Edit", { MODIFY("file_path"), MODIFY("path"),
	    NOTHING("old_string"), NOTHING("new_string"), EDITS("edits"), PATCH("command") } },
	{ CLAUDE, "MultiEdit", { MODIFY("file_path"), EDITS("edits") } },
	{ CLAUDE, "NotebookEdit", { MODIFY("notebook_path"), NOTHING("new_source"),
	    NOTHING("cell_id") } },
	{ CLAUDE, "NotebookRead", { READ("notebook_path") } },
	{ CLAUDE | CURSOR, "LS", { READ("path"), READ("target_directory"), NOTHING("ignore"),
	    NOTHING("ignore_globs") } },
	{ CLAUDE, "Glob", { PATTERN("pattern"), BASE("path") } },
	{ CURSOR, "Glob", { PATTERN("pattern"), PATTERN("glob_pattern"), OLD_BASE("path"),
	    OLD_BASE("target_directory") } },
	{ CLAUDE | CURSOR, "Grep", { NOTHING("pattern"), BASE("path"), PATTERN("glob"),
	    NOTHING("type"), NOTHING("output_mode") }, .bare = true },
	{ CLAUDE | CURSOR, "Task", .text = true },
	{ CLAUDE, "Agent", .text = true },
	{ CLAUDE, "TodoWrite", .text = true },
	{ CLAUDE, "AskUserQuestion", .text = true },
	{ CLAUDE, "ExitPlanMode", .text = true },
	{ CLAUDE, "SlashCommand", .text = true },
	{ CLAUDE, "Skill", .text = true },
	{ CLAUDE, "TaskCreate", .text = true },
	{ CLAUDE, "TaskUpdate", .text = true },
	{ CLAUDE, "WebFetch", { URL("url"), NOTHING("prompt") }, .bare = true },
	{ CLAUDE | CURSOR, "WebSearch", .text = true },

	/* Codex */
	{ CODEX, "Bash", { SHELL("command"), NOTHING("description"), BASE("workdir"),
	    NEVER("with_escalated_permissions"), NEVER("sandbox_permissions"),
	    NOTHING("justification") } },
	{ CODEX, "apply_patch", { PATCH("command"), PATCH("input"), PATCH("patch") } },
	{ CODEX, "shell", { SHELL("command"), BASE("workdir"), NOTHING("justification"),
	    NEVER("with_escalated_permissions"), NEVER("sandbox_permissions") } },
	{ CODEX, "shell_command", { SHELL("command"), BASE("workdir"), NOTHING("justification"),
	    NEVER("with_escalated_permissions"), NEVER("sandbox_permissions") } },
	{ CODEX, "local_shell", { SHELL("command"), OLD_BASE("workdir"),
	    OLD_BASE("working_directory") } },
	{ CODEX, "exec_command", { SHELL("cmd"), SHELL("command"), BASE("workdir"),
	    INTERPRETER("shell"), NOTHING("justification"), NEVER("sandbox_permissions"),
	    NEVER("with_escalated_permissions") } },
	{ CODEX, "write_stdin", { TYPED("chars") }, .bare = true },
	{ CODEX, "view_image", { READ("path"), NOTHING("detail") } },
	{ CODEX, "read_file", { READ("file_path"), READ("path"), NOTHING("mode") } },
	{ CODEX, "list_dir", { READ("dir_path"), READ("path") } },
	{ CODEX, "grep_files", { NOTHING("pattern"), NOTHING("include"), BASE("path") },
	    .bare = true },
	{ CODEX, "update_plan", .text = true },
	{ CODEX, "web_search", .text = true },

	/* Gemini */
	{ GEMINI, "run_shell_command", { SHELL("command"), OLD_BASE("directory"), BASE("dir_path"),
	    NOTHING("description") } },
	{ GEMINI, "read_file", { READ("file_path"), READ("absolute_path"), READ("path") } },
	{ GEMINI, "read_many_files", { PATTERN("paths"), PATTERN("include"),
	    NOTHING("exclude") } },
	{ GEMINI, "write_file", { MODIFY("file_path"), NOTHING("content") } },
	{ GEMINI, "replace", { MODIFY("file_path"), NOTHING("instruction"),
	    NOTHING("old_string"), NOTHING("new_string") } },
	{ GEMINI, "list_directory", { READ("dir_path"), READ("path"), NOTHING("ignore") } },
	{ GEMINI, "glob", { PATTERN("pattern"), BASE("dir_path"), OLD_BASE("path") } },
	{ GEMINI, "grep_search", { NOTHING("pattern"), BASE("dir_path"), OLD_BASE("path"),
	    PATTERN("include"), PATTERN("include_pattern"), NOTHING("exclude_pattern") },
	    .bare = true },
	{ GEMINI, "search_file_content", { NOTHING("pattern"), BASE("dir_path"), OLD_BASE("path"),
	    PATTERN("include") }, .bare = true },
	{ GEMINI, "google_web_search", .text = true },
	{ GEMINI, "web_fetch", { URL("prompt"), URL("url") }, .bare = true },
	{ GEMINI, "save_memory", .text = true },
	{ GEMINI, "write_todos", .text = true },
	{ GEMINI, "ask_user", .text = true },

	/* Cursor; the last two are events of their own */
	{ CURSOR, "Shell", { SHELL("command"), BASE("working_directory"), OLD_BASE("cwd"),
	    NOTHING("description") } },
	{ CURSOR, "StrReplace", { MODIFY("path"), MODIFY("file_path"), NOTHING("old_string"),
	    NOTHING("new_string") } },
	{ CURSOR, "MultiEdit", { MODIFY("file_path"), MODIFY("path"), EDITS("edits") } },
	{ CURSOR, "Delete", { MODIFY("path"), MODIFY("file_path"), MODIFY("target_file") } },
	{ CURSOR, "beforeShellExecution", { SHELL("command"), BASE("cwd") }, .whole = true },
	{ CURSOR, "beforeReadFile", { READ("file_path"), READ("attachments") }, .whole = true },
};

static const struct cdn_dialect dialects[CORDON_HOOK_AGENT_MAX] = {
	[CORDON_HOOK_CLAUDE] = {
		.name = "claude",
		.form = CDN_FORM_CLAUDE,
		.events = {
			{ "PreToolUse", .install = true },
			{ "PermissionRequest" },
		},
		.session = "session_id",
		.dir = ".claude",
		.variable = "CLAUDE_CONFIG_DIR",
		.file = "settings.json",
		.opening = "",
		.extra = "\"timeout\":30,\"onFailure\":\"block\"",
		.off = { "disableAllHooks" },
		.off_when = true,
	},
	[CORDON_HOOK_CODEX] = {
		.name = "codex",
		.form = CDN_FORM_CLAUDE,
		.events = {
			{ "PreToolUse", .install = true },
			{ "PermissionRequest" },
		},
		.session = "session_id",
		.dir = ".codex",
		.variable = "CODEX_HOME",
		.file = "hooks.json",
		.opening = "",
		.extra = "\"timeout\":30",
		.trusts = true,
	},
	[CORDON_HOOK_GEMINI] = {
		.name = "gemini",
		.form = CDN_FORM_GEMINI,
		.events = { { "BeforeTool", .install = true } },
		.session = "session_id",
		.dir = ".gemini",
		.file = "settings.json",
		.opening = "",
		.extra = "\"name\":\"cordon\",\"timeout\":30000",
		.off = { "enabled", "hooksConfig" },
		.off_when = false,
	},
	[CORDON_HOOK_CURSOR] = {
		.name = "cursor",
		.form = CDN_FORM_CURSOR,
		.events = {
			{ "preToolUse", .install = true },
			{ "beforeShellExecution", .tool = "beforeShellExecution", .install = true },
			{ "beforeMCPExecution", .mcp = true, .install = true },
			{ "beforeReadFile", .tool = "beforeReadFile", .install = true },
		},
		.session = "conversation_id",
		.roots = "workspace_roots",
		.dir = ".cursor",
		.file = "hooks.json",
		.opening = "\"version\": 1,\n  ",
		.extra = "\"timeout\":30,\"failClosed\":true",
	},
};
/* clang-format on */

const struct cdn_dialect *
cdn_dialect(enum cordon_hook_agent agent)
{
	return (unsigned)agent < CORDON_HOOK_AGENT_MAX ? &dialects[agent] :
							 NULL;
}

const struct cdn_dialect_tool *
cdn_dialect_tool_find(enum cordon_hook_agent agent, cdn_str name)
{
	for (size_t i = 0; i < CDN_LEN(tools); i++)
		if ((tools[i].agents & (1U << agent)) != 0 &&
		    cdn_str_is(name, tools[i].name))
			return &tools[i];
	return NULL;
}

bool
cdn_dialect_tool_want(const struct cdn_dialect_tool *tool, cdn_str name, enum cdn_want *ret)
{
	for (size_t i = 0; i < CDN_DIALECT_ARGUMENTS; i++)
		if (tool->arguments[i].name != NULL &&
		    cdn_str_is(name, tool->arguments[i].name)) {
			*ret = tool->arguments[i].want;
			return true;
		}
	return false;
}

/* What stands behind the separator; the whole when there is none. */
static cdn_str
behind(cdn_str name, const char *separator)
{
	size_t n = strlen(separator);

	for (size_t i = 0; i + n < name.n; i++)
		if (memcmp(name.p + i, separator, n) == 0)
			return cdn_str_from(name, i + n);
	return name;
}

bool
cdn_dialect_tool_mcp(enum cordon_hook_agent agent, cdn_str name, cdn_str *ret)
{
	static const struct {
		unsigned agents;
		const char *prefix;
		const char *separator; /* between a server and its tool */
	} forms[] = {
		{ ANY, "mcp__", "__" },
		{ GEMINI, "mcp_", "_" },
		{ CURSOR, "MCP:", ":" },
	};

	for (size_t i = 0; i < CDN_LEN(forms); i++) {
		cdn_str prefix = cdn_str_of(forms[i].prefix);

		if ((forms[i].agents & (1U << agent)) == 0 ||
		    !cdn_str_starts(name, prefix))
			continue;
		*ret = behind(cdn_str_from(name, prefix.n),
		    forms[i].separator);
		return true;
	}
	return false;
}

bool
cdn_dialect_is_command(cdn_str name, bool mcp)
{
	static const char *const names[] = { "command", "cmd", "shell_command",
		"shellCommand", "command_line", "commandLine", "cmdline" };

	for (size_t i = 0; i < CDN_LEN(names); i++)
		if (name.n == strlen(names[i]) &&
		    strncasecmp(name.p, names[i], name.n) == 0)
			return true;
	return !mcp && cdn_str_is(name, "script");
}

bool
cdn_dialect_is_interpreter(cdn_str name)
{
	static const char *const places[] = { "", "/bin/", "/usr/bin/",
		"/usr/local/bin/" };
	static const char *const shells[] = { "sh", "bash", "dash", "zsh",
		"fish", "ksh", "ash" };

	for (size_t i = 0; i < CDN_LEN(places); i++) {
		cdn_str place = cdn_str_of(places[i]);

		for (size_t k = 0; k < CDN_LEN(shells); k++)
			if (cdn_str_starts(name, place) && cdn_str_is(
				cdn_str_from(name, place.n), shells[k]))
				return true;
	}
	return false;
}

bool
cdn_dialect_tool_writes(cdn_str name)
{
	static const char *const words[] = { "write", "edit", "create",
		"delete", "remove", "move", "rename", "append", "save",
		"put", "patch", "replace", "insert", "update", "copy",
		"mkdir", "touch", "upload", "download", "modify", "set" };

	for (size_t i = 0; i < CDN_LEN(words); i++) {
		size_t n = strlen(words[i]);

		for (size_t k = 0; k + n <= name.n; k++)
			if (strncasecmp(name.p + k, words[i], n) == 0)
				return true;
	}
	return false;
}
