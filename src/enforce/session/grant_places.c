/*
 * grant_places - the roots that documents and the command line declare.
 */
#include "enforce/session/workers.h"

/* ----- Declared roots --------------------------------------------------------- */

/* By its real path; what is relative starts at `base`. */
static void
add_from(struct cdn_placelist *list, const char *base, const char *path,
    const struct cdn_place *like)
{
	struct cdn_gather *g = list->g;
	struct cdn_real real;

	if (g->code == 0 && path[0] == '~')
		g->code = cdn_places_expand(g->arena, &g->session->places,
		    cdn_str_of(path), &path, g->err);
	if (g->code == 0)
		g->code = cdn_path_resolve(base, cdn_str_of(path), &real,
		    g->err);
	if (g->code == 0)
		cdn_placelist_add(list,
		    cdn_arena_dup(g->arena, real.path, real.len), like);
}

/* One --read or --write: absolute, "~", or from the current directory. */
static void
add_option(struct cdn_placelist *list, const char *path)
{
	struct cdn_place like = { .shown = path,
		.pos = { .source = "<command line>" } };

	add_from(list, list->g->session->cwd, path, &like);
}

void
cdn_placelist_named(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like)
{
	add_from(list, list->g->session->workspace, path, like);
}

/* Roots of the command line, which a worker's own must hold. */
static void
add_options(struct cdn_placelist *list, const char *option,
    const char *const *paths, size_t n, bool write)
{
	struct cdn_place_list all;

	for (size_t i = 0; i < n && list->g->code == 0; i++)
		add_option(list, paths[i]);
	all = cdn_placelist_done(list);
	cdn_workers_bound(list->g, option, &all, write);
}

/* Approved for one command: by name, from the workspace. */
static void
add_granted(struct cdn_placelist *list, const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n && list->g->code == 0; i++) {
		struct cdn_place like = { .shown = paths[i],
			.pos = { .source = "<grant>" } };

		cdn_placelist_named(list, paths[i], &like);
	}
}

/*
 * What the modules of an agent ask for; a relative root is the workspace's.
 * All of them go into one list: a root of one is open to the others.
 */
static void
add_module(struct cdn_placelist *list, const struct cordon_module *module)
{
	struct cdn_gather *g = list->g;
	struct cdn_place like = { .pos = { .source =
		g->session->unguarded ? "<unguarded>" : "<modules>" } };

	if (g->code == 0 && !g->session->unguarded && (module->name == NULL ||
		!cdn_worker_is_module(cdn_str_of(module->name))))
		g->code = cdn_err(g->err, CORDON_E_INVALID,
		    "unknown module '%s' (" CDN_WORKER_MODULES ")",
		    module->name == NULL ? "" : module->name);
	if (g->code != 0)
		return;
	if (module->unrestricted) {
		like.shown = "/";
		cdn_placelist_exact(list, "/", &like);
	}
	for (size_t i = 0; i < module->allowed_path_count; i++) {
		like.shown = module->allowed_paths[i];
		cdn_placelist_named(list, like.shown, &like);
	}
}

static void
add_modules(struct cdn_placelist *list, const struct cordon_session_options *o)
{
	struct cdn_placelist asked = { .g = list->g, .grants = true };
	struct cdn_place_list all;

	for (size_t i = 0; i < o->module_count; i++)
		add_module(&asked, &o->modules[i]);
	all = cdn_placelist_done(&asked);
	cdn_workers_bound(list->g, "modules:", &all, true);
	for (size_t i = 0; i < all.n; i++)
		cdn_placelist_exact(list, all.v[i].path, &all.v[i]);
}

/* The worker that was not called: its modules ask as others do. */
static void
add_worker(struct cdn_placelist *list)
{
	const struct cordon_session *s = list->g->session;

	if (s->worker_count == 0 || cdn_workers_called(s, 0))
		return;
	for (size_t i = 0; i < s->workers[0].place_count; i++) {
		const struct cdn_worker_place *place = &s->workers[0].places[i];
		struct cdn_place like = { .shown = place->shown,
			.pos = place->pos };

		if (place->entry == NULL)
			cdn_placelist_exact(list, place->path, &like);
	}
}

