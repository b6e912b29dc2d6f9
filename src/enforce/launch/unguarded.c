/*
 * unguarded - without a boundary, on purpose, and never without a record.
 */
#include "enforce/launch/launch.h"

#include "enforce/host/host.h"
#include "enforce/session/own.h"

int
cdn_record_fallback(struct cdn_record *record, const struct cordon_plan *plan,
    struct cordon_error *err)
{
	const struct cdn_event_field fields[] = {
		cdn_field_text("backend",
		    cordon_backend_name(plan->terms.backend)),
		cdn_field_text("workspace", plan->session->workspace),
		cdn_field_text("reason",
		    plan->terms.backend == CORDON_BACKEND_NONE ? "asked for" :
								 "unavailable"),
	};

	if (record == NULL ||
	    (plan->terms.backend != CORDON_BACKEND_NONE && plan->plan->caged))
		return 0;
	return cdn_record_event(record, CDN_EVENT_FALLBACK, fields,
	    CDN_LEN(fields), err);
}

/* As `--no-sandbox`: not in a cage, nor against the host policy. */
static int
check_allowed(const struct cdn_terms *terms, struct cordon_error *err)
{
	struct cdn_host host = { 0 };

	cdn_host_probe(&host);
	if (host.notify_taken)
		return cdn_err(err, CORDON_E_ENFORCE,
		    "this is a cage already: nothing in it is unguarded");
	if (terms->host_enforcement == CDN_ENFORCEMENT_REQUIRED)
		return cdn_err(err, CORDON_E_ENFORCE,
		    "the host policy requires enforcement: nothing is "
		    "unguarded");
	return 0;
}

static int
record(const struct cordon_session *session, const struct cdn_terms *terms,
    const char *why, struct cordon_error *err)
{
	const struct cordon_run_options options = { .size = sizeof(options) };
	const struct cdn_event_field fields[] = {
		cdn_field_text("backend", "none"),
		cdn_field_text("workspace", session->workspace),
		cdn_field_text("reason", why),
	};
	struct cdn_record *opened = NULL;
	int code = cdn_record_open(session, &options, terms, session->own.id,
	    &opened, err);

	if (code == 0 && opened == NULL)
		code = cdn_err(err, CORDON_E_SYSTEM, "there is no audit that "
		    "could tell of it (set XDG_STATE_HOME to a place that can "
		    "be written)");
	if (code == 0)
		code = cdn_record_event(opened, CDN_EVENT_FALLBACK, fields,
		    CDN_LEN(fields), err);
	cdn_record_close(opened);
	return code;
}

int
cdn_launch_unguarded(const char *workspace, const char *why,
    struct cordon_session **ret, struct cordon_error *err)
{
	static const struct cordon_module all = { .name = "unguarded",
		.unrestricted = true };
	const struct cordon_session_options options = {
		.size = sizeof(options), .workspace = workspace,
		.preset = CORDON_PRESET_PROTECT, .modules = &all,
		.module_count = 1, .host_home = true,
	};
	const struct cordon_run_options run = { .size = sizeof(run) };
	struct cordon_session *session = NULL;
	struct cdn_terms terms;
	int code = cdn_session_unguarded(&options, &session, err);

	if (code != 0)
		return code;
	cdn_terms_find(session, &run, &terms);
	code = check_allowed(&terms, err);
	if (code == 0)
		code = record(session, &terms, why, err);
	if (code != 0) {
		cdn_session_free(session);
		return code;
	}
	*ret = session;
	return 0;
}
