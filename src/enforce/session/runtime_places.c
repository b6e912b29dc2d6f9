/*
 * runtime_places - what a process sees besides the workspace and the declared
 * roots: the runtime view of the preset.
 */
#include "enforce/session/workers.h"

#include "enforce/session/agent.h"
#include "enforce/session/program.h"
#include "engine/decide/floor.h"
#include "engine/decide/preset.h"

struct view {
	struct cdn_placelist read;
	struct cdn_placelist write;
	const struct cdn_preset *preset;
	const struct cdn_place_list *closed;
	struct cdn_place like; /* what the preset says */
};

/* ----- Directories that variables and links name ----------------------------- */

/* It is a home, lies above one, or holds a floor entry. */
static bool
opens_too_much(const struct view *v, const char *dir)
{
	const struct cdn_places *places = &v->read.g->session->places;
	const char *homes[] = { places->home, places->passwd_home };

	for (size_t i = 0; i < CDN_LEN(homes); i++)
		if (homes[i][0] != '\0' && cdn_placelist_below(homes[i], dir))
			return true;
	for (size_t i = 0; i < v->closed->n; i++)
		if (cdn_placelist_below(v->closed->v[i].path, dir))
			return true;
	return false;
}

/* What lies in the workspace has its rules already. */
static bool
is_inside(const struct view *v, const char *path)
{
	return cdn_placelist_below(path, v->read.g->session->workspace);
}

/* A directory by its real path, if that is there and not too much. */
static void
add_named(struct view *v, cdn_str dir)
{
	struct cdn_gather *g = v->read.g;
	struct cdn_found found = { 0 };
	const char *name;
	int code;

	if (dir.n == 0 || dir.p[0] != '/' || g->code != 0)
		return;
	name = cdn_arena_dup(g->arena, dir.p, dir.n);
	if (name != NULL && is_inside(v, name))
		return;
	code = name == NULL ? CORDON_E_NOMEM :
	    cdn_lookup_find(g->lookup, name, &found, NULL);
	if (code == CORDON_E_NOMEM)
		g->code = cdn_err_nomem(g->err);
	if (code == 0 && found.exists &&
	    !cdn_placelist_covers(&v->read, found.path) &&
	    !is_inside(v, found.path) && !opens_too_much(v, found.path))
		cdn_placelist_add(&v->read, found.path, &v->like);
}

static void
add_path_dirs(struct view *v)
{
	cdn_str rest = cdn_str_of(getenv("PATH"));
	cdn_str part;

	while (cdn_str_next(&rest, ':', &part))
		add_named(v, part);
}

/* ----- Toolchains and packages ------------------------------------------------- */

/* Where a toolchain lies when it is not in its usual place. */
static const char *const toolchain_variables[] = { "RUSTUP_HOME",
	"PYENV_ROOT", "NVM_DIR" };

static void
add_toolchains(struct view *v)
{
	const char *home = v->read.g->session->places.home;
	const char *name;

	for (size_t i = 0; home[0] != '\0' &&
	     (name = cdn_preset_toolchain(i)) != NULL; i++)
		cdn_placelist_add(&v->read, cdn_placelist_name(&v->read, home,
		    name), &v->like);
	for (size_t i = 0; i < CDN_LEN(toolchain_variables); i++)
		add_named(v, cdn_str_of(getenv(toolchain_variables[i])));
}

/* The package in which the links of the command end. */
static void
add_package(struct view *v, const char *command)
{
	const struct cordon_session *s = v->read.g->session;
	struct cdn_real real;

	if (command != NULL && cdn_program_package(v->read.g->lookup, command,
		s->cwd, s->workspace, getenv("PATH"), &real))
		add_named(v, (cdn_str){ real.path, real.len });
}

/* ----- The repository of a worktree ---------------------------------------------- */

/* What `git commit` writes in the repository, besides the worktree's own. */
static const struct {
	const char *name;
	bool alone;
} committed[] = {
	{ "/objects", false }, { "/refs", false }, { "/logs", false },
	{ "/packed-refs", true }, { "/packed-refs.lock", true },
	{ "/packed-refs.new", true },
};

/* No link is followed: what is granted is the name in the repository. */
static void
add_worktree(struct view *v)
{
	const struct cdn_worktree *tree = &v->read.g->worktree;
	struct cdn_place like = v->like;

	if (tree->gitdir == NULL || is_inside(v, tree->gitdir) ||
	    opens_too_much(v, tree->common) ||
	    !cdn_workers_own_workspace(v->read.g->session))
		return;
	cdn_placelist_exact(&v->read, tree->common, &like);
	if (!v->preset->modifies)
		return;
	cdn_placelist_exact(&v->write, tree->gitdir, &like);
	for (size_t i = 0; i < CDN_LEN(committed); i++) {
		like.alone = committed[i].alone;
		cdn_placelist_exact(&v->write, cdn_placelist_name(&v->write,
		    tree->common, committed[i].name), &like);
	}
}

/* ----- The view -------------------------------------------------------------------- */

static void
add_readable(struct view *v, const struct cordon_session_options *options)
{
	const char *dir;

	if (v->preset->whole_host) {
		cdn_placelist_add(&v->read, "/", &v->like);
		return;
	}
	for (size_t i = 0; (dir = cdn_preset_system(i)) != NULL; i++)
		cdn_placelist_add(&v->read, dir, &v->like);
	add_path_dirs(v);
	if (v->preset->toolchains)
		add_toolchains(v);
	add_package(v, options->command);
}

static void
add_writable(struct view *v)
{
	const struct cdn_own *own = &v->read.g->session->own;
	const char *const dirs[] = { own->state, own->tmp };
	struct cdn_place alone = v->like;
	const char *device;

	if (v->preset->whole_host)
		cdn_placelist_add(&v->write, "/", &v->like);
	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		if (dirs[i][0] != '\0')
			cdn_placelist_exact(&v->write, dirs[i], &v->like);
	alone.alone = true;
	for (size_t i = 0; (device = cdn_floor_device(i)) != NULL; i++)
		cdn_placelist_add(&v->write, device, &alone);
}

void
cdn_gather_runtime(struct cdn_gather *g,
    const struct cordon_session_options *options,
    struct cdn_authority_spec *spec)
{
	const struct cdn_preset *preset = cdn_preset_get(options->preset);
	struct view v = {
		.read = { .g = g, .grants = true, .lean = true },
		.write = { .g = g, .grants = true, .lean = true },
		.preset = preset,
		.closed = &spec->closed,
		.like = { .pos = { .source = preset->source } },
	};

	add_readable(&v, options);
	add_writable(&v);
	add_worktree(&v);
	cdn_gather_state(&v.read, &v.write);
	spec->runtime_read = cdn_placelist_done(&v.read);
	spec->runtime_write = cdn_placelist_done(&v.write);
}
