/*
 * authority - inside of struct cdn_authority; for this room only.
 *
 *	floor		absolute paths		denies; everything else passes
 *	documents	workspace-relative	all of them must allow
 *	defaults	workspace-relative	one of the layers, behind the host's
 *	preset rules	workspace-relative	when no trusted document is there
 *	roots		absolute paths		grants outside the workspace
 *	runtime		absolute paths		grants for a process only
 *
 * Absolute paths are matched without their leading slash.
 */
#ifndef CDN_DECIDE_AUTHORITY_H
#define CDN_DECIDE_AUTHORITY_H

#include "engine/decide/decide.h"
#include "engine/decide/preset.h"

/* Two lists over absolute paths: may it be read, may it be modified? */
struct cdn_scope {
	struct cdn_rule_set read;
	struct cdn_rule_set modify;
};

struct cdn_layer {
	enum cordon_layer layer;
	bool trusted;
	/* What it has a say in; where it has none, it takes nothing away. */
	bool names;	 /* it grants by name inside the workspace */
	bool bounds;	 /* roots and sockets outside */
	bool network;
	bool outranks;	 /* --network, too */
	const struct cordon_profile *profile;
	struct cdn_scope roots; /* host: of this document */
	struct cdn_rule_set sockets;
};

struct cdn_authority {
	const struct cdn_authority *outer; /* which must allow, too; or NULL */
	const char *profile_name;
	cdn_str workspace; /* without the leading slash */
	const struct cdn_preset *preset;
	struct cdn_layer *layers; /* outermost first, the defaults among them */
	size_t layer_count;
	bool defaults; /* they are */
	bool preset_rules; /* no trusted document: the preset speaks too */
	struct cordon_profile preset_profile; /* arena NULL: not its own */
	struct cordon_profile defaults_profile; /* likewise */
	const struct cdn_network_set *command_network; /* or NULL */

	struct cdn_scope floor; /* modify: only what read does not deny */
	struct cdn_rule_set kept; /* of the floor, for AGENT */
	size_t floor_shared; /* from here on floor.modify repeats floor.read */
	struct cdn_scope command; /* --read, --write */
	struct cdn_rule_set command_sockets;
	struct cdn_scope runtime;
	struct cdn_rule_set runtime_write_roots;
};

/* "/a/b" -> "a/b"; a path inside the workspace -> what follows it. */
cdn_str cdn_authority_strip(cdn_str absolute);
bool cdn_authority_inside(const struct cdn_authority *authority,
    cdn_str stripped, cdn_str *ret_relative);

/* One answer of one layer, before it becomes a verdict. */
struct cdn_answer {
	struct cdn_finding finding;
	enum cordon_layer layer;
};

/* Denied because nothing grants it, not because a rule takes it away. */
static inline bool
cdn_merely_not_granted(const struct cdn_finding *finding)
{
	return !finding->allowed && finding->rule == NULL &&
	    finding->deny_rule == NULL;
}

/*
 * What one layer says of a path inside the workspace: the i-th layer, or the
 * preset behind them.  `stripped` may be NULL: the documents alone are asked.
 */
struct cdn_answer cdn_judge_layer(const struct cdn_authority *authority,
    size_t i, enum cordon_op op, cdn_str relative, const cdn_str *stripped);
/* How many of them there are: the layers, and the preset if it has a say. */
static inline size_t
cdn_judged_layers(const struct cdn_authority *authority)
{
	return authority->layer_count + authority->preset_rules;
}
struct cdn_finding cdn_judge_floor(const struct cdn_authority *authority,
    enum cordon_as as, enum cordon_op op, cdn_str stripped);

/*
 * The intersection for a path question, READ, MODIFY or EXEC, PROCESS or
 * AGENT.  `stripped` has no leading slash.
 */
struct cdn_answer cdn_judge_path(const struct cdn_authority *authority,
    enum cordon_as as, enum cordon_op op, cdn_str stripped);

#endif
