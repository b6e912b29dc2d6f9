/*
 * names - the words of the command line and of JSON, one table each.
 */
#include "api/api.h"

static const char *const op_names[] = {
	[CORDON_READ] = "read",
	[CORDON_MODIFY] = "modify",
	[CORDON_EXEC] = "exec",
	[CORDON_CONNECT] = "connect",
	[CORDON_BIND] = "bind",
};

static const char *const as_names[] = {
	[CORDON_AS_PROCESS] = "process",
	[CORDON_AS_AGENT] = "agent",
	[CORDON_AS_POLICY] = "policy",
	[CORDON_AS_BLOCK] = "block",
};

static const char *const decision_names[] = {
	[CORDON_DENY] = "deny",
	[CORDON_ALLOW] = "allow",
	[CORDON_ASK] = "ask",
};

static const char *const layer_names[] = {
	[CORDON_LAYER_FLOOR] = "floor",
	[CORDON_LAYER_HOST] = "host",
	[CORDON_LAYER_USER] = "user",
	[CORDON_LAYER_PROJECT] = "project",
	[CORDON_LAYER_POLICY] = "policy",
	[CORDON_LAYER_WORKER] = "worker",
	[CORDON_LAYER_WORKDIR] = "workdir",
	[CORDON_LAYER_PRESET] = "preset",
	[CORDON_LAYER_BLOCK] = "block",
	[CORDON_LAYER_DEFAULTS] = "defaults",
};

static const char *const preset_names[] = {
	[CORDON_PRESET_WORKSPACE] = "workspace",
	[CORDON_PRESET_PROTECT] = "protect",
	[CORDON_PRESET_STRICT] = "strict",
};

static const char *const agent_names[] = {
	[CORDON_AGENT_NONE] = "none",
	[CORDON_AGENT_AUTO] = "auto",
	[CORDON_AGENT_CLAUDE] = "claude",
	[CORDON_AGENT_CODEX] = "codex",
	[CORDON_AGENT_GEMINI] = "gemini",
	[CORDON_AGENT_OPENCODE] = "opencode",
};

static const char *const enforcement_names[] = {
	[CORDON_ENFORCEMENT_POLICY] = "policy",
	[CORDON_ENFORCEMENT_BEST_EFFORT] = "best-effort",
	[CORDON_ENFORCEMENT_DEGRADED] = "degraded",
	[CORDON_ENFORCEMENT_REQUIRED] = "required",
};

static const char *const backend_names[] = {
	[CORDON_BACKEND_AUTO] = "auto",
	[CORDON_BACKEND_NATIVE] = "native",
	[CORDON_BACKEND_BWRAP] = "bwrap",
	[CORDON_BACKEND_SEATBELT] = "seatbelt",
	[CORDON_BACKEND_NONE] = "none",
};

static const char *const isolation_names[] = {
	[CORDON_ISOLATION_POLICY] = "policy",
	[CORDON_ISOLATION_NONE] = "none",
	[CORDON_ISOLATION_AUTO] = "auto",
	[CORDON_ISOLATION_NAMESPACES] = "namespaces",
};

static const char *
name_in(const char *const *names, size_t n, unsigned i)
{
	return i < n ? names[i] : NULL;
}

const char *
cordon_op_name(enum cordon_op op)
{
	return name_in(op_names, CDN_LEN(op_names), (unsigned)op);
}

const char *
cordon_as_name(enum cordon_as as)
{
	return name_in(as_names, CDN_LEN(as_names), (unsigned)as);
}

const char *
cordon_decision_name(enum cordon_decision decision)
{
	return name_in(decision_names, CDN_LEN(decision_names),
	    (unsigned)decision);
}

const char *
cordon_layer_name(enum cordon_layer layer)
{
	return name_in(layer_names, CDN_LEN(layer_names), (unsigned)layer);
}

const char *
cordon_preset_name(enum cordon_preset preset)
{
	return name_in(preset_names, CDN_LEN(preset_names), (unsigned)preset);
}

const char *
cordon_agent_name(enum cordon_agent agent)
{
	return name_in(agent_names, CDN_LEN(agent_names), (unsigned)agent);
}

const char *
cordon_version(void)
{
	return CDN_VERSION;
}

const char *
cordon_enforcement_name(enum cordon_enforcement value)
{
	return name_in(enforcement_names, CDN_LEN(enforcement_names),
	    (unsigned)value);
}

const char *
cordon_backend_name(enum cordon_backend value)
{
	return name_in(backend_names, CDN_LEN(backend_names),
	    (unsigned)value);
}

const char *
cordon_isolation_name(enum cordon_isolation value)
{
	return name_in(isolation_names, CDN_LEN(isolation_names),
	    (unsigned)value);
}
