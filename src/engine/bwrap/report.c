/*
 * report - what mounts hold of a plan's rules, and what they do not.
 *
 * The plan was made for a kernel without a broker: what it gave away was
 * walked, so it is held unless the walk found otherwise; what only a broker
 * could tell apart by path (metadata, terminals) mounts tell, too.
 */
#include "engine/bwrap/build.h"

#define LATER \
	"'%s' holds for what is there when the run begins: what comes later " \
	"is not masked, nor are symbolic links"

static const char is_later[] = "a mask covers what is there when the run "
			       "begins";
static const char is_exec[] = "mounts let be executed what may be read";

enum { MASK_LATER, MASK_MORE, MASK_REPLACED, MASK_EXEC, MASK_NAMES, MASK_LARGE,
	MASK_METADATA, MASK_BORDERS, MASK_ITSELF };

#define NATIVE "use '--backend native', which judges each name"

static const struct cdn_shortfall table[] = {
	[MASK_LATER] = { "mask-later", LATER, NATIVE },
	[MASK_MORE] = { "mask-later",
	    "and so do more rules than are named here", NATIVE },
	[MASK_REPLACED] = { "mask-replaced",
	    "a file that is denied by its name shows when somebody outside "
	    "renames another one over it (as editors do when they save)",
	    "deny whole directories, or use '--backend native'" },
	[MASK_EXEC] = { "mask-exec",
	    "what may be read but not executed can be executed",
	    "use '--backend native'" },
	[MASK_NAMES] = { "new-names",
	    "a directory that is allowed in part cannot be changed itself: "
	    "nothing new can be made in it, and its mode stays as it is",
	    "make the directories of the policy before the run",
	    .stricter = true },
	[MASK_LARGE] = { "too-large",
	    "a directory that is allowed in part has too many entries to be "
	    "mounted one by one: it is closed, or cannot be modified",
	    "write rules for whole directories", .stricter = true },
	[MASK_METADATA] = { "root-metadata",
	    "modes, owners, times and attributes cannot be changed: before "
	    "Linux 5.12 those of the host's devices could be, too; compilers "
	    "and package managers fail for it",
	    "use '--backend native'",
	    .stricter = true },
	[MASK_BORDERS] = { "mount-borders",
	    "what is mounted by itself cannot be renamed or removed, and "
	    "nothing can be renamed or linked from one place that is mounted "
	    "to another (EXDEV): programs have to copy",
	    "keep stores of hard links in the workspace, and write rules for "
	    "few whole directories", .stricter = true },
	[MASK_ITSELF] = { "mask-itself",
	    "mode and times of a directory that may not be modified can be "
	    "changed where what lies in it may be modified",
	    "deny whole directories, or use '--backend native'" },
};

bool
cdn_bwrap_shortfall(size_t i, struct cdn_shortfall *ret)
{
	if (i >= CDN_LEN(table))
		return false;
	*ret = table[i];
	return true;
}

/* ----- Rules ------------------------------------------------------------- */

struct report {
	const struct cdn_bwrap_build *b;
	struct cdn_plan *plan;
	struct cdn_plan_rule *rules;
	struct cdn_shortfall *shortfalls;
	size_t count;
	size_t capacity;
	size_t later; /* rules that hold for now only */
	bool oom;
};

/* Is it denied, and mounted as if it were not? */
static bool
is_let_through(const struct report *r, const char *path)
{
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_MODIFY, .path = cdn_str_of(path) };
	struct cordon_verdict asked, mounted;

	cdn_decide(r->b->in->authority, &question, &asked);
	cdn_decide(r->b->mounted, &question, &mounted);
	return !asked.allowed && mounted.allowed;
}

