#include "enforce/launch/process.h"

#include "enforce/home/env.h"
#include "enforce/home/home.h"
#include "enforce/launch/granted.h"
#include "enforce/session/attach.h"
#include "engine/decide/agents.h"

extern char **environ;

/* ----- Home ------------------------------------------------------------------- */

/* Of names that go on (a star): the one they begin with.  NULL: no memory. */
static const char *
root_path(struct cdn_arena *arena, const struct cdn_place *place)
{
	return place->glob ? cdn_arena_dup(arena, place->path,
	    strlen(place->path) - 1) : place->path;
}

/* Every declared root; the home links those below the real one. */
static const char **
declared_roots(struct cdn_arena *arena, const struct cdn_authority_spec *spec,
    size_t *ret_count)
{
	size_t n = spec->command_read.n + spec->command_write.n;
	const char **roots;

	for (size_t i = 0; i < spec->document_count; i++)
		n += spec->documents[i].host_read.n +
		    spec->documents[i].host_modify.n;
	roots = cdn_arena_array(arena, n + 1, sizeof(*roots));
	if (roots == NULL)
		return NULL;
	n = 0;
	for (size_t i = 0; i < spec->command_read.n; i++)
		roots[n++] = spec->command_read.v[i].path;
	for (size_t i = 0; i < spec->command_write.n; i++)
		roots[n++] = spec->command_write.v[i].path;
	for (size_t i = 0; i < spec->document_count; i++) {
		const struct cdn_document *d = &spec->documents[i];

		for (size_t k = 0; d->trusted && k < d->host_read.n; k++)
			roots[n++] = d->host_read.v[k].path;
		for (size_t k = 0; d->trusted && k < d->host_modify.n; k++)
			roots[n++] = root_path(arena, &d->host_modify.v[k]);
	}
	for (size_t i = 0; i < n; i++)
		if (roots[i] == NULL)
			return NULL;
	*ret_count = n;
	return roots;
}

/*
 * A confined run writes its home, and what it wrote must not be obeyed by one
 * that nothing confines.
 */
static const char *
home_of(const struct cordon_process *p)
{
	return p->terms.backend == CORDON_BACKEND_NONE ?
	    p->session->own.unconfined : p->session->own.home;
}

/* The same, or where an agent keeps its state while HOME is the real one. */
static const char *
state_of(const struct cordon_process *p)
{
	return p->terms.backend == CORDON_BACKEND_NONE ?
	    p->session->own.unconfined : p->session->own.state;
}

static void
close_home(void *home)
{
	cdn_home_close(home);
}

/* False: out of memory. */
static bool
home_spec(const struct cordon_process *p, struct cdn_home_spec *ret)
{
	const struct cordon_session *session = p->session;

	*ret = (struct cdn_home_spec){
		.places = &session->places,
		.base = session->own.base,
		.substitute = session->own.substitute,
		.home = state_of(p),
		.tmp = session->own.tmp,
		.granted = session->own.granted,
		.path = cdn_launch_path(p),
		.states = session->agent.inside,
		.state_count = session->agent.dir_count,
		.links = session->agent.links,
		.link_count = session->agent.link_count,
		.files = session->agent.files,
		.file_count = session->agent.file_count,
		/* Other runs of the session would find it half done. */
		.later = p->options->sole,
	};
	ret->roots = declared_roots(p->arena, &session->spec,
	    &ret->root_count);
	return ret->roots != NULL;
}

static int
open_home(const struct cordon_session *session, void *arg, void **ret,
    struct cordon_error *err)
{
	struct cdn_home *home = NULL;
	struct cdn_home_spec spec;
	int code;

	(void)session;
	if (!home_spec(arg, &spec))
		return cdn_err_nomem(err);
	code = cdn_home_open(&spec, &home, err);
	if (code == 0)
		*ret = home;
	return code;
}

/* A variable can name any place; nothing is read or made in a closed one. */
static int
check_moved(const struct cordon_session *session, struct cordon_error *err)
{
	const struct cdn_agent_here *agent = &session->agent;
	const char *dir = agent->moved ? agent->dirs[0] : "";
	const struct cordon_query query = {
		.size = sizeof(query),
		.as = CORDON_AS_PROCESS,
		.op = CORDON_READ,
		.path = dir,
		.path_len = strlen(dir),
	};
	struct cordon_verdict verdict;
	int code = agent->moved ?
	    cdn_session_check(session, &query, &verdict, err) : 0;

	if (code != 0 || !agent->moved || verdict.allowed ||
	    verdict.layer != CORDON_LAYER_FLOOR)
		return code;
	return cdn_err(err, CORDON_E_DENIED, "%s: '%s' may not be read: "
	    "rule '%s' (name a directory of its own)", agent->is->variable,
	    dir, verdict.matched_rule);
}

/* What the agent that is run needs to find in the real home and in /tmp. */
static int
make_state(const struct cordon_session *session, struct cordon_error *err)
{
	const struct cdn_agent_here *agent = &session->agent;
	int code = check_moved(session, err);

	for (size_t i = 0; code == 0 && i < agent->dir_count; i++)
		code = cdn_home_make(agent->dirs[i], err);
	if (code == 0 && agent->is != NULL && agent->scratch[0] != '\0')
		code = cdn_home_make_shared(agent->scratch, err);
	return code;
}

