/*
 * load_lists - values of many entries: rules, paths, endpoints, names.
 */
#include "engine/policy/load.h"

#include "engine/match/endpoint.h"
#include "engine/match/matcher.h"
#include "engine/match/normalize.h"
#include "engine/match/pattern.h"

/* ----- Path rules ---------------------------------------------------------- */

#define HINT_RULE "a rule is a path below the workspace, such as src/**"
#define HINT_HOST "paths outside the workspace go into the profile's 'host'"
#define HINT_DENY "paths outside the workspace are denied with 'protect'"

/* Takes one '!' off; what stands behind it is not trimmed again. */
static cdn_str
take_negation(cdn_str text, bool *ret_negated)
{
	cdn_str body = cdn_str_trim(text);

	*ret_negated = body.n > 0 && body.p[0] == '!';
	return *ret_negated ? cdn_str_from(body, 1) : body;
}

/*
 * A trial compilation, for rules that could be too intricate for the matcher:
 * the count of stars only spares the plain ones the trouble.
 */
static int
try_rule(struct cdn_load *load, cdn_str pattern, struct cordon_error *err)
{
	struct cdn_match_rule rule = { .pattern = pattern };
	const struct cdn_matcher *matcher;
	size_t stars = 0;

	for (size_t i = 0; i < pattern.n; i++)
		stars += pattern.p[i] == '*';
	if (stars < CDN_JOINS_MAX)
		return 0;
	return cdn_matcher_build(load->scratch, &rule, 1, &matcher, err);
}

static int
compile_rule(struct cdn_load *load, cdn_str body, struct cdn_rule *ret,
    struct cordon_error *err)
{
	size_t size = (body.n < CDN_RULE_MAX ? body.n : CDN_RULE_MAX) + 1;
	char *out = cdn_arena_alloc(load->policy->arena, size);
	size_t n;
	int code;

	if (out == NULL)
		return cdn_err_nomem(err);
	code = cdn_rule_normalize(body, ret->negated, out, size, &n, err);
	if (code != 0)
		return code;
	ret->pattern = (cdn_str){ out, n };
	return try_rule(load, ret->pattern, err);
}

static const char *
rule_hint(const struct cdn_slot *slot, cdn_str body)
{
	if (body.n == 0 || strchr("/~", body.p[0]) == NULL)
		return HINT_RULE;
	return slot->key->object == CDN_OBJECT_SPEC ? HINT_DENY : HINT_HOST;
}

static bool
load_rule(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, struct cdn_rule *ret)
{
	struct cordon_error err;
	cdn_str body;
	int code;

	if (!cdn_load_is_text(load, slot, node))
		return false;
	*ret = (struct cdn_rule){ .text = node->text, .pos = node->pos };
	body = take_negation(node->text, &ret->negated);
	code = compile_rule(load, body, ret, &err);
	if (code == CORDON_E_NOMEM)
		load->report->nomem = true;
	else if (code != 0)
		cdn_load_complain(load, slot, CDN_FINDING_RULE, node,
		    ret->pattern.p == NULL ? rule_hint(slot, body) : NULL, "%s",
		    err.text);
	return code == 0;
}

void
cdn_load_rules(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cdn_rules *rules = slot->field;
	const struct cdn_tree *node;

	if (!cdn_load_is_list(load, slot, CDN_RULES_MAX))
		return;
	rules->v = cdn_load_array(load, slot->value->count, sizeof(*rules->v));
	if (rules->v == NULL)
		return;
	for (node = slot->value->first; node != NULL && !load->report->nomem;
	     node = node->next)
		if (load_rule(load, slot, node, &rules->v[rules->n]))
			rules->n++;
}

void
cdn_load_exec(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cdn_profile_def *profile = slot->base;

	cdn_load_rules(load, slot);
	profile->has_exec = true;
}

void
cdn_load_denies(struct cdn_load *load, const struct cdn_slot *slot)
{
	cdn_load_rules(load, slot);
}

void
cdn_load_liftable(struct cdn_load *load, const struct cdn_slot *slot)
{
	size_t before = cdn_load_faults(load);

	cdn_load_rules(load, slot);
	load->doubt.deny_modify = cdn_load_faults(load) != before;
}

