#include "front/mcp/call.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "front/mcp/told.h"

static _Thread_local struct mcp_call *current;

struct mcp_call *
mcp_call_current(void)
{
	return current;
}

static void
write_byte(int fd)
{
	/* A full pipe is as good as one more byte in it. */
	while (write(fd, "", 1) < 0 && errno == EINTR)
		;
}

void
mcp_calls_wake(const struct mcp_calls *calls)
{
	write_byte(calls->wake[1]);
}

void
mcp_calls_woken(struct mcp_calls *calls)
{
	char bytes[256];

	while (read(calls->wake[0], bytes, sizeof(bytes)) > 0)
		;
}

int
mcp_calls_init(struct mcp_calls *calls, struct cordon_error *err)
{
	*calls = (struct mcp_calls){ .wake = { -1, -1 } };
	if (pipe2(calls->wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return cdn_err_sys(err, errno, "failed to make a pipe");
	pthread_mutex_init(&calls->lock, NULL);
	return 0;
}

void
mcp_calls_done(struct mcp_calls *calls)
{
	if (calls->wake[0] < 0)
		return;
	pthread_mutex_destroy(&calls->lock);
	close(calls->wake[0]);
	close(calls->wake[1]);
}

/* ----- One of them ---------------------------------------------------------- */

void
mcp_call_free(struct mcp_call *call)
{
	cordon_tool_result_done(&call->result);
	if (call->cancel[0] > 0) {
		pthread_cond_destroy(&call->told);
		close(call->cancel[0]);
		close(call->cancel[1]);
	}
	free(call->prompt);
	cdn_arena_free(call->arena); /* and with it the call */
}

int
mcp_call_add(struct mcp_calls *calls, struct mcp_call *call,
    struct cordon_error *err)
{
	struct mcp_call **end = &calls->v;
	int code = 0;

	call->all = calls;
	if (calls->count >= CDN_MCP_CALLS_MAX)
		code = cdn_err(err, CORDON_E_SYSTEM,
		    "%d calls are in flight: wait for one of them",
		    CDN_MCP_CALLS_MAX);
	else if (pipe2(call->cancel, O_CLOEXEC) != 0)
		code = cdn_err_sys(err, errno, "failed to make a pipe");
	if (code != 0) {
		call->cancel[0] = 0;
		mcp_call_free(call);
		return code;
	}
	mcp_told_init(&call->told);
	while (*end != NULL)
		end = &(*end)->next;
	*end = call;
	calls->count++;
	return 0;
}

struct mcp_call *
mcp_call_find(struct mcp_calls *calls, cdn_str key)
{
	struct mcp_call *call = calls->v;

	while (call != NULL && (!cdn_str_eq(call->key, key) ||
		call->cancelled))
		call = call->next;
	return call;
}

void
mcp_call_cancel(struct mcp_call *call)
{
	pthread_mutex_lock(&call->all->lock);
	call->cancelled = true;
	if (!call->started)
		call->over = true;
	write_byte(call->cancel[1]);
	pthread_cond_broadcast(&call->told);
	pthread_mutex_unlock(&call->all->lock);
}

/* ----- Threads --------------------------------------------------------------- */

static void
count(unsigned long long done, void *arg)
{
	struct mcp_call *call = arg;

	pthread_mutex_lock(&call->all->lock);
	call->done = done;
	pthread_mutex_unlock(&call->all->lock);
}

static void *
run(void *arg)
{
	struct mcp_call *call = arg;
	const struct cordon_tool_call asked = {
		.size = sizeof(asked),
		.name = call->tool.name,
		.arguments = call->arguments.p,
		.arguments_len = call->arguments.n,
		.cancel_fd = call->cancel[0],
		.progress = count,
		.progress_arg = call,
	};

	current = call;
	pthread_sigmask(SIG_SETMASK, &call->all->mask, NULL);
	call->code = cordon_tools_call(call->all->tools, &asked, &call->result,
	    &call->error);
	pthread_mutex_lock(&call->all->lock);
	call->over = true;
	pthread_mutex_unlock(&call->all->lock);
	mcp_calls_wake(call->all);
	return NULL;
}

static void
start(struct mcp_call *call)
{
	int code = pthread_create(&call->thread, NULL, run, call);

	if (code == 0) {
		call->started = true;
		call->all->running++;
		return;
	}
	call->code = cdn_err_sys(&call->error, code,
	    "failed to start a thread");
	call->over = true;
	mcp_calls_wake(call->all);
}

void
mcp_calls_start(struct mcp_calls *calls, uint64_t now_ms)
{
	for (struct mcp_call *c = calls->v; c != NULL &&
	     calls->running < CDN_MCP_RUNNING_MAX; c = c->next)
		if (!c->started && !c->over) {
			c->begun_ms = c->told_ms = now_ms;
			start(c);
		}
}

struct mcp_call *
mcp_calls_take_over(struct mcp_calls *calls)
{
	struct mcp_call *call;

	for (struct mcp_call **at = &calls->v; *at != NULL;
	     at = &(*at)->next) {
		call = *at;
		pthread_mutex_lock(&calls->lock);
		if (!call->over) {
			pthread_mutex_unlock(&calls->lock);
			continue;
		}
		pthread_mutex_unlock(&calls->lock);
		if (call->started) {
			pthread_join(call->thread, NULL);
			calls->running--;
		}
		*at = call->next;
		calls->count--;
		return call;
	}
	return NULL;
}
