/*
 * view - the authority as far as it matters on this machine.
 *
 * A credential below a system directory that the run's uid cannot read needs
 * no carving out: the kernel refuses it without us, and /etc can be granted as
 * a whole.  So the regions are asked of an authority without these entries:
 * the list of what may not be read is built again, by the same function, and
 * all the other lists are those of the session.  Nothing else changes:
 *
 *   - only entries of `closed` go, and only where a system directory of the
 *     floor forbids to modify, so that none of them becomes writable;
 *   - one that is absent goes too, because only the administrator puts files
 *     there, and makes secrets unreadable; in a home an absent one stays;
 *   - a pattern goes when no entry in its directory is readable (the session
 *     lists what the pattern names today as plain entries).
 */
#include "engine/plan/build.h"

#include "engine/decide/floor.h"

/* ----- Which entries ----------------------------------------------------- */

/* The directory of an entry; of a pattern the part before its first star. */
static cdn_str
directory_of(const struct cdn_place *place)
{
	size_t n = place->glob ? strcspn(place->path, "*?") :
				 strlen(place->path);

	while (n > 1 && place->path[n - 1] != '/')
		n--;
	return (cdn_str){ place->path, n > 1 ? n - 1 : n };
}

/* May it not be modified because it is a system directory? */
static bool
is_system(const struct cdn_plan_build *b, cdn_str dir)
{
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_MODIFY, .path = dir };
	const struct cdn_floor_row *row;
	struct cordon_verdict verdict;

	cdn_decide(b->in->authority, &question, &verdict);
	if (verdict.allowed || verdict.layer != CORDON_LAYER_FLOOR)
		return false;
	for (size_t i = 0; (row = cdn_floor_system(i)) != NULL; i++)
		if (strcmp(row->path, verdict.matched_rule) == 0)
			return true;
	return false;
}

/*
 * Many entries meet many roots here, and most of them have nothing to do with
 * each other: the byte behind the shorter of the two tells that at once.
 */
static bool
is_below(cdn_str path, cdn_str dir)
{
	return path.n > dir.n + 1 && path.p[dir.n] == '/' &&
	    memcmp(path.p, dir.p, dir.n) == 0;
}

static bool
below_a_root(const struct cdn_plan_build *b, const char *path)
{
	cdn_str at = cdn_str_of(path);

	for (size_t i = 0; i < b->root_count; i++)
		if (!b->roots[i].alone && is_below(at,
			(cdn_str){ b->roots[i].path, b->roots[i].n }))
			return true;
	return false;
}

typedef bool path_fn(const struct cdn_plan_build *b, const char *path);

static bool
readable(const struct cdn_plan_build *b, const char *path)
{
	return b->in->reader->readable(b->in->reader->arg, path);
}

/* The entry itself or one of its sidecars. */
static bool
any_name(const struct cdn_plan_build *b, const struct cdn_place *place,
    path_fn *is_so)
{
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + CDN_SIDECARS_MAX + 1];
	size_t n = strlen(place->path);

	if (is_so(b, place->path))
		return true;
	if (!place->sidecars || n > CDN_PATH_MAX)
		return false;
	memcpy(path, place->path, n);
	for (size_t i = 0; i < CDN_SIDECARS; i++) {
		cdn_str suffix = cdn_floor_sidecars[i];

		memcpy(path + n, suffix.p, suffix.n);
		path[n + suffix.n] = '\0';
		if (is_so(b, path))
			return true;
	}
	return false;
}

static bool
any_readable_in(const struct cdn_plan_build *b, cdn_str dir)
{
	const struct cdn_place_list *closed = &b->in->spec->closed;

	for (size_t i = 0; i < closed->n; i++)
		if (b->closed_near[i] && !closed->v[i].glob &&
		    cdn_str_eq(directory_of(&closed->v[i]), dir) &&
		    any_name(b, &closed->v[i], readable))
			return true;
	return false;
}

static bool
is_unreadable(const struct cdn_plan_build *b, const struct cdn_place *place)
{
	cdn_str dir;

	/* What is_system() could not affirm needs no question. */
	if (!cdn_floor_below_system(cdn_str_of(place->path)) ||
	    !below_a_root(b, place->path))
		return false;
	dir = directory_of(place);
	return is_system(b, dir) &&
	    (place->glob ? !any_readable_in(b, dir) &&
		    !readable(b, place->path) :
			   !any_name(b, place, readable));
}

/* ----- The authority without them ---------------------------------------- */

/* Only places at or below roots are asked about: the others need no matcher. */
static int
copy_near(const struct cdn_plan_build *b, const struct cdn_place_list *from,
    const bool *near, const bool *left_out, struct cdn_place_list *ret)
{
	struct cdn_place *v = cdn_arena_array(b->arena, from->n, sizeof(*v));
	size_t n = 0;

	if (v == NULL)
		return cdn_err_nomem(b->err);
	for (size_t i = 0; i < from->n; i++)
		if (near[i] && (left_out == NULL || !left_out[i]))
			v[n++] = from->v[i];
	*ret = (struct cdn_place_list){ v, n };
	return 0;
}

