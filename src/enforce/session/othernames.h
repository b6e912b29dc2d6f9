/*
 * othernames - files that a glob denies, under their other names.
 *
 * A rule such as "secrets/" and all below it denies names, and a hard link
 * gives a file one that the rule does not know.  Which files these are is found
 * by looking at every name of the workspace, once: when the first file with
 * several names is met, or before a directory is closed to us; where every name
 * is allowed nobody looks.  Then only those are refused, and trees that are full
 * of links (of a package manager's store) stay usable.  Numbers and times of birth
 * tell them, so that it does not matter where their directories are moved.
 *
 * Not seen: a name given by somebody outside, later, to a file that had not been
 * there then.  Who is inside may not link what is denied.
 */
#ifndef CDN_SESSION_OTHERNAMES_H
#define CDN_SESSION_OTHERNAMES_H

#include "enforce/session/session.h"

struct cdn_other_names;

/* For one session, which outlives it.  NULL: out of memory. */
CDN_MUST_USE struct cdn_other_names *cdn_other_names_new(
    const struct cordon_session *session);
void cdn_other_names_free(struct cdn_other_names *names); /* NULL is fine */

/*
 * For a file with more than one link that is allowed under this name: where a
 * rule denies another one of the workspace, the verdict becomes that denial.
 * When not all names could be looked at it is denied, too, unless as many were
 * seen as it has; the refusal names a directory that has to be opened first.  arg is a struct
 * cdn_other_names; any thread may ask.
 */
void cdn_other_names_judge(const struct cdn_question *question, dev_t dev,
    ino_t ino, struct cordon_verdict *verdict, void *arg);
/*
 * What lies there was put there by whoever owns the system, and programs with
 * several names are many: nobody's tree is searched because of them.
 */
bool cdn_other_names_of_system(const struct cordon_session *session,
    cdn_str path);
/* Looks now, unless that was done: something will be out of sight. */
void cdn_other_names_look(void *arg);

#endif
