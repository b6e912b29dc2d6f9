/*
 * decide - the intersection of the layers, outermost first.  Of an authority
 * inside of another one, too: nothing is asked of the inner one that the outer
 * one denies.
 *
 * A denial names the outermost layer that denies; an allow names the
 * innermost document whose rule matched.  In the questions of a process or an
 * agent a path that may not be read may not be modified or executed either:
 * otherwise it could be renamed to a readable name and read there.
 */
#include "engine/decide/authority.h"

static const char outside[] = "<outside workspace>";

static struct cdn_answer
answer(struct cdn_finding finding, enum cordon_layer layer)
{
	return (struct cdn_answer){ .finding = finding, .layer = layer };
}

static struct cdn_answer
deny_outside(void)
{
	return answer((struct cdn_finding){ .matched_rule = outside },
	    CORDON_LAYER_WORKDIR);
}

static const struct cdn_rule_set *
scope_set(const struct cdn_scope *scope, enum cordon_op op)
{
	return op == CORDON_MODIFY ? &scope->modify : &scope->read;
}

static struct cdn_finding
scope_judge(const struct cdn_scope *scope, enum cordon_op op, cdn_str path)
{
	return cdn_rule_set_judge(scope_set(scope, op), path);
}

/* ----- Inside the workspace ------------------------------------------------ */

/* A path inside the workspace, under its two names. */
struct inside {
	cdn_str relative;
	const cdn_str *stripped; /* NULL: the documents alone are asked */
};

/*
 * What lifts a denial of one layer: a runtime_write_root a rule of a project
 * that denies to modify; a root of the command line what a layer other than
 * the host merely does not mention.
 */
static bool
lifted(const struct cdn_authority *a, const struct cdn_answer *denied,
    enum cordon_op op, const cdn_str *stripped, struct cdn_answer *ret)
{
	struct cdn_finding grant = { 0 };

	if (stripped == NULL || denied->layer == CORDON_LAYER_HOST)
		return false;
	if (cdn_merely_not_granted(&denied->finding))
		grant = scope_judge(&a->command, op, *stripped);
	else if (denied->layer == CORDON_LAYER_PROJECT && op == CORDON_MODIFY)
		grant = cdn_rule_set_judge(&a->runtime_write_roots, *stripped);
	if (grant.allowed)
		*ret = answer(grant, CORDON_LAYER_WORKDIR);
	return grant.allowed;
}

struct cdn_answer
cdn_judge_layer(const struct cdn_authority *a, size_t i, enum cordon_op op,
    cdn_str relative, const cdn_str *stripped)
{
	bool preset = i == a->layer_count;
	const struct cordon_profile *profile = preset ? &a->preset_profile :
							a->layers[i].profile;
	struct cdn_answer given = answer(
	    cdn_rule_set_judge(&profile->sets[op], relative),
	    preset ? CORDON_LAYER_PRESET : a->layers[i].layer);

	if (!given.finding.allowed)
		(void)lifted(a, &given, op, stripped, &given);
	return given;
}

/* All layers, and the preset where no trusted document speaks. */
static struct cdn_answer
judge_documents(const struct cdn_authority *a, enum cordon_op op,
    const struct inside *path)
{
	struct cdn_answer allow = deny_outside();
	bool named = false;

	for (size_t i = 0; i < a->layer_count; i++) {
		struct cdn_answer one;

		if (path->stripped == NULL &&
		    a->layers[i].layer == CORDON_LAYER_DEFAULTS)
			continue;
		one = cdn_judge_layer(a, i, op, path->relative,
		    path->stripped);
		if (!one.finding.allowed)
			return one;
		if (a->layers[i].names) {
			allow = one;
			named = true;
		}
	}
	if (path->stripped != NULL && a->preset_rules) {
		struct cdn_answer one = cdn_judge_layer(a, a->layer_count, op,
		    path->relative, path->stripped);

		if (!one.finding.allowed || !named)
			return one;
	}
	return allow;
}

/* ----- Outside: declared roots and the runtime view ------------------------ */

/*
 * Roots of documents: every document that defines the profile must grant the
 * path, and a trusted one among them.  The innermost grant is named.
 */
