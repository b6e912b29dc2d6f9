/*
 * report - one line per rule, operation and layer: who holds it.
 *
 * A rule is looked at by where it can matter: the region around the directory
 * that all its paths have in common, and every region below that.  It is held
 * by the kernel when each of them is for the rule's operation, by the broker
 * when one needs it, and by nobody when one that needs it has none.
 */
#include "engine/plan/build.h"

#include "engine/decide/floor.h"
#include "engine/match/endpoint.h"

struct rows {
	struct cdn_plan_build *b;
	struct cdn_plan_rule *v;
	size_t n;
	size_t capacity;
	int code;
};

static const char no_landlock[] = "no Landlock on this host";
static const char no_seccomp[] = "no seccomp filter on this host";
static const char no_broker[] = "no broker, and the kernel alone cannot tell "
				"what is allowed there from what is not";
static const char not_every_exec[] = "the kernel opens an interpreter that "
				     "'#!' names by itself, and a copy is a "
				     "new file";
static const char no_proxy[] = "host names need a proxy, which is not there "
			       "yet";

const char *
cdn_plan_why(size_t i)
{
	static const char *const whys[] = { no_landlock, no_seccomp, no_broker,
		not_every_exec, no_proxy };

	return i < CDN_LEN(whys) ? whys[i] : NULL;
}

static void
put(struct rows *rows, const struct cdn_rule *rule, enum cordon_op op,
    enum cordon_layer layer, struct cdn_plan_rule held)
{
	struct cdn_plan_rule *v;

	if (rows->code != 0)
		return;
	v = rows->n < rows->capacity ? rows->v : cdn_arena_grow(
	    rows->b->arena, rows->v, rows->n, &rows->capacity, sizeof(*v));
	if (v == NULL) {
		rows->code = cdn_err_nomem(rows->b->err);
		return;
	}
	rows->v = v;
	v[rows->n++] = (struct cdn_plan_rule){ .rule = rule, .op = op,
		.layer = layer, .by = held.by, .why = held.why };
}

static struct cdn_plan_rule
by(enum cdn_by who)
{
	return (struct cdn_plan_rule){ .by = who };
}

static struct cdn_plan_rule
nobody(const char *why)
{
	return (struct cdn_plan_rule){ .by = CDN_BY_NOBODY, .why = why };
}

/* ----- Regions in order -------------------------------------------------- */

/* Regions that begin alike, and as what is looked for among them. */
struct range {
	size_t low, high;
	size_t alike; /* bytes */
};

/*
 * The first that does not come before it.  All between two regions begin with
 * what both have in common with the path: that is not compared again.
 */
static size_t
lower_bound_in(const struct cdn_plan *plan, cdn_str path,
    const struct range *range, bool *ret_is_at)
{
	size_t low = range->low, high = range->high;
	size_t low_alike = range->alike, high_alike = range->alike;

	*ret_is_at = false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		size_t n = low_alike < high_alike ? low_alike : high_alike;
		int order = cdn_plan_path_cmp_from(plan->regions[mid].path,
		    path, &n);

		if (order < 0) {
			low = mid + 1;
			low_alike = n;
		} else {
			high = mid;
			high_alike = n;
			*ret_is_at = order == 0; /* and so it stays */
		}
	}
	return low;
}

static size_t
lower_bound(const struct cdn_plan *plan, cdn_str path, bool *ret_is_at)
{
	const struct range all = { .high = plan->region_count };

	return lower_bound_in(plan, path, &all, ret_is_at);
}

/* The deepest that both are or lie below; path itself does not hold `other`. */
static cdn_str
shared_directory(cdn_str path, const char *other)
{
	size_t n = 0, end = 0;

	while (n < path.n && path.p[n] == other[n]) {
		if (path.p[n] == '/')
			end = n;
		n++;
	}
	if (n < path.n && path.p[n] == '/' && other[n] == '\0')
		end = n;
	return (cdn_str){ path.p, end > 0 ? end : 1 };
}

