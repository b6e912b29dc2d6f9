#include "engine/plan/text.h"

#include <inttypes.h>

#define WIDTH_MAX 64 /* of a column; what is longer pushes the rest away */
#define CROWD_MAX 4  /* entries of a passage that are named one by one */
#define OPS_WIDTH 14 /* "read, modify" */

static const char *const modes[] = {
	[CDN_PLAN_MODE_NONE] = "no broker is asked",
	[CDN_PLAN_MODE_A] = "the broker judges metadata, sockets and terminals",
	[CDN_PLAN_MODE_B] = "the broker judges whatever changes files",
	[CDN_PLAN_MODE_C] = "the broker judges every open",
};

/* Control characters in a name would move the cursor. */
static void
put_clean(struct cdn_buf *out, cdn_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c < ' ' || c == 0x7f)
			cdn_buf_printf(out, "\\x%02x", c);
		else
			cdn_buf_putc(out, (char)c);
	}
}

static void
pad(struct cdn_buf *out, size_t from, size_t width)
{
	size_t n = out->n - from;

	do
		cdn_buf_putc(out, ' ');
	while (!cdn_buf_failed(out) && ++n < width);
}

static size_t
wider(size_t a, size_t b)
{
	return b > WIDTH_MAX || a >= b ? a : b;
}

/* ----- Regions ----------------------------------------------------------- */

/* The entries of one passage that only their kind is to be said of. */
struct crowd {
	const struct cdn_region *dir;
	size_t counts[CDN_REGION_KIND_MAX];
};

static bool
is_plain(const struct cdn_region *region)
{
	return region->kind == region->held &&
	    (region->kind == CDN_REGION_FIXED ||
		region->kind == CDN_REGION_OPEN);
}

static bool
lies_in(const struct cdn_region *region, const struct cdn_region *dir)
{
	const char *slash = strrchr(region->path, '/');
	size_t n = strcmp(dir->path, "/") == 0 ? 0 : strlen(dir->path);

	return slash == region->path + n && slash[1] != '\0' &&
	    strncmp(region->path, dir->path, n) == 0;
}

static void
count(const struct cdn_plan *plan, const struct cdn_region *dir,
    struct crowd *ret)
{
	*ret = (struct crowd){ .dir = dir };
	for (size_t i = 0; i < plan->region_count; i++)
		if (is_plain(&plan->regions[i]) &&
		    lies_in(&plan->regions[i], dir))
			ret->counts[plan->regions[i].kind]++;
}

static void
put_region(struct cdn_buf *out, const char *path, const char *entries,
    size_t width)
{
	size_t from;

	cdn_buf_puts(out, "  ");
	from = out->n;
	put_clean(out, cdn_str_of(path));
	cdn_buf_puts(out, entries);
	pad(out, from, width + 2);
}

/* A passage can have hundreds of entries: many of one kind are one line. */
static void
put_crowds(struct cdn_buf *out, const struct crowd *crowd, size_t width)
{
	bool top = strcmp(crowd->dir->path, "/") == 0;

	for (size_t kind = 0; kind < CDN_REGION_KIND_MAX; kind++) {
		if (crowd->counts[kind] <= CROWD_MAX)
			continue;
		put_region(out, crowd->dir->path, top ? "*" : "/*", width);
		cdn_buf_printf(out, "%s (%zu entries)\n",
		    cdn_region_kind_name((enum cdn_region_kind)kind),
		    crowd->counts[kind]);
	}
}

/* Its passage stands somewhere before it: parents come first. */
static bool
is_in_crowd(const struct cdn_plan *plan, const struct cdn_region *region,
    struct crowd *crowd)
{
	const struct cdn_region *dir = region;

	if (!is_plain(region))
		return false;
	while (dir > plan->regions && !lies_in(region, dir))
		dir--;
	if (!lies_in(region, dir) || dir->held != CDN_REGION_PASSAGE)
		return false;
	if (crowd->dir != dir)
		count(plan, dir, crowd);
	return crowd->counts[region->kind] > CROWD_MAX;
}

static void
put_regions(struct cdn_buf *out, const struct cdn_plan *plan)
{
	struct crowd crowd = { 0 };
	size_t width = 0;

	for (size_t i = 0; i < plan->region_count; i++)
		if (!is_in_crowd(plan, &plan->regions[i], &crowd))
			width = wider(width, strlen(plan->regions[i].path));
	cdn_buf_puts(out, "\nregions\n");
	for (size_t i = 0; i < plan->region_count; i++) {
		const struct cdn_region *region = &plan->regions[i];

		if (is_in_crowd(plan, region, &crowd))
			continue;
		put_region(out, region->path, "", width);
		cdn_buf_puts(out, cdn_region_kind_name(region->kind));
		if (region->held != region->kind)
			cdn_buf_printf(out, ", held to %s",
			    cdn_region_kind_name(region->held));
		cdn_buf_putc(out, '\n');
		if (region->held != CDN_REGION_PASSAGE)
			continue;
		count(plan, region, &crowd);
		put_crowds(out, &crowd, width);
	}
}

/* ----- Rules ------------------------------------------------------------- */

/* SOURCE:LINE, or the source alone when it has no lines. */
static void
put_pos(struct cdn_buf *out, const struct cdn_pos *pos)
{
	if (pos->source != NULL)
		put_clean(out, cdn_str_of(pos->source));
	if (pos->source != NULL && pos->line > 0)
		cdn_buf_printf(out, ":%u", pos->line);
}

static bool
same_group(const struct cdn_plan_rule *row, enum cdn_by by, const char *why)
{
	return row->by == by && (row->why == why || (row->why != NULL &&
	    why != NULL && strcmp(row->why, why) == 0));
}

