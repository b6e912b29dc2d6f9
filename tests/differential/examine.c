/*
 * All who answer, asked about one policy and one tree.
 */
#include "differential.h"

#include <err.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/sbpl.h"

struct examination {
	struct world *world;
	struct questions *questions;
	struct cordon_session *session;
	struct tally *tally;
	struct finding *finding;
};

/* ----- Without a cage ----------------------------------------------------- */

static bool
disagree(struct examination *e, enum enforcer by, const struct question *q,
    bool worked)
{
	*e->finding = (struct finding){ .by = by, .question = *q,
		.worked = worked };
	return false;
}

/* Acts that are one operation on one path. */
static bool
is_simple(const struct question *q)
{
	return q->expected && q->real[0] != '\0' && acts[q->act].sbpl != NULL;
}

static bool
ask_oracle(struct examination *e)
{
	for (size_t i = 0; i < e->questions->n; i++) {
		const struct question *q = &e->questions->v[i];
		enum oracle says = ORACLE_NOT_SURE;

		if (is_simple(q))
			says = oracle_ask_file(&e->world->draft,
			    &e->world->tree, acts[q->act].op, q->real);
		if (says == ORACLE_NOT_SURE)
			continue;
		if ((says == ORACLE_ALLOW) != q->verdict.allowed)
			return disagree(e, BY_ORACLE, q, says == ORACLE_ALLOW);
		e->tally->agree[BY_ORACLE]++;
	}
	return true;
}

/* Two names, each of which is asked: one goes, one comes; or both do. */
static bool
is_rename(const struct question *q)
{
	return q->expected &&
	    (q->act == ACT_RENAME || q->act == ACT_RENAME_DIR ||
		q->act == ACT_REPLACE || q->act == ACT_EXCHANGE);
}

static bool
sbpl_moves(const struct sbpl *sbpl, const char *from, const char *to)
{
	return sbpl_allows(sbpl, acts[ACT_DELETE].sbpl, at("%s", from)) &&
	    sbpl_allows(sbpl, acts[ACT_CREATE].sbpl, at("%s", to));
}

static bool
sbpl_says(const struct sbpl *sbpl, const struct question *q)
{
	if (is_rename(q))
		return sbpl_moves(sbpl, q->path, q->other) &&
		    (q->act != ACT_EXCHANGE ||
			sbpl_moves(sbpl, q->other, q->path));
	return sbpl_allows(sbpl, acts[q->act].sbpl, at("%s", q->real));
}

/* Rules are about the workspace: elsewhere case changes nothing. */
static bool
is_out_of_sight(const char *path, enum oracle says)
{
	return says == ORACLE_NOT_SURE && strncmp(path, "w/", 2) != 0;
}

/* Seatbelt folds case, as volumes of macOS do. */
static bool
is_folded(const struct draft *draft, const struct question *q, bool says)
{
	size_t op = acts[q->act].op;
	enum oracle folded = oracle_ask(draft, op, q->real, true);
	enum oracle other = !is_rename(q) ? folded :
		oracle_ask(draft, op, q->other, true);

	if (!says) /* one of them will do */
		return folded == ORACLE_DENY || other == ORACLE_DENY;
	if (folded == ORACLE_ALLOW && other == ORACLE_ALLOW)
		return true;
	return is_rename(q) && (folded == ORACLE_ALLOW ?
	    is_out_of_sight(q->other, other) :
	    other == ORACLE_ALLOW && is_out_of_sight(q->real, folded));
}

/* It judges names, not what is moved or linked (docs/backends.md). */
static bool
is_about_names(const struct question *q, bool says)
{
	if (says && q->linked)
		return true;
	return is_rename(q) && says &&
	    (q->changes || (q->act == ACT_RENAME_DIR && q->split));
}

static bool
ask_sbpl(struct examination *e)
{
	char *text = cage_sbpl(&e->world->draft);
	struct sbpl *sbpl = sbpl_parse(text);
	bool same = true;

	free(text);
	if (sbpl == NULL)
		errx(2, "a profile that cannot be read");
	for (size_t i = 0; i < e->questions->n && same; i++) {
		const struct question *q = &e->questions->v[i];
		bool says;

		if (!is_simple(q) && !is_rename(q))
			continue;
		says = sbpl_says(sbpl, q);
		if (says == q->verdict.allowed)
			e->tally->agree[BY_SBPL]++;
		else if (is_about_names(q, says) ||
		    is_folded(&e->world->draft, q, says))
			e->tally->reported[BY_SBPL]++;
		else
			same = disagree(e, BY_SBPL, q, says);
	}
	free(sbpl);
	return same;
}

