/*
 * linger - to look for an answer a moment longer before going to sleep for it.
 *
 * Who sleeps is woken by whoever answers.  When that one runs on another
 * processor this costs both sides more than the answer itself, tens of
 * microseconds in a virtual machine: there it pays to wait awake.  When he wants
 * this processor it does not, he cannot even begin; nor when he is slow.  So it is
 * done for CDN_GUARD_LINGER_US at most, and what came of it decides how soon it is
 * tried again: each time for nothing doubles the turns that are left out.
 */
#ifndef CDN_GUARD_LINGER_H
#define CDN_GUARD_LINGER_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* For one of the two sides. */
struct cdn_linger {
	uint64_t taken; /* bytes that he had when we last looked */
	unsigned pause; /* turns to leave out after a failure; 0: it paid */
	unsigned left;	/* of these, still to be left out */
};

/* He has taken so many bytes: are these more than before? */
bool cdn_linger_told(struct cdn_linger *linger, uint64_t taken);
/* Is it to be tried this time?  Asked once per turn. */
bool cdn_linger_is_due(struct cdn_linger *linger);
/* It was tried: something came, or nothing did. */
void cdn_linger_tell(struct cdn_linger *linger, bool came);

/*
 * Where it is due: poll(2) without sleeping, until somebody is ready.  True: some
 * have revents; false: the caller sleeps.
 */
bool cdn_linger(struct cdn_linger *linger, struct pollfd *fds, nfds_t n);

#endif
