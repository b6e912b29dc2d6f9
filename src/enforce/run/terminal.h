/*
 * terminal - what a shell does with the terminal for one command in front.
 *
 * All of it is best effort and never an error: without a controlling terminal
 * there is no job control, and that is all.  One thread at a time.
 */
#ifndef CDN_RUN_TERMINAL_H
#define CDN_RUN_TERMINAL_H

#include <sys/types.h>
#include <termios.h>

#include "base/err.h"

struct cdn_terminal {
	int fd;	      /* the controlling terminal; -1 = none */
	pid_t group;  /* the caller's own */
	bool given;   /* the command has it */
	bool has_theirs;
	struct termios own;    /* as it was when we gave it */
	struct termios theirs; /* as the command had it when it stopped */
};

/* Looks for the terminal and notes how it is. */
void cdn_terminal_open(struct cdn_terminal *terminal);

/*
 * Will the command have it from the start?  Only when the caller is in front
 * and both its stdin and its stdout are terminals: in a pipeline there are
 * others beside us who may need it.  The child takes it by itself then; later
 * it is given on demand.
 */
bool cdn_terminal_offer(struct cdn_terminal *terminal);

/*
 * The command was stopped by `signal`.  Either it only wanted the terminal and
 * has it now, or the caller stops with it, and this returns when he goes on.
 * continued: has SIGCONT come?  The signal to send to the command: SIGCONT,
 * or SIGHUP before it when nobody will ever give it the terminal.
 */
int cdn_terminal_stopped(struct cdn_terminal *terminal, pid_t leader,
    int signal, bool (*continued)(void *arg), void *arg);

/* The caller has it again, with his settings, and without stray input. */
void cdn_terminal_close(struct cdn_terminal *terminal);

/* ----- A new one ---------------------------------------------------------- */

/* Both close-on-exec; the size is that of the caller's terminal, or 80x24. */
CDN_MUST_USE int cdn_pty_open(int *ret_master, int *ret_slave,
    struct cordon_error *err);

/* The caller's terminal has another size. */
void cdn_pty_resize(int master);

#endif
