/*
 * Does the report say it?  A rule that nobody holds is named there; what is
 * refused although it is allowed has a line as well.  Each line explains what
 * it speaks of and nothing else.
 */
#include "differential.h"

#include <errno.h>

/* ----- The report --------------------------------------------------------- */

static bool
has_line(const struct cdn_plan *plan, const char *id)
{
	for (size_t i = 0; i < plan->shortfall_count; i++)
		if (strcmp(plan->shortfalls[i].id, id) == 0)
			return true;
	return false;
}

static bool
is_row_of(const struct cdn_plan_rule *row, const struct cordon_verdict *v)
{
	const struct cdn_pos *pos = &row->rule->pos;

	/* What may not be read may not be modified either. */
	return (row->op == v->operation || row->op == CORDON_READ) &&
	    row->layer == v->layer &&
	    pos->line == v->line && pos->column == v->column &&
	    pos->source != NULL && v->source != NULL &&
	    strcmp(pos->source, v->source) == 0;
}

/* Denied because no rule allows it: then there is a line for just that. */
static bool
is_unnamed(const struct cdn_plan *plan, const struct cordon_verdict *v)
{
	if (v->rule_text != NULL || v->line != 0)
		return false;
	for (size_t i = 0; i < plan->shortfall_count; i++)
		if (strcmp(plan->shortfalls[i].id, "mask-later") == 0)
			return true;
	return false;
}

static bool
is_given_up(const struct cdn_plan *plan, const struct cordon_verdict *v)
{
	for (size_t i = 0; i < plan->rule_count; i++)
		if (plan->rules[i].by == CDN_BY_NOBODY &&
		    is_row_of(&plan->rules[i], v))
			return true;
	return is_unnamed(plan, v);
}

/* ----- Places ------------------------------------------------------------- */

static bool
lies_in_passage(const struct cdn_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->region_count; i++)
		if (plan->regions[i].held == CDN_REGION_PASSAGE &&
		    cdn_plan_at_or_below(path, plan->regions[i].path))
			return true;
	return false;
}

/* The name lies directly in something that is granted entry by entry. */
static bool
is_entry_of_passage(const struct cdn_plan *plan, const char *path)
{
	const struct cdn_region *deepest = NULL;

	for (size_t i = 0; i < plan->region_count; i++)
		if (cdn_plan_at_or_below(path, plan->regions[i].path))
			deepest = &plan->regions[i];
	return deepest != NULL && deepest->held == CDN_REGION_PASSAGE;
}

static const struct cdn_bwrap_mount *
mounted_around(const struct cdn_bwrap_plan *bwrap, const char *path)
{
	const struct cdn_bwrap_mount *deepest = NULL;

	for (size_t i = 0; i < bwrap->count; i++)
		if (bwrap->mounts[i].kind != CDN_MOUNT_LINK &&
		    bwrap->mounts[i].kind != CDN_MOUNT_DIR &&
		    cdn_plan_below(path, bwrap->mounts[i].path))
			deepest = &bwrap->mounts[i];
	return deepest;
}

static bool
is_fixed(const struct cdn_bwrap_plan *bwrap, const char *path)
{
	const struct cdn_bwrap_mount *mount = mounted_around(bwrap, path);

	return mount == NULL || mount->kind != CDN_MOUNT_RW;
}

static bool
is_hidden(const struct cdn_bwrap_plan *bwrap, const char *path)
{
	const struct cdn_bwrap_mount *mount = mounted_around(bwrap, path);

	return mount == NULL || mount->kind == CDN_MOUNT_EMPTY;
}

static bool
is_mounted(const struct cdn_bwrap_plan *bwrap, const char *path)
{
	for (size_t i = 0; i < bwrap->count; i++)
		if (strcmp(bwrap->mounts[i].path, path) == 0)
			return true;
	return false;
}

/* A directory that is mounted as what lies in it. */
static bool
is_fixed_itself(const struct cdn_bwrap_plan *bwrap, const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	for (size_t i = 0; i < bwrap->count; i++)
		if (strcmp(bwrap->mounts[i].path, path) == 0)
			return bwrap->mounts[i].kind != CDN_MOUNT_RW;
	return is_fixed(bwrap, path);
}

