#include "enforce/session/agent.h"

#include <dirent.h>
#include <unistd.h>

#include "enforce/session/program.h"
#include "engine/decide/preset.h"

/* ----- Who ----------------------------------------------------------------- */

static const char *const words[CORDON_AGENT_MAX] = {
	[CORDON_AGENT_CLAUDE] = "claude",
	[CORDON_AGENT_CODEX] = "codex",
	[CORDON_AGENT_GEMINI] = "gemini",
	[CORDON_AGENT_OPENCODE] = "opencode",
};

static const char *
last_name(const char *command)
{
	const char *slash = strrchr(command, '/');

	return slash != NULL ? slash + 1 : command;
}

/*
 * Whoever writes the workspace must not choose, by the name of a file, who
 * reads an agent's credentials.
 */
static const struct cdn_agent *
by_program(struct cordon_session *s, const char *command)
{
	const struct cdn_agent *agent = command == NULL ? NULL :
	    cdn_agent_find(last_name(command));

	if (agent == NULL || !cdn_program_is_inside(command, s->cwd,
		s->workspace, getenv("PATH")))
		return agent;
	s->agent.namesake = agent->name;
	return NULL;
}

/* ----- Where --------------------------------------------------------------- */

/* Its directory would be the home, or all that is worked on. */
static bool
is_too_wide(const struct cordon_session *s, const char *dir)
{
	const char *const above[] = { s->places.home, s->places.passwd_home,
		s->workspace };

	for (size_t i = 0; i < CDN_LEN(above); i++)
		if (above[i][0] != '\0' && cdn_placelist_below(above[i], dir))
			return true;
	return false;
}

static const char *
in_home(const struct cordon_session *s, const struct cdn_agent_place *place)
{
	return cdn_arena_join(s->arena, cdn_str_of(s->places.home),
	    cdn_str_of(place->row.path + 1));
}

static bool
is_usual(const struct cordon_session *s, const char *real)
{
	const char *usual = in_home(s, &s->agent.is->places[0]);
	struct cdn_real where;

	return usual != NULL && s->places.home[0] != '\0' &&
	    cdn_path_resolve("/", cdn_str_of(usual), &where, NULL) == 0 &&
	    strcmp(where.path, real) == 0;
}

static int
find_moved(struct cordon_session *s, struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	const char *variable = here->is->variable;
	const char *dir = variable == NULL ? NULL : getenv(variable);
	struct cdn_real real;
	int code;

	if (dir == NULL || dir[0] != '/')
		return 0;
	code = cdn_path_resolve("/", cdn_str_of(dir), &real, err);
	if (code != 0)
		return cdn_err_context(err, code, "%s", variable);
	if (is_too_wide(s, real.path))
		return cdn_err(err, CORDON_E_INVALID, "%s: '%s' holds more "
		    "than the state of an agent (name a directory of its own)",
		    variable, dir);
	/* Inside, the variable must not lead to the real state. */
	here->relocated = true;
	/* The usual place, said aloud, is not another one. */
	if (is_usual(s, real.path))
		return 0;
	here->moved = true;
	here->dirs[0] = cdn_arena_dup(s->arena, dir, strlen(dir));
	here->shown[0] = cdn_arena_printf(s->arena, "$%s", variable);
	here->inside[0] = here->is->places[0].row.path + 2;
	here->dir_count = 1;
	return here->dirs[0] == NULL || here->shown[0] == NULL ?
	    cdn_err_nomem(err) : 0;
}

static int
find_place(struct cordon_session *s, const struct cdn_agent_place *place,
    struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	const char *path;

	if (place->kind != CDN_AGENT_DIR || s->places.home[0] == '\0')
		return 0;
	path = in_home(s, place);
	if (path == NULL)
		return cdn_err_nomem(err);
	here->inside[here->dir_count] = place->row.path + 2;
	here->shown[here->dir_count] = place->row.path;
	here->dirs[here->dir_count++] = path;
	return 0;
}

static int
find_scratch(struct cordon_session *s, struct cordon_error *err)
{
	const char *prefix = s->agent.is->scratch;

	s->agent.scratch = "";
	if (prefix == NULL || s->own.tmp[0] == '\0')
		return 0;
	s->agent.scratch = cdn_arena_printf(s->arena, "%s%u", prefix,
	    (unsigned)geteuid());
	return s->agent.scratch == NULL ? cdn_err_nomem(err) : 0;
}

/* ----- What it rewrites ------------------------------------------------------ */

/* What follows the agent's first directory and a slash; or NULL. */
static const char *
below_first(const struct cdn_agent *agent, const char *path)
{
	size_t n = strlen(agent->places[0].row.path);

	return strncmp(path, agent->places[0].row.path, n) == 0 &&
	    path[n] == '/' ? path + n + 1 : NULL;
}

