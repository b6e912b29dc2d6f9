/*
 * accept - does what the plan cannot hold stand in the way of the run?
 */
#include "enforce/launch/launch.h"

#include <inttypes.h>

#include "enforce/backend/wrapper.h"
#include "enforce/session/placelist.h"

#define UNAVAILABLE "OS sandbox required but unavailable"
#define FALLBACK \
	"OS sandbox unavailable, using application-level checks only"

/* The first thing that is really lost; NULL = none. */
static const struct cdn_shortfall *
first_loss(const struct cdn_plan *plan, size_t *ret_count)
{
	const struct cdn_shortfall *first = NULL;

	*ret_count = 0;
	for (size_t i = 0; i < plan->shortfall_count; i++) {
		if (plan->shortfalls[i].stricter ||
		    plan->shortfalls[i].accepted)
			continue;
		if (first == NULL)
			first = &plan->shortfalls[i];
		++*ret_count;
	}
	return first;
}

static int
refuse_losses(const struct cdn_plan *plan, struct cordon_error *err)
{
	size_t count;
	const struct cdn_shortfall *first = first_loss(plan, &count);

	if (first == NULL)
		return cdn_err(err, CORDON_E_ENFORCE, "a rule cannot be "
		    "enforced here ('cordon plan' lists what)");
	if (count == 1)
		return cdn_err(err, CORDON_E_ENFORCE, "%s: %s "
		    "('--enforcement degraded' starts without it)",
		    first->id, first->text);
	return cdn_err(err, CORDON_E_ENFORCE, "%s: %s; and %zu more "
	    "('cordon plan' lists them, '--enforcement degraded' starts "
	    "without them)", first->id, first->text, count - 1);
}

static int
accept_none(const struct cordon_plan *plan, struct cordon_error *err)
{
	const struct cdn_terms *terms = &plan->terms;

	if (plan->host.notify_taken)
		return cdn_err(err, CORDON_E_ENFORCE,
		    "this is a cage already, and a run without one is refused "
		    "in it (start the command itself)");
	if (terms->host_enforcement == CDN_ENFORCEMENT_REQUIRED)
		return cdn_err(err, CORDON_E_ENFORCE,
		    "the host policy requires enforcement: a run without a "
		    "cage is refused");
	if (terms->named_none)
		return cdn_err(err, CORDON_E_ENFORCE, "the worker's "
		    "'executor.sandbox: none' opens nothing by itself (add "
		    "'--no-sandbox', or use 'auto')");
	if (terms->enforcement != CDN_ENFORCEMENT_BEST_EFFORT)
		return cdn_err(err, CORDON_E_ENFORCE, UNAVAILABLE
		    " ('--backend none' goes with '--enforcement "
		    "best-effort' only)");
	return 0;
}

static int
accept_backend(const struct cdn_terms *terms, struct cordon_error *err)
{
	if (terms->backend != CORDON_BACKEND_NATIVE &&
	    terms->backend != CORDON_BACKEND_BWRAP)
		return cdn_err(err, CORDON_E_ENFORCE,
		    "there is no backend '%s' here (use '--backend native')",
		    cordon_backend_name(terms->backend));
	/* bwrap is under the limit as well, and opens more than it says. */
	if (terms->backend == CORDON_BACKEND_BWRAP &&
	    terms->limits.open_files > 0 &&
	    terms->limits.open_files < CDN_BWRAP_FILES_MIN)
		return cdn_err(err, CORDON_E_ENFORCE,
		    "limits.open_files is %" PRIu64 ", and bwrap itself needs "
		    "%d (raise the limit, or use '--backend native')",
		    terms->limits.open_files, CDN_BWRAP_FILES_MIN);
	return 0;
}