/*
 * What lies below a region follows it without a gap.  So the region around a
 * path that has none of its own is also around the one before the path: it is
 * looked for at the directory which both have in common.
 */
static const struct cdn_region *
around_from(const struct cdn_plan *plan, cdn_str path, size_t i, bool is_at)
{
	while (!is_at) {
		cdn_str shared;

		if (i == 0)
			return NULL;
		shared = shared_directory(path, plan->regions[i - 1].path);
		if (shared.n == path.n)
			return NULL; /* the root, and it has none */
		path = shared;
		i = lower_bound(plan, path, &is_at);
	}
	return &plan->regions[i];
}

const struct cdn_region *
cdn_plan_around(const struct cdn_plan *plan, const char *path)
{
	cdn_str at = cdn_str_of(path);
	bool is_at;
	size_t i = lower_bound(plan, at, &is_at);

	return around_from(plan, at, i, is_at);
}

/* Where a path lies among the regions. */
struct where {
	const struct cdn_region *around; /* the deepest at or above, or NULL */
	size_t below; /* the first below it, */
	size_t end;   /* behind the last */
};

/* Does the region lie below a path of which it has so many bytes? */
static bool
lies_below(const char *region, cdn_str path, size_t alike)
{
	int order = cdn_plan_path_cmp_from(region, path, &alike);

	return order > 0 && (path.n == 1 ? path.p[0] == '/' && alike == 1 :
	    alike == path.n && region[alike] == '/');
}

static struct where
find_in(const struct cdn_plan *plan, const char *path,
    const struct range *range)
{
	cdn_str at = cdn_str_of(path);
	bool is_at;
	size_t i = lower_bound_in(plan, at, range, &is_at);
	struct where where = { .around = around_from(plan, at, i, is_at),
		.below = is_at ? i + 1 : i };

	where.end = where.below;
	while (where.end < range->high && lies_below(
	    plan->regions[where.end].path, at, range->alike))
		where.end++;
	return where;
}

static struct where
find(const struct cdn_plan *plan, const char *path)
{
	const struct range all = { .high = plan->region_count };

	return find_in(plan, path, &all);
}

/* ----- Who holds an operation in a region -------------------------------- */

/* Given away: then only what is the same everywhere is still as it should. */
static enum cdn_by
held_anyway(const struct cdn_region *region, enum cordon_op op)
{
	enum cdn_subtree says = region->says[op];

	if (op == CORDON_MODIFY)
		return says == CDN_SUBTREE_MIXED ? CDN_BY_NOBODY :
						   CDN_BY_LANDLOCK;
	return says == CDN_SUBTREE_ALLOW ? CDN_BY_LANDLOCK : CDN_BY_NOBODY;
}

static enum cdn_by
held_in(const struct cdn_region *region, enum cordon_op op)
{
	if (!cdn_region_is_mixed(region->kind) ||
	    region->held == CDN_REGION_PASSAGE ||
	    region->held == CDN_REGION_CLOSED)
		return CDN_BY_LANDLOCK;
	if (!cdn_region_is_mixed(region->held))
		return held_anyway(region, op);
	if (op == CORDON_MODIFY)
		return region->says[op] == CDN_SUBTREE_DENY ?
		    CDN_BY_LANDLOCK : CDN_BY_BROKER;
	return region->kind == CDN_REGION_MIXED_MODIFY ? CDN_BY_LANDLOCK :
							  CDN_BY_BROKER;
}

/* The weakest of all regions that a rule about a path and below can touch. */
static struct cdn_plan_rule
held_at(const struct cdn_plan_build *b, const struct where *where,
    enum cordon_op op)
{
	const struct cdn_plan *plan = b->plan;
	enum cdn_by worst = where->around == NULL ? CDN_BY_LANDLOCK :
						    held_in(where->around, op);

