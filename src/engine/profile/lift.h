/*
 * lift - what an exception of denyModify gives back.
 *
 * An exception never creates authority: at its place in the list it says
 * again what the profile itself had said about that path, and nothing else.
 * For an exception P or P/ ** (without the blank):
 *
 *	P	when the last rule of the profile that covers it grants it
 *	then, in order, of the rules of the profile
 *		those inside P, as they are
 *		negated ones that only overlap P, cut to what lies inside
 *
 * A rule that cannot be cut takes all of P away: less is given back, never
 * more.
 */
#ifndef CDN_PROFILE_LIFT_H
#define CDN_PROFILE_LIFT_H

#include "engine/profile/rulelist.h"

/* The profile's own rules, prepared to be asked about many exceptions. */
struct cdn_lift {
	struct cdn_rule_list *list;
	const struct cdn_rules *own;
	struct cdn_arena *scratch;
	struct cdn_arena *segments; /* goes with each exception; or NULL */
	cdn_str *compared; /* patterns of own, folded where the list folds */
	const struct cdn_matcher *matcher; /* of own */
};

CDN_MUST_USE int cdn_lift_init(struct cdn_lift *lift,
    struct cdn_rule_list *list, const struct cdn_rules *own,
    struct cordon_error *err);
void cdn_lift_done(struct cdn_lift *lift); /* zeroed or done is fine */

/* Failure is remembered by the list. */
void cdn_lift_append(struct cdn_lift *lift, const struct cdn_rule *exception);

#endif