static bool
granted_by_documents(const struct cdn_authority *a, enum cordon_op op,
    cdn_str stripped, struct cdn_answer *ret)
{
	bool granted = false;

	for (size_t i = 0; i < a->layer_count; i++) {
		const struct cdn_layer *layer = &a->layers[i];
		struct cdn_finding finding;

		if (!layer->bounds)
			continue;
		finding = scope_judge(&layer->roots, op, stripped);
		if (!finding.allowed)
			return false;
		if (layer->trusted) {
			*ret = answer(finding, layer->layer);
			granted = true;
		}
	}
	return granted;
}

/* The host policy holds against the command line too. */
static bool
host_refuses(const struct cdn_authority *a, enum cordon_op op,
    cdn_str stripped)
{
	for (size_t i = 0; i < a->layer_count; i++) {
		const struct cdn_layer *layer = &a->layers[i];

		if (layer->layer == CORDON_LAYER_HOST &&
		    layer->bounds &&
		    !scope_judge(&layer->roots, op, stripped).allowed)
			return true;
	}
	return false;
}

static bool
granted_by_command(const struct cdn_authority *a, enum cordon_op op,
    cdn_str stripped, struct cdn_answer *ret)
{
	struct cdn_finding finding = scope_judge(&a->command, op, stripped);

	if (!finding.allowed || host_refuses(a, op, stripped))
		return false;
	*ret = answer(finding, CORDON_LAYER_WORKDIR);
	return true;
}

static struct cdn_answer
judge_outside(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped)
{
	struct cdn_finding runtime;
	struct cdn_answer grant;

	if (granted_by_documents(a, op, stripped, &grant) ||
	    granted_by_command(a, op, stripped, &grant))
		return grant;
	if (as != CORDON_AS_PROCESS)
		return deny_outside();
	runtime = scope_judge(&a->runtime, op, stripped);
	if (runtime.allowed)
		return answer(runtime, CORDON_LAYER_PRESET);
	return deny_outside();
}

/* ----- The floor ------------------------------------------------------------ */

/* What an agent keeps for its own process, it may not name to a tool. */
struct cdn_finding
cdn_judge_floor(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped)
{
	struct cdn_finding floor = scope_judge(&a->floor, op, stripped);

	return !floor.allowed || as == CORDON_AS_PROCESS ? floor :
	    cdn_rule_set_judge(&a->kept, stripped);
}

/* ----- A path --------------------------------------------------------------- */

static struct cdn_answer
judge_one(const struct cdn_authority *a, enum cordon_as as, enum cordon_op op,
    cdn_str stripped)
{
	struct cdn_finding floor = cdn_judge_floor(a, as, op, stripped);
	struct inside path = { .stripped = &stripped };

	if (!floor.allowed)
		return answer(floor, CORDON_LAYER_FLOOR);
	if (cdn_authority_inside(a, stripped, &path.relative))
		return judge_documents(a, op, &path);
	return judge_outside(a, as, op, stripped);
}

struct cdn_answer
cdn_judge_path(const struct cdn_authority *authority, enum cordon_as as,
    enum cordon_op op, cdn_str stripped)
{
	struct cdn_answer given = judge_one(authority, as, op, stripped);
	struct cdn_answer read;

	if (op == CORDON_READ)
		return given;
	read = judge_one(authority, as, CORDON_READ, stripped);
	if (read.finding.allowed)
		return given;
	/* The floor's list for reading is the later part of both. */
	if (read.layer == CORDON_LAYER_FLOOR || given.finding.allowed ||
	    cdn_layer_rank(given.layer) > cdn_layer_rank(read.layer))
		return read;
	return given;
}

/* ----- The network ---------------------------------------------------------- */

/*
 * Who has a say: the host always, and workers that were called; the command
 * line instead of everybody else; otherwise every document that defines the
 * profile, every worker that mentions the network, and the preset when no
 * trusted one does.  So an untrusted document alone opens nothing, unless the
 * documents alone are asked and there is no other.
 */
static bool
network_speaks(const struct cdn_authority *a, const struct cdn_layer *layer)
{
	return layer->network &&
	    (a->command_network == NULL || layer->outranks);
}

/* A profile that does not mention the network has the preset's default. */
static const struct cdn_network_set *
network_of(const struct cdn_authority *a, const struct cdn_layer *layer)
{
	if (layer->profile->network.mode == CDN_NETWORK_UNSET)
		return &a->preset_profile.network;
	return &layer->profile->network;
}

