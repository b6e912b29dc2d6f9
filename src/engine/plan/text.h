/*
 * text - a plan for people.  Only for this room.
 */
#ifndef CDN_PLAN_TEXT_H
#define CDN_PLAN_TEXT_H

#include "base/buf.h"
#include "engine/plan/plan.h"

/* Failure is the buffer's. */
void cdn_plan_text(const struct cdn_plan *plan,
    const struct cdn_plan_words *words, struct cdn_buf *out);

const char *cdn_plan_network_name(enum cdn_network_mode network);

#define CDN_PLAN_RULE_MAX (CDN_PATTERN_MAX + 2) /* bytes of one, spelled */

/* As in `policy show`: what takes away begins with '!', but for the floor. */
cdn_str cdn_plan_spell(const struct cdn_plan_rule *row,
    char out[CDN_PLAN_RULE_MAX]);

#endif
