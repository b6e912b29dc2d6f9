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

#endif
