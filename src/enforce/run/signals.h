/*
 * signals - the caller's own signals, told to every run that wants to know.
 *
 * One handler for all runs of the process, there only while some run asked for
 * it; what was there before comes back bit for bit with the last of them.  It
 * adds one to a number and wakes an eventfd, nothing more.  Any thread.
 */
#ifndef CDN_RUN_SIGNALS_H
#define CDN_RUN_SIGNALS_H

#include "base/err.h"

enum cdn_signal {
	CDN_SIGNAL_INT,
	CDN_SIGNAL_TERM,
	CDN_SIGNAL_HUP,
	CDN_SIGNAL_QUIT,
	CDN_SIGNAL_USR1,
	CDN_SIGNAL_USR2,
	CDN_SIGNAL_TSTP,
	CDN_SIGNAL_CONT,
	CDN_SIGNAL_WINCH,
	CDN_SIGNAL_CHLD,
	CDN_SIGNAL_MAX
};

struct cdn_signals {
	unsigned wanted;	       /* bits of enum cdn_signal; 0 = unused */
	unsigned seen[CDN_SIGNAL_MAX]; /* how many had come */
};

/*
 * A signal that the process ignores (SIGINT in the background of a script)
 * stays ignored.  Each begin needs its end.
 */
CDN_MUST_USE int cdn_signals_begin(struct cdn_signals *signals,
    unsigned wanted, struct cordon_error *err);
void cdn_signals_end(struct cdn_signals *signals);

/*
 * While a run that is the only one has executed nothing yet, a signal that would
 * end this process without us ends it.
 */
void cdn_signals_early(bool early);
/* Is there no other run that they are for? */
bool cdn_signals_are_for_one(void);

/*
 * Becomes readable, for edge-triggered epoll only: nobody reads it, as others
 * watch the same.  Good between begin and end.
 */
int cdn_signals_fd(void);

/* Did one come since this was asked last? */
bool cdn_signals_take(struct cdn_signals *signals, enum cdn_signal which);

int cdn_signals_number(enum cdn_signal which); /* SIGINT ... */

#endif