int
cdn_launch_home(struct cordon_process *p, struct cordon_error *err)
{
	const struct cordon_session *session = p->session;
	int code = make_state(session, err);

	if (code != 0)
		return code;
	if (state_of(p)[0] == '\0' && session->own.tmp[0] == '\0')
		return 0;
	return cdn_session_attach(session, open_home, p, close_home, err);
}

int
cdn_launch_furnish(const struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_home *home = cdn_session_attached(p->session);
	struct cdn_home_spec spec;

	if (!p->options->sole || home == NULL)
		return 0;
	return !home_spec(p, &spec) ? cdn_err_nomem(err) :
				      cdn_home_furnish(home, &spec, err);
}

void
cdn_launch_ahead(const struct cordon_process *p)
{
	struct cdn_home *home = cdn_session_attached(p->session);

	if (p->options->sole && home != NULL)
		cdn_home_ahead(home);
}

/* ----- Environment ------------------------------------------------------------ */

/* Its own variables, and where its state lies; NULL: out of memory. */
static const char *const *
agent_variables(const struct cordon_process *p)
{
	const struct cdn_agent_here *here = &p->session->agent;
	const char *const *moves = here->is->moves;
	size_t n = 0, m = 0;
	const char **all;

	while (here->is->set[n] != NULL)
		n++;
	while (moves[m] != NULL)
		m++;
	all = cdn_arena_array(p->arena, n + m + 1, sizeof(*all));
	for (size_t i = 0; all != NULL && i < n; i++)
		all[i] = here->is->set[i];
	for (size_t i = 0; all != NULL && here->relocated && i < m; i++) {
		size_t name = strcspn(moves[i], "=");

		all[n + i] = cdn_arena_printf(p->arena, "%.*s=%s%s%s",
		    (int)name, moves[i], p->session->own.state,
		    moves[i][name + 1] == '\0' ? "" : "/",
		    moves[i] + name + 1);
		if (all[n + i] == NULL)
			return NULL;
	}
	return all;
}

static int
compose(struct cordon_process *p, struct cordon_error *err)
{
	const struct cordon_session *session = p->session;
	const struct cdn_agent *agent = session->agent.is;
	struct cdn_env_layer *layers = cdn_arena_array(p->arena,
	    session->loaded_count + 1, sizeof(*layers));
	struct cdn_env_spec spec = {
		.caller = environ,
		.layers = layers,
		.layer_count = session->loaded_count,
		.home = home_of(p),
		.tmp = session->own.tmp,
		.granted = session->own.granted,
		.agent_pass = agent == NULL ? NULL : agent->pass,
		.extra = p->options->env,
		.extra_count = p->options->env_count,
	};
	char **envp;
	int code;

	if (layers == NULL)
		return cdn_err_nomem(err);
	if (agent != NULL && p->terms.backend != CORDON_BACKEND_NONE) {
		spec.agent_set = agent_variables(p);
		if (spec.agent_set == NULL)
			return cdn_err_nomem(err);
	}
	for (size_t i = 0; i < session->loaded_count; i++)
		layers[i] = (struct cdn_env_layer){
			&session->loaded[i].policy->env,
			session->loaded[i].trusted };
	code = cdn_env_compose(p->arena, &spec, &envp, err);
	if (code == 0)
		p->request.envp = envp;
	return code;
}

/* The given variables and nothing else. */
static int
exact(struct cordon_process *p, struct cordon_error *err)
{
	size_t n = p->options->env_count;
	char **envp = cdn_arena_array(p->arena, n + 1, sizeof(*envp));

	if (envp == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		const char *variable = p->options->env[i];

		if (strchr(variable, '=') == NULL || variable[0] == '=')
			return cdn_err(err, CORDON_E_INVALID,
			    "env: '%s' is not NAME=VALUE", variable);
		envp[i] = cdn_arena_dup(p->arena, variable, strlen(variable));
		if (envp[i] == NULL)
			return cdn_err_nomem(err);
	}
	p->request.envp = envp;
	return 0;
}

static int
inherit(struct cordon_process *p, struct cordon_error *err)
{
	if (p->terms.backend != CORDON_BACKEND_NONE)
		return cdn_err(err, CORDON_E_INVALID,
		    "a caged run does not inherit the environment (use "
		    "CORDON_ENV_COMPOSED)");
	p->request.envp = environ;
	return 0;
}

const char *
cdn_launch_path(const struct cordon_process *p)
{
	const char *path = cdn_env_find(p->request.envp, "PATH");

	return path != NULL ? path : CDN_ENV_DEFAULT_PATH;
}

int
cdn_launch_environment(struct cordon_process *p, struct cordon_error *err)
{
	static int (*const ways[])(struct cordon_process *p,
	    struct cordon_error *err) = {
		[CORDON_ENV_COMPOSED] = compose,
		[CORDON_ENV_EXACT] = exact,
		[CORDON_ENV_INHERIT] = inherit,
	};

	int code = ways[p->options->environment](p, err);

	return code != 0 ? code : cdn_granted_path(p->session, p->arena,
	    &p->request.envp, err);
}