/* Does it speak of one place, and is that there?  itself: a directory alone. */
static bool
is_there(const struct report *r, const struct cdn_rule *rule, bool *itself)
{
	const struct cdn_plan_reader *reader = r->b->in->reader;
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	cdn_str pattern = rule->pattern;
	bool below = cdn_str_ends(pattern, CDN_STR("/**"));
	bool directory = false, there;
	int n;

	*itself = false;
	if (below)
		pattern.n -= 3;
	if (pattern.n == 0 || memchr(pattern.p, '*', pattern.n) != NULL ||
	    memchr(pattern.p, '?', pattern.n) != NULL)
		return false;
	n = snprintf(path, sizeof(path), "%s%s%.*s",
	    pattern.p[0] == '/' ? "" : r->b->in->spec->workspace,
	    pattern.p[0] == '/' ? "" : "/", CDN_STR_ARG(pattern));
	there = n > 0 && (size_t)n < sizeof(path) &&
	    reader->exists(reader->arg, path, &directory) &&
	    !is_let_through(r, path);
	*itself = there && directory && !below;
	return there;
}

/*
 * Whose fault is it that what comes later is let through?  Or that a directory
 * is changed which may not be, while what lies in it may?
 */
static bool
is_to_blame(const struct report *r, const struct cdn_plan_rule *row)
{
	bool itself;

	if (row->by != CDN_BY_NOBODY || row->op > CORDON_EXEC ||
	    !r->b->later[row->op] || !row->rule->negated)
		return false;
	return !is_there(r, row->rule, &itself) ||
	    (itself && row->op == CORDON_MODIFY);
}

static bool
any_to_blame(const struct report *r, enum cordon_op op)
{
	for (size_t i = 0; i < r->plan->rule_count; i++)
		if (r->plan->rules[i].op == op &&
		    is_to_blame(r, &r->plan->rules[i]))
			return true;
	return false;
}

static void
add(struct report *r, size_t which, const char *text)
{
	struct cdn_shortfall *v = text == NULL ? NULL :
	    cdn_arena_grow(r->b->arena, r->shortfalls, r->count, &r->capacity,
		sizeof(*v));

	if (v == NULL) {
		r->oom = true;
		return;
	}
	r->shortfalls = v;
	v[r->count] = table[which];
	v[r->count++].text = text;
}

/* As a rule writes it: no lines of its own. */
static void
add_later(struct report *r, const struct cdn_rule *rule)
{
	char *text;

	if (r->later++ >= CDN_BWRAP_LATER_MAX)
		return;
	text = cdn_arena_printf(r->b->arena, LATER, rule->text.p);
	for (char *c = text; c != NULL && *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	add(r, MASK_LATER, text);
}

static struct cdn_plan_rule
judge(struct report *r, const struct cdn_plan_rule *row,
    const bool blamed[CDN_RULE_OPS])
{
	const struct cdn_bwrap_build *b = r->b;
	struct cdn_plan_rule ret = *row;

	if (row->by != CDN_BY_LANDLOCK &&
	    (row->by != CDN_BY_NOBODY || row->op > CORDON_EXEC))
		return ret;
	ret.by = CDN_BY_MOUNT;
	ret.why = NULL;
	if (row->by == CDN_BY_LANDLOCK)
		return ret;
	if (row->op == CORDON_EXEC && b->exec) {
		ret.by = CDN_BY_NOBODY;
		ret.why = is_exec;
	} else if (is_to_blame(r, row) ||
	    (b->unnamed[row->op] && !blamed[row->op])) {
		ret.by = CDN_BY_NOBODY;
		ret.why = is_later;
		add_later(r, row->rule);
	}
	return ret;
}

static void
judge_rules(struct report *r)
{
	bool blamed[CDN_RULE_OPS];

	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		blamed[op] = any_to_blame(r, op);
	for (size_t i = 0; i < r->plan->rule_count; i++)
		r->rules[i] = judge(r, &r->plan->rules[i], blamed);
	if (r->later > CDN_BWRAP_LATER_MAX)
		add(r, MASK_MORE, table[MASK_MORE].text);
}

/* ----- Shortfalls -------------------------------------------------------- */

/* What mounts make up for, or the report above says better. */
static bool
is_made_up(const struct cdn_shortfall *shortfall)
{
	static const char *const ids[] = { "broker-modify", "broker-read",
		"broker-metadata", "broker-pty", "new-names" };

	for (size_t i = 0; i < CDN_LEN(ids); i++)
		if (strcmp(ids[i], shortfall->id) == 0)
			return true;
	return false;
}

static void
keep(struct report *r, const struct cdn_shortfall *shortfall)
{
	if (is_made_up(shortfall))
		return;
	add(r, 0, shortfall->text);
	if (!r->oom)
		r->shortfalls[r->count - 1] = *shortfall;
}

/* Two places that can be changed, and a file between them; or one in another. */
static bool
has_borders(const struct cdn_bwrap_build *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++) {
		const struct cdn_bwrap_mount *around = cdn_bwrap_around(
		    b->mounts, i, b->mounts[i].path);

		n += b->mounts[i].kind == CDN_MOUNT_RW;
		if (around != NULL && around->kind == CDN_MOUNT_RW)
			return true;
	}
	return n > 1;
}

