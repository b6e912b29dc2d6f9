/*
 * relay - files that a run is given as its input or output.
 *
 * They are not given themselves: whoever opens /proc/self/fd/N again, outside of
 * all mounts, would have more of them than he was given.  A pipe is, and a
 * thread of ours copies.
 */
#ifndef CDN_BUBBLE_RELAY_H
#define CDN_BUBBLE_RELAY_H

#include "base/err.h"

struct cdn_relay;

#define CDN_RELAY_NONE (-2)

/*
 * stdio: -1, the caller's own; or another; or NONE, which is made for the run
 * alone.  Those of ret_stdio: -1, or what replaces one; the relay's, until
 * cdn_relay_started().  CORDON_E_ENFORCE: one of them must not be given.
 */
CDN_MUST_USE int cdn_relay_open(const int stdio[3], struct cdn_relay **ret,
    int ret_stdio[3], struct cordon_error *err);
/* The one that is meant, or one below 0: NONE. */
static inline int
cdn_relay_fd(const int stdio[3], int which)
{
	return stdio[which] == -1 ? which : stdio[which];
}
/* Is it a device that a run is given as it is? */
bool cdn_relay_gives_device(int fd);
/* The run has its ends: threads begin to copy. */
CDN_MUST_USE int cdn_relay_started(struct cdn_relay *relay,
    struct cordon_error *err);
/* Waits until all is copied.  Frees it, whatever it returns; NULL is fine. */
CDN_MUST_USE int cdn_relay_close(struct cdn_relay *relay,
    struct cordon_error *err);

#endif