/* ----- In a cage ---------------------------------------------------------- */

/* Who is meant by a change of the disk. */
static const struct question *
find_culprit(struct question **v, size_t n, const char *change)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i]->path, change + 1) == 0 ||
		    strcmp(v[i]->other, change + 1) == 0 ||
		    strcmp(v[i]->real, change + 1) == 0)
			return v[i];
	return v[0];
}

/* The disk has what they told, and is put in order. */
static bool
check_state(struct examination *e, enum enforcer by, struct question **v,
    size_t n)
{
	static struct changes told, found;
	const char *differs;

	told.n = found.n = 0;
	for (size_t i = 0; i < n; i++)
		question_changes(v[i], &e->world->tree, &told);
	tree_settle(&e->world->tree, &found);
	differs = changes_differ(&told, &found);
	if (differs == NULL)
		return true;
	(void)disagree(e, by, find_culprit(v, n, differs), false);
	snprintf(e->finding->state, sizeof(e->finding->state), "%s", differs);
	return false;
}

static bool
ask_batch(struct examination *e, enum enforcer by, struct question **v,
    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i]->act == ACT_LATER_READ ||
		    v[i]->act == ACT_LATER_WRITE)
			file_write(at("%s", v[i]->path), "later\n");
		else if (v[i]->act == ACT_LATER_LINK &&
		    link(at("%s", v[i]->path), at("%s", v[i]->other)) != 0)
			err(2, "%s, a name of %s", v[i]->other,
			    v[i]->path);
	if (!cage_ask(v, n)) {
		(void)disagree(e, by, v[0], false);
		e->finding->died = true;
		return false;
	}
	return check_state(e, by, v, n);
}

static bool
is_asked(const struct question *q, enum enforcer by)
{
	return q->expected && (by == ENFORCERS || q->control == 0);
}

static bool
ask_act(struct examination *e, enum enforcer by, enum act act)
{
	static struct question *batch[QUESTIONS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < e->questions->n; i++) {
		struct question *q = &e->questions->v[i];

		if (q->act != act || !is_asked(q, by))
			continue;
		batch[n++] = q;
		if (!acts[act].alone)
			continue;
		if (!ask_batch(e, by, batch, 1))
			return false;
		n = 0;
	}
	return n == 0 || ask_batch(e, by, batch, n);
}

/* Everything to the prober; false: it died, or did what it did not say. */
static bool
ask_cage(struct examination *e, enum enforcer by, bool degraded)
{
	bool good = cage_open(&e->world->draft, by, degraded);

	if (!good) {
		(void)disagree(e, by, &e->questions->v[0], false);
		e->finding->died = true;
	}
	for (size_t i = 0; i < e->questions->n; i++)
		e->questions->v[i].result = RESULT_NOT_ASKED;
	for (enum act act = 0; act < ACTS && good; act++)
		good = ask_act(e, by, act);
	if (!cage_close() && good)
		errx(2, "it ended badly");
	if (!good)
		tree_settle(&e->world->tree, NULL);
	return good;
}

static bool
compare_cage(struct examination *e, enum enforcer by, bool degraded,
    const struct cordon_plan *plan)
{
	if (!ask_cage(e, by, degraded))
		return false;
	for (size_t i = 0; i < e->questions->n; i++) {
		const struct question *q = &e->questions->v[i];
		bool worked = q->result == 0;

		if (!is_asked(q, by) || q->result == RESULT_NO_SETUP)
			continue;
		if (worked == q->verdict.allowed)
			e->tally->agree[by]++;
		else if (is_reported(plan, by, q, worked))
			e->tally->reported[by]++;
		else
			return disagree(e, by, q, worked);
	}
	return true;
}

/* Outside of any cage everything works, or it says nothing. */
static bool
ask_nobody(struct examination *e)
{
	if (!ask_cage(e, ENFORCERS, false))
		return false;
	for (size_t i = 0; i < e->questions->n; i++)
		e->questions->v[i].control = e->questions->v[i].result;
	return true;
}

