/*
 * repeats - denials that were told before.
 *
 * A program that is refused the same thing for hours must not fill the disk.
 * The first denial of an operation on a path by a rule is told, of the first
 * few processes each; of those that follow, how many there were: when they have
 * doubled, and at the end.  What cannot be remembered is told.
 *
 * For one thread at a time.
 */
#ifndef CDN_AUDIT_REPEATS_H
#define CDN_AUDIT_REPEATS_H

#include "enforce/audit/journal.h"

struct cdn_repeats;

CDN_MUST_USE int cdn_repeats_new(struct cdn_repeats **ret,
    struct cordon_error *err);
void cdn_repeats_free(struct cdn_repeats *repeats); /* NULL is fine */

/*
 * Is it to be told?  *ret_times: 0 when it is one of its own, else how many
 * there were of it, with this one, since it was told last.
 */
bool cdn_repeats_is_told(struct cdn_repeats *repeats,
    const struct cdn_access *denial, unsigned long *ret_times);

/* At the end: what was not told yet, the last of each; false: no more. */
CDN_MUST_USE bool cdn_repeats_next(struct cdn_repeats *repeats,
    struct cdn_access *ret, unsigned long *ret_times);

#endif