static struct cdn_answer
judge_network(const struct cdn_authority *a, enum cordon_as as,
    cdn_str endpoint)
{
	const struct cdn_answer nobody =
	    answer(cdn_network_judge(&(struct cdn_network_set){ 0 }, endpoint),
		CORDON_LAYER_WORKDIR);
	struct cdn_answer result = nobody;
	bool trusted = false;

	for (size_t i = 0; i < a->layer_count; i++) {
		const struct cdn_layer *layer = &a->layers[i];

		if (!network_speaks(a, layer))
			continue;
		result = answer(cdn_network_judge(as == CORDON_AS_POLICY ?
		    &layer->profile->network : network_of(a, layer),
		    endpoint), layer->layer);
		if (!result.finding.allowed)
			return result;
		trusted |= layer->trusted;
	}
	if (as == CORDON_AS_POLICY)
		return trusted || a->preset_rules ? result : nobody;
	if (a->command_network != NULL)
		return answer(cdn_network_judge(a->command_network, endpoint),
		    CORDON_LAYER_WORKDIR);
	if (trusted)
		return result;
	return answer(cdn_network_judge(&a->preset_profile.network, endpoint),
	    CORDON_LAYER_PRESET);
}

void
cdn_decide_network_keys(const struct cdn_authority *authority,
    cdn_network_fn *key, void *arg)
{
	bool trusted = false;

	if (authority->outer != NULL)
		cdn_decide_network_keys(authority->outer, key, arg);
	for (size_t i = 0; i < authority->layer_count; i++) {
		const struct cdn_layer *layer = &authority->layers[i];

		if (!network_speaks(authority, layer))
			continue;
		key(layer->layer, network_of(authority, layer), arg);
		trusted |= layer->trusted;
	}
	if (authority->command_network != NULL)
		key(CORDON_LAYER_WORKDIR, authority->command_network, arg);
	else if (!trusted)
		key(CORDON_LAYER_PRESET, &authority->preset_profile.network,
		    arg);
}

static void
narrow_network(enum cordon_layer layer, const struct cdn_network_set *network,
    void *arg)
{
	enum cdn_network_mode *mode = arg;
	enum cdn_network_mode one = network->mode == CDN_NETWORK_UNSET ?
	    CDN_NETWORK_NONE : network->mode;

	(void)layer;
	if (*mode == CDN_NETWORK_FULL || one == CDN_NETWORK_NONE)
		*mode = one;
	else if (*mode != CDN_NETWORK_NONE && one != CDN_NETWORK_FULL &&
	    one != *mode)
		*mode = CDN_NETWORK_LIST;
}

enum cdn_network_mode
cdn_decide_network(const struct cdn_authority *authority)
{
	enum cdn_network_mode mode = CDN_NETWORK_FULL;

	cdn_decide_network_keys(authority, narrow_network, &mode);
	return mode;
}

/* Does every entry that allows something name a loopback address? */
static bool
lists_loopback(const struct cdn_rule_set *list)
{
	for (size_t i = 0; i < list->rules.n; i++) {
		const struct cdn_rule *rule = &list->rules.v[i];

		if (!rule->negated &&
		    !cdn_str_starts(rule->pattern, CDN_STR("127.")) &&
		    !cdn_str_starts(rule->pattern, CDN_STR("[::1]")))
			return false;
	}
	return true;
}

static void
note_loopback(enum cordon_layer layer, const struct cdn_network_set *network,
    void *arg)
{
	bool *local = arg;

	(void)layer;
	*local |= network->mode == CDN_NETWORK_LOOPBACK ||
	    (network->mode == CDN_NETWORK_LIST &&
		lists_loopback(&network->list));
}

bool
cdn_decide_network_is_local(const struct cdn_authority *authority)
{
	bool local = false;

	cdn_decide_network_keys(authority, note_loopback, &local);
	return local;
}

/* Every document that defines the profile names the socket. */
static bool
socket_named(const struct cdn_authority *a, cdn_str stripped,
    struct cdn_answer *ret)
{
	bool granted = false;

	for (size_t i = 0; i < a->layer_count; i++) {
		const struct cdn_layer *layer = &a->layers[i];
		struct cdn_finding finding;

		if (!layer->bounds || layer->layer == CORDON_LAYER_WORKER)
			continue;
		finding = cdn_rule_set_judge(&layer->sockets, stripped);
		if (!finding.allowed)
			return false;
		if (layer->trusted) {
			*ret = answer(finding, layer->layer);
			granted = true;
		}
	}
	return granted;
}

