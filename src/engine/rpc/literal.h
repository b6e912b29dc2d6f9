/*
 * literal - the quoted strings of a text that is almost JSON.
 *
 * Servers decode strings that hold JSON, and most decoders accept more than the
 * strict one of base/json.h: duplicate keys, half surrogate pairs, comments.
 * This reader knows no grammar.  It cuts the text at every quote, so a comment
 * or an odd number of quotes cannot hide a part.
 */
#ifndef CDN_RPC_LITERAL_H
#define CDN_RPC_LITERAL_H

#include "base/arena.h"

struct cdn_rpc_literals {
	cdn_str rest; /* not yet looked at; p == NULL: nothing is left */
	char quote;   /* '"' or '\'' */
};

enum cdn_rpc_literal {
	CDN_RPC_LITERAL_END,
	CDN_RPC_LITERAL_PART,
	CDN_RPC_LITERAL_NOMEM,
};

/* Does it begin as JSON, or a literal of Python, does? */
bool cdn_rpc_literal_begins(cdn_str text);

/* The next part between two quotes, or between a quote and an end, decoded. */
CDN_MUST_USE enum cdn_rpc_literal cdn_rpc_literal_next(
    struct cdn_rpc_literals *literals, struct cdn_arena *arena, cdn_str *ret);

#endif
