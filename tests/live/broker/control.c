/*
 * The control of the races: a broker that looks first and lets the kernel go on
 * then.  It is what nobody should write, and the same races get through it.
 */
#include "names-races.h"

#include "enforce/broker/call.h"

/* ----- How not to do it -------------------------------------------------------------- */

/* Far more than it takes: ten leaks are enough. */
#define TRIES 200000

static void
go_on(struct cdn_call_answer *answer, int r)
{
	answer->kind = r < 0 ? CDN_ANSWER_ERROR : CDN_ANSWER_CONTINUE;
	answer->error = -r;
}

static int
look(struct cdn_call *call, enum cordon_op op, unsigned how)
{
	const uint64_t *args = call->notif->data.args;
	char path[CDN_PATH_MAX + 1];
	struct cdn_object object;
	int r = cdn_call_path(call, args[1], path);

	if (r >= 0)
		r = cdn_object_find(call, (int)args[0], path, how, &object);
	if (r == 0) {
		r = cdn_call_judge(call, op, &object);
		cdn_object_done(&object);
	}
	return r;
}

static void
look_to_open(struct cdn_call *call, struct cdn_call_answer *answer)
{
	int flags = (int)call->notif->data.args[2];
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	unsigned how = (flags & O_CREAT) != 0 ? CDN_OBJECT_MISSING : 0;

	if ((flags & O_PATH) != 0)
		go_on(answer, 0);
	else
		go_on(answer, look(call, writes ? CORDON_MODIFY :
						  CORDON_READ, how));
}

static void
look_to_change(struct cdn_call *call, struct cdn_call_answer *answer)
{
	go_on(answer, look(call, CORDON_MODIFY, CDN_OBJECT_NOFOLLOW));
}

#ifdef SYS_rename
/* rename(2), link(2): two paths. */
static int
look_at_two(struct cdn_call *call)
{
	enum cdn_compound what = call->notif->data.nr == SYS_rename ?
	    CDN_RENAME : CDN_LINK;
	const uint64_t *args = call->notif->data.args;
	char from[CDN_PATH_MAX + 1], to[CDN_PATH_MAX + 1];
	struct cdn_object object, target;
	int r = cdn_call_path(call, args[0], from);

	if (r >= 0)
		r = cdn_call_path(call, args[1], to);
	if (r >= 0)
		r = cdn_object_find(call, AT_FDCWD, from,
		    CDN_OBJECT_NOFOLLOW, &object);
	if (r < 0)
		return r;
	r = cdn_object_find(call, AT_FDCWD, to, CDN_OBJECT_NOFOLLOW |
		CDN_OBJECT_MISSING, &target);
	if (r == 0) {
		if (what == CDN_RENAME && S_ISDIR(object.mode))
			what = CDN_RENAME_DIR;
		r = cdn_call_judge_pair(call, what, &object, &target);
		cdn_object_done(&target);
	}
	cdn_object_done(&object);
	return r;
}

static void
look_to_move(struct cdn_call *call, struct cdn_call_answer *answer)
{
	go_on(answer, look_at_two(call));
}
#endif

/* ----- In place of dispatch.c ---------------------------------------------------------- */

static cdn_handler_fn *open_with = look_to_open;
#ifdef SYS_rename
static cdn_handler_fn *move_with = cdn_handle_rename;
#endif

/* What the others do to the races is done right. */
cdn_handler_fn *
cdn_handler_find(int nr, const char **ret_name)
{
	*ret_name = "control";
	switch (nr) {
	case SYS_execve:
		return cdn_handle_exec;
	case SYS_openat:
		return open_with;
	case SYS_fchmodat:
	case SYS_unlinkat:
		return look_to_change;
	case SYS_mknodat:
		return cdn_handle_mknod;
	case SYS_renameat2:
		return cdn_handle_rename;
#ifdef SYS_rename
	case SYS_rename:
		return move_with;
	case SYS_link:
		return look_to_move;
	case SYS_symlink:
		return cdn_handle_symlink;
	case SYS_unlink:
		return cdn_handle_unlink;
#endif
	default:
		return NULL;
	}
}

/* ----- It leaks ------------------------------------------------------------------------ */

static void
check(const struct race_result *result)
{
	ok_f(result->leaks > 0, "%s: %ld leaks, %ld good, %ld refused",
	    result->text, result->leaks, result->good, result->refused);
}

#ifdef SYS_rename
static void
check_name(const struct name_race_result *result)
{
	ok_f(result->leaked, "%s: %s", result->text, result->answer);
}
#endif

/* As unchanged.c does it; 0644 is what it was. */
static void
check_mode(void)
{
	struct cage cage = { 0 };
	struct stat st;

	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_C);
	for (int i = 0; i < 5000 && (stat(tmp_path("w/ro/a"), &st) != 0 ||
				      (st.st_mode & 07777) == 0644); i++)
		(void)cage_ask(&cage, "flipchange 5000 %s %s",
		    tmp_path("w/pub/a"), tmp_path("w/ro//a"));
	ok_f((st.st_mode & 07777) == 0711, "the mode of what is denied: %o",
	    st.st_mode & 07777);
	(void)cage_stop(&cage);
	tmp_end();
}

int
main(void)
{
	struct race_result native;

	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	race_each(TRIES, true, check);
	check_mode();
	/* The real one, whose going on needs a domain that is missing then. */
	open_with = cdn_handle_open;
	native = race_until_leak(race_native(), "thread", TRIES);
	check(&native);
#ifdef SYS_rename
	move_with = look_to_move;
	name_race_each(20000, true, check_name);
#endif
	return done_testing();
}