/* A new list, because what called workers leave is no longer than it was. */
static struct cdn_place_list
narrowed(struct cdn_placelist *list, bool write,
    const char *const *granted, size_t n)
{
	struct cdn_place_list left = cdn_placelist_done(list);
	struct cdn_placelist all = { .g = list->g, .grants = true };

	cdn_workers_narrow(list->g, &left, write);
	for (size_t i = 0; i < left.n; i++)
		cdn_placelist_exact(&all, left.v[i].path, &left.v[i]);
	add_granted(&all, granted, n);
	return cdn_placelist_done(&all);
}

static const struct cordon_grants *
grants_of(const struct cordon_session_options *options)
{
	static const struct cordon_grants none = { 0 };

	return options->grants != NULL ? options->grants : &none;
}

static struct cdn_place_list
read_grants(struct cdn_gather *g, const struct cordon_session_options *o)
{
	struct cdn_placelist list = { .g = g, .grants = true };

	add_options(&list, "--read", o->read, o->read_count, false);
	return narrowed(&list, false, grants_of(o)->read,
	    grants_of(o)->read_count);
}

static struct cdn_place_list
write_grants(struct cdn_gather *g, const struct cordon_session_options *o)
{
	struct cdn_placelist list = { .g = g, .grants = true };

	add_options(&list, "--write", o->write, o->write_count, true);
	add_modules(&list, o);
	add_worker(&list);
	return narrowed(&list, true, grants_of(o)->write,
	    grants_of(o)->write_count);
}

static struct cdn_place_list
socket_grants(struct cdn_gather *g, const struct cordon_session_options *o)
{
	struct cdn_placelist list = { .g = g, .grants = true };

	add_granted(&list, grants_of(o)->sockets, grants_of(o)->socket_count);
	return cdn_placelist_done(&list);
}

/* A grant whose place is missing would be dropped silently: an error. */
static void
check_exists(struct cdn_gather *g, const struct cdn_place *place)
{
	struct cdn_found found;

	if (place->glob)
		return; /* its directory is there */
	g->code = cdn_lookup_find(g->lookup, place->path, &found, g->err);
	if (g->code == 0 && !found.exists)
		g->code = cdn_err_at(g->err, CORDON_E_INVALID, place->pos,
		    "runtime_write_roots: '%s' does not exist", place->shown);
}

/* Only documents that may widen can declare them. */
static struct cdn_place_list
write_roots(struct cdn_gather *g)
{
	const struct cordon_session *s = g->session;
	struct cdn_placelist list = { .g = g, .grants = true };

	for (size_t i = 0; i < s->loaded_count; i++)
		if (s->loaded[i].trusted)
			cdn_placelist_roots(&list,
			    &s->loaded[i].policy->runtime_write_roots);
	for (size_t i = 0; i < list.n && g->code == 0; i++)
		check_exists(g, &list.v[i]);
	return cdn_placelist_done(&list);
}

/* more: NULL, or other roots that grant the same. */
static struct cdn_place_list
document_roots(struct cdn_gather *g, const struct cdn_roots *roots,
    const struct cdn_roots *more)
{
	struct cdn_placelist list = { .g = g, .grants = true };

	cdn_placelist_roots(&list, roots);
	if (more != NULL)
		cdn_placelist_roots(&list, more);
	return cdn_placelist_done(&list);
}

/* Outside the workspace a runtime_write_root is a root of its document. */
static void
gather_document(struct cdn_gather *g, const struct cdn_loaded *loaded,
    struct cdn_document *document)
{
	const struct cordon_profile *profile = document->profile;

	document->host_read = document_roots(g, &profile->host_read, NULL);
	document->host_modify = document_roots(g, &profile->host_modify,
	    &loaded->policy->runtime_write_roots);
	document->sockets = document_roots(g, &profile->sockets, NULL);
}

void
cdn_gather_grants(struct cdn_gather *g,
    const struct cordon_session_options *options,
    struct cdn_document *documents, struct cdn_authority_spec *spec)
{
	const struct cdn_loaded *loaded;

	for (size_t i = 0;
	     (loaded = cdn_session_loaded(g->session, i)) != NULL; i++)
		gather_document(g, loaded, &documents[i]);
	spec->command_read = read_grants(g, options);
	spec->command_write = write_grants(g, options);
	spec->command_sockets = socket_grants(g, options);
	spec->runtime_write_roots = write_roots(g);
}
