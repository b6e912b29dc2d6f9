/*
 * format - a plan as JSON: for programs, and for the head of a run's record.
 */
#include "engine/plan/text.h"

#include "base/json.h"

static const char *const kinds[CDN_REGION_KIND_MAX] = {
	[CDN_REGION_CLOSED] = "closed",
	[CDN_REGION_FIXED] = "fixed",
	[CDN_REGION_OPEN] = "open",
	[CDN_REGION_MIXED_MODIFY] = "mixed-modify",
	[CDN_REGION_MIXED_READ] = "mixed-read",
	[CDN_REGION_PASSAGE] = "passage",
	[CDN_REGION_DEVICE] = "device",
};

#define BY_MAX (CDN_BY_NOBODY + 1)

static const char *const bys[BY_MAX] = {
	[CDN_BY_LANDLOCK] = "kernel (landlock)",
	[CDN_BY_SECCOMP] = "kernel (seccomp)",
	[CDN_BY_SEATBELT] = "kernel (seatbelt)",
	[CDN_BY_BROKER] = "broker",
	[CDN_BY_EFFORT] = "broker (best effort)",
	[CDN_BY_MOUNT] = "mount",
	[CDN_BY_APPLICATION] = "application only",
	[CDN_BY_NOBODY] = "NOT ENFORCED",
};

static const char *const modes[] = {
	[CDN_PLAN_MODE_NONE] = "none",
	[CDN_PLAN_MODE_A] = "A",
	[CDN_PLAN_MODE_B] = "B",
	[CDN_PLAN_MODE_C] = "C",
};

static const char *const networks[] = {
	[CDN_NETWORK_UNSET] = "none",
	[CDN_NETWORK_NONE] = "none",
	[CDN_NETWORK_LOOPBACK] = "loopback",
	[CDN_NETWORK_FULL] = "full",
	[CDN_NETWORK_LIST] = "list",
};

static const char *const says[] = {
	[CDN_SUBTREE_MIXED] = "mixed",
	[CDN_SUBTREE_ALLOW] = "allow",
	[CDN_SUBTREE_DENY] = "deny",
};

const char *
cdn_region_kind_name(enum cdn_region_kind kind)
{
	return kinds[kind];
}

const char *
cdn_by_name(enum cdn_by by)
{
	return bys[by];
}

const char *
cdn_plan_mode_name(enum cdn_plan_mode mode)
{
	return modes[mode];
}

const char *
cdn_plan_network_name(enum cdn_network_mode network)
{
	return networks[network];
}

cdn_str
cdn_plan_spell(const struct cdn_plan_rule *row, char out[CDN_PLAN_RULE_MAX])
{
	bool negated = row->rule->negated && row->layer != CORDON_LAYER_FLOOR;
	cdn_str pattern = row->rule->pattern;
	size_t n = pattern.n < CDN_PLAN_RULE_MAX - 1 ? pattern.n :
						       CDN_PLAN_RULE_MAX - 2;

	out[0] = '!';
	if (n > 0)
		memcpy(out + negated, pattern.p, n);
	return (cdn_str){ out, n + negated };
}

/* ----- Parts ------------------------------------------------------------- */

static void
put(struct cdn_json_writer *w, const char *key, const char *value)
{
	cdn_json_put_key(w, key);
	cdn_json_put_cstring(w, value);
}

static void
put_region(struct cdn_json_writer *w, const struct cdn_region *region)
{
	cdn_json_open(w, '{');
	put(w, "path", region->path);
	put(w, "read", says[region->says[CORDON_READ]]);
	put(w, "modify", says[region->says[CORDON_MODIFY]]);
	put(w, "exec", says[region->says[CORDON_EXEC]]);
	cdn_json_close(w);
}

/* "NOT ENFORCED: why", or who does. */
static void
put_by(struct cdn_json_writer *w, const struct cdn_plan_rule *row)
{
	char text[256];

	if (row->by == CDN_BY_NOBODY && row->why != NULL)
		snprintf(text, sizeof(text), "%s: %s", bys[row->by], row->why);
	else
		snprintf(text, sizeof(text), "%s", bys[row->by]);
	put(w, "by", text);
	put(w, "why", row->why);
}

