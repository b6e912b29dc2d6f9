/*
 * lint - what is legal but probably not meant, in this workspace too.
 */
#ifndef CDN_SESSION_LINT_H
#define CDN_SESSION_LINT_H

#include "engine/policy/policy.h"

/*
 * The findings of engine/decide/lint.h and, unless workspace is NULL, denies
 * about directories that are not there, or that are symbolic links (at most
 * CDN_LINT_LOOKS_MAX names are looked at).  Findings are warnings; 0 also when
 * there are some.
 */
CDN_MUST_USE int cdn_session_lint(const struct cordon_policy *policy,
    const char *workspace, struct cordon_diags *diags,
    struct cordon_error *err);

#endif
