/*
 * pattern - one rule's glob, parsed once.
 *
 *	*	any run of characters of one segment, also none
 *	?	one character of a segment (one UTF-8 character; a byte that is
 *		not well-formed UTF-8 counts as one)
 *	**	any run of characters, '/' included
 *	** /	any number of directories, also none
 *	P/**	P itself and everything below it
 *	.	(the whole pattern) the workspace root, which is the path ""
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

struct cdn_pattern {
	cdn_str text;		 /* borrowed; lives as long as the pattern */
	struct cdn_token *tokens; /* in the arena */
	size_t n;
};

/*
 * Parses normalised text (no leading '!').  The first `literal` bytes are
 * taken as they are, so that a directory whose name holds a star can stand in
 * front of a glob; 0 for rules, text.n for plain paths.
 */
CDN_MUST_USE int cdn_pattern_parse(struct cdn_arena *arena, cdn_str text,
    size_t literal, struct cdn_pattern *ret, struct cordon_error *err);

/*
 * Does it match the canonical path?  Simulates the pattern's states side by
 * side: O(tokens * path), whatever the pattern says; no allocation.
 */
bool cdn_pattern_match(const struct cdn_pattern *pattern, cdn_str path);

/*
 * The relation validation uses, on normalised texts, purely syntactic:
 * equality; "**" covers all; "P/**" covers P, and whatever starts with "P/".
 */
bool cdn_rule_covers(cdn_str rule, cdn_str covered);

/* No '*' and no '?' in it. */
bool cdn_rule_is_exact(cdn_str text);

#endif
