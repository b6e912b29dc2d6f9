/*
 * surveyed - repositories that nobody knew of when the run began: for judge.c.
 */
#ifndef CDN_BROKER_SURVEYED_H
#define CDN_BROKER_SURVEYED_H

#include "enforce/broker/call.h"

/* What was allowed may be denied afterwards. */
void cdn_call_judge_surveyed(const struct cdn_call *call,
    const struct cdn_question *question, struct cordon_verdict *verdict);
CDN_MUST_USE enum cdn_compound_result cdn_call_judge_pair_surveyed(
    const struct cdn_call *call, enum cdn_compound what,
    const struct cdn_object *from, const struct cdn_object *to,
    struct cordon_verdict *verdict);
bool cdn_call_is_same_surveyed(const struct cdn_call *call,
    const struct cdn_object *from, const struct cdn_object *to);

#endif
