/*
 * execve, execveat.
 *
 * Nobody can do that for somebody else, so what is allowed goes on.  It is a
 * courtesy: he may have changed the path when the kernel reads it.  What must
 * not be executed is held by Landlock; what may be executed but not read, and
 * lies where Landlock cannot tell, is not held at all (the plan reports it).
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <fcntl.h>

static int
judge(struct cdn_call *call, int dirfd, const char *path, int flags)
{
	CDN_UNINITIALIZED struct cdn_object object;
	unsigned how = 0;
	int r;

	if ((flags & AT_SYMLINK_NOFOLLOW) != 0)
		how |= CDN_OBJECT_NOFOLLOW;
	if ((flags & AT_EMPTY_PATH) != 0)
		how |= CDN_OBJECT_EMPTY;
	r = cdn_object_find(call, dirfd, path, how, &object);
	if (r < 0)
		return r;
	r = cdn_call_judge(call, CORDON_EXEC, &object);
	cdn_object_done(&object);
	return r;
}

void
cdn_handle_exec(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	bool at = call->notif->data.nr == SYS_execveat;
	char path[CDN_PATH_MAX + 1];
	int r = cdn_call_path(call, args[at], path);

	if (r >= 0)
		r = judge(call, at ? (int)args[0] : AT_FDCWD, path,
		    at ? (int)args[4] : 0);
	if (r < 0)
		cdn_answer_error(answer, r);
	else
		answer->kind = CDN_ANSWER_CONTINUE;
}