/* In there nothing could be done; who starts there means something else. */
static int
accept_workspace(const struct cordon_session *session,
    struct cordon_error *err)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_READ, .path = cdn_str_of(session->workspace) };
	struct cordon_verdict verdict;

	cdn_decide(session->authority, &question, &verdict);
	if (verdict.allowed || verdict.layer != CORDON_LAYER_FLOOR)
		return 0;
	return cdn_err(err, CORDON_E_WORKSPACE, "the workspace '%s' lies in "
	    "'%s', which is protected (go to a project, or name one with "
	    "--workspace)", session->workspace, verdict.matched_rule);
}

/* The place that was probed. */
static const char *
why_not(const struct cordon_plan *plan)
{
	if (plan->terms.backend != CORDON_BACKEND_BWRAP)
		return "";
	return plan->host.bwrap == CDN_BWRAP_MISSING ?
	    ": '" CDN_WRAPPER_BWRAP "' is not there, or others may change it" :
	    ": '" CDN_WRAPPER_BWRAP "' could not make a sandbox";
}

static int
refuse_uncaged(const struct cordon_plan *plan, struct cordon_error *err)
{
	if (!plan->host.notify_taken)
		return cdn_err(err, CORDON_E_ENFORCE, UNAVAILABLE
		    "%s ('cordon doctor' says why)", why_not(plan));
	if (plan->terms.backend != CORDON_BACKEND_NATIVE)
		return cdn_err(err, CORDON_E_ENFORCE, UNAVAILABLE
		    ": there is no backend '%s' in a cage (use '--backend "
		    "native', which the run around it makes)",
		    cordon_backend_name(plan->terms.backend));
	return cdn_err(err, CORDON_E_ENFORCE, UNAVAILABLE
	    " (in a cage only the one around it could make it, and that one "
	    "does not take it: see docs/nested.md)");
}

int
cdn_launch_accept(const struct cordon_plan *plan, struct cordon_error *err)
{
	const struct cdn_terms *terms = &plan->terms;
	int code;

	if (terms->backend == CORDON_BACKEND_NONE)
		return accept_none(plan, err);
	code = accept_backend(terms, err);
	if (code == 0)
		code = accept_workspace(plan->session, err);
	if (code != 0 || terms->enforcement == CDN_ENFORCEMENT_BEST_EFFORT)
		return code;
	if (!plan->plan->caged || (plan->host.notify_taken &&
		terms->backend != CORDON_BACKEND_NATIVE))
		return refuse_uncaged(plan, err);
	if (terms->enforcement == CDN_ENFORCEMENT_REQUIRED &&
	    !plan->plan->enforced)
		return refuse_losses(plan->plan, err);
	return 0;
}

int
cdn_launch_check_state(const struct cordon_plan *plan,
    struct cordon_error *err)
{
	const char *base = plan->session->own.base;

	for (size_t i = 0; i < plan->plan->region_count; i++) {
		const struct cdn_region *region = &plan->plan->regions[i];

		if (region->held == CDN_REGION_OPEN &&
		    cdn_placelist_below(base, region->path))
			return cdn_err(err, CORDON_E_ENFORCE, "cordon's own "
			    "state '%s' lies where the run may write, in '%s' "
			    "(set XDG_STATE_HOME to a place outside)", base,
			    region->path);
	}
	return 0;
}

void
cdn_launch_tell(const struct cordon_plan *plan,
    const struct cordon_run_options *options)
{
	const struct cdn_plan *p = plan->plan;
	char line[512];

	if (options->notice == NULL)
		return;
	if (plan->terms.backend == CORDON_BACKEND_NONE || !p->caged) {
		options->notice(FALLBACK, options->notice_arg);
		return;
	}
	for (size_t i = 0; i < p->shortfall_count; i++) {
		/* A run that is held completely has nothing to say. */
		if (p->enforced && !p->shortfalls[i].accepted)
			continue;
		snprintf(line, sizeof(line), "not enforced: %s",
		    p->shortfalls[i].text);
		options->notice(p->shortfalls[i].stricter ?
			p->shortfalls[i].text : line, options->notice_arg);
	}
}