static int
build_without(struct cdn_plan_build *b)
{
	struct cdn_authority_spec spec = *b->in->spec;
	int code = copy_near(b, &b->in->spec->closed, b->closed_near,
	    b->unreadable, &spec.closed);

	if (code == 0)
		code = copy_near(b, &b->in->spec->hidden, b->hidden_near, NULL,
		    &spec.hidden);
	return code != 0 ? code : cdn_authority_build_like(b->arena,
	    b->in->authority, &spec, &b->view, b->err);
}

/* ----- What is guarded though nobody judges ------------------------------ */

static bool
is_guarded(const struct cdn_plan_build *b, const char *path)
{
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_READ, .path = cdn_str_of(path) };
	struct cordon_verdict verdict;
	bool directory;

	cdn_decide(b->in->authority, &question, &verdict);
	return !verdict.allowed && verdict.layer == CORDON_LAYER_FLOOR &&
	    b->in->reader->exists(b->in->reader->arg, path, &directory) &&
	    readable(b, path);
}

static int
push_guarded(struct cdn_plan_build *b, const char *path)
{
	const char **v = cdn_arena_grow(b->arena, b->guarded,
	    b->guarded_count, &b->guarded_capacity, sizeof(*v));

	if (v == NULL)
		return cdn_err_nomem(b->err);
	b->guarded = v;
	v[b->guarded_count++] = path;
	return 0;
}

struct matches {
	struct cdn_plan_build *b;
	const char *dir;
};

/* One of a directory in which a pattern of the floor names something. */
static int
guarded_entry(const char *name, bool is_directory, void *arg)
{
	struct matches *m = arg;
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	const char *kept;

	(void)is_directory;
	if (++m->b->entries > CDN_PLAN_ENTRIES_MAX)
		return 1;
	if (!cdn_plan_join(m->dir, cdn_str_of(name), path) ||
	    !is_guarded(m->b, path))
		return 0;
	kept = cdn_arena_dup(m->b->arena, path, strlen(path));
	if (kept == NULL)
		return cdn_err_nomem(m->b->err);
	return push_guarded(m->b, kept);
}

/* Where too much lies to be looked through, or case says nothing, all of it
 * is guarded. */
static int
guard_matches(struct cdn_plan_build *b, const struct cdn_place *place)
{
	const struct cdn_plan_reader *reader = b->in->reader;
	cdn_str dir = directory_of(place);
	const char *path = cdn_arena_dup(b->arena, dir.p, dir.n);
	bool directory;
	int code;

	if (path == NULL)
		return cdn_err_nomem(b->err);
	if (!reader->exists(reader->arg, path, &directory) || !directory)
		return 0;
	code = reader->list(reader->arg, path, guarded_entry,
	    &(struct matches){ b, path }, b->err);
	return code > 0 || code == CORDON_E_RESOLVE ? push_guarded(b, path) :
						      code;
}

static int
add_guarded(struct cdn_plan_build *b, const struct cdn_place_list *places,
    const bool *near)
{
	int code = 0;

	for (size_t i = 0; i < places->n && code == 0; i++) {
		const struct cdn_place *place = &places->v[i];

		if (!near[i] || !below_a_root(b, place->path))
			continue;
		if (place->glob)
			code = guard_matches(b, place);
		else if (any_name(b, place, is_guarded))
			code = push_guarded(b, place->path);
	}
	return code;
}

static int
find_guarded(struct cdn_plan_build *b)
{
	int code = add_guarded(b, &b->in->spec->closed, b->closed_near);

	return code != 0 ? code : add_guarded(b, &b->in->spec->hidden,
	    b->hidden_near);
}

int
cdn_plan_find_view(struct cdn_plan_build *b)
{
	const struct cdn_place_list *closed = &b->in->spec->closed;
	bool any = false;
	int code;

	b->view = b->in->authority;
	b->unreadable = cdn_arena_array(b->arena, closed->n,
	    sizeof(*b->unreadable));
	if (b->unreadable == NULL)
		return cdn_err_nomem(b->err);
	for (size_t i = 0; i < closed->n; i++)
		any |= b->unreadable[i] = b->closed_near[i] &&
		    is_unreadable(b, &closed->v[i]);
	code = any ? build_without(b) : 0;
	/* What the plan around it left out, it left out for the same run. */
	if (code == 0 && b->in->outer != NULL)
		code = cdn_authority_below(b->arena, b->view,
		    b->in->outer->view, &b->view, b->err);
	b->plan->view = b->view;
	if (code == 0 && !b->broker)
		code = find_guarded(b);
	return code;
}
