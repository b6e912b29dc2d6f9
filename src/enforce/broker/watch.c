/*
 * inotify_add_watch.
 *
 *	the caller's instance -> find -> judge as reading -> watch
 *
 * Landlock does not cover it: a watch on a directory reports the names that
 * appear there, and one on a file when it is used.  So only what may be read
 * may be watched, and the watch is set on the object that was judged.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "enforce/broker/metadata.h"

struct request {
	int instance; /* the caller's, as a descriptor of ours */
	uint32_t mask;
};

static int
add_watch(const struct request *request, const struct cdn_object *object)
{
	char name[CDN_OWN_NAME_SIZE];
	/* Our name for it is a link to follow, also where it is a symlink. */
	int r = inotify_add_watch(request->instance,
	    cdn_own_name(object->fd, name),
	    request->mask & ~(uint32_t)IN_DONT_FOLLOW);

	return r < 0 ? -errno : r;
}

static int
watch(struct cdn_call *call, const struct request *request, const char *path)
{
	unsigned how = (request->mask & IN_DONT_FOLLOW) != 0 ?
	    CDN_OBJECT_NOFOLLOW : 0;
	CDN_UNINITIALIZED struct cdn_object object;
	int r = cdn_object_find(call, AT_FDCWD, path, how, &object);

	if (r < 0)
		return r;
	r = cdn_call_judge(call, CORDON_READ, &object);
	if (r == 0)
		r = add_watch(request, &object);
	cdn_object_done(&object);
	return r;
}

void
cdn_handle_watch(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	struct request request = { .mask = (uint32_t)args[2] };
	char path[CDN_PATH_MAX + 1];
	int r;

	r = request.instance = cdn_call_fetch(call, (int)args[0]);
	if (r >= 0)
		r = cdn_call_path(call, args[1], path);
	if (r >= 0)
		r = watch(call, &request, path);
	if (request.instance >= 0)
		close(request.instance);
	if (r < 0) {
		cdn_answer_error(answer, r);
		return;
	}
	answer->kind = CDN_ANSWER_VALUE;
	answer->value = r;
}
