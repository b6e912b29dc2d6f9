#ifndef CDN_LAUNCH_AGENT_H
#define CDN_LAUNCH_AGENT_H

#include "enforce/launch/launch.h"

/* What holds because an agent is run, line by line; what its network is. */
void cdn_launch_tell_agent(const struct cordon_plan *plan,
    const struct cordon_run_options *options);
void cdn_launch_tell_network(const struct cordon_plan *plan,
    const struct cordon_run_options *options);

/* Once for each run: the agent has a list of allowed tools of its own. */
CDN_MUST_USE int cdn_record_agent(struct cdn_record *record,
    const struct cordon_session *session, struct cordon_error *err);

#endif
