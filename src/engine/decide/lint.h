/*
 * lint - what is legal but probably not meant, from the document alone.
 *
 * Only what is certain is told: a finding about what a rule does or does not
 * do has been tried on the compiled rules.  Ids are stable; a number that is
 * no longer used is never given away again.
 */
#ifndef CDN_DECIDE_LINT_H
#define CDN_DECIDE_LINT_H

#include "engine/profile/profile.h"

#define CDN_LINT_SHADOWED   "L001" /* a later rule covers it */
#define CDN_LINT_ORDER	    "L002" /* a negation that a later rule undoes */
#define CDN_LINT_NEGATIONS  "L003" /* a list that can grant nothing */
#define CDN_LINT_EMPTY	    "L004" /* a profile that reads nothing */
#define CDN_LINT_LITERAL    "L005" /* brackets and braces, literal here */
#define CDN_LINT_POINTLESS  "L006" /* takes away what nobody had granted */
#define CDN_LINT_MODIFIABLE "L007" /* not to be read, but to be modified */
#define CDN_LINT_EXECUTED   "L008" /* what the host executes, modifiable */
#define CDN_LINT_ABSENT	    "L009" /* about a directory that is not there */
#define CDN_LINT_LINK	    "L010" /* about a name that is a symbolic link */
#define CDN_LINT_BOUND	    "L011" /* a limit was reached before the end */

/*
 * Adds warnings to diags (may be NULL).  0 also when there are some; errors
 * are memory and limits.
 */
CDN_MUST_USE int cdn_lint_policy(const struct cordon_policy *policy,
    struct cordon_diags *diags, struct cordon_error *err);

/*
 * The leading segments of a pattern that have no wildcard: all of an exact
 * one, "" for the root and for one that begins with a wildcard.
 */
cdn_str cdn_lint_anchor(cdn_str pattern);

#endif
