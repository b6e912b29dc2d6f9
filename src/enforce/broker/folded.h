/*
 * folded - what judge.c asks besides where a directory may ignore case.
 *
 * All while what the spec points to may be asked; from any thread.
 */
#ifndef CDN_BROKER_FOLDED_H
#define CDN_BROKER_FOLDED_H

#include "enforce/broker/call.h"

/* Makes an allowed verdict the denial of another spelling, if there is one. */
void cdn_call_judge_folded(const struct cdn_call *call,
    const struct cdn_question *asked, const struct cdn_object *object,
    struct cordon_verdict *verdict);

/* The same of two names that are allowed; verdict is written unless ALLOW. */
CDN_MUST_USE enum cdn_compound_result cdn_call_judge_pair_folded(
    const struct cdn_call *call, enum cdn_compound what,
    const struct cdn_object *from, const struct cdn_object *to,
    struct cordon_verdict *verdict);

/* Nothing below gets another verdict, however it is spelled. */
CDN_MUST_USE bool cdn_call_is_same_folded(const struct cdn_call *call,
    const struct cdn_object *from, const struct cdn_object *to);

#endif
