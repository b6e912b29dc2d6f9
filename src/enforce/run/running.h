/*
 * running - one run, as its own parts see it.
 */
#ifndef CDN_RUN_RUNNING_H
#define CDN_RUN_RUNNING_H

#include "enforce/run/cgroup.h"
#include "enforce/run/signals.h"
#include "enforce/run/spawn.h"
#include "enforce/run/tee.h"
#include "enforce/run/terminal.h"

/* What the loop waits for. */
enum cdn_source {
	CDN_SOURCE_CONTROL, /* the shepherd says something, or is gone */
	CDN_SOURCE_LEADER,  /* SELF: the command ended */
	CDN_SOURCE_IN,
	CDN_SOURCE_OUT,
	CDN_SOURCE_ERR,
	CDN_SOURCE_TIMER,
	CDN_SOURCE_CPU,
	CDN_SOURCE_USER, /* the user's terminal, and the run's */
	CDN_SOURCE_MASTER,
	CDN_SOURCE_SIGNALS,
	CDN_SOURCE_STOP, /* the caller wants the end, at once */
	CDN_SOURCE_WAKE, /* he has something else to do */
	CDN_SOURCE_MAX
};

struct cdn_output {
	int fd; /* -1 = none, or at its end */
	struct cdn_buf text;
	struct cdn_tee tee;
	bool cut;
};

struct cdn_running {
	struct cdn_run_request request; /* pointers are the caller's */
	struct cdn_cgroup cgroup;
	struct cdn_spawn spawn;
	struct cdn_terminal *terminal; /* the request's, or own; NULL = none */
	struct cdn_terminal *own_terminal;
	uint32_t watched[2]; /* events of the two, as epoll has them */
	struct cdn_signals signals;
	struct cdn_secrets secrets;

	int in_fd;	 /* our end of its stdin; -1 = none, or all is written */
	size_t in_done;	 /* bytes of it that are written */
	int pty_fd;	 /* the master, open as long as we are; also out.fd */
	struct cdn_output out;
	struct cdn_output err;
	int theirs[3];	 /* the child's ends; -1 = the caller's own, or given */

	int epoll_fd;
	int timer_fd;	 /* the deadline, then the grace */
	int cpu_fd;	 /* when the tree may have used up its time; -1 = none */
	uint64_t begun_ns;
	uint64_t ended_ns;

	bool over;	 /* nobody is left */
	bool ending;	 /* they were told to end */
	bool killing;	 /* and then no longer asked */
	bool timed_out;
	int interrupted; /* the caller's signal that ended it; 0 = none */

	int failure;	 /* of ours, while it ran; 0 = none */
	struct cordon_error error;

	char bytes[64 * 1024]; /* read just now */
};

/* ----- Data (drain.c) ----------------------------------------------------- */

CDN_MUST_USE int cdn_drain_open(struct cdn_running *running,
    struct cordon_error *err);
void cdn_drain_started(struct cdn_running *running); /* the child has its own */
void cdn_drain_write(struct cdn_running *running);
void cdn_drain_read(struct cdn_running *running, struct cdn_output *output);
void cdn_drain_rest(struct cdn_running *running); /* after the end */
void cdn_drain_close(struct cdn_running *running);

/* ----- Events (loop.c) ---------------------------------------------------- */

CDN_MUST_USE int cdn_loop_open(struct cdn_running *running,
    struct cordon_error *err);
/* The command runs: what can be watched only now. */
CDN_MUST_USE int cdn_loop_started(struct cdn_running *running,
    struct cordon_error *err);
/* Handles what is ready.  timeout_ms -1: waits for something. */
void cdn_loop_step(struct cdn_running *running, int timeout_ms);
/* Something of ours failed: everybody ends, the run becomes this error. */
void cdn_loop_fail(struct cdn_running *running, int code,
    const struct cordon_error *err);
void cdn_loop_kill(struct cdn_running *running);
void cdn_loop_close(struct cdn_running *running);

/* ----- The terminal (foreground.c) ----------------------------------------- */

/* The command runs. */
void cdn_foreground_started(struct cdn_running *running);
/* It was stopped: it wanted the terminal, or the caller stops, too. */
void cdn_foreground_stopped(struct cdn_running *running);
/* SIGCONT came, for any reason. */
void cdn_foreground_continued(struct cdn_running *running);
void cdn_foreground_relay(struct cdn_running *running);
/* The user's terminal is as it was, with all of the output. */
void cdn_foreground_end(struct cdn_running *running);

/* ----- The outcome (result.c) --------------------------------------------- */

CDN_MUST_USE int cdn_result_build(struct cdn_running *running,
    struct cdn_run_result *ret, struct cordon_error *err);

#endif
