/*
 * profile - one named set of ordered rules, ready to be asked.
 *
 *	policy + name -> lookup -> denies appended as "!rule" -> matchers
 *
 * Every operation has ONE ordered list, and one walk over it decides: global
 * denies are ordinary negated rules at its end.  A profile is immutable,
 * keeps what it needs of its policy alive, and may be shared between threads.
 */
#ifndef CDN_PROFILE_PROFILE_H
#define CDN_PROFILE_PROFILE_H

#include "engine/match/matcher.h"
#include "engine/policy/policy.h"

#define CDN_UNRESTRICTED "unrestricted"

/* The ordered rules of one operation and their compiled form. */
struct cdn_rule_set {
	struct cdn_rules rules;
	const struct cdn_matcher *matcher;
	bool any_positive;
	bool mentions_all; /* "**" is among them: every path matches a rule */
};

/* What the network key came to; rules and matcher only for LIST. */
struct cdn_network_set {
	enum cdn_network_mode mode; /* UNSET: nobody said, which means none */
	/* The word as a rule, and where it stands; of a list where that does. */
	struct cdn_rule mode_rule;
	struct cdn_rule_set list;
};

struct cordon_profile {
	struct cdn_arena *arena; /* owns all, keeps the policy's arena */
	const char *name;
	bool defined; /* the policy has it; false: made up, or denies only */
	struct cdn_rule_set sets[CDN_RULE_OPS];
	struct cdn_network_set network;
	struct cdn_roots host_read;
	struct cdn_roots host_modify;
	struct cdn_roots sockets;
	struct cdn_limits limits;
};

enum cdn_resolve_mode { /* bits */
	CDN_RESOLVE_STRICT = 0,	     /* a missing name is CORDON_E_INVALID */
	CDN_RESOLVE_DENIES_ONLY = 1, /* it is everything but the denies */
	CDN_RESOLVE_FOLDED = 2,	     /* patterns are compared without case */
	CDN_RESOLVE_NO_PROFILE = 4,  /* as if the name were missing */
};

/*
 * The effective profile.  "unrestricted" exists in every policy: where it is
 * not defined it reads and modifies everything but the denies.
 */
CDN_MUST_USE int cdn_profile_resolve(const struct cordon_policy *policy,
    cdn_str name, unsigned mode, struct cordon_profile **ret,
    struct cordon_error *err);
void cdn_profile_free(struct cordon_profile *profile);

/* ----- Asking ------------------------------------------------------------ */

/* What one list says about one path.  Pointers live as long as the list. */
struct cdn_finding {
	bool allowed;
	const char *matched_rule;	  /* contract string, never NULL */
	const struct cdn_rule *rule;	  /* the one that decided, or NULL */
	const struct cdn_rule *deny_rule; /* matched, though the string is [] */
	const struct cdn_rule *key; /* no rule matched: what had the say; or NULL */
};

/* path is canonical (match/pattern.h).  Allocates nothing. */
struct cdn_finding cdn_rule_set_judge(const struct cdn_rule_set *set,
    cdn_str path);

/* The same answer from the index that the matcher gave. */
struct cdn_finding cdn_rule_set_finding(const struct cdn_rule_set *set,
    int index);

/* The word of a mode as a rule, so that a verdict can name it; lists have none. */
struct cdn_rule cdn_network_rule(enum cdn_network_mode mode, struct cdn_pos pos);

/* endpoint is in normal form (match/endpoint.h). */
struct cdn_finding cdn_network_judge(const struct cdn_network_set *network,
    cdn_str endpoint);

/* A finding as a verdict; layer and profile name come from the caller. */
struct cordon_verdict cdn_finding_verdict(const struct cdn_finding *finding,
    enum cordon_as as, enum cordon_op op, enum cordon_layer layer,
    const char *profile);

/*
 * Compiles rules (texts borrowed) into a set.  Used for profiles and for the
 * lists that other rooms bring.  fold: patterns are folded (match/fold.h) and
 * so must be every path that is asked.
 */
CDN_MUST_USE int cdn_rule_set_build(struct cdn_arena *arena,
    struct cdn_rules rules, bool fold, struct cdn_rule_set *ret,
    struct cordon_error *err);

/* ----- Merging ------------------------------------------------------------ */

/*
 * Workspace over global (cordon_policy_merge).  The result keeps both alive.
 * widened lists the replaced profiles that grant more than before.
 */
CDN_MUST_USE int cdn_policy_merge(const struct cordon_policy *global,
    const struct cordon_policy *workspace, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err);

/* ----- Printing ----------------------------------------------------------- */

/*
 * {"schema":1,"name","read","modify","exec","network","host","sockets"} of
 * `policy show` and a newline, rules normalised, denies as "!rule"; or the
 * same as YAML.  layer NULL: left out, as is source.
 */
struct cdn_buf;
CDN_MUST_USE int cdn_profile_format(const struct cordon_profile *profile,
    enum cordon_format format, const char *layer, const char *source,
    struct cdn_buf *out, struct cordon_error *err);

#endif