/* ----- Plain paths ---------------------------------------------------------- */

static bool
has_dotdot(cdn_str path)
{
	cdn_str part;

	while (cdn_str_next(&path, '/', &part))
		if (cdn_str_is(part, ".."))
			return true;
	return false;
}

/* What is wrong with a path that stands for itself; NULL: nothing. */
static const char *
path_fault(cdn_str path, bool relative, const char **ret_hint)
{
	*ret_hint = "write an absolute path, or one that begins with '~'";
	if (path.n == 0)
		return "is empty";
	if (path.n > CDN_PATH_MAX)
		return "is too long";
	if (relative && path.p[0] == '@') {
		*ret_hint =
		    "abstract sockets cannot be allowed one by one; for "
		    "a file of that name, put './' in front";
		return "is not a path";
	}
	if (!relative && path.p[0] != '/' && path.p[0] != '~')
		return "is not absolute";
	*ret_hint = "write the path without '..'";
	if (has_dotdot(path))
		return "must not contain '..'";
	*ret_hint = "a path stands for itself and everything below it; "
		    "patterns are for the rules of the workspace";
	if (!cdn_rule_is_exact(path))
		return "must not contain '*' or '?'";
	return NULL;
}

/* Without a star behind the beginning of a name. */
static cdn_str
without_star(cdn_str path)
{
	if (path.n > 1 && path.p[path.n - 1] == '*' &&
	    path.p[path.n - 2] != '/' && path.p[path.n - 2] != '~')
		path.n--;
	return path;
}

static void
load_paths(struct cdn_load *load, const struct cdn_slot *slot, bool relative,
    bool star)
{
	struct cdn_roots *roots = slot->field;
	const struct cdn_tree *node;
	const char *fault, *hint;

	if (!cdn_load_is_list(load, slot, CDN_ROOTS_MAX))
		return;
	roots->v = cdn_load_array(load, slot->value->count, sizeof(*roots->v));
	if (roots->v == NULL)
		return;
	for (node = slot->value->first; node != NULL; node = node->next) {
		if (!cdn_load_is_text(load, slot, node))
			continue;
		fault = path_fault(star ? without_star(node->text) :
					  node->text, relative, &hint);
		if (fault != NULL)
			cdn_load_complain(load, slot, CDN_FINDING_ROOT, node,
			    hint, "path '%s' %s", cdn_shown(node->text).text,
			    fault);
		else
			roots->v[roots->n++] = (struct cdn_root){ node->text,
				node->pos };
	}
}

void
cdn_load_roots(struct cdn_load *load, const struct cdn_slot *slot)
{
	load_paths(load, slot, false, false);
}

void
cdn_load_write_roots(struct cdn_load *load, const struct cdn_slot *slot)
{
	load_paths(load, slot, false, true);
}

void
cdn_load_sockets(struct cdn_load *load, const struct cdn_slot *slot)
{
	load_paths(load, slot, true, false);
}

/* ----- Network -------------------------------------------------------------- */

#define HINT_ENDPOINT "write HOST, HOST:PORT, *.DOMAIN:PORT or \"[IPv6]:PORT\""

static bool
load_endpoint(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, struct cdn_rule *ret)
{
	char normal[CDN_ENDPOINT_MAX];
	struct cordon_error err;
	cdn_str body;
	size_t n;

	if (!cdn_load_is_text(load, slot, node))
		return false;
	*ret = (struct cdn_rule){ .text = node->text, .pos = node->pos };
	body = take_negation(node->text, &ret->negated);
	if (cdn_endpoint_normalize(body, CDN_ENDPOINT_RULE, normal,
		sizeof(normal), &n, &err) != 0) {
		cdn_load_complain(load, slot, CDN_FINDING_NETWORK, node,
		    HINT_ENDPOINT, "%s", err.text);
		return false;
	}
	if (!cdn_arena_str(load->policy->arena, (cdn_str){ normal, n },
		&ret->pattern)) {
		load->report->nomem = true;
		return false;
	}
	return true;
}

static void
load_endpoints(struct cdn_load *load, const struct cdn_slot *slot,
    struct cdn_rules *rules)
{
	const struct cdn_tree *node;

