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
	if (code == CORDON_E_NOMEM)
		return false;
	return list->grants || code == CORDON_E_LINKS ||
	    (code == CORDON_E_RESOLVE && why->sys_errno == EACCES);
}

bool
cdn_placelist_covers(const struct cdn_placelist *list, const char *path)
{
	for (size_t i = 0; i < list->n; i++)
		if (!list->v[i].alone && !list->v[i].glob &&
		    cdn_placelist_below(path, list->v[i].path))
			return true;
	return false;
}

static void
add_lean(struct cdn_placelist *list, const struct cdn_found *found,
    const struct cdn_place *like)
{
	if (found->exists && (like->alone || !cdn_placelist_covers(list, found->path)))
		push(list, found->path, like);
}

/* A hard link may give it a name that is open. */
static void
note_file(struct cdn_gather *g, const struct cdn_found *found)
{
	const char **v;

	if (found->nlink < 2)
		return;
	v = cdn_arena_grow(g->arena, g->linked, g->linked_count,
	    &g->linked_room, sizeof(*v));
	if (v == NULL) {
		fail(g, cdn_err_nomem(g->err));
		return;
	}
	g->linked = v;
	v[g->linked_count++] = found->path;
}

/* Or what lies in it. */
static void
note_directory(struct cdn_gather *g, const struct cdn_found *found,
    enum cdn_look look)
{
	struct cdn_protected_dir *v;

	if (look == CDN_LOOK_NOT)
		return;
	v = cdn_arena_grow(g->arena, g->looked, g->looked_count,
	    &g->looked_room, sizeof(*v));
	if (v == NULL) {
		fail(g, cdn_err_nomem(g->err));
		return;
	}
	g->looked = v;
	v[g->looked_count++] = (struct cdn_protected_dir){ found->path, look };
}

static void
note_links(const struct cdn_placelist *list, const struct cdn_found *found)
{
	if (found->exists && found->is_directory)
		note_directory(list->g, found, list->look);
	else if (found->exists)
		note_file(list->g, found);
}

static void
add_found(struct cdn_placelist *list, const char *path,
    const struct cdn_found *found, const struct cdn_place *like)
{
	if (list->lean && !leads_out(list, path, found->path)) {
		add_lean(list, found, like);
		return;
	}
	if (!list->grants)
		note_links(list, found);
	push(list, path, like);
	if (strcmp(found->path, path) != 0 &&
	    !leads_out(list, path, found->path))
		push(list, found->path, like);
}

void
cdn_placelist_add(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like)
{
	struct cdn_gather *g = list->g;
	CDN_UNINITIALIZED struct cordon_error why;
	struct cdn_found found;
	int code;

	if (g->code != 0)
		return;
	if (path == NULL) {
		fail(g, cdn_err_nomem(g->err));
		return;
	}
	if (like->glob) {
		push(list, path, like);
		return;
	}
	code = cdn_lookup_find(g->lookup, path, &found, &why);
	if (code == 0) {
		add_found(list, path, &found, like);
	} else if (harmless(list, code, &why)) {
		push(list, path, like);
	} else {
		fail(g, code);
		if (g->err != NULL)
			*g->err = why;
	}
}

void
cdn_placelist_found(struct cdn_placelist *list, const struct cdn_found *found,
    const struct cdn_place *like)
{
	if (list->g->code == 0 && found->path != NULL)
		note_links(list, found);
	cdn_placelist_exact(list, found->path, like);
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

/*
 * "/dir/name*": a pattern of names in the real directory, which must be there.
 * What the pattern would match must be what was written.
 */
static void
add_starred(struct cdn_placelist *list, const struct cdn_root *root)
{
	struct cdn_place like = { .shown = root->text.p, .pos = root->pos,
		.glob = true };
	struct cdn_gather *g = list->g;
	const char *path = expand(g, root->text);
	const char *slash = path == NULL ? NULL : strrchr(path, '/');
	struct cdn_found found;
	const char *dir;

	if (g->code != 0 || slash == NULL)
		return;
	dir = slash == path ? "/" : cdn_arena_dup(g->arena, path,
	    (size_t)(slash - path));
	if (dir == NULL) {
		fail(g, cdn_err_nomem(g->err));
		return;
	}
	fail(g, cdn_lookup_find(g->lookup, dir, &found, g->err));
	if (g->code != 0)
		return;
	if (!found.exists || !found.is_directory)
		fail(g, cdn_err_at(g->err, CORDON_E_INVALID, root->pos,
		    "'%s': there is no directory '%s'", root->text.p, dir));
	else if (strpbrk(found.path, "*?") != NULL)
		fail(g, cdn_err_at(g->err, CORDON_E_INVALID, root->pos,
		    "'%s': the directory '%s' has a '*' or '?' in its name, so "
		    "that a pattern would mean others, too (name the files "
		    "one by one)", root->text.p, found.path));
	else
		cdn_placelist_exact(list, cdn_arena_printf(g->arena, "%s%s",
		    strcmp(found.path, "/") == 0 ? "" : found.path, slash),
		    &like);
}

void
cdn_placelist_roots(struct cdn_placelist *list, const struct cdn_roots *roots)
{
	for (size_t i = 0; i < roots->n && list->g->code == 0; i++) {
		const struct cdn_root *root = &roots->v[i];
		struct cdn_place like = { .shown = root->text.p,
			.pos = root->pos };

		if (root->text.p[root->text.n - 1] == '*') {
			add_starred(list, root);
			continue;
		}
		cdn_placelist_add(list, expand(list->g, root->text), &like);
		if (!list->grants && root->text.p[0] == '~' &&
		    (root->text.n == 1 || root->text.p[1] == '/') &&
		    list->g->session->places.passwd_home[0] != '\0')
			cdn_placelist_add(list, cdn_placelist_name(list,
			    list->g->session->places.passwd_home,
			    root->text.p + 1), &like);
	}
}

struct aliases {
	struct cdn_placelist *list;
	struct cdn_place like;
};

static void
add_alias(const char *path, void *arg)
{
	const struct aliases *a = arg;

	cdn_placelist_exact(a->list, path, &a->like);
}

void
cdn_placelist_aliases(struct cdn_placelist *list)
{
	struct cdn_gather *g = list->g;
	size_t n = g->mounts.n == 0 ? 0 : list->n;

	for (size_t i = 0; i < n && g->code == 0; i++) {
		struct aliases a = { list, list->v[i] };

		fail(g, cdn_mounts_aliases(g->arena, &g->mounts,
		    a.like.path, add_alias, &a, g->err));
	}
}

const char *
cdn_placelist_name(const struct cdn_placelist *list, const char *dir,
    const char *name)
{
	return cdn_arena_join(list->g->arena, cdn_str_of(dir),
	    cdn_str_of(name));
}

struct cdn_place_list
cdn_placelist_done(const struct cdn_placelist *list)
{
	return (struct cdn_place_list){ list->v, list->n };
}
