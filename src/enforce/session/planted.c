/*
 * planted - links on the way to what the command line grants.
 *
 * An option names what its user sees, and a link in a directory that runs may
 * write to may be the work of an earlier one: with `--write out` it would be
 * given whatever it chose.
 */
#include "enforce/session/workers.h"

struct way {
	struct cdn_gather *g;
	const struct cdn_authority_spec *spec;
	const struct cdn_document *documents;
	const char *option;
	const char *base; /* where a relative one starts */
};

static const char *
find_above(const struct cdn_place_list *list, const char *path,
    const char *real)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *dir = list->v[i].path;

		if (cdn_placelist_below(path, dir) && strcmp(path, dir) != 0 &&
		    !cdn_placelist_below(real, dir))
			return dir;
	}
	return NULL;
}

/* The directory of runs that the link leads out of, or NULL. */
static const char *
leads_out_of(const struct way *way, const char *path, const char *real)
{
	const struct cordon_session *s = way->g->session;
	const struct cdn_place workspace = { .path = s->workspace };
	const struct cdn_place_list here = { &workspace, 1 };
	const char *dir = find_above(&here, path, real);

	if (dir == NULL)
		dir = find_above(&way->spec->command_write, path, real);
	for (size_t i = 0; dir == NULL && i < s->document_count; i++)
		dir = find_above(&way->documents[i].host_modify, path, real);
	return dir;
}

/* "/a/b" -> "/a" */
static const char *
parent_of(const struct way *way, const char *path)
{
	size_t n = (size_t)(strrchr(path, '/') - path);
	const char *parent = cdn_arena_dup(way->g->arena, path, n > 0 ? n : 1);

	if (parent == NULL)
		way->g->code = cdn_err_nomem(way->g->err);
	return parent;
}

/* One step from a real directory to what is real again; NULL: no further. */
static const char *
take_step(const struct way *way, const char *from, cdn_str name)
{
	struct cdn_gather *g = way->g;
	CDN_UNINITIALIZED struct cordon_error why;
	struct cdn_found found;
	const char *path, *dir;
	int code;

	path = cdn_arena_printf(g->arena, "%s/%.*s",
	    strcmp(from, "/") == 0 ? "" : from, CDN_STR_ARG(name));
	if (path == NULL) {
		g->code = cdn_err_nomem(g->err);
		return NULL;
	}
	code = cdn_lookup_find(g->lookup, path, &found, &why);
	if (code == CORDON_E_NOMEM)
		g->code = cdn_err_nomem(g->err);
	if (code != 0)
		return NULL; /* it could not be resolved before, either */
	if (strcmp(found.path, path) == 0)
		return path;
	dir = leads_out_of(way, path, found.path);
	if (dir != NULL)
		g->code = cdn_err(g->err, CORDON_E_INVALID,
		    "'%s' follows the link '%s' out of '%s', where a run can "
		    "make links (give '%s' itself if that is meant)",
		    way->option, path, dir, found.path);
	return found.path;
}

static void
check(const struct way *way)
{
	struct cdn_gather *g = way->g;
	const char *path = way->option, *at;
	cdn_str rest, name;

	if (path[0] == '~')
		g->code = cdn_places_expand(g->arena, &g->session->places,
		    cdn_str_of(path), &path, g->err);
	at = path[0] == '/' ? "/" : way->base;
	rest = cdn_str_of(path);
	while (g->code == 0 && at != NULL &&
	    cdn_str_next(&rest, '/', &name)) {
		if (name.n == 0 || cdn_str_is(name, "."))
			continue;
		at = cdn_str_is(name, "..") ? parent_of(way, at) :
					      take_step(way, at, name);
	}
}

static void
check_all(struct way *way, const char *base, const char *const *paths, size_t n)
{
	way->base = base;
	for (size_t i = 0; i < n && way->g->code == 0; i++) {
		way->option = paths[i];
		check(way);
	}
}

static void
check_workers(struct way *way)
{
	const struct cordon_session *s = way->g->session;

	for (size_t i = 0; i < s->worker_count; i++)
		for (size_t k = 0; k < s->workers[i].place_count; k++)
			check_all(way, s->workspace,
			    &s->workers[i].places[k].shown, 1);
}

static void
check_grants(struct way *way, const struct cordon_grants *grants)
{
	const char *base = way->g->session->workspace;

	if (grants == NULL)
		return;
	check_all(way, base, grants->read, grants->read_count);
	check_all(way, base, grants->write, grants->write_count);
	check_all(way, base, grants->sockets, grants->socket_count);
}

void
cdn_gather_planted(struct cdn_gather *g,
    const struct cordon_session_options *options,
    const struct cdn_document *documents, const struct cdn_authority_spec *spec)
{
	const struct cordon_session *s = g->session;
	struct way way = { .g = g, .spec = spec, .documents = documents };

	check_all(&way, s->cwd, options->read, options->read_count);
	check_all(&way, s->cwd, options->write, options->write_count);
	for (size_t i = 0; i < options->module_count; i++)
		check_all(&way, s->workspace,
		    options->modules[i].allowed_paths,
		    options->modules[i].allowed_path_count);
	check_workers(&way);
	check_grants(&way, options->grants);
}
