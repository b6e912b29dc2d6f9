/*
 * inodes - other names of what is protected.
 *
 * A hard link gives a file a name that no rule knows.  So an object with more
 * than one link is compared with the files of the floor, with cordon's own,
 * with every exact deny of the documents and with what their globs deny
 * (othernames.h); where it is one of them, what holds for that name holds for
 * this one.
 */
#ifndef CDN_SESSION_INODES_H
#define CDN_SESSION_INODES_H

#include "enforce/session/session.h"

/*
 * Denies an allowed verdict where another name of the object is denied.  rule
 * (may be NULL) is filled then, for explanations.
 */
void cdn_inodes_judge(const struct cordon_session *session,
    const struct cdn_question *question, const struct cdn_real *real,
    struct cordon_verdict *verdict, struct cdn_rule *rule);

#endif
