#include "enforce/session/placelist.h"

#include <errno.h>

static void
fail(struct cdn_gather *g, int code)
{
	if (g->code == 0)
		g->code = code;
}

static void
push(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like)
{
	struct cdn_gather *g = list->g;
	struct cdn_place *v = cdn_arena_grow(g->arena, list->v, list->n,
	    &list->capacity, sizeof(*v));

	if (v == NULL) {
		fail(g, cdn_err_nomem(g->err));
		return;
	}
	if (list->n >= CDN_ROOTS_MAX) {
		fail(g, cdn_err(g->err, CORDON_E_INVALID,
		    "more than %d declared roots", CDN_ROOTS_MAX));
		return;
	}
	list->v = v;
	v[list->n] = *like;
	v[list->n].path = path;
	if (v[list->n].shown == NULL)
		v[list->n].shown = path;
	list->n++;
}

bool
cdn_placelist_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/' || strcmp(dir, "/") == 0);
}

/* A grant inside the workspace does not follow a link out of it. */
static bool
leads_out(const struct cdn_placelist *list, const char *path,
    const char *real)
{
	const char *workspace = list->g->session->workspace;

	return list->grants && cdn_placelist_below(path, workspace) &&
	    !cdn_placelist_below(real, workspace);
}

/*
 * A path that cannot be resolved keeps its own spelling where nobody gets
 * there by another one either: no permission on the way, or a loop.  Anything
 * else would leave an entry of the floor that matches nothing.
 */
static bool
harmless(const struct cdn_placelist *list, int code,
    const struct cordon_error *why)
{
	return list->grants || code == CORDON_E_LINKS ||
	    (code == CORDON_E_RESOLVE && why->sys_errno == EACCES);
}

void
cdn_placelist_add(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like)
{
	struct cdn_gather *g = list->g;
	struct cordon_error why;
	struct cdn_real real;
	const char *copy;
	int code;

	if (g->code != 0)
		return;
	if (path == NULL) {
		fail(g, cdn_err_nomem(g->err));
		return;
	}
	push(list, path, like);
	if (like->glob)
		return;
	code = cdn_path_resolve("/", cdn_str_of(path), &real, &why);
	if (code != 0 && !harmless(list, code, &why)) {
		fail(g, code);
		if (g->err != NULL)
			*g->err = why;
	}
	if (code != 0 || strcmp(real.path, path) == 0 ||
	    leads_out(list, path, real.path))
		return;
	copy = cdn_arena_dup(g->arena, real.path, real.len);
	if (copy == NULL)
		fail(g, cdn_err_nomem(g->err));
	else
		push(list, copy, like);
}

void
cdn_placelist_exact(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like)
{
	if (list->g->code != 0)
		return;
	if (path == NULL)
		fail(list->g, cdn_err_nomem(list->g->err));
	else
		push(list, path, like);
}

/* "~" and absolute names as they are, others from the workspace. */
static const char *
expand(struct cdn_gather *g, cdn_str text)
{
	const char *path = NULL;

	if (text.n == 0 || (text.p[0] != '~' && text.p[0] != '/'))
		return cdn_arena_printf(g->arena, "%s/%.*s",
		    g->session->workspace, CDN_STR_ARG(text));
	fail(g, cdn_places_expand(g->arena, &g->session->places, text, &path,
	    g->err));
	return path;
}

void
cdn_placelist_roots(struct cdn_placelist *list, const struct cdn_roots *roots)
{
	for (size_t i = 0; i < roots->n && list->g->code == 0; i++) {
		const struct cdn_root *root = &roots->v[i];
		struct cdn_place like = { .shown = root->text.p,
			.pos = root->pos };

		cdn_placelist_add(list, expand(list->g, root->text), &like);
		if (!list->grants && root->text.p[0] == '~' &&
		    (root->text.n == 1 || root->text.p[1] == '/') &&
		    list->g->session->places.passwd_home[0] != '\0')
			cdn_placelist_add(list, cdn_arena_printf(
			    list->g->arena, "%s%s",
			    list->g->session->places.passwd_home,
			    root->text.p + 1), &like);
	}
}

struct cdn_place_list
cdn_placelist_done(const struct cdn_placelist *list)
{
	return (struct cdn_place_list){ list->v, list->n };
}
