#include "enforce/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "enforce/host/deep.h"
#include "enforce/host/hook.h"
#include "enforce/sys/landlock.h"
#include "enforce/sys/seccomp.h"

#define SECCOMP_SET_MODE_FILTER	 1U
#define SECCOMP_GET_ACTION_AVAIL 2U
#define USER_NS_INITIAL		 4026531837U /* PROC_USER_INIT_INO */

/* Does the kernel know this answer of a filter? */
static bool
action_known(uint32_t action)
{
	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* A known flag fails on the missing program, an unknown one before it. */
static bool
flag_known(unsigned flag)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flag, NULL) < 0 &&
	    errno == EFAULT;
}

/*
 * Nobody else's filter, and a kernel that is newer than what the broker needs:
 * then there is nothing to try.  Otherwise a listener may be refused although
 * the kernel knows it: there can be only one.
 */
static bool
listener_works(struct cdn_host *host)
{
	int r;

	if (host->notify_wait_killable && !host->seccomp_filtered)
		return true;
	r = cdn_deep_listener();
	host->notify_taken = r == -EBUSY;
	return r == 0;
}

/* Who knows the newest of it, since 5.19, knows the rest, since 5.0. */
static void
probe_seccomp(struct cdn_host *host)
{
	bool newest =
	    flag_known(CDN_SECCOMP_NEW_LISTENER | CDN_SECCOMP_WAIT_KILLABLE);

	host->notify_wait_killable = newest;
	host->seccomp_filter = newest || action_known(CDN_SECCOMP_ERRNO);
	host->seccomp_filtered = prctl(PR_GET_SECCOMP) != 0;
	host->seccomp_notify = (newest || (action_known(CDN_SECCOMP_NOTIFY) &&
		flag_known(CDN_SECCOMP_NEW_LISTENER))) && listener_works(host);
	if (!host->seccomp_notify)
		host->notify_wait_killable = false;
}

/* Root of a user namespace is root there only. */
static bool
probe_privileged(void)
{
	struct stat st;

	return geteuid() == 0 && stat("/proc/self/ns/user", &st) == 0 &&
	    st.st_ino == USER_NS_INITIAL;
}

/* "6.18.44-x" -> 6 and 18; what is no number counts as 0. */
static void
probe_kernel(struct cdn_host *host)
{
	struct utsname name;
	char *end;

	if (uname(&name) != 0)
		return;
	host->kernel_major = (unsigned)strtoul(name.release, &end, 10);
	if (*end == '.')
		host->kernel_minor = (unsigned)strtoul(end + 1, NULL, 10);
}

/* A single digit; no file, no Yama. */
static int
probe_yama(void)
{
	cdn_cleanup_fd int fd = open("/proc/sys/kernel/yama/ptrace_scope",
	    O_RDONLY | O_CLOEXEC);
	char digit;

	if (fd < 0 || read(fd, &digit, 1) != 1 || digit < '0' || digit > '9')
		return 0;
	return digit - '0';
}

/* Without what a test makes up. */
static void
probe(struct cdn_host *host)
{
	*host = (struct cdn_host){
		.landlock_abi = cdn_sys_landlock_abi(),
		.landlock_errata = cdn_sys_landlock_errata(),
		.yama_scope = probe_yama(),
		.privileged = probe_privileged(),
	};
	probe_seccomp(host);
	probe_kernel(host);
}

void
cdn_host_probe(struct cdn_host *ret)
{
	int error = errno;

	probe(ret);
	cdn_hook_host(ret);
	errno = error;
}

void
cdn_host_probe_userns(struct cdn_host *host)
{
	cdn_deep_userns(host);
	cdn_hook_host(host);
}

void
cdn_host_probe_all(struct cdn_host *ret)
{
	int error = errno;

	probe(ret);
	cdn_deep_probe(ret);
	cdn_hook_host(ret);
	errno = error;
}