static void
put_rule(struct cdn_json_writer *w, const struct cdn_plan_rule *row)
{
	const struct cdn_pos *pos = &row->rule->pos;
	char text[CDN_PLAN_RULE_MAX];

	cdn_json_open(w, '{');
	cdn_json_put_key(w, "rule");
	cdn_json_put_string(w, cdn_plan_spell(row, text));
	put(w, "op", cordon_op_name(row->op));
	put(w, "layer", cordon_layer_name(row->layer));
	put(w, "source", pos->source);
	cdn_json_put_key(w, "line");
	if (pos->line > 0)
		cdn_json_put_uint(w, pos->line);
	else
		cdn_json_put_null(w);
	put_by(w, row);
	cdn_json_close(w);
}

static void
put_shortfalls(struct cdn_json_writer *w, const struct cdn_plan *plan)
{
	cdn_json_put_key(w, "shortfall");
	cdn_json_open(w, '[');
	for (size_t i = 0; i < plan->shortfall_count; i++) {
		const struct cdn_shortfall *s = &plan->shortfalls[i];

		cdn_json_open(w, '{');
		put(w, "id", s->id);
		put(w, "text", s->text);
		put(w, "remedy", s->remedy);
		cdn_json_put_key(w, "stricter");
		cdn_json_put_bool(w, s->stricter);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

static void
put_limits(struct cdn_json_writer *w, const struct cdn_plan *plan,
    const struct cdn_plan_words *words)
{
	const struct cdn_plan_limit *limit;

	cdn_json_put_key(w, "limits");
	cdn_json_open(w, '[');
	for (size_t i = 0; (limit = cdn_plan_limit(i)) != NULL; i++) {
		if (!cdn_plan_limit_applies(plan, words, i))
			continue;
		cdn_json_open(w, '{');
		put(w, "id", limit->id);
		put(w, "text", limit->text);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

static void
put_terms(struct cdn_json_writer *w, const struct cdn_plan *plan)
{
	put(w, "network", networks[plan->network]);
	cdn_json_put_key(w, "enforced");
	cdn_json_put_bool(w, plan->enforced);
}

/* ----- The whole --------------------------------------------------------- */

static void
put_bounds(struct cdn_json_writer *w, const struct cdn_plan_words *words)
{
	cdn_json_put_key(w, "bounds");
	cdn_json_open(w, '[');
	for (size_t i = 0; i < words->bound_count; i++) {
		const struct cdn_plan_bound *bound = &words->bounds[i];

		cdn_json_open(w, '{');
		put(w, "name", bound->name);
		cdn_json_put_key(w, "value");
		if (bound->value > 0)
			cdn_json_put_int(w, (int64_t)bound->value);
		else
			cdn_json_put_null(w);
		put(w, "from", bound->from);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

static int
format_json(const struct cdn_plan *plan, const struct cdn_plan_words *words,
    struct cdn_buf *out, struct cordon_error *err)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "schema");
	cdn_json_put_int(&w, 1);
	put(&w, "backend", words->backend);
	put(&w, "mode", modes[plan->mode]);
	put(&w, "isolation", words->isolation);
	put_terms(&w, plan);
	if (words->bound_count > 0)
		put_bounds(&w, words);
	cdn_json_put_key(&w, "regions");
	cdn_json_open(&w, '[');
	for (size_t i = 0; i < plan->region_count; i++)
		put_region(&w, &plan->regions[i]);
	cdn_json_close(&w);
	cdn_json_put_key(&w, "rules");
	cdn_json_open(&w, '[');
	for (size_t i = 0; i < plan->rule_count; i++)
		put_rule(&w, &plan->rules[i]);
	cdn_json_close(&w);
	put_shortfalls(&w, plan);
	put_limits(&w, plan, words);
	cdn_json_close(&w);
	if (!cdn_json_end(&w))
		return cdn_err_nomem(err);
	cdn_buf_putc(out, '\n');
	return cdn_buf_failed(out) ? cdn_err_nomem(err) : 0;
}

int
cdn_plan_format(const struct cdn_plan *plan,
    const struct cdn_plan_words *words, enum cordon_format format,
    struct cdn_buf *out, struct cordon_error *err)
{
	if (format == CORDON_FORMAT_JSON)
		return format_json(plan, words, out, err);
	cdn_plan_text(plan, words, out);
	return cdn_buf_failed(out) ? cdn_err_nomem(err) : 0;
}

/* ----- The record -------------------------------------------------------- */

static void
put_counts(struct cdn_json_writer *w, const struct cdn_plan *plan)
{
	size_t counts[BY_MAX] = { 0 };

	for (size_t i = 0; i < plan->rule_count; i++)
		counts[plan->rules[i].by]++;
	cdn_json_put_key(w, "rules");
	cdn_json_open(w, '{');
	for (size_t i = 0; i < BY_MAX; i++) {
		if (counts[i] == 0)
			continue;
		cdn_json_put_key(w, bys[i]);
		cdn_json_put_uint(w, counts[i]);
	}
	cdn_json_close(w);
}

static void
put_unheld(struct cdn_json_writer *w, const struct cdn_plan *plan)
{
	size_t left = CDN_PLAN_REPORT_MAX;

	cdn_json_put_key(w, "not_enforced");
	cdn_json_open(w, '[');
	for (size_t i = 0; i < plan->rule_count && left > 0; i++) {
		if (plan->rules[i].by < CDN_BY_APPLICATION)
			continue;
		put_rule(w, &plan->rules[i]);
		left--;
	}
	cdn_json_close(w);
}

/*
 * Where the kernel lets an operation go on by itself.  In mode C somebody is
 * asked in any case, but there he has no say.
 */
static bool
is_native(const struct cdn_plan *plan, const struct cdn_region *region,
    enum cordon_op op)
{
	if (plan->traced)
		return false;
	switch (region->held) {
	case CDN_REGION_OPEN:
	case CDN_REGION_DEVICE:
		return true;
	case CDN_REGION_FIXED:
		return op != CORDON_MODIFY;
	case CDN_REGION_MIXED_MODIFY:
		return op != CORDON_MODIFY && plan->mode != CDN_PLAN_MODE_C;
	default:
		return false;
	}
}

/* Bytes of the directory that a path lies in. */
static size_t
parent_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? 0 : (size_t)(slash - path);
}

static bool
same_parent(const char *a, const char *b)
{
	size_t n = parent_len(a);

	return n > 0 && n == parent_len(b) && memcmp(a, b, n) == 0;
}

/* The next one from i on; region_count when there is none. */
static size_t
next_native(const struct cdn_plan *plan, size_t i, enum cordon_op op)
{
	while (i < plan->region_count && !is_native(plan, &plan->regions[i], op))
		i++;
	return i;
}

#define GROUP 4 /* of one directory are told as all of it */

/* One path, or PARENT and a star for many beside each other; goes past them. */
static size_t
put_group(struct cdn_json_writer *w, const struct cdn_plan *plan, size_t i,
    enum cordon_op op)
{
	const char *path = plan->regions[i].path;
	char text[CDN_PATH_MAX + 4];
	size_t n = 1, end = next_native(plan, i + 1, op);

	for (; end < plan->region_count &&
	     same_parent(path, plan->regions[end].path); n++)
		end = next_native(plan, end + 1, op);
	if (n < GROUP) {
		cdn_json_put_cstring(w, path);
		return next_native(plan, i + 1, op);
	}
	snprintf(text, sizeof(text), "%.*s/*", (int)parent_len(path), path);
	cdn_json_put_cstring(w, text);
	return end;
}

static void
put_native(struct cdn_json_writer *w, const struct cdn_plan *plan,
    enum cordon_op op)
{
	size_t n = 0, i = next_native(plan, 0, op);

	cdn_json_put_key(w, cordon_op_name(op));
	cdn_json_open(w, '[');
	for (; i < plan->region_count && n < CDN_PLAN_REPORT_MAX; n++)
		i = put_group(w, plan, i, op);
	if (i < plan->region_count)
		cdn_json_put_cstring(w, "[+ more]");
	cdn_json_close(w);
}

/* What is granted there leaves no event: nobody is asked. */
static void
put_unrecorded(struct cdn_json_writer *w, const struct cdn_plan *plan)
{
	cdn_json_put_key(w, "unrecorded");
	cdn_json_open(w, '{');
	put_native(w, plan, CORDON_READ);
	put_native(w, plan, CORDON_MODIFY);
	cdn_json_close(w);
}

int
cdn_plan_report(const struct cdn_plan *plan, struct cdn_buf *out,
    struct cordon_error *err)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	put(&w, "mode", modes[plan->mode]);
	put_terms(&w, plan);
	put_counts(&w, plan);
	put_unheld(&w, plan);
	put_unrecorded(&w, plan);
	cdn_json_put_key(&w, "shortfall");
	cdn_json_open(&w, '[');
	for (size_t i = 0; i < plan->shortfall_count; i++)
		cdn_json_put_cstring(&w, plan->shortfalls[i].id);
	cdn_json_close(&w);
	cdn_json_close(&w);
	return cdn_json_end(&w) ? 0 : cdn_err_nomem(err);
}
