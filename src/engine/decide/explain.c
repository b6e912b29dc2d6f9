/*
 * explain - every rule that matches, not only the one that decided.
 *
 * Asks the compiled lists rule by rule, in the order in which the layers are
 * judged, so that a person can see what the last match overrode.
 */
#include "engine/decide/authority.h"

struct teller {
	const struct cdn_authority *a;
	cdn_explain_fn *matched;
	void *arg;
};

/* The first rule of the defaults is "everything passes", as the floor's is. */
static void
tell_set(const struct teller *t, const struct cdn_rule_set *set,
    enum cordon_layer layer, cdn_str path)
{
	for (size_t i = layer == CORDON_LAYER_DEFAULTS; i < set->rules.n; i++)
		if (cdn_matcher_rule(set->matcher, i, path))
			t->matched(layer, &set->rules.v[i], t->arg);
}

static void
tell_scope(const struct teller *t, const struct cdn_scope *scope,
    enum cordon_layer layer, enum cordon_op op, cdn_str path)
{
	tell_set(t, op == CORDON_MODIFY ? &scope->modify : &scope->read, layer,
	    path);
}

/* The defaults are not among the documents: POLICY does not know them. */
static void
tell_documents(const struct teller *t, enum cordon_as as, enum cordon_op op,
    cdn_str relative)
{
	const struct cdn_authority *a = t->a;

	for (size_t i = 0; i < a->layer_count; i++)
		if (as != CORDON_AS_POLICY ||
		    a->layers[i].layer != CORDON_LAYER_DEFAULTS)
			tell_set(t, &a->layers[i].profile->sets[op],
			    a->layers[i].layer, relative);
}

static void
tell_roots(const struct teller *t, enum cordon_op op, cdn_str path)
{
	const struct cdn_authority *a = t->a;

	for (size_t i = 0; i < a->layer_count; i++)
		tell_scope(t, &a->layers[i].roots, a->layers[i].layer, op,
		    path);
}

/* The first floor rule is "everything passes": no news to anybody. */
static void
tell_floor_set(const struct teller *t, const struct cdn_rule_set *set,
    size_t end, cdn_str path)
{
	for (size_t i = 1; i < end; i++)
		if (cdn_matcher_rule(set->matcher, i, path))
			t->matched(CORDON_LAYER_FLOOR, &set->rules.v[i],
			    t->arg);
}

static void
tell_floor(const struct teller *t, enum cordon_as as, enum cordon_op op,
    cdn_str path)
{
	const struct cdn_scope *floor = &t->a->floor;

	if (op == CORDON_MODIFY)
		tell_floor_set(t, &floor->modify, t->a->floor_shared, path);
	tell_floor_set(t, &floor->read, floor->read.rules.n, path);
	if (as != CORDON_AS_PROCESS)
		tell_floor_set(t, &t->a->kept, t->a->kept.rules.n, path);
}

/*
 * The operation whose lists decided: what may not be read may not be modified
 * either, and then the rules of reading are the ones to see.
 */
static enum cordon_op
deciding_op(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped)
{
	struct cdn_answer given = cdn_judge_path(a, as, op, stripped);
	struct cdn_answer read = cdn_judge_path(a, as, CORDON_READ, stripped);

	/* What the floor says of modifying includes what it says of reading. */
	if (op == CORDON_MODIFY && given.layer == CORDON_LAYER_FLOOR)
		return op;
	return !read.finding.allowed && given.layer == read.layer &&
		    given.finding.rule == read.finding.rule &&
		    given.finding.deny_rule == read.finding.deny_rule ?
		CORDON_READ : op;
}

static void
tell_layers(const struct teller *t, enum cordon_as as, enum cordon_op op,
    cdn_str stripped)
{
	const struct cdn_authority *a = t->a;
	cdn_str relative;
	bool inside = cdn_authority_inside(a, stripped, &relative);

	if (inside)
		tell_documents(t, as, op, relative);
	else
		tell_roots(t, op, stripped);
	tell_scope(t, &a->command, CORDON_LAYER_WORKDIR, op, stripped);
	tell_set(t, &a->runtime_write_roots, CORDON_LAYER_WORKDIR, stripped);
	if (inside && a->preset_rules)
		tell_set(t, &a->preset_profile.sets[op], CORDON_LAYER_PRESET,
		    relative);
	if (!inside && as == CORDON_AS_PROCESS)
		tell_scope(t, &a->runtime, CORDON_LAYER_PRESET, op, stripped);
}

static void
tell_path(const struct teller *t, const struct cdn_question *q,
    cdn_str stripped)
{
	enum cordon_op op = deciding_op(t->a, q->as, q->op, stripped);

	tell_floor(t, q->as, op, stripped);
	tell_layers(t, q->as, op, stripped);
}

/* One network key: its list rule by rule, or the word when it allows. */
static void
tell_network_set(const struct teller *t, const struct cdn_network_set *set,
    enum cordon_layer layer, cdn_str endpoint)
{
	struct cdn_finding finding;

	if (set->mode == CDN_NETWORK_LIST) {
		tell_set(t, &set->list, layer, endpoint);
		return;
	}
	finding = cdn_network_judge(set, endpoint);
	if (finding.rule != NULL)
		t->matched(layer, finding.rule, t->arg);
}

static void
tell_network(const struct teller *t, enum cordon_as as, cdn_str endpoint)
{
	const struct cdn_authority *a = t->a;

	for (size_t i = 0; i < a->layer_count; i++)
		tell_network_set(t, &a->layers[i].profile->network,
		    a->layers[i].layer, endpoint);
	if (as == CORDON_AS_POLICY)
		return;
	if (a->command_network != NULL)
		tell_network_set(t, a->command_network, CORDON_LAYER_WORKDIR,
		    endpoint);
	else
		tell_network_set(t, &a->preset_profile.network, CORDON_LAYER_PRESET,
		    endpoint);
}

/*
 * Sockets that a profile names, and the place as one to read and modify: a
 * deny of either list holds against naming it, so both are told.
 */
static void
tell_socket(const struct teller *t, const struct cdn_question *q,
    cdn_str stripped)
{
	const struct cdn_authority *a = t->a;
	enum cordon_op op = deciding_op(a, q->as, CORDON_MODIFY, stripped);

	tell_floor(t, q->as, op, stripped);
	for (size_t i = 0; i < a->layer_count; i++)
		tell_set(t, &a->layers[i].sockets, a->layers[i].layer,
		    stripped);
	tell_set(t, &a->command_sockets, CORDON_LAYER_WORKDIR, stripped);
	tell_layers(t, q->as, CORDON_READ, stripped);
	tell_layers(t, q->as, CORDON_MODIFY, stripped);
}

void
cdn_decide_explain(const struct cdn_authority *authority,
    const struct cdn_question *question, cdn_explain_fn *matched, void *arg)
{
	struct teller t = { authority, matched, arg };
	cdn_str stripped = cdn_authority_strip(question->path);
	bool network = question->op == CORDON_CONNECT ||
	    question->op == CORDON_BIND;

	if (authority->outer != NULL)
		cdn_decide_explain(authority->outer, question, matched, arg);
	if (network && question->is_socket)
		tell_socket(&t, question, stripped);
	else if (network)
		tell_network(&t, question->as, question->path);
	else if (question->as == CORDON_AS_POLICY)
		tell_documents(&t, question->as, question->op,
		    question->path);
	else
		tell_path(&t, question, stripped);
}
