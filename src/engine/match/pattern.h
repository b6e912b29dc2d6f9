/*
 * pattern - one rule's glob, parsed once.
 *
 *	*	any run of characters of one segment, also none
 *	?	one character of a segment (one UTF-8 character; a byte that is
 *		not well-formed UTF-8 counts as one)
 *	**	any run of characters, '/' included
 *	** /	any number of directories, also none
 *	P/ **	P itself and everything below it
 *	.	(the whole pattern) the workspace root, which is the path ""
 *
 * (The blanks in the last two are not part of them: without, they would begin
 * and end comments in C.  So it is in all comments of this room.)
 *
 * Everything else is literal, '[', '{' and '\' too.  Anchored at both ends,
 * compared byte by byte, newline included.
 *
 * A path here is canonical: relative, "" for the root, segments separated by
 * single slashes, no empty, "." or ".." segments (normalize.h makes it so).
 *
 * A pattern is immutable and may be shared between threads.
 */
#ifndef CDN_MATCH_PATTERN_H
#define CDN_MATCH_PATTERN_H

#include "base/arena.h"
#include "base/err.h"

enum cdn_token_kind {
	CDN_TOKEN_LITERAL, /* bytes, no '/' */
	CDN_TOKEN_SLASH,   /* a '/' between segments */
	CDN_TOKEN_ANY,	   /* ? */
	CDN_TOKEN_STAR,	   /* * */
	CDN_TOKEN_STARS,   /* ** not followed by '/' */
	CDN_TOKEN_DIRS,	   /* ** and the slash behind it */
	CDN_TOKEN_BELOW,   /* a final slash and **: this and everything below */
};

struct cdn_token {
	enum cdn_token_kind kind;
	cdn_str text; /* LITERAL only; borrowed from the pattern's text */
};

/*
 * Tokens are kept short: what adds nothing behind or before a ** is left out
 * (** ** is **, and so are *** and ** before a final slash and **), so a
 * STARS, DIRS or STAR never touches a STARS, nor a DIRS a DIRS.  BELOW is
 * always the last.  The root's pattern has no tokens.
 */
struct cdn_pattern {
	cdn_str text;		 /* borrowed; lives as long as the pattern */
	struct cdn_token *tokens; /* in the arena */
	size_t n;
};

/*
 * Parses normalised text (no leading '!').  The first `literal` bytes are
 * taken as they are, so that a directory whose name holds a star can stand in
 * front of a glob; 0 for rules, text.n for plain paths.  A slash is a slash
 * in both parts.  Errors: memory, and text over CDN_PATTERN_MAX.
 */
CDN_MUST_USE int cdn_pattern_parse(struct cdn_arena *arena, cdn_str text,
    size_t literal, struct cdn_pattern *ret, struct cordon_error *err);

/* Puts a slash and ** behind it, in the arena; false: out of memory. */
CDN_MUST_USE bool cdn_pattern_below(struct cdn_arena *arena, cdn_str *text);

/*
 * Does it match the canonical path?  Simulates the pattern's states side by
 * side: O(tokens * path), whatever the pattern says; no allocation.  Nothing
 * matches a path over CDN_PATH_MAX.
 */
bool cdn_pattern_match(const struct cdn_pattern *pattern, cdn_str path);

/*
 * The same for a run of tokens and a piece of a path.  With `open` the tokens
 * need only match the beginning, as if a ** came behind them.
 */
bool cdn_tokens_match(const struct cdn_token *tokens, size_t n, bool open,
    cdn_str text);

/*
 * The relation validation uses, on normalised texts, purely syntactic:
 * equality; "**" covers all; "P/ **" covers P, and what starts with "P/".
 */
bool cdn_rule_covers(cdn_str rule, cdn_str covered);

/* No '*' and no '?' in it. */
bool cdn_rule_is_exact(cdn_str text);

#endif
