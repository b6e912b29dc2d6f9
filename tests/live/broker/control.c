/*
 * The control of the races: a handler that looks first and lets the kernel go
 * on then.  It is what nobody should write, and the same races get through it.
 */
#include "races.h"

#include "enforce/broker/call.h"

static void
look_then_go_on(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	char path[CDN_PATH_MAX + 1];
	struct cdn_object object;
	int r = cdn_call_path(call, args[1], path);

	if (r >= 0)
		r = cdn_object_find(call, (int)args[0], path, 0, &object);
	if (r == 0) {
		r = cdn_call_judge(call, CORDON_READ, &object);
		cdn_object_done(&object);
	}
	answer->kind = r < 0 ? CDN_ANSWER_ERROR : CDN_ANSWER_CONTINUE;
	answer->error = -r;
}

/* The real handler, whose going on needs a domain that is missing then. */
static bool writing;

/* In place of the one in dispatch.c. */
cdn_handler_fn *
cdn_handler_find(int nr, const char **ret_name)
{
	*ret_name = "control";
	if (nr == SYS_execve)
		return cdn_handle_exec;
	if (nr == SYS_openat && writing)
		return cdn_handle_open;
	return nr == SYS_openat ? look_then_go_on : NULL;
}

static long leaks;

static void
check(const char *what, struct race_result result)
{
	printf("# %s: %ld leaks, %ld opened\n", what, result.leaks,
	    result.good);
	ok_f(result.good > 0, "%s is changed, and was opened", what);
	leaks += result.leaks;
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	race_all(tries(20000), check);
	ok_f(leaks > 0, "looking first leaks %ld times", leaks);
	leaks = 0;
	writing = true;
	check("a path to write to", race_write(tries(20000), true));
	ok_f(leaks > 0, "going on without a domain leaks %ld times", leaks);
	return done_testing();
}
