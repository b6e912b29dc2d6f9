/*
 * reply - what a guard says itself: refusals, and complaints about bad lines.
 *
 * A refused tool call is a result, because models read results and mend what
 * they did; clients hide errors.  Everything else that is refused is an error
 * with a code of our own.  Each is one line with its newline.
 */
#ifndef CDN_RPC_REPLY_H
#define CDN_RPC_REPLY_H

#include "engine/rpc/message.h"

/* Why something was refused; strings are borrowed. */
struct cdn_rpc_denial {
	const char *field;  /* "files[1]", or NULL */
	const char *reason; /* "schema", "heuristic", "pin", "audit" */
	const char *text;   /* for the model: what, which rule, the remedy */
	/* Of the rule; NULL when none decided. */
	const struct cordon_verdict *verdict;
};

void cdn_rpc_refuse(const struct cdn_rpc_message *request,
    const struct cdn_rpc_denial *denial, struct cdn_buf *out);

/* A result that asks for the call once more, with the answer (the newer era). */
void cdn_rpc_ask_again(const struct cdn_rpc_message *request,
    const char *token, const char *question, struct cdn_buf *out);

/* What such a call has besides: the member of inputResponses. */
#define CDN_RPC_APPROVAL "cordon/approval"

/* A line that nobody will see: what was wrong, on its id, or on null. */
void cdn_rpc_complain(const struct cdn_rpc_id *id, int code, const char *text,
    struct cdn_buf *out);

#endif
