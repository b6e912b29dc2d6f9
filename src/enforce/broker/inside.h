/*
 * inside - of struct cdn_broker; for this room only.
 *
 *	launch thread --makes--> first worker --makes--> workers
 *
 * The memory belongs to all of them and to the caller: who leaves last frees
 * it, because a worker may hang in the kernel when the caller closes.
 */
#ifndef CDN_BROKER_INSIDE_H
#define CDN_BROKER_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <sys/socket.h>

#include "enforce/broker/answering.h"
#include "enforce/broker/call.h"

enum cdn_broker_state {
	CDN_BROKER_NEW, /* the launch thread waits for an order */
	CDN_BROKER_ORDERED,
	CDN_BROKER_STARTED, /* it has carried it out */
	CDN_BROKER_CLOSING,
};

/* Behind the file of a socket. */
enum cdn_listener {
	CDN_LISTENER_NOBODY,
	CDN_LISTENER_OWN,   /* a socket that the run bound */
	CDN_LISTENER_OTHER, /* or nobody knows */
};

/*
 * A run and all that lie inside of it, and in those: they change names in the
 * same directories.  Goes with the last of them.
 */
struct cdn_family {
	pthread_mutex_t telling; /* of denials */
	pthread_mutex_t naming;	 /* directories made, anything renamed */
	atomic_bool made_part; /* of a repository, where there was none */
	pthread_mutex_t mutex;	 /* for what follows */
	unsigned holders;
	struct cdn_broker *first;
};

struct cdn_broker {
	struct cdn_broker_spec spec;
	pthread_t launcher;
	int ruleset; /* -1: none, or done with; -2: nobody has said so yet */
	int listener;
	int stop_fd; /* eventfd: readable when all are to leave */
	int root_fd; /* O_PATH of / */
	int fds_fd;  /* O_PATH of /proc/self/fd */
	dev_t proc_dev;
	int gate; /* epoll: for whoever does not wait at the listener itself */
	bool keyless; /* the launch thread has an empty session keyring */

	pthread_mutex_t mutex; /* for what follows */
	pthread_cond_t changed;
	enum cdn_broker_state state; /* the launch thread looks without it */
	int error; /* of the launch thread, when it could not be confined */
	/* It waits for the first call: nobody has anything to tell. */
	bool quiet;
	unsigned holders; /* of this memory */
	unsigned threads; /* workers */
	unsigned idle;	  /* of them */
	bool fronted;	  /* one of these waits at the listener: worker.c */
	bool gate_open;	  /* or was, before it told somebody */
	struct cdn_answering answering;
	unsigned slow;	  /* calls that wait for somebody else */
	struct {
		struct cdn_offer *where;
		int (*start)(void *arg);
		void *arg;
		sigset_t mask;
		int result;
	} order;

	/*
	 * Terminals that the run made: O_PATH of /dev/pts/N, each of which
	 * loses its name when it is gone, before the number is given away
	 * again.
	 */
	pthread_mutex_t making;
	int terminals[CDN_BROKER_TERMINALS];
	size_t terminal_count;
	uint32_t sockets[CDN_BROKER_SOCKETS]; /* their numbers; a ring */
	size_t socket_count; /* ever bound */

	pthread_mutex_t receiving; /* one at a time, so that none gets stuck */
	pthread_mutex_t asking;	   /* for spaces->sockets_fd */
	pthread_mutex_t leaving;   /* UDP: a socket gets a port, or none */
	/* Processes of the run may share a file descriptor table (message.c);
	 * once set, never cleared.  Atomic. */
	bool tables_shared;
	struct cdn_family *family;
	struct cdn_broker *next; /* of the family */

	/* Who reads holds what the spec points to. */
	pthread_rwlock_t judging;
	bool *left; /* for each region: what was there is elsewhere */
	bool closed; /* it is the caller's again */
};

/* ----- worker.c ---------------------------------------------------------------- */

/* Two paths, an object and a status fit in it twice. */
#define CDN_BROKER_STACK (256UL * 1024UL)

/* A thread that answers calls, made by one that is confined.  -errno. */
int cdn_worker_start(struct cdn_broker *broker);
/*
 * The launch thread's part.  Before the start: all that the first answer needs.
 * Behind it: waits for the first call and has a worker for it; true when there
 * will be no more calls.  Itself it does nothing that may hang, unless there is
 * no other thread to be had.  When there was no call (broker->quiet) nobody else
 * ever knew of the listener, and it is gone on return.
 */
CDN_MUST_USE int cdn_worker_prepare(struct cdn_broker *broker);
CDN_MUST_USE bool cdn_worker_attend(struct cdn_broker *broker);
/* The caller's part: waits for the child's offer and takes it. */
void cdn_worker_take(struct cdn_broker *broker, struct cdn_offer *where);
/*
 * Behind the start of a child that shared our descriptors: its listener is
 * there.  Returns r, or -errno: nobody will answer.
 */
CDN_MUST_USE int cdn_worker_have(struct cdn_broker *broker, int r);
/* A holder less; the last one frees it. */
void cdn_broker_leave(struct cdn_broker *broker);

/* ----- family.c ---------------------------------------------------------------- */

/* Of the outer one, or a new one.  0 or -ENOMEM. */
CDN_MUST_USE int cdn_family_join(struct cdn_broker *broker);
void cdn_family_leave(struct cdn_broker *broker);

/* ----- region.c ---------------------------------------------------------------- */

/* Is this path held by Landlock?  By who holds `judging`. */
bool cdn_broker_is_native(const struct cdn_broker *broker, cdn_str path);

/* ----- pty.c ------------------------------------------------------------------- */

/* This master, and so its other end, belongs to the run.  0 or -errno. */
CDN_MUST_USE int cdn_pty_made(struct cdn_call *call, int master);
/* A terminal that the run made, or the caller's own. */
bool cdn_pty_is_own(struct cdn_call *call, const struct cdn_object *object);
/* At the end of all. */
void cdn_pty_done(struct cdn_broker *broker);

/* ----- own_socket.c ------------------------------------------------------------ */

/* fd: a socket that the run binds.  There is no harm if it is not bound. */
void cdn_own_socket_add(struct cdn_call *call, int fd);
/* Who would answer, if the object is a socket; nobody else ever will. */
enum cdn_listener cdn_listener_of(struct cdn_call *call,
    const struct cdn_object *object);

/* ----- slow.c ------------------------------------------------------------------ */

/*
 * Of the kernel: the call begins anew, or is EINTR, as the handler was asked
 * for.  An answer for somebody who has a signal, else he would see it.
 */
#define CDN_ERESTARTSYS 512

/* As openat(2) on our descriptor, for what waits for the other end. */
CDN_MUST_USE int cdn_slow_open(struct cdn_call *call,
    const struct cdn_object *object, int flags);
/* As connect(2), for one that waits; the address may name held, or -1. */
CDN_MUST_USE int cdn_slow_connect(struct cdn_call *call, int fd, int held,
    const struct sockaddr *address, socklen_t size);
/* Around anything else that takes time; -ENFILE: there are too many. */
CDN_MUST_USE int cdn_slow_begin(struct cdn_call *call);
void cdn_slow_end(struct cdn_call *call);

#endif
