#include "enforce/agents/examine.h"

#include "enforce/session/git_safety.h"
#include "enforce/session/inner.h"
#include "enforce/session/program.h"
#include "enforce/store/store.h"
#include "engine/decide/agents.h"
#include "engine/wrap/wrap.h"

struct examination {
	struct cdn_arena *arena;
	const char *program;
	struct cdn_doctor *doctor;
	bool oom;
};

static void
add(struct examination *e, struct cdn_host_finding finding)
{
	if (finding.id == NULL || finding.text == NULL)
		e->oom = true;
	else
		cdn_doctor_add(e->doctor, &finding);
}

static const char *
join(struct examination *e, const char *dir, const char *name)
{
	const char *file = cdn_arena_printf(e->arena, "%s/%s", dir, name);

	e->oom |= file == NULL;
	return file;
}

/* A directory that a variable of the caller's names, or NULL. */
static const char *
directory_of(const char *variable)
{
	const char *dir = variable == NULL ? NULL : getenv(variable);

	return dir == NULL || dir[0] != '/' ? NULL : dir;
}

/* ----- Installed ----------------------------------------------------------- */

/* The first of its directories, wherever that is now; NULL: nowhere. */
static const char *
state_of(struct examination *e, const struct cdn_agent *agent)
{
	const char *moved = directory_of(agent->variable);
	const char *home = directory_of("HOME");
	const char *path = agent->place_count > 0 ? agent->places[0].row.path :
						    "";

	if (moved != NULL || home == NULL)
		return moved;
	return strncmp(path, "~/", 2) == 0 ? join(e, home, path + 2) : NULL;
}

/* Its own sandbox, which would fail each command inside of a run. */
static void
look_inside(struct examination *e, const struct cdn_agent *agent)
{
	const struct cdn_inner inner = { .agent = agent,
		.state = state_of(e, agent), .workspace = "." };
	const char *remedy = cdn_inner_remedy(&inner, e->arena);

	if (remedy != NULL)
		add(e, (struct cdn_host_finding){
		    cdn_arena_printf(e->arena, "inner-sandbox-%s",
			agent->name), CDN_HOST_NOTE,
		    cdn_arena_printf(e->arena, "%s's own sandbox cannot work "
			"inside a run, and its commands would fail",
			agent->name), remedy });
}

static void
look_for(struct examination *e, const struct cdn_agent *agent)
{
	char file[CDN_PATH_MAX + 1];

	if (!cdn_program_search(agent->name, getenv("PATH"), file))
		return;
	add(e, (struct cdn_host_finding){
	    cdn_arena_printf(e->arena, "agent-%s", agent->name), CDN_HOST_OK,
	    cdn_arena_printf(e->arena, "%s is installed: 'cordon run -- %s'",
		agent->name, agent->name), NULL });
	look_inside(e, agent);
}

/* ----- MCP servers ---------------------------------------------------------- */

/* Where clients keep their servers. */
static const struct {
	const char *variable; /* moves the directory; NULL: HOME, "": here */
	const char *path;     /* below HOME */
	const char *moved;    /* below the variable's directory */
	enum cdn_wrap_language language;
} files[] = {
	{ "", ".mcp.json", NULL, CDN_WRAP_JSON },
	{ "CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json", CDN_WRAP_JSON },
	{ "CODEX_HOME", ".codex/config.toml", "config.toml", CDN_WRAP_TOML },
	{ NULL, ".gemini/settings.json", NULL, CDN_WRAP_JSON },
	{ NULL, ".cursor/mcp.json", NULL, CDN_WRAP_JSON },
	{ "XDG_CONFIG_HOME", ".config/opencode/opencode.json",
	    "opencode/opencode.json", CDN_WRAP_JSON },
	{ "XDG_CONFIG_HOME", ".config/opencode/opencode.jsonc",
	    "opencode/opencode.jsonc", CDN_WRAP_JSON },
	{ "", "opencode.json", NULL, CDN_WRAP_JSON },
	{ "", "opencode.jsonc", NULL, CDN_WRAP_JSON },
};

/* NULL: nowhere. */
static const char *
file_name(struct examination *e, size_t i)
{
	const char *variable = files[i].variable;
	const char *dir;

	if (variable != NULL && variable[0] == '\0')
		return files[i].path;
	dir = directory_of(variable);
	if (dir != NULL)
		return join(e, dir, files[i].moved);
	dir = directory_of("HOME");
	return dir == NULL ? NULL : join(e, dir, files[i].path);
}

/* How many servers `cordon mcp wrap` would change, or warn of. */
static size_t
unguarded(struct examination *e, const char *file,
    enum cdn_wrap_language language)
{
	const struct cdn_wrap_options options = { .language = language,
		.command = "cordon", .place = e->program };
	struct cdn_wrap_result result = { 0 };
	struct cdn_buf text;
	size_t n = 0;
	int code;

	cdn_buf_init(&text, CDN_AGENT_FILE_MAX);
	code = cdn_store_read(file, CDN_AGENT_FILE_MAX, true, &text, NULL);
	if (code == 0)
		code = cdn_wrap((cdn_str){ text.p, text.n }, &options,
		    e->arena, &result, NULL);
	e->oom |= code == CORDON_E_NOMEM;
	if (code == 0)
		for (size_t i = 0; i < result.server_count; i++)
			n += result.servers[i].left == NULL ||
			    result.servers[i].open;
	cdn_buf_done(&text);
	return n;
}

static void
look_into(struct examination *e, size_t i)
{
	const char *file = file_name(e, i);
	size_t n = file == NULL ? 0 : unguarded(e, file, files[i].language);

	if (n > 0)
		add(e, (struct cdn_host_finding){ "mcp-unguarded",
		    CDN_HOST_NOTE, cdn_arena_printf(e->arena,
			"MCP servers in '%s' run without the guard: %zu", file,
			n),
		    cdn_arena_printf(e->arena, "'cordon mcp wrap %s'", file) });
}

/* ----- git ------------------------------------------------------------------ */

/* A directory that an agent prepared is no repository of the user's git. */
static void
look_at_git(struct examination *e)
{
	char file[CDN_PATH_MAX + 1];
	struct cdn_places places;
	bool refuses = false;
	int code;

	if (!cdn_program_search("git", getenv("PATH"), file))
		return;
	code = cdn_places_find(e->arena, &places, NULL);
	if (code == 0)
		code = cdn_git_refuses_bare(&places, &refuses);
	e->oom |= code == CORDON_E_NOMEM;
	if (code != 0 || refuses)
		return;
	add(e, (struct cdn_host_finding){ "git-bare-repository", CDN_HOST_NOTE,
	    "git takes any directory with HEAD, objects and refs for a "
	    "repository, and executes what its configuration names",
	    "'git config --global safe.bareRepository explicit' (bare "
	    "repositories then need --git-dir; see SECURITY.md)" });
}

int
cdn_agents_examine(struct cdn_arena *arena, const char *program,
    struct cdn_doctor *doctor, struct cordon_error *err)
{
	struct examination e = { .arena = arena, .program = program,
		.doctor = doctor };
	const struct cdn_agent *agent;

	for (size_t i = 0; i < CDN_LEN(files); i++)
		look_into(&e, i);
	for (size_t i = 0; (agent = cdn_agent(i)) != NULL; i++)
		look_for(&e, agent);
	look_at_git(&e);
	return e.oom ? cdn_err_nomem(err) : 0;
}
