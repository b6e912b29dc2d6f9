/*
 * fold - one spelling for names where a directory ignores case.
 *
 * ASCII letters become lower case, and so do the two other characters that
 * file systems fold to ASCII letters (KELVIN SIGN, LATIN SMALL LETTER LONG S).
 * Other scripts are left alone.
 */
#ifndef CDN_MATCH_FOLD_H
#define CDN_MATCH_FOLD_H

#include "base/arena.h"

/* out needs s.n bytes; returns the bytes written, at most s.n. */
size_t cdn_fold(cdn_str s, char *out);

/* Replaces *s by a folded, NUL-terminated copy; false: out of memory. */
CDN_MUST_USE bool cdn_fold_str(struct cdn_arena *arena, cdn_str *s);

#endif
