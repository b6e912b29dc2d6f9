/*
 * guard - a server in a cage, and all that is said to it looked at.
 *
 * One thread, one loop: what comes from the client goes through the relay to
 * the server's standard input, what comes from its standard output back.  The
 * server's standard error is the caller's.  When the client is gone, the server
 * sees the end of its input; when it does not end by itself it is told to, and
 * nobody of its tree is left afterwards.
 */
#ifndef CDN_GUARD_GUARD_H
#define CDN_GUARD_GUARD_H

#include "enforce/session/session.h"

/* cordon_mcp_guard(); its arguments were looked at. */
CDN_MUST_USE int cdn_guard_run(const struct cordon_session *session,
    const struct cordon_run_options *run,
    const struct cordon_mcp_options *options, struct cordon_run_result *ret,
    struct cordon_error *err);

#endif
