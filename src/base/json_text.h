/*
 * json_text - JSON strings: is it one, and what does it mean?
 *
 * Two spellings of one text ("a", "\\u0061") must compare as equal, and that
 * without memory.  Only for json_*.c.
 */
#ifndef CDN_BASE_JSON_TEXT_H
#define CDN_BASE_JSON_TEXT_H

#include "base/json.h"

/* ----- Scanning ---------------------------------------------------------- */

struct cdn_json_fault {
	const char *at;
	const char *what; /* static */
};

/*
 * *p stands on the opening quote and moves behind the closing one.  On false
 * it stays, and *fault says what is wrong where.
 */
CDN_MUST_USE bool cdn_json_text_scan(const char **p, const char *end,
    bool *ret_escaped, struct cdn_json_fault *fault);

/* ----- Meaning: of strings that were accepted ---------------------------- */

struct cdn_json_text {
	cdn_str raw;  /* between the quotes */
	bool escaped; /* there is a backslash in it */
};

/* The text of a string value and of a member's key. */
struct cdn_json_text cdn_json_text_value(cdn_str text,
    const struct cdn_json_node *node);
struct cdn_json_text cdn_json_text_key(cdn_str text,
    const struct cdn_json_node *node);

/* Do both mean the same?  And the byte order of what they mean. */
bool cdn_json_text_same(struct cdn_json_text a, struct cdn_json_text b);
int cdn_json_text_cmp(struct cdn_json_text a, struct cdn_json_text b);
/* Equal texts have equal hashes, and that is all it promises. */
uint32_t cdn_json_text_hash(struct cdn_json_text text);

/* Writes what it means to out (raw.n bytes always suffice); the length. */
size_t cdn_json_text_decode(struct cdn_json_text text, char *out);

#endif