/* A "~/..." of the table: where it really lies, and where in the home. */
static int
add_file(struct cordon_session *s, const char *path,
    const struct cdn_home_file *like, struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	const char *rest = below_first(here->is, path);
	const char *name = rest != NULL ? rest : strrchr(path, '/') + 1;
	struct cdn_home_file file = *like;

	if (here->dir_count == 0)
		return 0;
	file.inside = path + 2;
	file.real = here->moved ?
	    cdn_arena_printf(s->arena, "%s/%s", here->dirs[0], name) :
	    cdn_arena_join(s->arena, cdn_str_of(s->places.home),
		cdn_str_of(path + 1));
	/* Right in the home: what moves the directory moves it, too. */
	if (rest == NULL && here->relocated && strchr(path + 2, '/') == NULL)
		file.inside = cdn_arena_printf(s->arena, "%s/%s",
		    here->inside[0], name);
	if (file.real == NULL || file.inside == NULL)
		return cdn_err_nomem(err);
	here->files[here->file_count++] = file;
	return 0;
}

static int
find_files(struct cordon_session *s, struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	const struct cdn_agent *agent = here->is;
	size_t n = agent->login_count;
	int code = 0;

	while (agent->copied[n - agent->login_count] != NULL)
		n++;
	here->files = cdn_arena_array(s->arena, n + 1, sizeof(*here->files));
	if (here->files == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; code == 0 && agent->copied[i] != NULL; i++)
		code = add_file(s, agent->copied[i],
		    &(struct cdn_home_file){ .returned = false }, err);
	for (size_t i = 0; code == 0 && i < agent->login_count; i++)
		code = add_file(s, agent->logins[i].path,
		    &(struct cdn_home_file){ .returned = true,
			.typed = agent->logins[i].typed }, err);
	return code;
}

/* ----- What it obeys ----------------------------------------------------------- */

static bool
is_copied(const struct cdn_agent_here *here, const char *inside)
{
	for (size_t i = 0; i < here->file_count; i++)
		if (strcmp(here->files[i].inside, inside) == 0)
			return true;
	return false;
}

/* dir: real; inside: below the home. */
static int
add_link(struct cordon_session *s, const char *dir, const char *inside,
    const char *name, struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	struct cdn_home_link link = {
		.inside = cdn_arena_printf(s->arena, "%s/%s", inside, name),
		.target = cdn_arena_printf(s->arena, "%s/%s", dir, name) };
	struct cdn_home_link *links = cdn_arena_grow(s->arena, here->links,
	    here->link_count, &here->link_room, sizeof(*links));

	if (links == NULL || link.inside == NULL || link.target == NULL)
		return cdn_err_nomem(err);
	here->links = links;
	if (!is_copied(here, link.inside))
		links[here->link_count++] = link;
	return 0;
}

struct listing {
	const char *dir;    /* real */
	const char *inside; /* below the home */
	const char *part;   /* of the agent's directory: "plugins"; or NULL */
};

static int add_names(struct cordon_session *s, const struct listing *at,
    struct cordon_error *err);

static int
add_name(struct cordon_session *s, const struct listing *at, const char *name,
    struct cordon_error *err)
{
	const struct cdn_agent *agent = s->agent.is;
	struct listing below = { .part = name };
	char path[2 * NAME_MAX + 2];

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (at->part != NULL) {
		snprintf(path, sizeof(path), "%s/%s", at->part, name);
		return cdn_agent_is_private(agent, path) ? 0 :
		    add_link(s, at->dir, at->inside, name, err);
	}
	if (!cdn_agent_obeys(agent, name))
		return 0;
	if (!cdn_agent_spreads(agent, name))
		return add_link(s, at->dir, at->inside, name, err);
	below.dir = cdn_arena_printf(s->arena, "%s/%s", at->dir, name);
	below.inside = cdn_arena_printf(s->arena, "%s/%s", at->inside, name);
	return below.dir == NULL || below.inside == NULL ?
	    cdn_err_nomem(err) : add_names(s, &below, err);
}

/* One that is missing or closed to the caller shows nothing. */
static int
add_names(struct cordon_session *s, const struct listing *at,
    struct cordon_error *err)
{
	DIR *names = opendir(at->dir);
	struct dirent *entry;
	int code = 0;

	while (names != NULL && code == 0 && (entry = readdir(names)) != NULL)
		code = s->agent.link_count < CDN_AGENT_LINKS_MAX ?
		    add_name(s, at, entry->d_name, err) :
		    cdn_err(err, CORDON_E_INVALID, "'%s' has too many entries",
			at->dir);
	if (names != NULL)
		closedir(names);
	return code;
}

static int
find_links(struct cordon_session *s, struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	struct cdn_real real;
	int code = 0;

	for (size_t i = 0; code == 0 && i < here->dir_count; i++) {
		struct listing at = { .inside = here->inside[i] };

		code = cdn_path_resolve("/", cdn_str_of(here->dirs[i]), &real,
		    err);
		if (code != 0)
			return code;
		at.dir = cdn_arena_dup(s->arena, real.path, real.len);
		code = at.dir == NULL ? cdn_err_nomem(err) :
					add_names(s, &at, err);
	}
	return code;
}