/* `also`: a second operation for which the same is to say, or NULL. */
static void
put_row(struct cdn_buf *out, const struct cdn_plan_rule *row,
    const struct cdn_plan_rule *also, size_t width)
{
	char text[CDN_PLAN_RULE_MAX];
	size_t from;

	cdn_buf_puts(out, "  ");
	from = out->n;
	cdn_buf_printf(out, "%s%s%s", cordon_op_name(row->op),
	    also != NULL ? ", " : "",
	    also != NULL ? cordon_op_name(also->op) : "");
	pad(out, from, OPS_WIDTH);
	from = out->n;
	put_clean(out, cdn_plan_spell(row, text));
	pad(out, from, width + 2);
	put_pos(out, &row->rule->pos);
	cdn_buf_printf(out, " (%s)\n", cordon_layer_name(row->layer));
}

static void
put_group(struct cdn_buf *out, const struct cdn_plan *plan, size_t first)
{
	const struct cdn_plan_rule *like = &plan->rules[first];
	size_t width = 0;

	cdn_buf_printf(out, "\n%s%s%s\n", cdn_by_name(like->by),
	    like->why != NULL ? ": " : "", like->why != NULL ? like->why : "");
	for (size_t i = first; i < plan->rule_count; i++)
		if (same_group(&plan->rules[i], like->by, like->why))
			width = wider(width, 1 +
			    plan->rules[i].rule->pattern.n);
	for (size_t i = first; i < plan->rule_count; i++) {
		const struct cdn_plan_rule *row = &plan->rules[i];
		const struct cdn_plan_rule *also = row + 1;

		if (!same_group(row, like->by, like->why))
			continue;
		if (i + 1 == plan->rule_count || also->rule != row->rule ||
		    !same_group(also, like->by, like->why))
			also = NULL;
		put_row(out, row, also, width);
		i += also != NULL;
	}
}

static bool
is_first_of_group(const struct cdn_plan *plan, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_group(&plan->rules[i], plan->rules[at].by,
			plan->rules[at].why))
			return false;
	return true;
}

/* The kernel's first; groups are few, so most rows find theirs at once. */
static void
put_rules(struct cdn_buf *out, const struct cdn_plan *plan)
{
	for (enum cdn_by by = CDN_BY_LANDLOCK; by <= CDN_BY_NOBODY; by++)
		for (size_t i = 0; i < plan->rule_count; i++)
			if (plan->rules[i].by == by &&
			    is_first_of_group(plan, i))
				put_group(out, plan, i);
}

/* ----- What is missing, what stays visible ------------------------------- */

static void
put_shortfalls(struct cdn_buf *out, const struct cdn_plan *plan, bool stricter,
    const char *title)
{
	bool any = false;

	for (size_t i = 0; i < plan->shortfall_count; i++) {
		const struct cdn_shortfall *s = &plan->shortfalls[i];

		if (s->stricter != stricter)
			continue;
		if (!any)
			cdn_buf_printf(out, "\n%s\n", title);
		any = true;
		cdn_buf_printf(out, "  %s: %s\n    hint: %s\n", s->id, s->text,
		    s->remedy);
	}
}

static void
put_visible(struct cdn_buf *out, const struct cdn_plan *plan,
    const struct cdn_plan_words *words)
{
	const struct cdn_plan_limit *limit;

	cdn_buf_puts(out, "\nvisible all the same\n");
	for (size_t i = 0; (limit = cdn_plan_limit(i)) != NULL; i++)
		if (limit->visible && cdn_plan_limit_applies(plan, words, i))
			cdn_buf_printf(out, "  %s\n", limit->text);
}

static const char *
enforced(const struct cdn_plan *plan)
{
	if (plan->belted)
		return "on macOS only, where it has not been tried";
	if (!plan->enforced)
		return "no";
	for (size_t i = 0; i < plan->rule_count; i++)
		if (plan->rules[i].by == CDN_BY_EFFORT)
			return "yes, some rules by best effort only";
	return "yes";
}

static void
put_bounds(struct cdn_buf *out, const struct cdn_plan_words *words)
{
	for (size_t i = 0; i < words->bound_count; i++) {
		const struct cdn_plan_bound *bound = &words->bounds[i];

		cdn_buf_printf(out, "%s%s ", i == 0 ? "limits     " :
		    "           ", bound->name);
		if (bound->value > 0)
			cdn_buf_printf(out, "%" PRIu64 "%s (%s)\n",
			    bound->value, bound->unit, bound->from);
		else
			cdn_buf_printf(out, "not limited (%s)\n", bound->from);
	}
}

void
cdn_plan_text(const struct cdn_plan *plan, const struct cdn_plan_words *words,
    struct cdn_buf *out)
{
	cdn_buf_puts(out, "workspace  ");
	put_clean(out, cdn_str_of(plan->workspace));
	cdn_buf_printf(out, "\nbackend    %s\nisolation  %s\n"
	    "mode       %s (%s)\nnetwork    %s\nenforced   %s\n",
	    words->backend != NULL ? words->backend : "-",
	    words->isolation != NULL ? words->isolation : "-",
	    cdn_plan_mode_name(plan->mode), modes[plan->mode],
	    cdn_plan_network_name(plan->network),
	    enforced(plan));
	put_bounds(out, words);
	if (plan->region_count > 0)
		put_regions(out, plan);
	put_rules(out, plan);
	put_shortfalls(out, plan, false, "not enforced here");
	put_shortfalls(out, plan, true, "stricter than the policy here");
	put_visible(out, plan, words);
}
