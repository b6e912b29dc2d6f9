#include "enforce/session/placelist.h"

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

/*
 * A path that cannot be resolved (no permission on the way, a loop) keeps its
 * own spelling: nobody without that permission gets there by another one.
 */
void
cdn_placelist_add(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like)
{
	struct cdn_gather *g = list->g;
	struct cdn_real real;
	const char *copy;

	if (g->code != 0)
		return;
	if (path == NULL) {
		fail(g, cdn_err_nomem(g->err));
		return;
	}
	push(list, path, like);
	if (like->glob || cdn_path_resolve("/", cdn_str_of(path), &real,
		NULL) != 0 || strcmp(real.path, path) == 0)
		return;
	copy = cdn_arena_dup(g->arena, real.path, real.len);
	if (copy == NULL)
		fail(g, cdn_err_nomem(g->err));
	else
		push(list, copy, like);
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
	}
}

struct cdn_place_list
cdn_placelist_done(const struct cdn_placelist *list)
{
	return (struct cdn_place_list){ list->v, list->n };
}
