/*
 * restrict - the calling process itself goes into the cage.
 */
#include "enforce/launch/launch.h"

#include <dirent.h>

#include "enforce/sys/forgo.h"
#include "enforce/sys/seccomp.h"

/* Landlock and the filter hold for one thread: there must be no other. */
static int
check_alone(struct cordon_error *err)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;
	unsigned threads = 0;

	if (dir == NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "/proc is not there, so other threads cannot be seen");
	while ((entry = readdir(dir)) != NULL)
		threads += entry->d_name[0] != '.';
	closedir(dir);
	if (threads == 1)
		return 0;
	return cdn_err(err, CORDON_E_INVALID, "this process has %u threads: "
	    "confine it before they are started", threads);
}

static int
enter(const struct cdn_cage *cage, struct cordon_error *err)
{
	const char *step = "keyring";
	int r = cdn_sys_forgo_keyring();

	if (r == 0) {
		step = "capabilities";
		r = cdn_sys_forgo_capabilities();
	}
	if (r == 0) {
		step = "no_new_privs";
		r = cdn_sys_no_new_privs();
	}
	if (r == 0)
		r = cage->backend->enter(cage, &step);
	return r == 0 ? 0 : cdn_err_sys(err, -r, "%s", step);
}

int
cdn_launch_restrict(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_error *err)
{
	struct cordon_plan *plan = NULL;
	struct cdn_cage *cage = NULL;
	int code = check_alone(err);

	if (code == 0)
		code = cdn_launch_plan_unjudged(session, options, &plan, err);
	if (code == 0)
		code = cdn_launch_accept(plan, err);
	if (code == 0)
		code = cdn_launch_check_state(plan, err);
	if (code == 0)
		code = cdn_backend_native.build(plan->plan, &plan->host, -1,
		    &cage, err);
	if (code == 0) {
		cdn_launch_tell(plan, options);
		code = enter(cage, err);
		cage->backend->free(cage);
	}
	cdn_launch_plan_free(plan);
	return code;
}
