#include "enforce/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "enforce/sys/landlock.h"
#include "enforce/sys/seccomp.h"

#define SECCOMP_SET_MODE_FILTER	 1U
#define SECCOMP_GET_ACTION_AVAIL 2U

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

static void
probe_seccomp(struct cdn_host *host)
{
	host->seccomp_filter = action_known(CDN_SECCOMP_ERRNO);
	host->seccomp_notify = action_known(CDN_SECCOMP_NOTIFY) &&
	    flag_known(CDN_SECCOMP_NEW_LISTENER);
	host->notify_wait_killable = host->seccomp_notify &&
	    flag_known(CDN_SECCOMP_NEW_LISTENER | CDN_SECCOMP_WAIT_KILLABLE);
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

void
cdn_host_probe(struct cdn_host *ret)
{
	*ret = (struct cdn_host){
		.landlock_abi = cdn_sys_landlock_abi(),
		.landlock_errata = cdn_sys_landlock_errata(),
		.yama_scope = probe_yama(),
		.privileged = geteuid() == 0,
	};
	probe_seccomp(ret);
	probe_kernel(ret);
}