/* To this command alone, where the host policy names it as well. */
static bool
socket_granted(const struct cdn_authority *a, cdn_str stripped,
    struct cdn_answer *ret)
{
	struct cdn_finding finding = cdn_rule_set_judge(&a->command_sockets,
	    stripped);

	for (size_t i = 0; i < a->layer_count; i++) {
		const struct cdn_layer *layer = &a->layers[i];

		if (layer->layer == CORDON_LAYER_HOST && layer->bounds &&
		    !cdn_rule_set_judge(&layer->sockets, stripped).allowed)
			return false;
	}
	*ret = answer(finding, CORDON_LAYER_WORKDIR);
	return finding.allowed;
}

/* A rule that denies the path holds against naming it; silence does not. */
static struct cdn_answer
socket_denied(const struct cdn_authority *a, cdn_str stripped,
    const struct cdn_answer *named)
{
	static const enum cordon_op ops[] = { CORDON_READ, CORDON_MODIFY };
	struct inside path = { .stripped = &stripped };

	if (!cdn_authority_inside(a, stripped, &path.relative))
		return *named;
	for (size_t i = 0; i < CDN_LEN(ops); i++) {
		struct cdn_answer one = judge_documents(a, ops[i], &path);

		if (!one.finding.allowed &&
		    !cdn_merely_not_granted(&one.finding))
			return one;
	}
	return *named;
}

/*
 * A socket that the profile names may be connected to, and those that the run
 * made itself, where it may modify.  Others belong to somebody who would act
 * for it: that they lie where it may write says nothing.  Binding makes a file:
 * modify.
 */
static struct cdn_answer
judge_socket(const struct cdn_authority *a, const struct cdn_question *q,
    cdn_str stripped)
{
	struct cdn_finding floor = cdn_judge_floor(a, q->as, CORDON_READ,
	    stripped);
	struct cdn_answer named, placed;

	if (!floor.allowed)
		return answer(floor, CORDON_LAYER_FLOOR);
	if (q->op == CORDON_CONNECT && (socket_named(a, stripped, &named) ||
	    socket_granted(a, stripped, &named)))
		return socket_denied(a, stripped, &named);
	placed = cdn_judge_path(a, q->as, CORDON_MODIFY, stripped);
	if (q->op == CORDON_CONNECT && !q->is_own && placed.finding.allowed)
		return answer((struct cdn_finding){ .matched_rule = "[]" },
		    CORDON_LAYER_WORKDIR); /* nobody names it */
	return placed;
}

/* ----- The verdict ----------------------------------------------------------- */

static struct cdn_answer
judge(const struct cdn_authority *a, const struct cdn_question *q)
{
	cdn_str stripped = cdn_authority_strip(q->path);

	if (q->op == CORDON_CONNECT || q->op == CORDON_BIND) {
		if (!q->is_socket)
			return judge_network(a, q->as, q->path);
		return judge_socket(a, q, stripped);
	}
	if (q->as == CORDON_AS_POLICY)
		return judge_documents(a, q->op,
		    &(struct inside){ .relative = q->path });
	return cdn_judge_path(a, q->as, q->op, stripped);
}

/* What may not be read may not be modified or executed, as in judge_path(). */
void
cdn_decide_ops(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str path, bool ret[CDN_RULE_OPS])
{
	cdn_str stripped = cdn_authority_strip(path);

	ret[CORDON_READ] = true;
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		ret[op] = ret[CORDON_READ] &&
		    judge_one(authority, as, op, stripped).finding.allowed;
	if (authority->outer != NULL && ret[CORDON_READ]) {
		bool outer[CDN_RULE_OPS];

		cdn_decide_ops(authority->outer, as, path, outer);
		for (size_t op = 0; op < CDN_RULE_OPS; op++)
			ret[op] = ret[op] && outer[op];
	}
}

void
cdn_decide(const struct cdn_authority *authority,
    const struct cdn_question *question, struct cordon_verdict *ret)
{
	struct cdn_answer given;

	if (authority->outer != NULL) {
		cdn_decide(authority->outer, question, ret);
		if (!ret->allowed)
			return;
	}
	given = judge(authority, question);
	*ret = cdn_finding_verdict(&given.finding, question->as, question->op,
	    given.layer, authority->profile_name);
}