static int
find_places(struct cordon_session *s, struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	size_t n = here->is->place_count + 1;
	int code;

	here->dirs = cdn_arena_array(s->arena, n, sizeof(*here->dirs));
	here->shown = cdn_arena_array(s->arena, n, sizeof(*here->shown));
	here->inside = cdn_arena_array(s->arena, n, sizeof(*here->inside));
	if (here->dirs == NULL || here->shown == NULL || here->inside == NULL)
		return cdn_err_nomem(err);
	code = find_moved(s, err);
	for (size_t i = 0; code == 0 && !here->moved &&
	     i < here->is->place_count; i++)
		code = find_place(s, &here->is->places[i], err);
	if (code == 0)
		code = find_files(s, err);
	if (code == 0)
		code = find_links(s, err);
	return code != 0 ? code : find_scratch(s, err);
}

int
cdn_agent_here_find(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_error *err)
{
	struct cdn_agent_here *here = &session->agent;

	if (options->agent == CORDON_AGENT_AUTO)
		here->is = by_program(session, options->command);
	else if (words[options->agent] != NULL)
		here->is = cdn_agent_find(words[options->agent]);
	if (here->is == NULL)
		return 0;
	session->spec.network_source = here->is->source;
	here->relocated = options->host_home ||
	    !cdn_preset_get(options->preset)->own_home;
	return find_places(session, err);
}

/* ----- Places -------------------------------------------------------------- */

bool
cdn_agent_owns(const struct cordon_session *session,
    const struct cdn_floor_row *row)
{
	const struct cdn_agent_here *here = &session->agent;

	for (size_t i = 0; here->is != NULL && !here->moved &&
	     i < here->is->place_count; i++)
		if (&here->is->places[i].row == row)
			return here->is->places[i].kind == CDN_AGENT_DIR;
	return false;
}

static struct cdn_place
place_like(const struct cdn_placelist *list)
{
	return (struct cdn_place){
		.pos = { .source = list->g->session->agent.is->source } };
}

void
cdn_gather_sealed_state(struct cdn_placelist *sealed)
{
	const struct cdn_agent_here *here = &sealed->g->session->agent;

	for (size_t i = 0; i < here->dir_count; i++) {
		struct cdn_place like = place_like(sealed);

		like.shown = here->shown[i];
		cdn_placelist_add(sealed, here->dirs[i], &like);
	}
}

/* A pattern is not resolved, so the directory is. */
static const char *
real_name(const struct cdn_placelist *list, const char *path)
{
	struct cdn_gather *g = list->g;
	struct cdn_found found;

	if (g->code == 0 &&
	    cdn_lookup_find(g->lookup, path, &found, NULL) == 0)
		return found.path;
	return path;
}

static void
add_private(struct cdn_placelist *hidden, const char *dir, const char *shown)
{
	const char *const *names = hidden->g->session->agent.is->private;
	struct cdn_arena *arena = hidden->g->arena;

	for (size_t i = 0; names[i] != NULL; i++) {
		struct cdn_place like = place_like(hidden);

		like.glob = strchr(names[i], '*') != NULL;
		like.shown = cdn_arena_printf(arena, "%s/%s", shown, names[i]);
		cdn_placelist_add(hidden, like.shown == NULL ? NULL :
		    cdn_arena_printf(arena, "%s/%s", dir, names[i]), &like);
	}
}

void
cdn_gather_private_state(struct cdn_placelist *hidden)
{
	const struct cdn_agent_here *here = &hidden->g->session->agent;

	for (size_t i = 0; i < here->dir_count; i++) {
		const char *real = real_name(hidden, here->dirs[i]);

		add_private(hidden, here->dirs[i], here->shown[i]);
		if (strcmp(real, here->dirs[i]) != 0)
			add_private(hidden, real, here->shown[i]);
	}
	for (size_t i = 0; i < here->file_count; i++) {
		struct cdn_place like = place_like(hidden);

		if (here->files[i].returned)
			cdn_placelist_add(hidden, here->files[i].real, &like);
	}
}

/* Settings may be symlinks of the user's to somewhere else. */
void
cdn_gather_state(struct cdn_placelist *read, struct cdn_placelist *write)
{
	const struct cdn_agent_here *here = &read->g->session->agent;
	struct cdn_place like;

	if (here->is == NULL)
		return;
	like = place_like(read);
	for (size_t i = 0; i < here->link_count; i++)
		cdn_placelist_add(read, real_name(read,
		    here->links[i].target), &like);
	if (here->scratch[0] != '\0')
		cdn_placelist_exact(write, here->scratch, &like);
}
