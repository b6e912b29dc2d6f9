/*
 * inner - an agent's own sandbox, which a cage leaves no room for.
 *
 * Its commands would fail one by one, and the model would be told so as if it
 * were their output.  What is read here decides nothing: it is said or not.
 */
#include "enforce/session/inner.h"

#include "base/json.h"
#include "enforce/store/store.h"
#include "engine/decide/agents.h"

static bool
read_text(struct cdn_arena *arena, const char *dir, const char *name,
    cdn_str *ret)
{
	const char *file = cdn_arena_printf(arena, "%s/%s", dir, name);
	struct cdn_buf text;
	bool good;

	if (file == NULL)
		return false;
	cdn_buf_init(&text, CDN_DOTFILE_MAX);
	good = cdn_store_read(file, CDN_DOTFILE_MAX, true, &text, NULL) == 0 &&
	    cdn_arena_str(arena, (cdn_str){ text.p, text.n }, ret);
	cdn_buf_done(&text);
	return good;
}

/* ----- Claude Code --------------------------------------------------------- */

/* "sandbox": {"enabled": true} */
static bool
enables_sandbox(struct cdn_arena *arena, const char *dir, const char *name)
{
	const struct cdn_json_node *sandbox, *enabled = NULL;
	struct cdn_json json;
	cdn_str text;
	bool on = false;

	if (!read_text(arena, dir, name, &text) ||
	    cdn_json_parse(text, NULL, arena, &json, NULL) != 0)
		return false;
	sandbox = cdn_json_find(&json, &json.nodes[0], "sandbox");
	if (sandbox != NULL)
		enabled = cdn_json_find(&json, sandbox, "enabled");
	return enabled != NULL && cdn_json_bool(&json, enabled, &on) && on;
}

static const char *
of_claude(const struct cdn_inner *inner, struct cdn_arena *arena)
{
	static const char *const names[] = { ".claude/settings.json",
		".claude/settings.local.json" };
	bool on = inner->state != NULL &&
	    enables_sandbox(arena, inner->state, "settings.json");

	for (size_t i = 0; i < CDN_LEN(names); i++)
		on |= enables_sandbox(arena, inner->workspace, names[i]);
	return on ? "set \"sandbox\": {\"enabled\": false} in its settings" :
		    NULL;
}

/* ----- Codex --------------------------------------------------------------- */

static const char off[] = "danger-full-access";

static bool
has_text(cdn_str text, const char *wanted)
{
	return text.n > 0 && memmem(text.p, text.n, wanted, strlen(wanted)) !=
	    NULL;
}

/* sandbox_mode = "danger-full-access", in a line of its own. */
static bool
config_says_off(struct cdn_arena *arena, const char *dir)
{
	cdn_str text, line;

	if (!read_text(arena, dir, "config.toml", &text))
		return false;
	while (cdn_str_next(&text, '\n', &line))
		if (cdn_str_starts(line, CDN_STR("sandbox_mode")) &&
		    has_text(line, off))
			return true;
	return false;
}

/* It has one unless it is told otherwise. */
static const char *
of_codex(const struct cdn_inner *inner, struct cdn_arena *arena)
{
	const char *const *argv = inner->argv;

	for (size_t i = 1; argv != NULL && argv[i] != NULL; i++)
		if (has_text(cdn_str_of(argv[i]), off) ||
		    strcmp(argv[i], "--yolo") == 0 || strcmp(argv[i],
		    "--dangerously-bypass-approvals-and-sandbox") == 0)
			return NULL;
	if (inner->state != NULL && config_says_off(arena, inner->state))
		return NULL;
	return "start it with '--sandbox danger-full-access'";
}

/* ----- All of them ----------------------------------------------------------- */

static const struct {
	const char *agent;
	const char *(*remedy)(const struct cdn_inner *inner,
	    struct cdn_arena *arena);
} rows[] = {
	{ "claude", of_claude },
	{ "codex", of_codex },
};

const char *
cdn_inner_remedy(const struct cdn_inner *inner, struct cdn_arena *arena)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++)
		if (strcmp(rows[i].agent, inner->agent->name) == 0)
			return rows[i].remedy(inner, arena);
	return NULL;
}
