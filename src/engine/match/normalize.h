/*
 * normalize - one spelling for every rule and every workspace-relative path.
 *
 * Both: trim, backslash to slash, strip leading "./" (repeated), then refuse
 * absolute, "~", "~/..." and any ".." segment (also behind the stripped "./",
 * also "" before a slash, as in ".//etc"); then drop "." segments, doubled
 * and trailing slashes.  The messages are contract strings.
 *
 * Output goes to a caller's buffer of at least in.n + 1 bytes and ends in NUL
 * (a buffer of the maximum + 1 is always enough).  After an error its contents
 * mean nothing.
 */
#ifndef CDN_MATCH_NORMALIZE_H
#define CDN_MATCH_NORMALIZE_H

#include "base/err.h"

/*
 * A path.  "." and "./" give "" (the root).  Errors, CORDON_E_INVALID:
 * "path must not be empty", "path 'X' must stay inside the workspace root",
 * and paths over CDN_PATH_MAX or with a NUL.  Allocates nothing.
 */
CDN_MUST_USE int cdn_path_normalize(cdn_str in, char *out, size_t size,
    size_t *ret_len, struct cordon_error *err);

/*
 * A rule's body (the caller has taken one leading '!' off; the body is then
 * NOT trimmed again, so `authored_negated` says so).  "./" gives ".".
 * Errors: "contains an empty path rule", "rule 'X' must stay inside the
 * workspace root", over CDN_RULE_MAX, NUL.
 */
CDN_MUST_USE int cdn_rule_normalize(cdn_str body, bool authored_negated,
    char *out, size_t size, size_t *ret_len, struct cordon_error *err);

#endif
