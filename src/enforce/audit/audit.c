#include "enforce/audit/audit.h"

static const char *const kind_names[CDN_EVENT_KIND_MAX] = {
	[CDN_EVENT_RUN_START] = "run.start",
	[CDN_EVENT_RUN_END] = "run.end",
	[CDN_EVENT_RUN_REFUSED] = "run.refused",
	[CDN_EVENT_RUN_LEFT] = "run.left",
	[CDN_EVENT_FALLBACK] = "sandbox.fallback",
	[CDN_EVENT_FS_REQUEST] = "fs.call.request",
	[CDN_EVENT_FS_RESULT] = "fs.call.result",
	[CDN_EVENT_FS_DENIED] = "fs.call.denied",
	[CDN_EVENT_NET_DENIED] = "net.denied",
	[CDN_EVENT_EXEC_DENIED] = "exec.denied",
	[CDN_EVENT_CALL_DENIED] = "call.denied",
	[CDN_EVENT_TOOL_CALL] = "tool.call",
	[CDN_EVENT_GRANT_REQUESTED] = "grant.requested",
	[CDN_EVENT_GRANT_APPROVED] = "grant.approved",
	[CDN_EVENT_GRANT_DENIED] = "grant.denied",
	[CDN_EVENT_GRANT_EXPIRED] = "grant.expired",
	[CDN_EVENT_MCP_CALL] = "mcp.call",
	[CDN_EVENT_HARNESS_DELEGATED] = "tool_allowlist.harness_delegated",
	[CDN_EVENT_AUDIT_TORN] = "audit.torn",
	[CDN_EVENT_AUDIT_ADOPTED] = "audit.adopted",
};

const char *
cdn_event_kind_name(enum cdn_event_kind kind)
{
	if ((unsigned)kind >= CDN_EVENT_KIND_MAX)
		cdn_bug("no such kind of event");
	return kind_names[kind];
}

int
cdn_audit_write(struct cdn_sink *sink, const struct cdn_event *event,
    struct cordon_error *err)
{
	return sink->ops->write(sink, event, err);
}

void
cdn_audit_close(struct cdn_sink *sink)
{
	if (sink != NULL)
		sink->ops->close(sink);
}