static struct cordon_plan *
make_plan(const struct examination *e, enum enforcer by,
    enum cordon_enforcement enforcement)
{
	static const enum cordon_backend backends[ENFORCERS] = {
		[BY_NATIVE] = CORDON_BACKEND_NATIVE,
		[BY_TRACE] = CORDON_BACKEND_NATIVE,
		[BY_BWRAP] = CORDON_BACKEND_BWRAP };
	struct cordon_run_options options = { .size = sizeof(options),
		.backend = backends[by], .enforcement = enforcement,
		.trace = by == BY_TRACE };
	struct cordon_error error = { 0 };
	struct cordon_plan *plan;

	if (cordon_plan_new(e->session, &options, &plan, &error) != 0)
		errx(2, "no plan: %s", error.text);
	return plan;
}

/* The whole run is meant: the one that needs least of the tree. */
static const struct question *
smallest(const struct questions *qs)
{
	const struct question *least = &qs->v[0];

	for (size_t i = 1; i < qs->n; i++)
		if (strlen(qs->v[i].path) + strlen(qs->v[i].other) <
		    strlen(least->path) + strlen(least->other))
			least = &qs->v[i];
	return least;
}

/* What the plan refuses is not started, unless less will do. */
static bool
ask_refused(struct examination *e, enum enforcer by)
{
	bool quiet = cage_is_quiet, started, good;
	struct cordon_plan *plan;

	cage_is_quiet = true;
	started = cage_open(&e->world->draft, by, false);
	(void)cage_close();
	cage_is_quiet = quiet;
	if (started) {
		(void)disagree(e, by, smallest(e->questions), true);
		e->finding->started = true;
		return false;
	}
	plan = make_plan(e, by, CORDON_ENFORCEMENT_DEGRADED);
	good = compare_cage(e, by, true, plan);
	cordon_plan_free(plan);
	return good;
}

static bool
ask_backend(struct examination *e, enum enforcer by)
{
	struct cordon_plan *plan = make_plan(e, by, by == BY_BWRAP ?
	    CORDON_ENFORCEMENT_DEGRADED : CORDON_ENFORCEMENT_REQUIRED);
	bool good = true;

	if (by == BY_NATIVE)
		e->tally->modes[plan->plan->mode]++;
	if (by == BY_TRACE && plan->plan->traced &&
	    plan->plan->mode != CDN_PLAN_MODE_C) {
		/* It is the same as without. */
	} else if (cordon_plan_accept(plan, NULL) == 0) {
		good = compare_cage(e, by, by == BY_BWRAP, plan);
	} else if (is_name_line(plan)) {
		e->tally->weaker++;
		good = ask_refused(e, by);
	} else {
		e->tally->refused++;
	}
	cordon_plan_free(plan);
	return good;
}

/* ----- All of them -------------------------------------------------------- */

static void
expect_all(struct examination *e)
{
	for (size_t i = 0; i < e->questions->n; i++) {
		struct question *q = &e->questions->v[i];

		question_expect(e->session, &e->world->tree, q);
		e->tally->cases += q->expected;
		e->tally->allowed += q->expected && q->verdict.allowed;
		e->tally->denied += q->expected && !q->verdict.allowed;
		e->tally->linked += q->expected && q->linked;
	}
}

bool
examine(struct world *world, struct questions *questions, unsigned who,
    struct tally *tally, struct finding *finding)
{
	struct examination e = { world, questions, NULL, tally, finding };
	bool good;

	draft_write(&world->draft, &world->tree);
	tree_settle(&world->tree, NULL);
	e.session = draft_session(&world->draft);
	tally->policies++;
	expect_all(&e);
	good = ask_nobody(&e);
	if (good && (who & BIT(BY_ORACLE)) != 0)
		good = ask_oracle(&e);
	if (good && (who & BIT(BY_SBPL)) != 0)
		good = ask_sbpl(&e);
	for (enum enforcer by = BY_NATIVE; by < ENFORCERS && good; by++)
		if ((who & BIT(by)) != 0)
			good = ask_backend(&e, by);
	cordon_session_free(e.session);
	return good;
}
