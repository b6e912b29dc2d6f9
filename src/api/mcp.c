#include "api/api.h"

#include "enforce/guard/judge.h"

int
cordon_mcp_check(const struct cordon_session *session,
    const struct cordon_mcp_call *call, struct cordon_mcp_refusal *ret,
    struct cordon_error *err)
{
	CDN_NEED(session, err);
	CDN_NEED(call, err);
	CDN_NEED(ret, err);
	if (call->size < sizeof(*call))
		return cdn_err(err, CORDON_E_INVALID,
		    "call: set .size to sizeof(call)");
	CDN_NEED(call->tool, err);
	CDN_NEED(call->arguments, err);
	return cdn_guard_check(session, call, ret, err);
}
