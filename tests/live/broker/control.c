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
		r = cdn_call_judge(call, call->notif->data.nr == SYS_openat ?
			CORDON_READ : CORDON_MODIFY, &object);
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
	return nr == SYS_openat || nr == SYS_fchmodat ? look_then_go_on : NULL;
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

/* As unchanged.c does it; 0644 is what it was. */
static void
check_mode(void)
{
	struct cage cage = { 0 };
	struct stat st;

	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_C);
	(void)cage_ask(&cage, "flipchange %lu %s %s", tries(20000),
	    tmp_path("w/pub/a"), tmp_path("w/ro//a"));
	stat(tmp_path("w/ro/a"), &st);
	ok_f((st.st_mode & 07777) == 0711, "the mode of what is denied: %o",
	    st.st_mode & 07777);
	(void)cage_stop(&cage);
	tmp_end();
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
	check_mode();
	leaks = 0;
	writing = true;
	check("a path to write to", race_write(tries(20000), true));
	ok_f(leaks > 0, "going on without a domain leaks %ld times", leaks);
	return done_testing();
}
