/*
 * worker_layer - a worker for those who know only documents, terms and files.
 */
#include "enforce/session/workers.h"

#include <limits.h>

/* ----- As a document ---------------------------------------------------------- */

struct making {
	struct cdn_arena *arena;
	const struct cordon_session *session;
	const struct cdn_seat *seat;
	struct cdn_rules rules[CDN_RULE_OPS];
	struct cdn_place *read, *modify;
	size_t read_count, modify_count;
};

/* "/w/a" in /w -> "a", "" for the workspace; false: it lies elsewhere. */
static bool
is_inside(const struct making *m, const char *path, cdn_str *ret)
{
	size_t n = strlen(m->session->workspace);

	if (!cdn_placelist_below(path, m->session->workspace))
		return false;
	if (n == 1) /* "/" */
		n = 0;
	*ret = cdn_str_of(path + n);
	if (ret->n > 0)
		*ret = cdn_str_from(*ret, 1);
	return true;
}

static int
add_rule(struct making *m, const struct cdn_worker_place *place,
    cdn_str relative)
{
	const char *pattern = relative.n == 0 ? "**" :
	    cdn_arena_join(m->arena, relative, CDN_STR("/**"));
	struct cdn_rule rule = { .text = cdn_str_of(place->shown),
		.pos = place->pos, .literal = relative.n };
	bool carved = cdn_seat_carves(m->seat, place);

	if (pattern == NULL)
		return CORDON_E_NOMEM;
	rule.pattern = cdn_str_of(pattern);
	m->rules[CORDON_READ].v[m->rules[CORDON_READ].n++] = rule;
	m->rules[CORDON_EXEC].v[m->rules[CORDON_EXEC].n++] = rule;
	rule.negated = carved;
	if (place->write || carved)
		m->rules[CORDON_MODIFY].v[m->rules[CORDON_MODIFY].n++] = rule;
	return 0;
}

static void
add_outside(struct making *m, const struct cdn_worker_place *place)
{
	struct cdn_place out = { .path = place->path, .shown = place->shown,
		.pos = place->pos };

	if (place->write)
		m->modify[m->modify_count++] = out;
	else
		m->read[m->read_count++] = out;
}

/* Shorter paths first, so that the last match is the deepest root. */
static int
divide(struct making *m)
{
	for (size_t i = 0; i < m->seat->place_count; i++) {
		const struct cdn_worker_place *place = &m->seat->places[i];
		cdn_str relative = CDN_STR("");
		bool inside = is_inside(m, place->path, &relative);

		if ((inside || cdn_placelist_below(m->session->workspace,
			place->path)) && add_rule(m, place, relative) != 0)
			return CORDON_E_NOMEM;
		if (!inside)
			add_outside(m, place);
	}
	return 0;
}

/* A worker without roots bounds nothing: everything passes. */
static int
pass_all(struct making *m)
{
	struct cdn_rule all = { .text = CDN_STR("**"),
		.pattern = CDN_STR("**"),
		.pos = { .source = m->seat->worker->source } };

	for (size_t op = 0; op < CDN_RULE_OPS; op++)
		m->rules[op].v[m->rules[op].n++] = all;
	return 0;
}

static int
allocate(struct making *m)
{
	size_t n = m->seat->place_count + 1;

	for (size_t op = 0; op < CDN_RULE_OPS; op++) {
		m->rules[op].v = cdn_arena_array(m->arena, n,
		    sizeof(*m->rules[op].v));
		if (m->rules[op].v == NULL)
			return CORDON_E_NOMEM;
	}
	m->read = cdn_arena_array(m->arena, n, sizeof(*m->read));
	m->modify = cdn_arena_array(m->arena, n, sizeof(*m->modify));
	return m->read == NULL || m->modify == NULL ? CORDON_E_NOMEM : 0;
}

static struct cdn_network_set
network_of(const struct cordon_worker *worker)
{
	static const enum cdn_network_mode modes[] = {
		[CDN_UNSAID] = CDN_NETWORK_UNSET,
		[CDN_SAID_NO] = CDN_NETWORK_NONE,
		[CDN_SAID_YES] = CDN_NETWORK_FULL,
	};
	struct cdn_network_set set = { .mode = modes[worker->network] };

	set.mode_rule = cdn_network_rule(set.mode,
	    (struct cdn_pos){ .source = worker->source });
	return set;
}

int
cdn_worker_document(struct cdn_arena *arena,
    const struct cordon_session *session, size_t i, bool fold,
    struct cdn_document *ret, struct cordon_error *err)
{
	const struct cdn_seat *seat = &session->workers[i];
	struct making m = { .arena = arena, .session = session, .seat = seat };
	struct cordon_profile *profile = cdn_arena_alloc(arena,
	    sizeof(*profile));
	int code = 0;

