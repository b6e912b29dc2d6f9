/*
 * Calls that no run may make, and tracing a process outside of the run.  The
 * filter, or Landlock, would refuse them as well, but then the attempt would
 * leave no event.  Nothing is read from the caller's memory, so there is
 * nothing to race with.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <linux/kcmp.h>

#include "enforce/broker/inside.h"
#include "enforce/sys/raw.h"

#define FIRST_PROCESS 1

/*
 * Ordinary programs try these and go on without: a browser and bwrap make
 * namespaces, libraries look for a keyring or count cycles.  They are recorded,
 * and not shown in the summary of a run.
 */
static const int routine[] = { SYS_unshare, SYS_clone, SYS_keyctl, SYS_add_key,
	SYS_request_key, SYS_perf_event_open, SYS_userfaultfd };

static bool
is_routine(int nr)
{
	for (size_t i = 0; i < CDN_LEN(routine); i++)
		if (routine[i] == nr)
			return true;
	return false;
}

void
cdn_handle_rare(struct cdn_call *call, struct cdn_call_answer *answer)
{
	call->routine = is_routine(call->notif->data.nr);
	cdn_call_tell_floor(call, "<refused calls>", EPERM);
	cdn_answer_error(answer, -EPERM);
}

/*
 * May we look into it?  The run's processes are in a Landlock domain below ours,
 * and nobody else is.  In a PID namespace the number is not ours, but only
 * processes of the run have one there, and the first, which is cordon's.
 */
static bool
is_outside(const struct cdn_call *call, long pid)
{
	if (call->broker->spec.spaces != NULL)
		return pid == FIRST_PROCESS;
	return cdn_raw(SYS_kcmp, pid, pid, KCMP_VM, 0, 0) == -EPERM;
}

/*
 * CONTINUE is sound: Landlock judges the process that the kernel attaches to,
 * whatever the answer here.  Without Landlock a run is strict.
 */
void
cdn_handle_ptrace(struct cdn_call *call, struct cdn_call_answer *answer)
{
	if (call->broker->spec.strict) {
		cdn_handle_rare(call, answer);
		return;
	}
	if (!is_outside(call, (long)(int)call->notif->data.args[1])) {
		answer->kind = CDN_ANSWER_CONTINUE;
		return;
	}
	cdn_call_tell_floor(call, "<process outside>", EPERM);
	cdn_answer_error(answer, -EPERM);
}
