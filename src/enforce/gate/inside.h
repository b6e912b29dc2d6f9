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

#endif
