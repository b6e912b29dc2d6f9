/*
 * terminal - the caller's terminal, and the run's own one in front of it.
 *
 *	user's terminal <──fd── cordon ──master/slave──> the run
 *
 * Threat:    a process of the run that ignores SIGTSTP and SIGTTIN reads what
 *	      the user types into another program (a password for sudo).
 * Invariant: the run has no file descriptor to the user's terminal.  Keys are
 *	      relayed only while the caller's process group is in the
 *	      foreground of it.
 * Held by:   cdn_terminal_open() replaces each of the run's stdio that is the
 *	      controlling terminal; shepherd.c makes the pty the controlling
 *	      terminal of a new session; the kernel refuses a read from the
 *	      background.  tests/live/cage/keys.py.
 *
 * What the run does to its pty (termios, flow, TIOCEXCL, size, O_NONBLOCK) does
 * not reach the user's terminal, but for the bytes it writes: those are passed
 * as they are, escape sequences included.  One thread at a time.
 */
#ifndef CDN_RUN_TERMINAL_H
#define CDN_RUN_TERMINAL_H

#include <sys/types.h>
#include <termios.h>

#include "base/err.h"

#define CDN_TERMINAL_LANE 32768 /* bytes on their way */

/* Bytes that were read and are not written yet. */
struct cdn_lane {
	size_t at, n;
	char bytes[CDN_TERMINAL_LANE];
};

struct cdn_terminal {
	int user_fd; /* an open file description of our own, O_NONBLOCK */
	int master_fd;
	int slave_fd; /* kept open, so that the master never hangs up */
	bool is[3];   /* which of the run's stdio it is */
	bool foreground; /* the caller wants job control from the start */
	bool owner;   /* no other run of this process gets keys */
	bool front;   /* the user's terminal is raw, keys are relayed */
	bool gone;    /* the user's terminal hung up */
	pid_t group;  /* the caller's */
	struct termios own; /* of the user's terminal, while it is raw, */
	struct termios raw; /* and what it is then */
	struct termios initial; /* of the pty */
	bool settled; /* the pty has the settings of the user's terminal */
	struct cdn_lane keys;
	struct cdn_lane shown;
};

/*
 * stdio: what the run would inherit, -1 = something else.  *ret is NULL if none
 * of it is the caller's controlling terminal; free it with cdn_terminal_free().
 */
CDN_MUST_USE int cdn_terminal_open(const int stdio[3], bool foreground,
    struct cdn_terminal **ret, struct cordon_error *err);
/* Restores the user's terminal first.  NULL is fine. */
void cdn_terminal_free(struct cdn_terminal *terminal);

/* Is the caller in the foreground of the user's terminal? */
bool cdn_terminal_is_ours(const struct cdn_terminal *terminal);

/*
 * Is the run in the foreground from its start?  Only when the caller is, and
 * both stdin and stdout are the terminal: the other programs of a pipeline may
 * need it.  Later it is put there on demand.
 */
bool cdn_terminal_offers(const struct cdn_terminal *terminal);

/* Makes the user's terminal raw.  From here on keys are relayed. */
void cdn_terminal_enter(struct cdn_terminal *terminal);
/* Keys are not relayed any more, and the terminal is as it was. */
void cdn_terminal_leave(struct cdn_terminal *terminal);
/* The run's has the size of the user's. */
void cdn_terminal_resize(const struct cdn_terminal *terminal);

/*
 * Stops the caller's process group, as the key would have done.  Returns when
 * it is continued, or at once if there is no process that could do so (an
 * orphaned group).
 */
void cdn_terminal_suspend(int signal);

/* Moves what can be moved without blocking. */
void cdn_terminal_show(struct cdn_terminal *terminal);
void cdn_terminal_type(struct cdn_terminal *terminal);
/* Shows all the run wrote; gives up on a terminal that is blocked. */
void cdn_terminal_flush(struct cdn_terminal *terminal);

/* ----- A new one ---------------------------------------------------------- */

/* Both close-on-exec; the size is that of the caller's terminal, or 80x24. */
CDN_MUST_USE int cdn_pty_open(int *ret_master, int *ret_slave,
    struct cordon_error *err);

/* The caller's terminal has another size. */
void cdn_pty_resize(int master);

#endif