	if (profile == NULL || allocate(&m) != 0 ||
	    (seat->worker->has_paths ? divide(&m) : pass_all(&m)) != 0)
		return cdn_err_nomem(err);
	profile->name = session->profile;
	profile->defined = true;
	profile->network = network_of(seat->worker);
	for (size_t op = 0; op < CDN_RULE_OPS && code == 0; op++)
		code = cdn_rule_set_build(arena, m.rules[op], fold,
		    &profile->sets[op], err);
	if (code != 0)
		return code;
	*ret = (struct cdn_document){
		.layer = CORDON_LAYER_WORKER, .profile = profile,
		.trusted = !cdn_workers_called(session, i),
		.bounds = seat->worker->has_paths,
		.called = cdn_workers_called(session, i),
		.host_read = { m.read, m.read_count },
		.host_modify = { m.modify, m.modify_count },
	};
	return 0;
}

/* ----- What holds for the run ---------------------------------------------------- */

enum cdn_enforcement
cdn_workers_enforcement(const struct cordon_session *session)
{
	enum cdn_enforcement strictest = CDN_ENFORCEMENT_UNSET;

	for (size_t i = 0; i < session->worker_count; i++) {
		const struct cordon_worker *w = session->workers[i].worker;
		bool loose = w->require_os_sandbox == CDN_SAID_NO ||
		    w->allow_fallback == CDN_SAID_YES;
		bool strict = w->require_os_sandbox == CDN_SAID_YES ||
		    w->allow_fallback == CDN_SAID_NO;
		enum cdn_enforcement one = loose && !strict ?
		    CDN_ENFORCEMENT_BEST_EFFORT : CDN_ENFORCEMENT_REQUIRED;

		if (one > strictest)
			strictest = one;
	}
	return strictest;
}

enum cordon_backend
cdn_workers_backend(const struct cordon_session *session)
{
	static const enum cordon_backend backends[CDN_EXECUTOR_MAX] = {
		[CDN_EXECUTOR_AUTO] = CORDON_BACKEND_AUTO,
		[CDN_EXECUTOR_NONE] = CORDON_BACKEND_NONE,
		[CDN_EXECUTOR_LINUX_NATIVE] = CORDON_BACKEND_NATIVE,
		[CDN_EXECUTOR_LINUX_BWRAP] = CORDON_BACKEND_BWRAP,
		[CDN_EXECUTOR_MACOS] = CORDON_BACKEND_SEATBELT,
	};
	enum cordon_backend backend = CORDON_BACKEND_AUTO;

	for (size_t i = 0; i < session->worker_count; i++) {
		enum cordon_backend one =
		    backends[session->workers[i].worker->executor];

		if (one != CORDON_BACKEND_AUTO)
			backend = one;
	}
	return backend;
}

/* ----- Filters of an application ---------------------------------------------- */

static bool
ends_with(cdn_str path, cdn_str suffix)
{
	return path.n > suffix.n && memcmp(path.p + path.n - suffix.n,
	    suffix.p, suffix.n) == 0;
}

static bool
has_suffix(cdn_str path, const struct cdn_worker_texts *suffixes)
{
	for (size_t i = 0; i < suffixes->n; i++)
		if (ends_with(path, suffixes->v[i]))
			return true;
	return !suffixes->given;
}

/* The deepest root that holds it: the last. */
static const struct cdn_worker_path *
entry_of(const struct cdn_seat *seat, const char *path)
{
	const struct cdn_worker_path *entry = NULL;

	for (size_t i = 0; i < seat->place_count; i++)
		if (cdn_placelist_below(path, seat->places[i].path))
			entry = seat->places[i].entry;
	return entry;
}

void
cdn_workers_filter(const struct cordon_session *session, cdn_str path,
    struct cordon_filter *ret)
{
	*ret = (struct cordon_filter){ .suffix_fits = true,
		.max_file_bytes = ULLONG_MAX };
	for (size_t i = 0; i < session->worker_count; i++) {
		const struct cdn_worker_path *entry =
		    entry_of(&session->workers[i], path.p);
		bool fits;

		if (entry == NULL)
			continue;
		fits = has_suffix(path, &entry->suffixes);
		if (ret->id == NULL || (ret->suffix_fits && !fits)) {
			ret->id = entry->id.p;
			ret->source = entry->pos.source;
			ret->line = entry->pos.line;
		}
		ret->suffix_fits &= fits;
		if (entry->max_file_bytes.given &&
		    entry->max_file_bytes.value < ret->max_file_bytes)
			ret->max_file_bytes = entry->max_file_bytes.value;
	}
}
