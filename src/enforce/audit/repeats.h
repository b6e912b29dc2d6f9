/*
 * repeats - denials that were told before, or are too many to be told.
 *
 * A program that is refused the same thing for hours must not fill the disk.
 * The first denial of an operation on a path by a rule is told, of the first
 * few processes each; of those that follow, how many there were: when they have
 * doubled, and at the end.  What cannot be remembered is told.
 *
 * Nor must one that asks for ever new things.  When CDN_DENIALS_MAX were told
 * one by one, those on paths that are not remembered are told by rule: the
 * first, then how many there were, as above.  There are few rules; where there
 * are more than CDN_REPEATS_RULES the others are counted together.
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

/* What those have in common that one event stands for. */
enum cdn_alike { CDN_ALIKE_PATH, CDN_ALIKE_RULE, CDN_ALIKE_RUN };

struct cdn_repeat {
	/*
	 * 0: it is one of its own; else how many there were of it, with this
	 * one, since it was told last.
	 */
	unsigned long times;
	enum cdn_alike alike;
};

/* Is it to be told?  *ret: as what. */
bool cdn_repeats_is_told(struct cdn_repeats *repeats,
    const struct cdn_access *denial, struct cdn_repeat *ret);

/* At the end: what was not told yet, the last of each; false: no more. */
CDN_MUST_USE bool cdn_repeats_next(struct cdn_repeats *repeats,
    struct cdn_access *ret, struct cdn_repeat *ret_as);

/* How many were not told by their path. */
unsigned long cdn_repeats_grouped(const struct cdn_repeats *repeats);

#endif
