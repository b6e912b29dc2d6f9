#include "enforce/session/workers.h"

/* ----- Which workers --------------------------------------------------------- */

static bool
has_bounds(const struct cordon_session *s)
{
	for (size_t i = 0; i < s->worker_count; i++)
		if (s->workers[i].worker->has_paths)
			return true;
	return false;
}

static int
check_one(const struct cordon_worker *worker, struct cordon_error *err)
{
	struct cdn_pos pos = { worker->source, 0, 0 };

	if (worker->executor == CDN_EXECUTOR_MACOS)
		return cdn_err_at(err, CORDON_E_INVALID, pos,
		    "executor.sandbox: '%s' is of another system (use 'auto' "
		    "or 'linux-native')", cdn_executor_name(worker->executor));
	if (worker->has_paths && cdn_worker_unrestricted(worker))
		return cdn_err_at(err, CORDON_E_INVALID, pos,
		    "a module is 'unrestricted', but 'sandbox.paths' are the "
		    "only roots (leave out one of them)");
	return 0;
}

/* The bytes that were read are those that hold: nobody changes the file. */
static int
add_file(struct cordon_session *s, const struct cordon_worker *worker,
    struct cordon_error *err)
{
	if (s->file_count >= CDN_LAYERS_MAX + CDN_WORKERS_MAX)
		return cdn_err(err, CORDON_E_INVALID, "more than %d documents",
		    CDN_LAYERS_MAX + CDN_WORKERS_MAX);
	s->files[s->file_count++] = (struct cordon_document){
		.layer = CORDON_LAYER_WORKER,
		.file = worker->is_file ? worker->source : "",
		.name = worker->name.p, .digest = worker->digest,
		.trusted = !cdn_workers_called(s, s->worker_count),
	};
	return 0;
}

bool
cdn_workers_called(const struct cordon_session *session, size_t i)
{
	return i >= session->first_called;
}

/* Its callers: each worker before it; without one, the session itself. */
static int
check_callers(const struct cordon_session *s,
    const struct cordon_worker *worker, struct cordon_error *err)
{
	int code = 0;

	if (cdn_workers_called(s, 0))
		code = cdn_worker_fits_session(worker, err);
	for (size_t i = 0; code == 0 && i < s->worker_count; i++)
		code = cdn_worker_fits_but_roots(s->workers[i].worker, worker,
		    err);
	return code;
}

static int
take(struct cordon_session *s, const struct cordon_worker *worker,
    struct cordon_error *err)
{
	int code;

	if (worker == NULL)
		return cdn_err(err, CORDON_E_INVALID, "a worker is missing");
	code = check_one(worker, err);
	if (code == 0)
		code = check_callers(s, worker, err);
	if (code == 0)
		code = add_file(s, worker, err);
	if (code == 0)
		s->workers[s->worker_count++].worker = worker;
	return code;
}

int
cdn_workers_take(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_error *err)
{
	int code = 0;

	session->first_called = options->called ? 0 : 1;
	if (options->worker_count == 0)
		return 0;
	if (options->worker_count > CDN_WORKERS_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "workers call workers more than %d deep", CDN_WORKERS_MAX);
	session->workers = cdn_arena_array(session->arena,
	    options->worker_count, sizeof(*session->workers));
	if (session->workers == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < options->worker_count && code == 0; i++)
		code = take(session, options->workers[i], err);
	if (code == 0 && has_bounds(session) &&
	    options->preset == CORDON_PRESET_PROTECT)
		return cdn_err(err, CORDON_E_INVALID,
		    "preset 'protect' opens the whole host, but the worker's "
		    "'sandbox.paths' are the only roots (use the preset "
		    "'workspace' or 'strict')");
	return code;
}

/* ----- Where their roots are ------------------------------------------------- */

bool
cdn_seat_covers(const struct cdn_seat *seat, const char *path, bool write)
{
	for (size_t i = 0; i < seat->place_count; i++)
		if ((seat->places[i].write || !write) &&
		    cdn_placelist_below(path, seat->places[i].path))
			return true;
	return false;
}

static void
add_root(struct cdn_gather *g, struct cdn_seat *seat, size_t *room,
    const struct cdn_worker_place *like)
{
	struct cdn_placelist list = { .g = g, .grants = true };
	struct cdn_place place = { .shown = like->shown, .pos = like->pos };

	cdn_placelist_named(&list, like->shown, &place);
	for (size_t i = 0; i < list.n && g->code == 0; i++) {
		struct cdn_worker_place *grown = cdn_arena_grow(g->arena,
		    seat->places, seat->place_count, room, sizeof(*grown));

		if (grown == NULL) {
			g->code = cdn_err_nomem(g->err);
			return;
		}
		seat->places = grown;
		grown[seat->place_count] = *like;
		grown[seat->place_count++].path = list.v[i].path;
	}
}

