/*
 * rulelist - one ordered list while it grows.
 */
#ifndef CDN_PROFILE_RULELIST_H
#define CDN_PROFILE_RULELIST_H

#include "engine/profile/profile.h"

struct cdn_rule_list {
	struct cdn_arena *arena;
	struct cdn_rules rules;
	size_t capacity;
	bool fold;   /* patterns are compared without case */
	bool failed; /* out of memory; sticky */
};

/*
 * Past CDN_RULES_MAX one more rule is taken and then none: that one is enough
 * for the matcher to refuse the list.
 */
void cdn_rule_list_add(struct cdn_rule_list *list, struct cdn_rule rule);
/* No rule can be added any more. */
bool cdn_rule_list_stopped(const struct cdn_rule_list *list);
void cdn_rule_list_add_all(struct cdn_rule_list *list,
    const struct cdn_rules *rules);

#endif
