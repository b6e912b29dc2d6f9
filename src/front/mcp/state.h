/*
 * state - what a client carries for us from a question to its answer.
 *
 * In the newer era nothing is remembered between two requests: a call that
 * needs approval is answered with a question, and made anew with the answer and
 * a `requestState` of ours.  It says what was asked, about which call, until
 * when, and is signed (HMAC-SHA-256) with a key of this process: an answer is
 * good for that call, for that question, once.
 */
#ifndef CDN_MCP_STATE_H
#define CDN_MCP_STATE_H

#include "base/buf.h"

#define MCP_DIGEST 65 /* hex digits of SHA-256, and NUL */

struct mcp_states {
	uint8_t key[32];
	uint64_t next;	/* each state has a number */
	uint64_t *used; /* those that were answered; owned */
	size_t used_count;
};

/* False when there is no randomness to be had. */
CDN_MUST_USE bool mcp_states_init(struct mcp_states *states);
void mcp_states_done(struct mcp_states *states);

/* The digest of a call: its tool, and the bytes of its arguments. */
void mcp_call_digest(cdn_str tool, cdn_str arguments, char ret[MCP_DIGEST]);

/* question: the digest of what was asked.  Text of plain characters. */
void mcp_state_put(struct mcp_states *states, const char *call,
    const char *question, uint64_t expires_ms, struct cdn_buf *out);

enum mcp_state {
	MCP_STATE_GOOD,
	MCP_STATE_FORGED,  /* or of another call, or of another process */
	MCP_STATE_EXPIRED, /* or used before */
};
/* GOOD: the digest of the question is in ret, and it is used up. */
enum mcp_state mcp_state_take(struct mcp_states *states, cdn_str text,
    const char *call, uint64_t now_ms, char ret[MCP_DIGEST]);

#endif
