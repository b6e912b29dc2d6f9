/*
 * verify - is the log as it was written?
 *
 * Every line is hashed and compared with what the next one says of it, through
 * all parts, and the last one with the head.  What a killed writer leaves
 * behind is told apart from what was changed.
 */
#ifndef CDN_AUDIT_VERIFY_H
#define CDN_AUDIT_VERIFY_H

#include "base/err.h"

#define CDN_VERIFY_BROKEN     "A001" /* a line does not follow the one before */
#define CDN_VERIFY_MISSING    "A002" /* lines are missing */
#define CDN_VERIFY_ORDER      "A003" /* a line twice, or before its turn */
#define CDN_VERIFY_NO_EVENT   "A004" /* a line that is no event */
#define CDN_VERIFY_CUT	      "A005" /* the end is missing */
#define CDN_VERIFY_HEAD	      "A006" /* the head is missing or damaged */
#define CDN_VERIFY_END	      "A007" /* the last line is another one */
#define CDN_VERIFY_UNFINISHED "A008" /* half a line at the end */
#define CDN_VERIFY_AHEAD      "A009" /* lines that their head does not know */
#define CDN_VERIFY_FROM	      "A010" /* a copy that begins later */
#define CDN_VERIFY_ADOPTED    "A011" /* such lines, taken over since */

/*
 * Errors are findings that break the chain, warnings all others.  A log that
 * needs a head (the user's own) is broken without one.  0 also when there are
 * findings.
 */
CDN_MUST_USE int cdn_verify(const char *file, bool needs_head,
    struct cordon_diags *diags, struct cordon_audit_verified *ret,
    struct cordon_error *err);

#endif
