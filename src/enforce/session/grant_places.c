/*
 * grant_places - the roots that documents and the command line declare.
 */
#include "enforce/session/placelist.h"

/* ----- Declared roots --------------------------------------------------------- */

/* One --read or --write: absolute, "~", or from the current directory. */
static void
add_option(struct cdn_placelist *list, const char *path)
{
	struct cdn_place like = { .shown = path,
		.pos = { .source = "<command line>" } };
	struct cdn_gather *g = list->g;
	struct cdn_real real;

	if (path[0] == '~')
		g->code = cdn_places_expand(g->arena, &g->session->places,
		    cdn_str_of(path), &path, g->err);
	if (g->code == 0)
		g->code = cdn_path_resolve(g->session->cwd, cdn_str_of(path),
		    &real, g->err);
	if (g->code == 0)
		cdn_placelist_add(list,
		    cdn_arena_dup(g->arena, real.path, real.len), &like);
}

static struct cdn_place_list
command_roots(struct cdn_gather *g, const char *const *paths, size_t n)
{
	struct cdn_placelist list = { .g = g, .grants = true };

	for (size_t i = 0; i < n && g->code == 0; i++)
		add_option(&list, paths[i]);
	return cdn_placelist_done(&list);
}

/*
 * What the modules of an agent ask for; a relative root is the workspace's.
 * All of them go into one list: a root of one is open to the others.
 */
static void
add_module(struct cdn_placelist *list, const struct cordon_module *module)
{
	struct cdn_gather *g = list->g;
	struct cdn_place like = { .pos = { .source = "<modules>" } };
	struct cdn_real real;

	if (module->unrestricted) {
		like.shown = "/";
		cdn_placelist_exact(list, "/", &like);
	}
	for (size_t i = 0; i < module->allowed_path_count && g->code == 0;
	     i++) {
		const char *path = like.shown = module->allowed_paths[i];

		if (path[0] == '~')
			g->code = cdn_places_expand(g->arena,
			    &g->session->places, cdn_str_of(path), &path,
			    g->err);
		if (g->code == 0)
			g->code = cdn_path_resolve(g->session->workspace,
			    cdn_str_of(path), &real, g->err);
		if (g->code == 0)
			cdn_placelist_add(list, cdn_arena_dup(g->arena,
			    real.path, real.len), &like);
	}
}

static struct cdn_place_list
write_grants(struct cdn_gather *g, const struct cordon_session_options *o)
{
	struct cdn_placelist list = { .g = g, .grants = true };

	for (size_t i = 0; i < o->write_count && g->code == 0; i++)
		add_option(&list, o->write[i]);
	for (size_t i = 0; i < o->module_count && g->code == 0; i++)
		add_module(&list, &o->modules[i]);
	return cdn_placelist_done(&list);
}

/* A grant whose place is missing would be dropped silently: an error. */
static void
check_exists(struct cdn_gather *g, const struct cdn_place *place)
{
	struct cdn_found found;

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
	for (size_t i = 0; i < g->session->loaded_count; i++)
		gather_document(g, &g->session->loaded[i], &documents[i]);
	spec->command_read = command_roots(g, options->read,
	    options->read_count);
	spec->command_write = write_grants(g, options);
	spec->runtime_write_roots = write_roots(g);
}