	if (!cdn_load_is_list(load, slot, CDN_RULES_MAX))
		return;
	rules->v = cdn_load_array(load, slot->value->count, sizeof(*rules->v));
	if (rules->v == NULL)
		return;
	for (node = slot->value->first; node != NULL && !load->report->nomem;
	     node = node->next)
		if (load_endpoint(load, slot, node, &rules->v[rules->n]))
			rules->n++;
}

/* A single endpoint, or a boolean, where a word should be. */
static bool
is_almost_network(struct cdn_load *load, const struct cdn_slot *slot)
{
	const struct cdn_tree *node = slot->value;
	char hint[160] = "write none or full";

	if (node->kind != CDN_TREE_SCALAR)
		return false;
	if (memchr(node->text.p, '.', node->text.n) != NULL ||
	    memchr(node->text.p, ':', node->text.n) != NULL)
		snprintf(hint, sizeof(hint), "write [\"%s\"]",
		    cdn_shown(node->text).text);
	else if (!cdn_tree_is_bool(node))
		return false;
	cdn_load_complain(load, slot, CDN_FINDING_NETWORK, node, hint,
	    "'%s' is not a network mode", cdn_shown(node->text).text);
	return true;
}

void
cdn_load_network(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cdn_network *network = slot->field;
	const struct cdn_word *word;

	network->pos = slot->value->pos;
	if (slot->value->kind == CDN_TREE_LIST) {
		network->mode = CDN_NETWORK_LIST;
		load_endpoints(load, slot, &network->rules);
		return;
	}
	if (is_almost_network(load, slot))
		return;
	word = cdn_load_word(load, slot, slot->value, CDN_WORDS_NETWORK,
	    CDN_FINDING_NETWORK);
	if (word != NULL)
		network->mode = (enum cdn_network_mode)word->value;
}

/* ----- Names ---------------------------------------------------------------- */

const char *
cdn_label_fault(cdn_str name)
{
	const char *end = name.p + name.n;
	size_t len;

	if (cdn_str_trim(name).n == 0)
		return "empty";
	if (name.n > CDN_NAME_MAX)
		return "overlong";
	for (const char *p = name.p; p < end; p += len) {
		len = cdn_utf8_len(p, end);
		if ((unsigned char)*p < ' ' || cdn_char_fault(p, len) != NULL)
			return "unprintable";
	}
	return NULL;
}

static bool
is_variable(cdn_str name, bool wildcards)
{
	if (name.n == 0 || name.n > CDN_NAME_MAX ||
	    (name.p[0] >= '0' && name.p[0] <= '9'))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
		    !(c >= '0' && c <= '9') && c != '_' &&
		    !(wildcards && c == '*'))
			return false;
	}
	return true;
}

static void
refuse_variable(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, cdn_str name, const char *hint)
{
	cdn_load_complain(load, slot, CDN_FINDING_VARIABLE, node, hint,
	    "'%s' is not the name of a variable", cdn_shown(name).text);
}

void
cdn_load_variables(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cdn_texts *names = slot->field;
	struct cdn_env *env = slot->base;
	const struct cdn_tree *node;

	if (!cdn_load_is_list(load, slot, CDN_NAMES_MAX))
		return;
	names->v = cdn_load_array(load, slot->value->count, sizeof(*names->v));
	if (names->v == NULL)
		return;
	env->has_pass = env->has_pass || names == &env->pass;
	for (node = slot->value->first; node != NULL; node = node->next) {
		if (!cdn_load_is_text(load, slot, node))
			continue;
		if (is_variable(node->text, true))
			names->v[names->n++] = (struct cdn_text){ node->text,
				node->pos };
		else
			refuse_variable(load, slot, node, node->text,
			    "letters, digits, '_' and '*', no digit first");
	}
}

static bool
is_setting(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node)
{
	struct cdn_tree at_key = *node;

	at_key.pos = node->key_pos;
	if (!is_variable(node->key, false)) {
		refuse_variable(load, slot, &at_key, node->key,
		    "letters, digits and '_', no digit first");
		return false;
	}
	if (!cdn_load_is_text(load, slot, node))
		return false;
	if (node->text.n <= CDN_ENV_VALUE_MAX)
		return true;
	cdn_load_complain(load, slot, CDN_FINDING_VARIABLE, node,
	    "keep the value in a file", "value of '%s' is too long",
	    cdn_shown(node->key).text);
	return false;
}