static bool
is_edge(const struct cdn_bwrap_plan *bwrap, const char *path,
    const char *other, int result)
{
	if (result == EBUSY)
		return is_mounted(bwrap, path) || is_mounted(bwrap, other);
	return result == EXDEV &&
	    mounted_around(bwrap, path) != mounted_around(bwrap, other);
}

/* ----- Other names -------------------------------------------------------- */

static bool
has_limit(const struct cdn_plan *plan, const char *id)
{
	const struct cdn_plan_words words = { 0 };
	const struct cdn_plan_limit *limit;

	for (size_t i = 0; (limit = cdn_plan_limit(i)) != NULL; i++)
		if (strcmp(limit->id, id) == 0)
			return cdn_plan_limit_applies(plan, &words, i);
	return false;
}

/* "'PATH' is a second name of ...", or that there may be more. */
static bool
is_second_name(const struct cdn_plan *plan, const char *path)
{
	static const char more[] = "a protected file has other names";
	size_t n = strlen(path);

	for (size_t i = 0; i < plan->shortfall_count; i++) {
		const char *text = plan->shortfalls[i].text;

		if (strcmp(plan->shortfalls[i].id, "hard-link") == 0 &&
		    (strncmp(text, more, sizeof(more) - 1) == 0 ||
			(text[0] == '\'' &&
			    strncmp(text + 1, path, n) == 0 &&
			    text[1 + n] == '\'')))
			return true;
	}
	return false;
}

bool
is_name_line(const struct cordon_plan *plan)
{
	return has_line(plan->plan, "hard-link");
}

/* What one rule names is told by itself, or by the floor; patterns are not. */
static bool
is_pattern(const struct cordon_verdict *v)
{
	const char *rule = v->rule_text != NULL ? v->rule_text : v->deny_rule;

	return v->layer != CORDON_LAYER_FLOOR && rule != NULL &&
	    strpbrk(rule, "*?") != NULL;
}

static bool
is_name_said(const struct cordon_plan *plan, const struct question *q)
{
	const char *id = acts[q->act].op == RULE_MODIFY ?
	    "other-names-modify" : "other-names";

	if (!q->linked)
		return false;
	return is_second_name(plan->plan, at("%s", q->real)) ||
	    ((q->act == ACT_REPLACE || q->act == ACT_EXCHANGE) &&
		is_second_name(plan->plan, at("%s", q->other))) ||
	    (is_pattern(&q->verdict) && has_limit(plan->plan, id));
}

/* A file that is granted alone is so under every name. */
static bool
is_granted_alone(const struct cdn_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->region_count; i++)
		if (!plan->regions[i].directory &&
		    plan->regions[i].held != CDN_REGION_CLOSED &&
		    strcmp(plan->regions[i].path, path) == 0)
			return true;
	return false;
}

/*
 * "outside-changes"; but whoever judges all opens knows what was denied in the
 * workspace.
 */
static bool
is_later_name_said(const struct cdn_plan *plan, const struct question *q)
{
	if (q->act != ACT_LATER_LINK)
		return false;
	return is_granted_alone(plan, at("%s", q->path)) ||
	    (q->linked && (plan->mode != CDN_PLAN_MODE_C ||
		q->verdict.layer == CORDON_LAYER_FLOOR));
}

/* ----- Who says what ------------------------------------------------------ */

/* The limit "later-passages". */
static bool
is_late(const struct cdn_plan *plan, const struct question *q)
{
	if (q->act == ACT_LATER_LINK)
		return is_entry_of_passage(plan, at("%s", q->other));
	return (q->act == ACT_LATER_READ || q->act == ACT_LATER_WRITE) &&
	    is_entry_of_passage(plan, at("%s", q->path));
}

/* The limit "linked-passages". */
static bool
is_file_of_passage(const struct cdn_plan *plan, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink < 2)
		return false;
	for (size_t i = 0; i < plan->region_count; i++) {
		const struct cdn_region *r = &plan->regions[i];

		if (r->held == CDN_REGION_PASSAGE &&
		    strlen(r->path) == (size_t)(slash - path) &&
		    cdn_plan_below(path, r->path))
			return true;
	}
	return false;
}

