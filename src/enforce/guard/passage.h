/*
 * passage - one line on its way through the relay; only for relay*.c.
 */
#ifndef CDN_GUARD_PASSAGE_H
#define CDN_GUARD_PASSAGE_H

#include "enforce/guard/relay.h"
#include "engine/rpc/reply.h"

struct passage {
	struct cdn_relay *relay;
	struct cdn_arena *arena;
	cdn_str line; /* with its newline */
	struct cdn_rpc_message m;
	char method[CDN_NAME_MAX + 1];
	char tool[CDN_NAME_MAX + 1]; /* of a tools/call, or "" */
	bool answered; /* its user was asked */
	bool approved; /* and said yes */
	bool again;    /* the newer era: it came with the answer */
	struct cordon_error *err;
};

/* ----- relay.c -------------------------------------------------------------- */

/* A line for the client, which is emptied. */
CDN_MUST_USE int cdn_passage_send(struct passage *p, struct cdn_buf *answer);
CDN_MUST_USE int cdn_passage_refuse(struct passage *p,
    const struct cdn_rpc_denial *denial,
    const struct cordon_mcp_refusal *refusal);
/* The line without some of what it holds (cdn_rpc_cut). */
CDN_MUST_USE int cdn_passage_cut(struct passage *p,
    struct cdn_outlet *outlet, const struct cdn_json_node *parent,
    const bool *drops);
CDN_MUST_USE int cdn_passage_read(struct passage *p, bool too_long);
/* A request of the client, from its id on. */
CDN_MUST_USE int cdn_passage_request(struct passage *p);

/* ----- relay_ask.c ----------------------------------------------------------- */

/*
 * Somebody has to approve this call, for that reason: he is asked, or else it
 * is refused.
 */
CDN_MUST_USE int cdn_passage_ask(struct passage *p, const char *why,
    const struct cdn_rpc_denial *denial,
    const struct cordon_mcp_refusal *refusal);
/*
 * Does the call come with an answer to a question of ours?  Then it is approved,
 * or has been refused: *ret_done.
 */
CDN_MUST_USE int cdn_passage_take_answer(struct passage *p, bool *ret_done);
/* A response of the client: true when it was to us. */
bool cdn_passage_is_answer(struct passage *p, int *ret_code);
/* The client does not want it any more: true when the server never saw it. */
bool cdn_passage_cancel(struct passage *p, const struct cdn_rpc_id *id,
    int *ret_code);
/* The call without what was for us. */
CDN_MUST_USE int cdn_passage_pass_again(struct passage *p);

#endif