static bool
has_line(const struct cdn_plan *plan, const char *id)
{
	for (size_t i = 0; i < plan->shortfall_count; i++)
		if (strcmp(plan->shortfalls[i].id, id) == 0)
			return true;
	return false;
}

static void
add_rows(struct report *r)
{
	const struct cdn_bwrap_build *b = r->b;
	const bool applies[] = {
		[MASK_REPLACED] = b->replaced,
		[MASK_EXEC] = b->exec,
		[MASK_NAMES] = b->new_names || has_line(b->in->plan,
		    table[MASK_NAMES].id),
		[MASK_LARGE] = b->too_large,
		[MASK_METADATA] = b->in->unsealed,
		[MASK_BORDERS] = has_borders(b),
		[MASK_ITSELF] = b->itself,
	};

	for (size_t i = 0; i < CDN_LEN(applies); i++)
		if (applies[i])
			add(r, i, table[i].text);
}

/* Lost without a rule that says so: what no rule lets through. */
static void
add_unnamed(struct report *r)
{
	for (enum cordon_op op = CORDON_READ; op <= CORDON_MODIFY; op++)
		if (r->b->later[op] && r->later == 0) {
			static const struct cdn_rule none = {
				.text = { "(no matching rule)", 18 } };

			add_later(r, &none);
		}
}

static bool
is_enforced(const struct cdn_plan *plan)
{
	for (size_t i = 0; i < plan->rule_count; i++)
		if (plan->rules[i].by == CDN_BY_NOBODY ||
		    plan->rules[i].by == CDN_BY_APPLICATION)
			return false;
	for (size_t i = 0; i < plan->shortfall_count; i++)
		if (!plan->shortfalls[i].stricter &&
		    !plan->shortfalls[i].accepted)
			return false;
	return plan->caged;
}

int
cdn_bwrap_report(const struct cdn_bwrap_build *b, const struct cdn_plan **ret)
{
	const struct cdn_plan *from = b->in->plan;
	struct cdn_plan *plan = cdn_arena_alloc(b->arena, sizeof(*plan));
	struct report r = { .b = b, .plan = plan };

	r.rules = cdn_arena_array(b->arena, from->rule_count + 1,
	    sizeof(*r.rules));
	if (plan == NULL || r.rules == NULL)
		return cdn_err_nomem(b->err);
	*plan = *from;
	for (size_t i = 0; i < from->shortfall_count; i++)
		keep(&r, &from->shortfalls[i]);
	judge_rules(&r);
	add_unnamed(&r);
	add_rows(&r);
	if (r.oom)
		return cdn_err_nomem(b->err);
	plan->mounted = true;
	plan->no_modify = b->in->unsealed;
	plan->rules = r.rules;
	plan->shortfalls = r.shortfalls;
	plan->shortfall_count = r.count;
	plan->enforced = is_enforced(plan);
	*ret = plan;
	return 0;
}