	if (!plan->caged)
		return nobody(no_landlock);
	for (size_t i = where->below; i < where->end; i++) {
		enum cdn_by one = held_in(&plan->regions[i], op);

		if (one > worst)
			worst = one;
	}
	if (worst == CDN_BY_BROKER && op == CORDON_EXEC)
		return (struct cdn_plan_rule){ .by = CDN_BY_EFFORT,
			.why = not_every_exec };
	return worst == CDN_BY_NOBODY ? nobody(no_broker) : by(worst);
}


/* ----- Rules of the workspace -------------------------------------------- */

/* Its leading components without a star: all it can match lies at or below. */
static cdn_str
plain_prefix(cdn_str pattern)
{
	size_t end = 0;

	for (size_t i = 0; i < pattern.n; i++) {
		if (pattern.p[i] == '*' || pattern.p[i] == '?')
			return (cdn_str){ pattern.p, end };
		if (pattern.p[i] == '/')
			end = i;
	}
	return pattern;
}

/* The regions of a workspace, of which there may be many. */
struct inside {
	struct where itself;
	struct range below;
};

static struct inside
find_workspace(const struct cdn_plan_build *b)
{
	const char *workspace = b->in->spec->workspace;
	struct where itself = find(b->plan, workspace);

	return (struct inside){ itself, { itself.below, itself.end,
	    strcmp(workspace, "/") == 0 ? 1 : strlen(workspace) + 1 } };
}

static struct cdn_plan_rule
held_rule(const struct cdn_plan_build *b, const struct inside *inside,
    const struct cdn_rule *rule, enum cordon_op op)
{
	CDN_UNINITIALIZED char top[CDN_PATH_MAX + 1];
	cdn_str prefix = plain_prefix(rule->pattern);
	struct where where = inside->itself;

	if (prefix.n > 0 && !cdn_str_is(prefix, ".") &&
	    cdn_plan_join(b->in->spec->workspace, prefix, top))
		where = find_in(b->plan, top, &inside->below);
	return held_at(b, &where, op);
}

static void
add_profile(struct rows *rows, enum cordon_layer layer,
    const struct cordon_profile *profile)
{
	struct inside inside = find_workspace(rows->b);

	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++) {
		const struct cdn_rules *rules = &profile->sets[op].rules;

		for (size_t i = 0; i < rules->n && rows->code == 0; i++)
			if (!cdn_defaults_silent(&rules->v[i]))
				put(rows, &rules->v[i], op, layer,
				    held_rule(rows->b, &inside, &rules->v[i],
					op));
	}
}

/* ----- Places ------------------------------------------------------------ */

static const struct cdn_rule *
rule_of_place(struct rows *rows, const struct cdn_place *place, bool negated)
{
	struct cdn_rule *rule = cdn_arena_alloc(rows->b->arena, sizeof(*rule));

	if (rule == NULL) {
		rows->code = cdn_err_nomem(rows->b->err);
		return NULL;
	}
	*rule = (struct cdn_rule){ .text = cdn_str_of(place->shown),
		.pattern = cdn_str_of(place->shown), .negated = negated,
		.pos = place->pos };
	return rule;
}

/* Where a place can matter; a pattern's directory. */
static struct where
find_place(const struct cdn_plan_build *b, const struct cdn_place *place)
{
	CDN_UNINITIALIZED char top[CDN_PATH_MAX + 1];
	cdn_str path = cdn_str_of(place->path);

	if (!place->glob)
		return find(b->plan, place->path);
	snprintf(top, sizeof(top), "%.*s", CDN_STR_ARG(plain_prefix(path)));
	return find(b->plan, top[0] == '\0' ? "/" : top);
}

static void
add_place(struct rows *rows, const struct cdn_place *place, enum cordon_op op,
    enum cordon_layer layer)
{
	const struct cdn_rule *rule = rule_of_place(rows, place, false);
	struct where where = find_place(rows->b, place);

