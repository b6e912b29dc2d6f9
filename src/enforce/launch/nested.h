/*
 * nested - a run inside of a run.
 *
 *	inside				outside
 *	cordon run ── connects ───────► broker: gives it a stream
 *	   │  ───── what it wants ────► guest: parses, plans, refuses or accepts
 *	   │  ◄──── accepted ────────
 *	stand-in ── its stdio ────────► guest: a run of its own, beside the outer
 *	   │  ───── signals ──────────►  one, with the intersection of both
 *	   │  ◄──── how it ended ─────   policies
 *
 * A cage cannot be built inside of a cage, and whoever is inside can be killed,
 * traced or impersonated by those he lives with.  So nobody in there is trusted
 * with anything: the outer process starts the inner command itself, in a cage
 * that both policies made.  It has its own listener, which is how its calls are
 * known, and its own Landlock domain, which lies beside that of the outer run:
 * neither can trace or signal the other's processes.  What is said over the
 * stream can start one run, send signals to it and end it.
 *
 * Not offered, so that an inner run is refused as where there is no sandbox:
 * where the outer one has namespaces of its own, or limits that the two would
 * have to share (CPU, memory, processes), and below CDN_NESTED_DEPTH.
 */
#ifndef CDN_LAUNCH_NESTED_H
#define CDN_LAUNCH_NESTED_H

#include "base/form.h"
#include "enforce/launch/process.h"

/* ----- What is said ---------------------------------------------------------- */

#define CDN_NESTED_MAGIC 0x4e44524fU
#define CDN_NESTED_ID	 16 /* characters that name a run */

/* Before the form of a request. */
struct cdn_nested_head {
	uint32_t magic;
	uint32_t size; /* of what follows */
};

/* What an inner run asks for besides its session. */
struct cdn_nested_wish {
	const char *const *argv;
	size_t argc;
	const char *const *env;
	size_t env_count;
	const char *program; /* absolute; argv[0] is only its name */
	const char *cwd;
	bool placed; /* it must be this directory */
	struct cdn_run_place cwd_is;
	unsigned enforcement; /* enum cdn_enforcement */
	unsigned isolation;   /* enum cdn_isolation */
	bool trace;
};
void cdn_nested_form(struct cdn_form *form, struct cdn_nested_wish *wish);

enum cdn_nested_says {
	CDN_NESTED_ACCEPTED, /* text: the id of the run, then, in lines, what a
			      * person should know */
	CDN_NESTED_REFUSED,  /* value: CORDON_E_..., text: why */
	CDN_NESTED_EXITED,   /* value: its status */
	CDN_NESTED_KILLED,   /* value: the signal */
};
struct cdn_nested_answer {
	uint32_t says;
	int32_t value;
	uint32_t size; /* of text */
	char text[CDN_NESTED_TEXT];
};

/* One byte each, from the stand-in; stdio comes with the first. */
#define CDN_NESTED_GO 0 /* otherwise the number of a signal */

/* All of it; 0 or -errno, -EPIPE when the other end is gone. */
CDN_MUST_USE int cdn_nested_send(int fd, const void *bytes, size_t size);
CDN_MUST_USE int cdn_nested_receive(int fd, void *bytes, size_t size);
/*
 * recv(2), but -errno.  stdio: for the descriptors that come along, if they are
 * three; all others are closed.  NULL: for none.
 */
CDN_MUST_USE ssize_t cdn_nested_take(int fd, void *bytes, size_t size, int flags,
    int *stdio);
/* close(2) of what somebody else may have made it wait for. */
void cdn_nested_close(int fd);
CDN_MUST_USE int cdn_nested_say(int fd, enum cdn_nested_says says, int value,
    const char *text);
CDN_MUST_USE int cdn_nested_hear(int fd, struct cdn_nested_answer *ret);

/* ----- Outside (guests.c) ----------------------------------------------------- */

/* Once its plan and namespaces are known. */
bool cdn_guests_are_offered(const struct cordon_process *p);
/* NULL where it is not offered; CORDON_E_NOMEM, _SYSTEM. */
CDN_MUST_USE int cdn_guests_open(struct cordon_process *outer,
    struct cdn_guests **ret, struct cordon_error *err);
/* For the broker, and for the loop of the outer run; arg: the guests. */
int cdn_guests_knock(int fd, void *arg);
int cdn_guests_fd(const struct cdn_guests *guests);
void cdn_guests_let_in(void *arg);
/* Lets nobody in any more, and ends all that run; returns when they have. */
void cdn_guests_end(void *arg);
/* The same, and waits for those who have nothing running; NULL is fine. */
void cdn_guests_close(struct cdn_guests *guests);

/* launch.c: what was handed to `outer`; it must stay until it was waited for. */
struct cdn_handed {
	struct cordon_process *outer;
	const char *run; /* its id */
	const char *program;
	const struct cdn_run_place *cwd_is; /* or NULL */
	const int *stdio;
};
CDN_MUST_USE int cdn_launch_start_handed(const struct cordon_session *session,
    const struct cordon_run_options *options, const struct cdn_handed *handed,
    struct cordon_process **ret, struct cordon_error *err);

/* ----- Inside (handed.c) -------------------------------------------------------- */

/*
 * Is there somebody to take the run?  Then p->handed_fd leads to them.  Waits
 * for room, if not for long: CORDON_E_ENFORCE.
 */
CDN_MUST_USE int cdn_launch_reach_outer(struct cordon_process *p,
    struct cordon_error *err);

/*
 * Hands the run over, to whom was reached; path is the PATH of its program.
 * Fails as whoever should take it says.  The request is that of the stand-in
 * then.
 */
CDN_MUST_USE int cdn_launch_hand_over(struct cordon_process *p,
    const char *path, struct cordon_error *err);
/* Into the request, when it was filled for a program. */
void cdn_launch_stand_in(struct cordon_process *p);

#endif
