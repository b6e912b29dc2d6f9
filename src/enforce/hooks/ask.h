/*
 * ask - one question about one argument; for judge.c and ask.c only.
 *
 * Each function answers 0: allowed, 1: refused and told in ret, or a negative
 * code: it could not be asked.
 */
#ifndef CDN_HOOKS_ASK_H
#define CDN_HOOKS_ASK_H

#include "enforce/gate/gate.h"
#include "enforce/hooks/hooks.h"

struct cdn_hook_ask {
	struct cordon_path_policy policy;
	const struct cdn_dialect_call *call;
	struct cdn_arena *arena;
	struct cdn_real base; /* relative names begin there */
	struct cdn_hook_verdict *ret;
	const char *field; /* at hand */
	struct cordon_error *err;
};

CDN_MUST_USE int cdn_hook_refuse(struct cdn_hook_ask *ask, const char *fmt, ...)
    CDN_PRINTF(2, 3);
CDN_MUST_USE int cdn_hook_ask_path(struct cdn_hook_ask *ask,
    enum cordon_op op, cdn_str raw);
CDN_MUST_USE int cdn_hook_ask_pattern(struct cdn_hook_ask *ask,
    cdn_str pattern);
CDN_MUST_USE int cdn_hook_ask_patch(struct cdn_hook_ask *ask, cdn_str text);
CDN_MUST_USE int cdn_hook_ask_shell(struct cdn_hook_ask *ask, cdn_str command);
/* Whole lines for a shell that runs already; none: its output is looked at. */
CDN_MUST_USE int cdn_hook_ask_typed(struct cdn_hook_ask *ask, cdn_str text);
/* ["bash", "-lc", "COMMAND"], or any other list of words. */
CDN_MUST_USE int cdn_hook_ask_words(struct cdn_hook_ask *ask,
    const struct cdn_json_node *list);

#endif
