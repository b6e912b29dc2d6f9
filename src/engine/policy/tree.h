/*
 * tree - a YAML document as scalars, lists and mappings, with positions.
 *
 * Only the part of YAML that two readers cannot understand differently: one
 * document, UTF-8, no anchors, aliases, tags or merge keys, no key twice, at
 * most CDN_DEPTH_MAX levels.  Positions are lines and byte columns as editors
 * count them: a line ends with LF or CR LF and with nothing else.
 *
 * Nodes and texts live in the arena they were parsed into and are immutable.
 */
#ifndef CDN_POLICY_TREE_H
#define CDN_POLICY_TREE_H

#include "engine/policy/report.h"

enum cdn_tree_kind {
	CDN_TREE_BAD, /* refused, and a finding says so: pass over it */
	CDN_TREE_SCALAR,
	CDN_TREE_LIST,
	CDN_TREE_MAP,
};

struct cdn_tree {
	enum cdn_tree_kind kind;
	bool plain;	    /* SCALAR: written without quotes */
	struct cdn_pos pos; /* of its first character */
	cdn_str text;	    /* SCALAR: unquoted; NUL-terminated, no NUL in it */
	cdn_str key;	    /* of an entry of a mapping; NUL-terminated */
	struct cdn_pos key_pos;
	struct cdn_tree *first; /* LIST, MAP: children in their order */
	struct cdn_tree *next;	/* sibling */
	size_t count;		/* LIST, MAP: number of children */
};

/*
 * Looks at the raw bytes: size, encoding, characters that must not be there.
 * text.p is not NULL, also when there is no text.
 * False when the text cannot be given to a YAML parser; findings say why.
 */
CDN_MUST_USE bool cdn_bytes_check(cdn_str text, const char *source,
    struct cdn_report *report);

/* Why this character must not stand in a document; NULL when it may. */
const char *cdn_char_fault(const char *p, size_t len);
unsigned cdn_char_value(const char *p, size_t len);

/*
 * Parses checked bytes.  NULL when there is no whole tree: a syntax error,
 * too deep, a second document, nothing at all, or memory; the report knows.
 * source is borrowed and must live as long as the nodes.
 */
CDN_MUST_USE const struct cdn_tree *cdn_tree_parse(struct cdn_arena *arena,
    cdn_str text, const char *source, struct cdn_report *report);

/* The entry of a mapping with this key, or NULL. */
const struct cdn_tree *cdn_tree_find(const struct cdn_tree *map, cdn_str key);

/* Plain scalars that YAML readers take for something other than text. */
bool cdn_tree_is_null(const struct cdn_tree *node); /* null ~ and nothing */
bool cdn_tree_is_bool(const struct cdn_tree *node); /* true false */

/* "null", "a list", ... for use in a sentence. */
const char *cdn_tree_describe(const struct cdn_tree *node);

#endif
