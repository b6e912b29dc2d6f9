/*
 * The control of swaps.c: brokers that let the kernel send by a unix socket, and
 * each of which forgets one thing that message.c looks at.  The same swaps get
 * through them.
 */
#include "swaps.h"

#include "enforce/broker/address.h"

/* ----- How not to do it ------------------------------------------------------- */

static enum forgets {
	FORGETS_THREADS,  /* others of the process */
	FORGETS_CLONES,	  /* processes that share descriptors */
	FORGETS_THE_PAST, /* it may have changed before the threads ended */
} forgets;

static bool
is_unix(struct cdn_call *call)
{
	struct cdn_socket socket;
	bool is;

	if (cdn_socket_take(call, (int)call->notif->data.args[0], &socket) < 0)
		return false;
	is = socket.domain == AF_UNIX;
	cdn_socket_done(&socket);
	return is;
}

static void
look_to_send(struct cdn_call *call, struct cdn_call_answer *answer)
{
	if (forgets != FORGETS_CLONES && is_unix(call) &&
	    (forgets == FORGETS_THREADS || cdn_call_is_single(call)))
		answer->kind = CDN_ANSWER_CONTINUE;
	else
		cdn_handle_sendmsg(call, answer);
}

static void
let_clone(struct cdn_call *call, struct cdn_call_answer *answer)
{
	(void)call;
	answer->kind = CDN_ANSWER_CONTINUE;
}

/* In place of dispatch.c. */
cdn_handler_fn *
cdn_handler_find(int nr, const char **ret_name)
{
	*ret_name = "control";
	switch (nr) {
	case SYS_execve:
		return cdn_handle_exec;
	case SYS_openat:
		return cdn_handle_open;
	case SYS_socket:
		return cdn_handle_socket;
	case SYS_sendmsg:
		return look_to_send;
	case SYS_clone:
		return let_clone;
	default:
		return NULL;
	}
}

/* ----- It leaks --------------------------------------------------------------- */

#define ROUNDS 200 /* far more than it takes */

static void
check(enum forgets what, const char *who, const char *title)
{
	struct swap_result result = { 0, 0, 0 };

	forgets = what;
	for (int i = 0; i < ROUNDS && result.leaks == 0; i++)
		result = swap_run(who, 2000);
	ok_f(result.leaks > 0, "%s: %ld leaks, %ld good", title, result.leaks,
	    result.good);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check(FORGETS_THREADS, "thread", "threads are forgotten");
	check(FORGETS_CLONES, "process", "processes are forgotten");
	check(FORGETS_THE_PAST, "brief", "threads that ended are forgotten");
	return done_testing();
}
