#include "enforce/session/agent.h"

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
	/* The usual place, said aloud, is not another one. */
	if (is_usual(s, real.path))
		return 0;
	here->moved = true;
	here->dirs[0] = cdn_arena_dup(s->arena, dir, strlen(dir));
	here->shown[0] = cdn_arena_printf(s->arena, "$%s", variable);
	here->dir_count = 1;
	return here->dirs[0] == NULL || here->shown[0] == NULL ?
	    cdn_err_nomem(err) : 0;
}

/* A file in the home is copied; where the home is the real one, it is read. */
static int
find_place(struct cordon_session *s, const struct cdn_agent_place *place,
    struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	const char *path;

	if (place->kind == CDN_AGENT_PART || s->places.home[0] == '\0')
		return 0;
	path = in_home(s, place);
	if (path == NULL)
		return cdn_err_nomem(err);
	if (place->kind == CDN_AGENT_FILE) {
		here->files[here->file_count++] = path;
		return 0;
	}
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

static int
find_data(struct cordon_session *s, struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	const char *const *names = here->is->data;
	struct cdn_real real;
	size_t n = 0;

	while (names[n] != NULL)
		n++;
	here->data = cdn_arena_array(s->arena, n + 1, sizeof(*here->data));
	if (here->data == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < n && here->dir_count > 0; i++) {
		int code = cdn_path_resolve("/", cdn_str_of(here->dirs[0]),
		    &real, err);

		if (code != 0)
			return code;
		here->data[i] = cdn_arena_printf(s->arena, "%s/%s", real.path,
		    names[i]);
		if (here->data[i] == NULL)
			return cdn_err_nomem(err);
		here->data_count++;
	}
	return 0;
}

static int
find_places(struct cordon_session *s, struct cordon_error *err)
{
	struct cdn_agent_here *here = &s->agent;
	size_t n = here->is->place_count + 1;
	int code;

	here->dirs = cdn_arena_array(s->arena, n, sizeof(*here->dirs));
	here->shown = cdn_arena_array(s->arena, n, sizeof(*here->shown));
	here->files = cdn_arena_array(s->arena, n, sizeof(*here->files));
	if (here->dirs == NULL || here->shown == NULL || here->files == NULL)
		return cdn_err_nomem(err);
	code = find_moved(s, err);
	for (size_t i = 0; code == 0 && !here->moved &&
	     i < here->is->place_count; i++)
		code = find_place(s, &here->is->places[i], err);
	if (code == 0)
		code = find_data(s, err);
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
	return find_places(session, err);
}

/* ----- Places -------------------------------------------------------------- */

static bool
in_real_home(const struct cordon_session *s)
{
	return s->own.home[0] == '\0';
}

bool
cdn_agent_owns(const struct cordon_session *session,
    const struct cdn_floor_row *row)
{
	const struct cdn_agent_here *here = &session->agent;

	for (size_t i = 0; here->is != NULL && !here->moved &&
	     i < here->is->place_count; i++) {
		const struct cdn_agent_place *place = &here->is->places[i];

		if (&place->row == row)
			return place->kind != CDN_AGENT_FILE ||
			    in_real_home(session);
	}
	return false;
}

static const char *
below(const struct cdn_placelist *list, const char *dir, const char *name)
{
	return cdn_arena_printf(list->g->arena, "%s/%s", dir, name);
}

static struct cdn_place
place_like(const struct cdn_placelist *list)
{
	return (struct cdn_place){
		.pos = { .source = list->g->session->agent.is->source } };
}

static void
seal_dir(struct cdn_placelist *sealed, const char *dir, const char *shown)
{
	const struct cdn_agent *agent = sealed->g->session->agent.is;
	const char *pattern;

	for (size_t i = 0; (pattern = cdn_agent_obeyed(agent, i)) != NULL;
	     i++) {
		struct cdn_place like = place_like(sealed);

		like.glob = strchr(pattern, '*') != NULL;
		like.shown = below(sealed, shown, pattern);
		cdn_placelist_add(sealed, below(sealed, dir, pattern), &like);
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

void
cdn_gather_obeyed(struct cdn_placelist *sealed)
{
	const struct cordon_session *s = sealed->g->session;
	const struct cdn_agent_here *here = &s->agent;

	for (size_t i = 0; i < here->dir_count; i++) {
		const char *real = real_name(sealed, here->dirs[i]);

		seal_dir(sealed, here->dirs[i], here->shown[i]);
		if (strcmp(real, here->dirs[i]) != 0)
			seal_dir(sealed, real, here->shown[i]);
	}
	for (size_t i = 0; in_real_home(s) && i < here->file_count; i++) {
		struct cdn_place like = place_like(sealed);

		cdn_placelist_add(sealed, here->files[i], &like);
	}
}

void
cdn_gather_data(struct cdn_placelist *own)
{
	const struct cdn_agent_here *here = &own->g->session->agent;

	for (size_t i = 0; i < here->data_count; i++) {
		struct cdn_place like = place_like(own);

		cdn_placelist_exact(own, here->data[i], &like);
	}
}

/*
 * Settings that are links to somewhere else are the user's own: the names are
 * sealed, so nobody in a run put them there.
 */
static void
read_targets(struct cdn_placelist *read, const char *dir)
{
	const struct cdn_agent *agent = read->g->session->agent.is;
	const char *real = real_name(read, dir);
	const struct cdn_place like = place_like(read);
	const char *pattern;

	for (size_t i = 0; (pattern = cdn_agent_obeyed(agent, i)) != NULL;
	     i++) {
		const char *name, *target;

		if (strchr(pattern, '*') != NULL)
			continue;
		name = below(read, dir, pattern);
		target = name == NULL ? NULL : real_name(read, name);
		if (target == NULL || !cdn_placelist_below(target, real))
			cdn_placelist_add(read, target, &like);
	}
}

void
cdn_gather_state(struct cdn_placelist *read, struct cdn_placelist *write)
{
	const struct cordon_session *s = read->g->session;
	const struct cdn_agent_here *here = &s->agent;
	/* Made before it starts, so there need be nothing yet. */
	struct cdn_placelist state = { .g = write->g, .grants = true };
	struct cdn_place like;

	if (here->is == NULL)
		return;
	like = place_like(write);
	for (size_t i = 0; i < here->dir_count; i++) {
		like.shown = here->shown[i];
		cdn_placelist_add(&state, here->dirs[i], &like);
		read_targets(read, here->dirs[i]);
	}
	for (size_t i = 0; i < state.n; i++)
		cdn_placelist_exact(write, state.v[i].path, &state.v[i]);
	like.shown = NULL;
	if (here->scratch[0] != '\0')
		cdn_placelist_exact(write, here->scratch, &like);
	like.alone = true;
	for (size_t i = 0; in_real_home(s) && i < here->file_count; i++)
		cdn_placelist_add(read, here->files[i], &like);
}