	if (rule != NULL)
		put(rows, rule, op, layer, held_at(rows->b, &where, op));
}

static void
add_places(struct rows *rows, const struct cdn_place_list *places,
    enum cordon_op op, enum cordon_layer layer)
{
	for (size_t i = 0; i < places->n && rows->code == 0; i++)
		add_place(rows, &places->v[i], op, layer);
}

/* ----- The floor --------------------------------------------------------- */

/*
 * It says something only where something is granted around it or below.  Where
 * the uid could not read it anyway the kernel's modes hold, not we.
 */
static void
add_floor_place(struct rows *rows, const struct cdn_place *place, bool read)
{
	struct where where = find(rows->b->plan, place->path);
	const struct cdn_rule *rule;

	if (where.around == NULL && where.below == where.end)
		return;
	rule = rule_of_place(rows, place, true);
	if (rule == NULL)
		return;
	if (place->glob)
		where = find_place(rows->b, place);
	if (read)
		put(rows, rule, CORDON_READ, CORDON_LAYER_FLOOR,
		    held_at(rows->b, &where, CORDON_READ));
	put(rows, rule, CORDON_MODIFY, CORDON_LAYER_FLOOR,
	    held_at(rows->b, &where, CORDON_MODIFY));
}

static void
add_floor_places(struct rows *rows, const struct cdn_place_list *places,
    const bool *near, const bool *left_out, bool read)
{
	for (size_t i = 0; i < places->n && rows->code == 0; i++)
		if (near[i])
			add_floor_place(rows, &places->v[i],
			    read && (left_out == NULL || !left_out[i]));
}

static void
add_floor(struct rows *rows)
{
	const struct cdn_authority_spec *spec = rows->b->in->spec;
	const struct cdn_floor_row *row;

	for (size_t i = 0; (row = cdn_floor_system(i)) != NULL; i++) {
		struct cdn_place place = { .path = row->path,
			.shown = row->path, .glob = row->glob,
			.pos = { .source = "<floor>" } };

		if (!row->glob)
			add_floor_place(rows, &place, false);
	}
	add_floor_places(rows, &spec->sealed, rows->b->sealed_near, NULL,
	    false);
	add_floor_places(rows, &spec->hidden, rows->b->hidden_near, NULL, true);
	add_floor_places(rows, &spec->closed, rows->b->closed_near,
	    rows->b->unreadable, true);
}

/* ----- The network ------------------------------------------------------- */

/* "*" alone is every address, too. */
bool
cdn_plan_is_name(const struct cdn_rule *endpoint)
{
	return !cdn_endpoint_is_address(endpoint->pattern) &&
	    !cdn_str_starts(endpoint->pattern, CDN_STR("*:"));
}

static struct cdn_plan_rule
held_network(const struct cdn_plan_build *b, const struct cdn_rule *rule,
    enum cdn_network_mode mode)
{
	if (!b->in->host->seccomp_filter)
		return nobody(no_seccomp);
	if (mode == CDN_NETWORK_LIST && cdn_plan_is_name(rule))
		return nobody(no_proxy);
	if (mode == CDN_NETWORK_FULL || b->plan->network == CDN_NETWORK_NONE)
		return by(CDN_BY_SECCOMP);
	return by(CDN_BY_BROKER);
}

static const struct cdn_rule *
rule_of_mode(struct rows *rows, const struct cdn_network_set *network)
{
	struct cdn_place none = { .shown = "none",
		.pos = network->mode_rule.pos };

	if (network->mode == CDN_NETWORK_LOOPBACK ||
	    network->mode == CDN_NETWORK_FULL)
		return &network->mode_rule;
	return rule_of_place(rows, &none, false);
}

