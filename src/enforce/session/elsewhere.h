/*
 * elsewhere - what is denied by one name and would be open by another.
 *
 * A rule is about names in the workspace, an entry of the floor about names in
 * a home; but what is judged is the real path.  So three ways lead around:
 *
 *	denyRead: [a.key]	a.key -> src/target	the link has no content
 *	~/.aws			credentials -> ../dotfiles/aws
 *	denyRead: [secrets]	secrets is mounted at mnt, too
 *
 * What lies there becomes a place of its own, closed or sealed, under the name
 * of the rule.  Found once, when the session is made: a link or a mount that
 * somebody outside makes later is his.
 *
 * Directories of keys are looked into to any depth, CDN_KEYS_SCAN_MAX entries of
 * each; links are followed right in them.  Those that hold much besides (a
 * browser's profile, the state of an agent with its plugins and checkouts) would
 * cost a start too much, and files in there are hard-linked for good reasons: of
 * these only what lies right in them is looked at, CDN_STORE_SCAN_MAX entries.
 * All names of files that were met go to session->inside, for linked.h.
 *
 * Rules with wildcards name too much to be looked for, but for one at the end
 * (secrets and all below it).  Where a mount shows what such a rule is about,
 * the session says so.
 */
#ifndef CDN_SESSION_ELSEWHERE_H
#define CDN_SESSION_ELSEWHERE_H

#include "enforce/session/placelist.h"

/*
 * Asks the session's authority; what is found is appended to the closed and
 * sealed places of its specification.  *ret: was there anything?  Then the
 * authority has to be built anew.
 */
CDN_MUST_USE int cdn_elsewhere_find(struct cordon_session *session,
    struct cdn_gather *g, bool *ret, struct cordon_error *err);

#endif