static void
add_paths(struct cdn_gather *g, struct cdn_seat *seat, size_t *room)
{
	const struct cordon_worker *worker = seat->worker;

	for (size_t i = 0; i < worker->path_count && g->code == 0; i++) {
		const struct cdn_worker_path *path = &worker->paths[i];
		struct cdn_worker_place like = { .write = path->write,
			.shown = path->root.p, .pos = path->pos,
			.entry = path };

		add_root(g, seat, room, &like);
	}
}

static void
add_modules(struct cdn_gather *g, struct cdn_seat *seat, size_t *room)
{
	const struct cordon_worker *worker = seat->worker;
	struct cdn_worker_place like = { .write = true,
		.pos = { .source = worker->source } };

	for (size_t i = 0; i < worker->module_count; i++) {
		const struct cdn_worker_texts *texts =
		    &worker->modules[i].allowed_paths;

		for (size_t k = 0; k < texts->n && g->code == 0; k++) {
			like.shown = texts->v[k].p;
			add_root(g, seat, room, &like);
		}
	}
	if (cdn_worker_unrestricted(worker)) {
		like.shown = "/";
		add_root(g, seat, room, &like);
	}
}

static int
by_length(const void *a, const void *b)
{
	const struct cdn_worker_place *x = a, *y = b;
	size_t n = strlen(x->path), m = strlen(y->path);

	if (n != m)
		return n < m ? -1 : 1;
	if (strcmp(x->path, y->path) != 0)
		return strcmp(x->path, y->path);
	return (int)y->write - (int)x->write; /* read-only has the last word */
}

bool
cdn_seat_carves(const struct cdn_seat *seat,
    const struct cdn_worker_place *place)
{
	return !place->write && cdn_seat_covers(seat, place->path, true);
}

static void
check_carved(struct cdn_gather *g, const struct cdn_seat *seat)
{
	for (size_t i = 0; i < seat->place_count && g->code == 0; i++) {
		const struct cdn_worker_place *place = &seat->places[i];

		if (cdn_seat_carves(seat, place) && !cdn_placelist_below(place->path,
			g->session->workspace))
			g->code = cdn_err_at(g->err, CORDON_E_INVALID,
			    place->pos, "'%s' is read-only inside a root that "
			    "may be written, which works in the workspace "
			    "only", place->shown);
	}
}

/* What a worker without roots of its own has: the workspace, and its modules'. */
static bool
has(const struct cdn_gather *g, const struct cdn_seat *seat,
    const struct cdn_worker_place *place)
{
	if (cdn_seat_covers(seat, place->path, place->write))
		return true;
	return !seat->worker->has_paths &&
	    cdn_placelist_below(place->path, g->session->workspace);
}

static void
check_fits(struct cdn_gather *g, const struct cdn_seat *caller,
    const struct cdn_seat *called)
{
	for (size_t i = 0; i < called->place_count && g->code == 0; i++) {
		const struct cdn_worker_place *place = &called->places[i];

		if (!has(g, caller, place))
			g->code = cdn_err_at(g->err, CORDON_E_INVALID,
			    place->pos, "'%s': the calling worker may not %s "
			    "it itself", place->shown,
			    place->write ? "write" : "read");
	}
}

void
cdn_gather_workers(struct cdn_gather *g, struct cdn_seat *seats)
{
	for (size_t i = 0; i < g->session->worker_count && g->code == 0; i++) {
		struct cdn_seat *seat = &seats[i];
		size_t room = 0;

		add_paths(g, seat, &room);
		add_modules(g, seat, &room);
		if (seat->place_count > 0)
			qsort(seat->places, seat->place_count,
			    sizeof(*seat->places), by_length);
		check_carved(g, seat);
		for (size_t k = 0; k < i; k++)
			check_fits(g, &seats[k], seat);
	}
}

/* ----- More than the session has ---------------------------------------------- */

/*
 * Inside the workspace a root of which a part is allowed is narrowed to that
 * part; a root elsewhere must be open itself.
 */
