/*
 * deep - the facts that take a process to find out.  Only for this room.
 */
#ifndef CDN_HOST_DEEP_H
#define CDN_HOST_DEEP_H

#include "engine/plan/plan.h"

/*
 * Puts a listener on a child and asks it for what the broker needs (ADDFD with
 * its atomic reply, since 5.14).  0 or -errno; -EBUSY: somebody has one.
 */
CDN_MUST_USE int cdn_deep_listener(void);

void cdn_deep_userns(struct cdn_host *host);

/* Fills in what cdn_host_probe() left. */
void cdn_deep_probe(struct cdn_host *host);

/* bwrap, wherever: the file is run.  cdn_deep_probe() asks for /usr/bin. */
CDN_MUST_USE enum cdn_bwrap cdn_deep_bwrap(const char *file);

#endif
