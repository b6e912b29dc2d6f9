/*
 * ask - calls that somebody has to approve, until he has said so.
 *
 * In the older era of the protocol the call is kept here and the client gets a
 * question; in the newer the call is answered with the question and made anew,
 * with the answer and a token of ours.  Tokens are random: what comes back with
 * one was asked by us, about that call, and counts once.
 */
#ifndef CDN_GUARD_ASK_H
#define CDN_GUARD_ASK_H

#include "engine/rpc/message.h"

#define CDN_ASK_TOKEN (7 + 32 + 1) /* "cordon-", hex digits, NUL */

struct cdn_ask {
	char token[CDN_ASK_TOKEN]; /* id of the question, or requestState */
	char digest[65]; /* of the tool, its arguments, and what of it */
	uint64_t expires_ms; /* CLOCK_MONOTONIC */
	char *line; /* of the call that is kept, newline included; or NULL */
	size_t n;
	struct cdn_rpc_id id; /* of it */
	char *id_text;	      /* where its text is; owned */
};

struct cdn_asks {
	struct cdn_ask v[CDN_GUARD_ASKS_MAX]; /* oldest first */
	size_t n;
	uint64_t minute_ms; /* since when these were asked */
	unsigned in_minute;
};

void cdn_asks_done(struct cdn_asks *asks);

/*
 * A question about this tools/call, and about what of it; keep: its line, or empty.  NULL
 * when too many wait, more than CDN_APPROVALS_MAX were asked within a minute, or
 * there is no memory or no randomness.
 */
const struct cdn_ask *cdn_asks_add(struct cdn_asks *asks,
    const struct cdn_rpc_message *call, const char *about, cdn_str keep);

/*
 * The one of that token, taken out (cdn_ask_done() is the caller's); false when
 * it is none of ours, or of the other era: kept says which.
 */
CDN_MUST_USE bool cdn_asks_take(struct cdn_asks *asks, cdn_str token, bool kept,
    struct cdn_ask *ret);
/* Is it one of ours that is not answered yet? */
bool cdn_asks_has(const struct cdn_asks *asks, cdn_str token);
/* The same by the id of a call that is kept. */
CDN_MUST_USE bool cdn_asks_take_call(struct cdn_asks *asks,
    const struct cdn_rpc_id *id, struct cdn_ask *ret);
/* One that is kept and was not answered in time. */
CDN_MUST_USE bool cdn_asks_take_late(struct cdn_asks *asks,
    struct cdn_ask *ret);
/* When there will be one, on the clock of expires_ms; 0: never. */
uint64_t cdn_asks_late_ms(const struct cdn_asks *asks);
bool cdn_asks_has_call(const struct cdn_asks *asks,
    const struct cdn_rpc_id *id);
void cdn_ask_done(struct cdn_ask *ask);

/* It is not too late, and it was asked about this call, and that of it. */
bool cdn_ask_fits(const struct cdn_ask *ask,
    const struct cdn_rpc_message *call, const char *about);

#endif
