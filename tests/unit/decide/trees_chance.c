/*
 * Whole trees and compound operations against asking about every path.
 *
 * The answers may be careful ("mixed", "not the same", "split"), but what
 * they promise must hold for every path of the small world, and they must not
 * be careful all the time.
 */
#include "support/world_chance.h"

static const char *const tails[] = { "", "/a", "/b", "/c", "/d", "/a/a",
	"/a/b", "/a/c", "/b/a", "/b/b", "/b/c", "/c/a", "/c/b", "/c/c", "/d/a",
	"/d/c", "/a/b/c", "/c/a/b", "/b/a/b", "/-wal" };

struct tally {
	unsigned long asked;
	unsigned long precise;	/* an answer that promises something */
	unsigned long possible; /* what it could have promised here */
	unsigned long wrong;
};

static struct tally subtrees, sames, compounds;

static bool
allows(const struct world *w, enum cordon_as as, enum cordon_op op,
    const char *path, const char *tail)
{
	char whole[64];

	snprintf(whole, sizeof(whole), "%s%s",
	    strcmp(path, "/") == 0 && tail[0] != '\0' ? "" : path, tail);
	return world_allows(w, as, op, whole);
}

static void
wrong(struct tally *t, const struct draft *d, const char *what,
    const char *p, const char *q, enum cordon_as as, enum cordon_op op)
{
	if (t->wrong++ >= 3)
		return;
	printf("# %s: as %s, %s %s %s\n", what, cordon_as_name(as),
	    cordon_op_name(op), p, q);
	draft_print(d);
}

/* ----- Subtrees ------------------------------------------------------------------ */

/* Asked with what is known above: the same, or what was in doubt before. */
static void
check_known(const struct draft *d, const struct world *w, enum cordon_as as,
    const char *path, const enum cdn_subtree above[CDN_RULE_OPS])
{
	enum cdn_subtree all[CDN_RULE_OPS], in[CDN_RULE_OPS];
	struct cdn_above known;

	cdn_decide_above(w->authority, as, cdn_str_of(path), above, &known);
	for (size_t i = 0; i < draft_path_count; i++) {
		if (!draft_below(draft_paths[i], path))
			continue;
		cdn_decide_subtrees(w->authority, as,
		    cdn_str_of(draft_paths[i]), all);
		cdn_decide_subtrees_in(w->authority, as,
		    cdn_str_of(draft_paths[i]), &known, in);
		for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
			if (in[op] != all[op] && (all[op] !=
				CDN_SUBTREE_MIXED || in[op] != above[op]))
				wrong(&subtrees, d, "subtrees in", path,
				    draft_paths[i], as, op);
	}
}

/* Three questions at once have the answers of three. */
static void
check_ops(const struct draft *d, const struct world *w, enum cordon_as as,
    const char *path)
{
	bool all[CDN_RULE_OPS];

	cdn_decide_ops(w->authority, as, cdn_str_of(path), all);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		if (all[op] != world_allows(w, as, op, path))
			wrong(&subtrees, d, "ops", path, "", as, op);
}

static void
check_subtree(const struct draft *d, const struct world *w, enum cordon_as as,
    enum cordon_op op, const char *path)
{
	enum cdn_subtree got = cdn_decide_subtree(w->authority, as, op,
	    cdn_str_of(path));
	enum cdn_subtree all[CDN_RULE_OPS];
	size_t allowed = 0, count = 0;

	cdn_decide_subtrees(w->authority, as, cdn_str_of(path), all);
	if (all[op] != got)
		wrong(&subtrees, d, "subtrees", path, "", as, op);
	if (op == CORDON_READ) {
		check_known(d, w, as, path, all);
		check_ops(d, w, as, path);
	}
	for (size_t i = 0; i < draft_path_count; i++)
		if (draft_below(draft_paths[i], path)) {
			count++;
			allowed += world_allows(w, as, op, draft_paths[i]);
		}
	for (size_t i = 0; i < CDN_LEN(tails); i++, count++)
		allowed += allows(w, as, op, path, tails[i]);
	subtrees.asked++;
	subtrees.possible += allowed == 0 || allowed == count;
	subtrees.precise += got != CDN_SUBTREE_MIXED;
	if ((got == CDN_SUBTREE_ALLOW && allowed != count) ||
	    (got == CDN_SUBTREE_DENY && allowed != 0))
		wrong(&subtrees, d, "subtree", path, "", as, op);
}

/* ----- The same at two places ------------------------------------------------------ */

static bool
really_same(const struct world *w, enum cordon_as as, const char *p,
    const char *q)
{
	for (size_t i = 0; i < CDN_LEN(tails); i++)
		for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
			if (allows(w, as, op, p, tails[i]) !=
			    allows(w, as, op, q, tails[i]))
				return false;
	return true;
}

static void
check_same(const struct draft *d, const struct world *w, enum cordon_as as,
    const char *p, const char *q)
{
	bool got = cdn_decide_same(w->authority, as, cdn_str_of(p),
	    cdn_str_of(q));
	bool really = really_same(w, as, p, q);

	sames.asked++;
	sames.possible += really;
	sames.precise += got;
	if (got && !really)
		wrong(&sames, d, "same", p, q, as, CORDON_READ);
	if (got != cdn_decide_same(w->authority, as, cdn_str_of(q),
		cdn_str_of(p)))
		wrong(&sames, d, "same, other way round", p, q, as,
		    CORDON_READ);
}