/* The limit "granted-roots". */
static bool
is_root(const struct cdn_plan *plan, const char *path)
{
	const struct cdn_region *around = NULL;
	bool own = false;

	for (size_t i = 0; i < plan->region_count; i++) {
		const struct cdn_region *r = &plan->regions[i];

		if (cdn_plan_below(path, r->path))
			around = r;
		own |= r->directory && strcmp(r->path, path) == 0;
	}
	return own &&
	    (around == NULL || around->held == CDN_REGION_PASSAGE);
}

static bool
is_root_moved(const struct cdn_plan *plan, const struct question *q)
{
	return (q->act == ACT_RMDIR || q->act == ACT_RENAME_DIR ||
		q->act == ACT_EXCHANGE) &&
	    (is_root(plan, at("%s", q->path)) ||
		is_root(plan, at("%s", q->other)));
}

static bool
is_native_said(const struct cdn_plan *plan, const struct question *q,
    bool worked)
{
	const char *path = at("%s", q->path), *other = at("%s", q->other);

	if (worked) /* names can be seen, no more: "visible-passages" */
		return q->act == ACT_LIST && lies_in_passage(plan, path);
	if (is_late(plan, q) || is_root_moved(plan, q) ||
	    is_file_of_passage(plan, at("%s", q->real)))
		return true;
	return has_line(plan, "new-names") && (acts[q->act].names ||
	    acts[q->act].is_new) && (is_entry_of_passage(plan, path) ||
	    (q->other[0] != '\0' && is_entry_of_passage(plan, other)));
}

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* Mounts have no allow list for what lies in a git directory. */
static bool
is_unlisted_in_git(const struct question *q)
{
	return q->verdict.layer == CORDON_LAYER_DEFAULTS &&
	    strstr(q->path, "/.git/") != NULL;
}

static bool
is_bwrap_leak_said(const struct cdn_plan *plan, const struct question *q)
{
	if (q->act == ACT_EXEC)
		return has_line(plan, "mask-exec");
	/* No rule denies it, but the names that come of it. */
	if (q->changes)
		return has_line(plan, "mask-exec") ||
		    has_line(plan, "mask-later");
	/* What is there is held, but for links and the modes of directories. */
	return (acts[q->act].is_new || is_link(at("%s", q->path)) ||
		is_unlisted_in_git(q) ||
		(q->act == ACT_CHMOD && has_line(plan, "mask-itself"))) &&
	    is_given_up(plan, &q->verdict);
}

static bool
is_bwrap_refusal_said(const struct cordon_plan *p, const struct question *q)
{
	const struct cdn_plan *plan = p->plan;
	const char *path = at("%s", q->path), *other = at("%s", q->other);
	bool changes = acts[q->act].names || acts[q->act].is_new;

	if (q->act == ACT_CHMOD && has_line(plan, "root-metadata"))
		return true;
	if (has_line(plan, "too-large") || is_late(plan, q) ||
	    is_root_moved(plan, q))
		return true;
	/* The limit "hidden-links". */
	if ((q->result == ENOENT || q->result == EACCES) &&
	    q->real[0] != '\0' &&
	    strcmp(q->real, q->path) != 0 && is_hidden(&p->bwrap, path))
		return true;
	if (changes && has_line(plan, "mount-borders") &&
	    is_edge(&p->bwrap, path, other, q->result))
		return true;
	if (q->act == ACT_CHMOD)
		return has_line(plan, "new-names") &&
		    is_fixed_itself(&p->bwrap, path);
	return changes && has_line(plan, "new-names") &&
	    (is_fixed(&p->bwrap, path) ||
		(q->other[0] != '\0' && is_fixed(&p->bwrap, other)));
}

bool
is_reported(const struct cordon_plan *plan, enum enforcer by,
    const struct question *q, bool worked)
{
	if (!worked && q->split && q->result == EXDEV)
		return true; /* it is the answer that makes people copy */
	if (worked && (is_name_said(plan, q) ||
		is_later_name_said(plan->plan, q)))
		return true;
	if (by == BY_NATIVE || by == BY_TRACE)
		return is_native_said(plan->plan, q, worked);
	return worked ? is_bwrap_leak_said(plan->plan, q) :
			is_bwrap_refusal_said(plan, q);
}