void
cdn_load_settings(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cdn_env *env = slot->base;
	const struct cdn_tree *node;
	size_t n = 0;

	if (!cdn_load_is_map(load, slot, slot->value, CDN_NAMES_MAX))
		return;
	env->set_names.v = cdn_load_array(load, slot->value->count,
	    sizeof(*env->set_names.v));
	env->set_values.v = cdn_load_array(load, slot->value->count,
	    sizeof(*env->set_values.v));
	if (env->set_names.v == NULL || env->set_values.v == NULL)
		return;
	for (node = slot->value->first; node != NULL; node = node->next) {
		if (!is_setting(load, slot, node))
			continue;
		env->set_names.v[n] = (struct cdn_text){ node->key,
			node->key_pos };
		env->set_values.v[n++] = (struct cdn_text){ node->text,
			node->pos };
	}
	env->set_names.n = n;
	env->set_values.n = n;
}

void
cdn_load_sealed(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cdn_texts *names = slot->field;
	const struct cdn_tree *node;
	const char *fault;

	if (!cdn_load_is_list(load, slot, CDN_NAMES_MAX))
		return;
	names->v = cdn_load_array(load, slot->value->count, sizeof(*names->v));
	if (names->v == NULL)
		return;
	for (node = slot->value->first; node != NULL; node = node->next) {
		if (!cdn_load_is_text(load, slot, node))
			continue;
		fault = cdn_label_fault(node->text);
		if (fault != NULL)
			cdn_load_complain(load, slot, CDN_FINDING_SEALED, node,
			    "name a profile of this policy",
			    "%s fsProfile name", fault);
		else
			names->v[names->n++] = (struct cdn_text){ node->text,
				node->pos };
	}
}

/* ----- Fields of MCP tools --------------------------------------------------- */

/* Tools and their fields have the same kind of name. */
static bool
is_field_name(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, const char *what)
{
	const char *fault = cdn_label_fault(node->key);
	struct cdn_tree at_key = *node;

	at_key.pos = node->key_pos;
	if (fault != NULL)
		cdn_load_complain(load, slot, CDN_FINDING_FIELD, &at_key,
		    "write TOOL: {FIELD: path}", "%s name of a %s", fault,
		    what);
	return fault == NULL;
}

static void
load_fields_of(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *tool)
{
	struct cordon_policy *policy = load->policy;
	const struct cdn_tree *node;
	const struct cdn_word *word;

	for (node = tool->first; node != NULL; node = node->next) {
		if (!is_field_name(load, slot, node, "field"))
			continue;
		word = cdn_load_word(load, slot, node, CDN_WORDS_FIELD,
		    CDN_FINDING_WORD);
		if (word != NULL)
			policy->mcp[policy->mcp_count++] =
			    (struct cdn_mcp_field){ tool->key, node->key,
				    word->value == CDN_FIELD_PATH, node->pos };
	}
}

void
cdn_load_fields(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cordon_policy *policy = load->policy;
	const struct cdn_tree *tool;
	size_t total = 0;

	if (!cdn_load_is_map(load, slot, slot->value, CDN_NAMES_MAX))
		return;
	for (tool = slot->value->first; tool != NULL; tool = tool->next)
		total += tool->count;
	if (total > CDN_NAMES_MAX) {
		cdn_load_complain(load, slot, CDN_FINDING_COUNT, slot->value,
		    "settle only the fields that are guessed wrongly",
		    "%zu fields, more than the maximum of %d", total,
		    CDN_NAMES_MAX);
		return;
	}
	policy->mcp = cdn_load_array(load, total, sizeof(*policy->mcp));
	if (policy->mcp == NULL)
		return;
	for (tool = slot->value->first; tool != NULL; tool = tool->next)
		if (is_field_name(load, slot, tool, "tool") &&
		    cdn_load_is_map(load, slot, tool, SIZE_MAX))
			load_fields_of(load, slot, tool);
}
