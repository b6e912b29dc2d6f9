/*
 * print - writing YAML that every reader understands in the same way.
 *
 * Block style, two blanks a level; texts double-quoted, where everything can
 * be said and nothing is guessed; names plain where they cannot be taken for
 * anything else.  Failure is the buffer's: sticky, asked once at the end.
 */
#ifndef CDN_POLICY_PRINT_H
#define CDN_POLICY_PRINT_H

#include "base/buf.h"
#include "engine/policy/tree.h"

struct cdn_printer {
	struct cdn_buf *out; /* borrowed */
	unsigned level;	     /* of indentation */
};

/* A name; a text in quotation marks. */
void cdn_print_name(struct cdn_printer *p, cdn_str name);
void cdn_print_quoted(struct cdn_printer *p, cdn_str text);

/* "name:", indented, nothing behind it yet. */
void cdn_print_key(struct cdn_printer *p, cdn_str name);
/* A whole line: "name: text", the text quoted or as it is. */
void cdn_print_text(struct cdn_printer *p, cdn_str name, cdn_str text);
void cdn_print_word(struct cdn_printer *p, cdn_str name, const char *word);

/*
 * "name:" and a list of texts: n elements of `size` bytes, each of which
 * begins with a cdn_str.  "name: []" for none.
 */
void cdn_print_list(struct cdn_printer *p, cdn_str name, const void *elements,
    size_t n, size_t size);

/* "name:" and a tree as it came: what was plain and a number stays one. */
void cdn_print_tree(struct cdn_printer *p, cdn_str name,
    const struct cdn_tree *tree);

#endif
