/*
 * call - calls of tools in flight, each in a thread of its own.
 *
 *	waiting ──► running ──► over        what a thread and the server share
 *	               │                    is guarded by the lock of all calls
 *	               └► asking ► answered
 *
 * The server's own thread starts, cancels, answers and frees them; a thread
 * only calls the tool, and writes a byte to `wake` when there is something to
 * do for it.
 */
#ifndef CDN_MCP_CALL_H
#define CDN_MCP_CALL_H

#include <pthread.h>
#include <signal.h>

#include "front/mcp/answer.h"
#include "front/mcp/state.h"

enum mcp_question {
	MCP_ASKED_NOTHING,
	MCP_ASK_USER,	 /* its thread waits for somebody to be asked */
	MCP_USER_ASKED,
	MCP_USER_ANSWERED,
	MCP_ASK_INPUT,	 /* the newer era: the call ends with the question */
	MCP_ASK_NOBODY,	 /* approval was wanted, and nobody can be asked */
};

struct mcp_calls;

struct mcp_call {
	struct mcp_call *next;
	struct mcp_calls *all;
	struct cdn_arena *arena; /* owns its texts */
	struct mcp_address to;
	cdn_str key;
	struct cordon_tool_info tool;
	cdn_str arguments;
	cdn_str token;	/* of its progress; empty: nobody wants to know */
	bool elicits;	/* its client can ask */
	/* The newer era: what came back to a question of ours. */
	bool answered;
	char answered_digest[MCP_DIGEST];
	bool accepted;

	pthread_t thread;
	bool started;
	int cancel[2]; /* a pipe; readable: stop */
	uint64_t begun_ms, told_ms;

	/* Of both threads: under the lock. */
	bool over;
	bool cancelled;
	unsigned long long done; /* so far, as the tool counts */
	enum mcp_question question;
	char *prompt; /* owned */
	char digest[MCP_DIGEST];
	char own_id[32];
	pthread_cond_t told; /* answered, or cancelled */

	/* When it is over. */
	int code;
	struct cordon_error error;
	struct cordon_tool_result result;
};

struct mcp_calls {
	struct cordon_tools *tools;
	int wake[2]; /* a pipe; -1 before it is made */
	pthread_mutex_t lock;
	sigset_t mask; /* of threads, and so of what they start */
	struct mcp_call *v; /* oldest first */
	size_t count, running;
};

CDN_MUST_USE int mcp_calls_init(struct mcp_calls *calls,
    struct cordon_error *err);
/* There must be none any more. */
void mcp_calls_done(struct mcp_calls *calls);

/* Takes it over, whatever comes of it; CORDON_E_SYSTEM, _NOMEM. */
CDN_MUST_USE int mcp_call_add(struct mcp_calls *calls, struct mcp_call *call,
    struct cordon_error *err);
struct mcp_call *mcp_call_find(struct mcp_calls *calls, cdn_str key);
/* Nothing more will be said about it. */
void mcp_call_cancel(struct mcp_call *call);
/* Starts those that wait while there is room. */
void mcp_calls_start(struct mcp_calls *calls, uint64_t now_ms);
/* Takes out the next one that is over, to be freed; NULL: none is. */
struct mcp_call *mcp_calls_take_over(struct mcp_calls *calls);
void mcp_call_free(struct mcp_call *call);

/* Empties the pipe, after which calls are to be looked at. */
void mcp_calls_woken(struct mcp_calls *calls);

/* approve.c: for cordon_tools_options; called in the thread of a call. */
enum cordon_answer mcp_approve(const struct cordon_approval *approval,
    void *arg);
/* The call of this thread. */
struct mcp_call *mcp_call_current(void);
void mcp_calls_wake(const struct mcp_calls *calls);

#endif
