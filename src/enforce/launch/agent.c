/*
 * agent - what a person and the record are told of the agent that is run.
 */
#include "enforce/launch/agent.h"

#include "enforce/session/inner.h"
#include "engine/decide/agents.h"

static void
find_key(enum cordon_layer layer, const struct cdn_network_set *network,
    void *arg)
{
	const char **source = arg;

	(void)layer;
	if (network->mode_rule.pos.source == *source)
		*source = NULL;
}

/* Because nobody said anything of it, neither a document nor the caller. */
static bool
opens_network(const struct cordon_session *session)
{
	const char *source = session->agent.is->source;

	cdn_decide_network_keys(session->authority, find_key, &source);
	return source == NULL && cdn_decide_network(session->authority) ==
	    CDN_NETWORK_FULL;
}

static void
tell_inner(const struct cordon_plan *plan,
    const struct cordon_run_options *options)
{
	const struct cdn_agent_here *here = &plan->session->agent;
	const struct cdn_inner inner = {
		.agent = here->is,
		.state = here->dir_count > 0 ? here->dirs[0] : NULL,
		.workspace = plan->session->workspace,
		.argv = options->argv,
	};
	const char *remedy = cdn_inner_remedy(&inner, plan->arena);
	char line[256];

	if (remedy == NULL)
		return;
	snprintf(line, sizeof(line), "%s's own sandbox cannot work inside this "
	    "one, and its commands would fail: %s",
	    here->is->name, remedy);
	options->notice(line, options->notice_arg);
}

void
cdn_launch_tell_agent(const struct cordon_plan *plan,
    const struct cordon_run_options *options)
{
	const struct cordon_session *session = plan->session;
	const struct cdn_agent_here *agent = &session->agent;
	char line[256];

	if (options->notice == NULL)
		return;
	if (agent->namesake != NULL) {
		snprintf(line, sizeof(line), "'%s' lies in the workspace: the "
		    "agent's own files stay closed (--agent %s opens them)",
		    options->argv[0], agent->namesake);
		options->notice(line, options->notice_arg);
	}
	if (agent->is == NULL)
		return;
	if (plan->terms.backend != CORDON_BACKEND_NONE)
		tell_inner(plan, options);
}

void
cdn_launch_tell_network(const struct cordon_plan *plan,
    const struct cordon_run_options *options)
{
	const struct cordon_session *session = plan->session;
	const struct cdn_agent_here *agent = &session->agent;
	char line[256];

	if (options->notice == NULL || agent->is == NULL)
		return;
	if (opens_network(session))
		snprintf(line, sizeof(line), "network is open for %s; "
		    "--network none|loopback|IP[:PORT] closes it",
		    agent->is->name);
	else if (cdn_decide_network(session->authority) == CDN_NETWORK_NONE)
		snprintf(line, sizeof(line), "network is closed, and %s cannot "
		    "reach its model; --network loopback|HOST|full opens it",
		    agent->is->name);
	else
		return;
	options->notice(line, options->notice_arg);
}

int
cdn_record_agent(struct cdn_record *record,
    const struct cordon_session *session, struct cordon_error *err)
{
	const struct cdn_agent *agent = session->agent.is;
	struct cdn_event_field field;

	if (agent == NULL || record == NULL)
		return 0;
	field = cdn_field_text("agent", agent->name);
	return cdn_record_event(record, CDN_EVENT_HARNESS_DELEGATED, &field, 1,
	    err);
}
