/*
 * format - a policy as YAML that loads again, or as JSON for programs.
 *
 * The YAML follows the tables of schema.def, as the loader does: one printer
 * for each type, which prints nothing where nothing was said.
 */
#include "engine/policy/policy.h"

#include "base/json.h"
#include "engine/policy/print.h"
#include "engine/policy/schema.h"
#include "engine/policy/values.h"

/* One key of one object, as in load.h. */
struct spot {
	const struct cdn_key *key;
	cdn_str name; /* of the key */
	const void *base;
	const void *field;
};

/* clang-format off */
#define CDN_TYPE(id, function, name, text, json) \
	static void print_##function(struct cdn_printer *p, \
	    const struct spot *spot);
#include "engine/policy/schema.def"
#undef CDN_TYPE

static void (*const printers[CDN_TYPE_MAX])(struct cdn_printer *,
    const struct spot *) = {
#define CDN_TYPE(id, function, name, text, json) \
	[CDN_TYPE_##id] = print_##function,
#include "engine/policy/schema.def"
#undef CDN_TYPE
};
/* clang-format on */

/* ----- Objects ------------------------------------------------------------------ */

static void
print_keys(struct cdn_printer *p, enum cdn_object object, const void *base)
{
	struct spot spot = { .base = base };

	while ((spot.key = cdn_schema_next(object, spot.key)) != NULL) {
		spot.name = cdn_str_of(spot.key->name);
		spot.field = (const char *)base + spot.key->offset;
		printers[spot.key->type](p, &spot);
	}
}

/* An object of which nothing is set is left out, unless it must be there. */
static void
print_object(struct cdn_printer *p, const struct spot *spot)
{
	size_t before = p->out->n, after;

	cdn_print_key(p, spot->name);
	cdn_buf_putc(p->out, '\n');
	after = p->out->n;
	p->level++;
	print_keys(p, spot->key->child, spot->field);
	p->level--;
	if (p->out->n != after || cdn_buf_failed(p->out))
		return;
	p->out->n = before;
	p->out->p[before] = '\0';
	if (spot->key->absent == NULL)
		cdn_print_word(p, spot->name, "{}");
}

static void
print_version(struct cdn_printer *p, const struct spot *spot)
{
	cdn_print_word(p, spot->name, "2");
}

static void
print_kind(struct cdn_printer *p, const struct spot *spot)
{
	cdn_print_word(p, spot->name, "Policy");
}

static void
print_profiles(struct cdn_printer *p, const struct spot *spot)
{
	const struct cordon_policy *policy = spot->base;

	if (policy->profile_count == 0)
		return;
	cdn_print_key(p, spot->name);
	cdn_buf_putc(p->out, '\n');
	for (size_t i = 0; i < policy->profile_count; i++) {
		p->level++;
		cdn_print_key(p, policy->profiles[i].name);
		cdn_buf_putc(p->out, '\n');
		p->level++;
		print_keys(p, CDN_OBJECT_PROFILE, &policy->profiles[i]);
		p->level -= 2;
	}
}

/* ----- Types of one value --------------------------------------------------------- */

static void
print_name(struct cdn_printer *p, const struct spot *spot)
{
	const cdn_str *name = spot->field;

	cdn_print_key(p, spot->name);
	cdn_buf_putc(p->out, ' ');
	cdn_print_name(p, *name);
	cdn_buf_putc(p->out, '\n');
}

static void
print_text(struct cdn_printer *p, const struct spot *spot)
{
	const cdn_str *text = spot->field;

	if (text->p != NULL)
		cdn_print_text(p, spot->name, *text);
}

/* It is printed in `metadata`. */
static void
print_note(struct cdn_printer *p, const struct spot *spot)
{
	(void)p;
	(void)spot;
}

static void
print_tree(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_tree *const *tree = spot->field;

	if (*tree != NULL)
		cdn_print_tree(p, spot->name, *tree);
}

static void
put_value(struct cdn_printer *p, const struct spot *spot,
    enum cdn_value_kind kind)
{
	const uint64_t *value = spot->field;

	if (*value == 0)
		return;
	cdn_print_key(p, spot->name);
	cdn_buf_putc(p->out, ' ');
	cdn_value_format(kind, *value, p->out);
	cdn_buf_putc(p->out, '\n');
}

static void
print_duration(struct cdn_printer *p, const struct spot *spot)
{
	put_value(p, spot, CDN_VALUE_DURATION);
}

static void
print_size(struct cdn_printer *p, const struct spot *spot)
{
	put_value(p, spot, CDN_VALUE_SIZE);
}

static void
print_count(struct cdn_printer *p, const struct spot *spot)
{
	put_value(p, spot, CDN_VALUE_COUNT);
}

static void
put_word(struct cdn_printer *p, const struct spot *spot, enum cdn_words set,
    int value)
{
	const char *word = cdn_word_of(set, value);

	if (word != NULL) /* else it is unset */
		cdn_print_word(p, spot->name, word);
}

static void
print_enforcement(struct cdn_printer *p, const struct spot *spot)
{
	const struct cordon_policy *policy = spot->base;

	put_word(p, spot, CDN_WORDS_ENFORCEMENT, (int)policy->enforcement);
}

static void
print_isolation(struct cdn_printer *p, const struct spot *spot)
{
	const struct cordon_policy *policy = spot->base;

	put_word(p, spot, CDN_WORDS_ISOLATION, (int)policy->isolation);
}

static void
print_failure(struct cdn_printer *p, const struct spot *spot)
{
	const struct cordon_policy *policy = spot->base;

	if (policy->audit_set)
		put_word(p, spot, CDN_WORDS_FAILURE,
		    policy->audit_warn ? CDN_FAILURE_WARN : CDN_FAILURE_STOP);
}

/* ----- Types of many entries ------------------------------------------------------- */

/* Those of a profile are said even when they are empty. */
static void
print_rules(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_rules *rules = spot->field;

	cdn_print_list(p, spot->name, rules->v, rules->n, sizeof(*rules->v));
}

static void
print_exec(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_profile_def *profile = spot->base;

	if (profile->has_exec)
		print_rules(p, spot);
}

static void
print_denies(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_rules *rules = spot->field;

	if (rules->n > 0)
		print_rules(p, spot);
}

static void
print_liftable(struct cdn_printer *p, const struct spot *spot)
{
	print_denies(p, spot);
}

static void
print_roots(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_roots *roots = spot->field;

	if (roots->n > 0)
		cdn_print_list(p, spot->name, roots->v, roots->n,
		    sizeof(*roots->v));
}

static void
print_write_roots(struct cdn_printer *p, const struct spot *spot)
{
	print_roots(p, spot);
}

static void
print_sockets(struct cdn_printer *p, const struct spot *spot)
{
	print_roots(p, spot);
}

static void
print_network(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_network *network = spot->field;

	if (network->mode == CDN_NETWORK_LIST)
		cdn_print_list(p, spot->name, network->rules.v,
		    network->rules.n, sizeof(*network->rules.v));
	else
		put_word(p, spot, CDN_WORDS_NETWORK, (int)network->mode);
}

static void
print_sealed(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_texts *texts = spot->field;

	if (texts->n > 0)
		cdn_print_list(p, spot->name, texts->v, texts->n,
		    sizeof(*texts->v));
}

/* An empty `pass` takes nothing over; without one there is a built-in list. */
static void
print_variables(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_env *env = spot->base;

	if (spot->field == &env->pass && env->has_pass && env->pass.n == 0)
		cdn_print_word(p, spot->name, "[]");
	else
		print_sealed(p, spot);
}

/* After a merge a variable may be there twice, and the later value holds. */
static bool
is_set_later(const struct cdn_texts *names, size_t i)
{
	for (size_t j = i + 1; j < names->n; j++)
		if (cdn_str_eq(names->v[i].text, names->v[j].text))
			return true;
	return false;
}

static void
print_settings(struct cdn_printer *p, const struct spot *spot)
{
	const struct cdn_env *env = spot->base;

	if (env->set_names.n == 0)
		return;
	cdn_print_key(p, spot->name);
	cdn_buf_putc(p->out, '\n');
	p->level++;
	for (size_t i = 0; i < env->set_names.n; i++)
		if (!is_set_later(&env->set_names, i))
			cdn_print_text(p, env->set_names.v[i].text,
			    env->set_values.v[i].text);
	p->level--;
}

/* All fields of one tool, wherever in the list they stand. */
static void
put_tool(struct cdn_printer *p, const struct cordon_policy *policy,
    cdn_str tool)
{
	cdn_print_key(p, tool);
	cdn_buf_putc(p->out, '\n');
	p->level++;
	for (size_t i = 0; i < policy->mcp_count; i++)
		if (cdn_str_eq(policy->mcp[i].tool, tool))
			cdn_print_word(p, policy->mcp[i].field,
			    cdn_word_of(CDN_WORDS_FIELD,
				policy->mcp[i].is_path ? CDN_FIELD_PATH :
							 CDN_FIELD_TEXT));
	p->level--;
}

static void
print_fields(struct cdn_printer *p, const struct spot *spot)
{
	const struct cordon_policy *policy = spot->base;
	const struct cdn_mcp_field *mcp = policy->mcp;
	size_t first;

	if (policy->mcp_count == 0)
		return;
	cdn_print_key(p, spot->name);
	cdn_buf_putc(p->out, '\n');
	p->level++;
	for (size_t i = 0; i < policy->mcp_count; i++) {
		first = 0;
		while (!cdn_str_eq(mcp[first].tool, mcp[i].tool))
			first++;
		if (first == i)
			put_tool(p, policy, mcp[i].tool);
	}
	p->level--;
}

/* ----- JSON ------------------------------------------------------------------------- */

static void
json_rules(struct cdn_json_writer *w, const char *key,
    const struct cdn_rules *rules)
{
	cdn_json_put_key(w, key);
	cdn_json_open(w, '[');
	for (size_t i = 0; i < rules->n; i++)
		cdn_json_put_string(w, rules->v[i].text);
	cdn_json_close(w);
}

static void
json_profiles(struct cdn_json_writer *w, const struct cordon_policy *policy)
{
	cdn_json_put_key(w, "fsProfiles");
	cdn_json_open(w, '{');
	for (size_t i = 0; i < policy->profile_count; i++) {
		const struct cdn_profile_def *profile = &policy->profiles[i];

		cdn_json_put_key(w, profile->name.p);
		cdn_json_open(w, '{');
		json_rules(w, "read", &profile->rules[CORDON_READ]);
		json_rules(w, "modify", &profile->rules[CORDON_MODIFY]);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

static void
json_texts(struct cdn_json_writer *w, const char *key,
    const struct cdn_texts *texts)
{
	cdn_json_put_key(w, key);
	cdn_json_open(w, '[');
	for (size_t i = 0; i < texts->n; i++)
		cdn_json_put_string(w, texts->v[i].text);
	cdn_json_close(w);
}

static bool
format_json(const struct cordon_policy *policy, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "schema");
	cdn_json_put_int(&w, 1);
	cdn_json_put_key(&w, "name");
	cdn_json_put_string(&w, policy->name);
	cdn_json_put_key(&w, "description");
	cdn_json_put_cstring(&w, policy->description.p);
	json_rules(&w, "denyRead", &policy->deny[CORDON_READ]);
	json_rules(&w, "denyModify", &policy->deny[CORDON_MODIFY]);
	json_rules(&w, "denyExec", &policy->deny[CORDON_EXEC]);
	json_profiles(&w, policy);
	json_texts(&w, "widened", &policy->widened);
	cdn_json_close(&w);
	return cdn_json_end(&w);
}

int
cdn_policy_format(const struct cordon_policy *policy, enum cordon_format format,
    struct cdn_buf *out, struct cordon_error *err)
{
	struct cdn_printer p = { .out = out };

	if (format == CORDON_FORMAT_JSON)
		return format_json(policy, out) ? 0 : cdn_err_nomem(err);
	print_keys(&p, CDN_OBJECT_DOCUMENT, policy);
	return cdn_buf_failed(out) ? cdn_err_nomem(err) : 0;
}