/* ----- Compound operations ----------------------------------------------------------- */

/* As the design says it: which operations at the source, which at the target. */
static const struct {
	const char *from, *to; /* r, m */
	bool tree;
	bool file; /* it becomes no program on the way */
} needs[] = {
	[CDN_RENAME] = { "rm", "m", false, true },
	[CDN_RENAME_DIR] = { "rm", "m", true, false },
	[CDN_EXCHANGE] = { "rm", "rm", true, false },
	[CDN_LINK] = { "rm", "m", false, true },
	[CDN_SYMLINK] = { "", "m", false, false },
	[CDN_COPY] = { "r", "m", false, false },
};

static bool
has_all(const struct world *w, enum cordon_as as, const char *ops,
    const char *path)
{
	for (; *ops != '\0'; ops++)
		if (!world_allows(w, as, *ops == 'r' ? CORDON_READ :
			CORDON_MODIFY, path))
			return false;
	return true;
}

/* Is something below denied by a rule that says where it lies? */
static bool
leads_away(const struct world *w, enum cordon_as as, const char *path)
{
	char whole[64];

	for (size_t i = 1; i < CDN_LEN(tails); i++) {
		struct cdn_question question = { .as = as,
			.op = CORDON_MODIFY };
		struct cordon_verdict v;

		snprintf(whole, sizeof(whole), "%s%s", path, tails[i]);
		question.path = cdn_str_of(whole);
		cdn_decide(w->authority, &question, &v);
		if (!v.allowed && v.rule_text != NULL &&
		    strncmp(v.rule_text + (v.rule_text[0] == '!'), "**", 2) != 0)
			return true;
	}
	return false;
}

/* A link may be refused although both parts are allowed, and carefully so. */
static bool
link_is_wrong(const struct world *w, enum cordon_as as, const char *path,
    enum cdn_compound_result got, const struct cordon_verdict *v, bool parts)
{
	if (got == CDN_COMPOUND_ALLOW)
		return !parts || !v->allowed || leads_away(w, as, path);
	return got != CDN_COMPOUND_DENY || v->allowed ||
	    (parts && v->rule_text == NULL);
}

static void
check_compound(const struct draft *d, const struct world *w,
    enum cordon_as as, const char *p, const char *q)
{
	enum cdn_compound what = (enum cdn_compound)chance(CDN_LEN(needs));
	struct cordon_verdict v;
	enum cdn_compound_result got = cdn_decide_compound(w->authority, as,
	    what, cdn_str_of(p), cdn_str_of(q), &v);
	bool parts = has_all(w, as, needs[what].from, p) &&
	    has_all(w, as, needs[what].to, q);
	bool program = needs[what].file &&
	    !world_allows(w, as, CORDON_EXEC, p) &&
	    world_allows(w, as, CORDON_EXEC, q);
	bool allowed = parts && !program &&
	    (!needs[what].tree || really_same(w, as, p, q));

	compounds.asked++;
	compounds.possible += allowed;
	compounds.precise += got == CDN_COMPOUND_ALLOW;
	if (what == CDN_SYMLINK ? link_is_wrong(w, as, q, got, &v, parts) :
		(got == CDN_COMPOUND_DENY) == parts || v.allowed != parts ||
	    (got == CDN_COMPOUND_ALLOW && !allowed) ||
	    (got == CDN_COMPOUND_SPLIT && !needs[what].tree && !program))
		wrong(&compounds, d, "compound", p, q, as, CORDON_MODIFY);
}

/* ----- All of it ------------------------------------------------------------------------ */

static void
try_one(void)
{
	struct draft d;
	struct world w;

	draft_make(&d);
	draft_build(&d, &w);
	for (int i = 0; i < 60; i++) {
		enum cordon_as as = (enum cordon_as)chance(2);
		const char *p = draft_paths[chance((unsigned)draft_path_count)];
		const char *q = draft_paths[chance((unsigned)draft_path_count)];

		check_subtree(&d, &w, as, (enum cordon_op)chance(CDN_RULE_OPS),
		    p);
		check_same(&d, &w, as, p, q);
		check_compound(&d, &w, as, p, q);
	}
	world_done(&w);
}

static void
judge(const char *what, const struct tally *t, unsigned percent)
{
	ok_f(t->wrong == 0, "%s: what is promised holds, %lu questions", what,
	    t->asked);
	ok_f(t->precise * 100 >= t->possible * percent && t->precise > 100,
	    "%s: %lu promises of %lu possible here", what, t->precise,
	    t->possible);
}

int
main(void)
{
	unsigned long n = tries(1200);

	draft_begin();
	for (unsigned long i = 0; i < n &&
	    subtrees.wrong + sames.wrong + compounds.wrong < 6; i++)
		try_one();
	judge("subtree", &subtrees, 50);
	judge("same", &sames, 50);
	judge("compound", &compounds, 50);
	return done_testing();
}
