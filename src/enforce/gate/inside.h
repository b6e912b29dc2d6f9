/*
 * inside - what the files of this room share.
 */
#ifndef CDN_GATE_INSIDE_H
#define CDN_GATE_INSIDE_H

#include "enforce/gate/gate.h"

#define CDN_GATE_TRIES 64 /* times somebody may be in the way */

/* openat2() without any link; -EAGAIN: somebody changed something. */
int cdn_gate_sys_open(const char *path, int flags);

/*
 * The directory name[0..len), which must have that very path; -EAGAIN when
 * somebody moved it.
 */
int cdn_gate_open_parent(const char *name, size_t len);

/* ----- No git repository comes to be (repository.c) ---------------------------- */

/*
 * May the last name of path, in the directory dir, not be made or written since
 * it would complete a git repository, or configure one?  existed: it was there.
 */
bool cdn_gate_forbids_part(const struct cordon_session *session, int dir,
    const char *path, bool existed);

/* Fills *refused and err; returns the code. */
CDN_MUST_USE int cdn_gate_refuse_part(const char *path,
    struct cordon_refused *refused, struct cordon_error *err);

#endif
