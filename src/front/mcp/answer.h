/*
 * answer - what is said to a client: results, errors, questions.
 *
 * Each function puts one line with its newline on `out`, whose failure is
 * asked once at the end.
 */
#ifndef CDN_MCP_ANSWER_H
#define CDN_MCP_ANSWER_H

#include "base/json.h"

/* Whom a result is for. */
struct mcp_address {
	cdn_str id; /* as it stood in the request; empty: null */
	bool modern;
};

/* ----- Results, member by member ------------------------------------------ */

struct mcp_answer {
	struct cdn_json_writer w; /* inside of the result */
	bool modern;
};

void mcp_answer_begin(struct mcp_answer *answer,
    const struct mcp_address *to, const char *type, struct cdn_buf *out);
/* denial: JSON for _meta["cordon/denial"]; empty: none. */
void mcp_answer_end(struct mcp_answer *answer, cdn_str denial);

/* ----- Whole ones ---------------------------------------------------------- */

/* data: JSON, or empty. */
void mcp_answer_error(const struct mcp_address *to, int code,
    const char *text, cdn_str data, struct cdn_buf *out);

/* What a tool gave: JSON, an object. */
void mcp_answer_result(const struct mcp_address *to, cdn_str result,
    struct cdn_buf *out);
/* Why it gave nothing; denial as above. */
void mcp_answer_refusal(const struct mcp_address *to, const char *text,
    cdn_str denial, struct cdn_buf *out);

/* The question of a call that needs approval, in the newer era. */
void mcp_ask_input(const struct mcp_address *to, const char *question,
    const char *state, struct cdn_buf *out);
#define MCP_APPROVAL "approval" /* the member of inputResponses */

/* token: JSON, as the client gave it. */
void mcp_tell_progress(cdn_str token, uint64_t progress, const char *text,
    struct cdn_buf *out);

#endif
