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
	bool yes;      /* and said so */
	bool again;    /* the newer era: it came with the answer */
	struct cdn_ask ask; /* what he was asked; borrowed */
	struct cordon_error *err;
};

/* ----- relay.c -------------------------------------------------------------- */

/* For people. */
CDN_PRINTF(2, 3)
void cdn_passage_note(const struct passage *p, const char *fmt, ...);
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
/* It was judged: it is recorded, and may go. */
CDN_MUST_USE int cdn_passage_pass_judged(struct passage *p);

/* ----- relay_ask.c ----------------------------------------------------------- */

/* For what the judge has against one of its paths. */
CDN_MUST_USE int cdn_passage_refuse_path(struct passage *p);
/*
 * Nothing refuses it.  What somebody has to approve he is asked for, and his
 * answer counts for what he was shown: so one reason at a time.
 */
CDN_MUST_USE int cdn_passage_settle(struct passage *p,
    const struct cdn_catalog_tool *known);
/*
 * Does the call come with an answer to a question of ours?  False when memory
 * ran out.
 */
CDN_MUST_USE bool cdn_passage_take_answer(struct passage *p);
/* It carries a token of ours that is for another message: none of the server's. */
bool cdn_passage_has_token(const struct passage *p);
/* A response of the client: true when it was to us. */
bool cdn_passage_is_answer(struct passage *p, int *ret_code);
/* The client does not want it any more: true when the server never saw it. */
bool cdn_passage_cancel(struct passage *p, const struct cdn_rpc_id *id,
    int *ret_code);
/* The call without what was for us. */
CDN_MUST_USE int cdn_passage_pass_again(struct passage *p);

/* ----- relay_roots.c --------------------------------------------------------- */

/* Passes the line on without the roots that are not the agent's. */
CDN_MUST_USE int cdn_passage_pass_roots(struct passage *p,
    const struct cdn_json_node *roots);
/* Roots that come with a retry, the modern way: the last of these lists. */
const struct cdn_json_node *cdn_passage_roots(const struct passage *p,
    unsigned *ret_count);
/* The member when it is an array; object may be NULL. */
const struct cdn_json_node *cdn_passage_array(const struct passage *p,
    const struct cdn_json_node *object, const char *key);

#endif
