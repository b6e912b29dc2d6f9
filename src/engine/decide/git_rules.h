/*
 * git_rules - what may be modified inside a git directory.
 *
 * Git executes what a git directory configures (core.fsmonitor, hooks), and
 * takes any directory with the parts of a repository for one.  So the rule is
 * an allow list: everything in a git directory is denied, then what everyday
 * operations write is allowed, then what leads git elsewhere is denied again.
 * Tables only; the last match wins.
 */
#ifndef CDN_DECIDE_GIT_RULES_H
#define CDN_DECIDE_GIT_RULES_H

#include "engine/decide/preset.h"

/* An upper bound of what cdn_git_rules_add() adds. */
size_t cdn_git_rules_count(const struct cdn_preset_facts *facts);

/*
 * Appends them to rules->v, which has room for cdn_git_rules_count() more.
 * Composed patterns lie in the arena.
 */
CDN_MUST_USE int cdn_git_rules_add(struct cdn_arena *arena, const char *source,
    const struct cdn_preset_facts *facts, struct cdn_rules *rules,
    struct cordon_error *err);

/* Entry i of the allow list and an operation that needs it; NULL at the end. */
const char *cdn_git_allowed(size_t i, const char **ret_needed_by);

#endif