static bool
session_has(const struct cordon_session *s,
    const struct cdn_worker_place *place, struct cordon_verdict *ret)
{
	const struct cdn_question question = { .as = CORDON_AS_AGENT,
		.op = place->write ? CORDON_MODIFY : CORDON_READ,
		.path = cdn_str_of(place->path) };

	cdn_decide(s->authority, &question, ret);
	return ret->allowed ||
	    (cdn_placelist_below(place->path, s->workspace) &&
		cdn_decide_subtree(s->authority, question.as, question.op,
		    question.path) != CDN_SUBTREE_DENY);
}

static int
check_places(const struct cordon_session *s, const struct cdn_seat *seat,
    struct cordon_error *err)
{
	for (size_t i = 0; i < seat->place_count; i++) {
		const struct cdn_worker_place *place = &seat->places[i];
		struct cordon_verdict verdict;

		if (!session_has(s, place, &verdict))
			return cdn_err_at(err, CORDON_E_INVALID, place->pos,
			    "'%s': the session may not %s it itself: denied by "
			    "'%s' (%s); a called worker can only narrow",
			    place->shown, place->write ? "write" : "read",
			    verdict.matched_rule,
			    cordon_layer_name(verdict.layer));
	}
	return 0;
}

int
cdn_workers_check(const struct cordon_session *session,
    struct cordon_error *err)
{
	const struct cdn_seat *seat;
	int code;

	/* Those before it may have more than it leaves. */
	if (session->worker_count <= session->first_called)
		return 0;
	seat = &session->workers[session->worker_count - 1];
	code = check_places(session, seat, err);
	if (code == 0 && seat->worker->network == CDN_SAID_YES &&
	    cdn_decide_network(session->authority) != CDN_NETWORK_FULL)
		code = cdn_err_at(err, CORDON_E_INVALID,
		    (struct cdn_pos){ seat->worker->source, 0, 0 },
		    "'sandbox.network: true' is more than the session has "
		    "itself; a called worker can only narrow");
	return code;
}

/* ----- Roots that others name ------------------------------------------------- */

void
cdn_workers_bound(struct cdn_gather *g, const char *option,
    const struct cdn_place_list *places, bool write)
{
	const struct cordon_session *s = g->session;

	for (size_t i = 0; i < s->worker_count; i++)
		for (size_t k = 0; k < places->n && g->code == 0; k++)
			if (!cdn_workers_called(s, i) &&
			    s->workers[i].worker->has_paths &&
			    !cdn_seat_covers(&s->workers[i], places->v[k].path, write))
				g->code = cdn_err(g->err, CORDON_E_INVALID,
				    "%s '%s': the worker's 'sandbox.paths' are "
				    "the only roots (add it there)", option,
				    places->v[k].shown);
}

/* The deeper of the two where one lies in the other. */
static void
add_common(struct cdn_placelist *list, const struct cdn_place *place,
    const struct cdn_worker_place *bound)
{
	if (cdn_placelist_below(place->path, bound->path))
		cdn_placelist_exact(list, place->path, place);
	else if (!place->alone &&
	    cdn_placelist_below(bound->path, place->path))
		cdn_placelist_exact(list, bound->path, place);
}

void
cdn_workers_narrow(struct cdn_gather *g, struct cdn_place_list *places,
    bool write)
{
	const struct cordon_session *s = g->session;

	for (size_t i = s->first_called; i < s->worker_count && g->code == 0;
	     i++) {
		const struct cdn_seat *seat = &s->workers[i];
		struct cdn_placelist list = { .g = g, .grants = true };

		if (!seat->worker->has_paths)
			continue;
		for (size_t k = 0; k < places->n; k++)
			for (size_t p = 0; p < seat->place_count; p++)
				if (seat->places[p].write || !write)
					add_common(&list, &places->v[k],
					    &seat->places[p]);
		*places = cdn_placelist_done(&list);
	}
}

bool
cdn_workers_own_workspace(const struct cordon_session *session)
{
	for (size_t i = 0; i < session->worker_count; i++)
		if (session->workers[i].worker->has_paths &&
		    !cdn_seat_covers(&session->workers[i], session->workspace, true))
			return false;
	return true;
}

bool
cdn_workers_root(const struct cordon_session *session, const char *dir)
{
	for (size_t i = 0; i < session->worker_count; i++)
		for (size_t k = 0; k < session->workers[i].place_count; k++) {
			const char *root = session->workers[i].places[k].path;

			if (strcmp(root, dir) != 0 &&
			    cdn_placelist_below(dir, root))
				return true;
		}
	return false;
}