static void
add_network(enum cordon_layer layer, const struct cdn_network_set *network,
    void *arg)
{
	const struct cdn_rules *list = &network->list.rules;
	struct rows *rows = arg;
	const struct cdn_rule *rule;

	if (network->mode == CDN_NETWORK_LIST) {
		for (size_t i = 0; i < list->n; i++)
			put(rows, &list->v[i], CORDON_CONNECT, layer,
			    held_network(rows->b, &list->v[i], network->mode));
		return;
	}
	rule = rule_of_mode(rows, network);
	if (rule != NULL)
		put(rows, rule, CORDON_CONNECT, layer,
		    held_network(rows->b, rule, network->mode));
}

/* ----- All of them ------------------------------------------------------- */

static void
add_sockets(struct rows *rows, const struct cdn_place_list *sockets,
    enum cordon_layer layer)
{
	struct cdn_plan_rule held = !rows->b->in->host->seccomp_filter ?
	    nobody(no_seccomp) : by(rows->b->plan->mode == CDN_PLAN_MODE_NONE ?
		CDN_BY_SECCOMP : CDN_BY_BROKER);

	for (size_t i = 0; i < sockets->n; i++) {
		const struct cdn_rule *rule = rule_of_place(rows,
		    &sockets->v[i], false);

		if (rule != NULL)
			put(rows, rule, CORDON_CONNECT, layer, held);
	}
}

/* Layer by layer; what was added first comes first within one. */
static int
put_in_order(const struct rows *rows)
{
	struct cdn_plan *plan = rows->b->plan;
	struct cdn_plan_rule *v = cdn_arena_array(rows->b->arena, rows->n,
	    sizeof(*v));

	if (v == NULL)
		return cdn_err_nomem(rows->b->err);
	plan->rules = v;
	for (unsigned rank = 0; plan->rule_count < rows->n; rank++)
		for (size_t i = 0; i < rows->n; i++)
			if (cdn_layer_rank(rows->v[i].layer) == rank)
				v[plan->rule_count++] = rows->v[i];
	return 0;
}

/* Where nothing may be modified, what the defaults take away is not there. */
static bool
may_modify(const struct cdn_plan_build *b)
{
	return cdn_decide_subtree(b->in->authority, CORDON_AS_PROCESS,
	    CORDON_MODIFY, cdn_str_of(b->in->spec->workspace)) !=
	    CDN_SUBTREE_DENY;
}

int
cdn_plan_find_rules(struct cdn_plan_build *b)
{
	const struct cdn_authority_spec *spec = b->in->spec;
	const struct cdn_authority *authority = b->in->authority;
	struct cdn_builtin builtins[CDN_BUILTINS_MAX];
	struct rows rows = { .b = b };
	size_t n;

	add_floor(&rows);
	for (size_t i = 0; i < spec->document_count; i++) {
		const struct cdn_document *d = &spec->documents[i];

		add_profile(&rows, d->layer, d->profile);
		add_places(&rows, &d->host_read, CORDON_READ, d->layer);
		add_places(&rows, &d->host_modify, CORDON_MODIFY, d->layer);
		add_sockets(&rows, &d->sockets, d->layer);
	}
	add_places(&rows, &spec->command_read, CORDON_READ,
	    CORDON_LAYER_WORKDIR);
	add_places(&rows, &spec->command_write, CORDON_MODIFY,
	    CORDON_LAYER_WORKDIR);
	add_places(&rows, &spec->runtime_write_roots, CORDON_MODIFY,
	    CORDON_LAYER_WORKDIR);
	add_sockets(&rows, &spec->command_sockets, CORDON_LAYER_WORKDIR);
	n = cdn_authority_builtins(authority, builtins);
	for (size_t i = 0; i < n; i++)
		if (builtins[i].layer != CORDON_LAYER_DEFAULTS ||
		    may_modify(b))
			add_profile(&rows, builtins[i].layer,
			    builtins[i].profile);
	cdn_decide_network_keys(authority, add_network, &rows);
	return rows.code != 0 ? rows.code : put_in_order(&rows);
}
