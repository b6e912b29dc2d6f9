/*
 * Family 4: namespaces, mounts, privileges.  Outside, what changes mounts does
 * so in a namespace of its own; what could change the host is only opened.
 */
#include "escape.h"

#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* <sys/mount.h> and <linux/mount.h> do not go together everywhere. */
extern int mount(const char *from, const char *to, const char *type,
    unsigned long flags, const void *data);
extern int umount2(const char *at, int flags);

#define BIND	4096UL
#define REC	16384UL
#define REMOUNT 32UL

static const char *
spot(void)
{
	const char *path = text("%s/mnt", scratch);

	(void)mkdir(path, 0755);
	return path;
}

static int
user_namespace(void)
{
	return unshare(CLONE_NEWUSER | CLONE_NEWNS);
}

static int
bind_mount(void)
{
	if (mount(unreadable, spot(), NULL, BIND, NULL) != 0)
		return -1;
	return leaks(open(text("%s/secret", spot()), O_RDONLY));
}

static int
bind_all(void)
{
	if (mount(unreadable, spot(), NULL, BIND | REC, NULL) != 0)
		return -1;
	return leaks(open(text("%s/secret", spot()), O_RDONLY));
}

static int
unmount(void)
{
	if (mount("none", spot(), "tmpfs", 0, NULL) != 0)
		return -1;
	return umount2(spot(), 2);
}

static int
tree_of(void)
{
	int fd = (int)syscall(SYS_open_tree, AT_FDCWD, unreadable,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	return fd < 0 ? -1 : leaks(openat(fd, "secret", O_RDONLY));
}

static int
overlay(void)
{
	if (mount("none", spot(), "overlay", 0, text("lowerdir=%s:%s",
	    unreadable, scratch)) != 0)
		return -1;
	return leaks(open(text("%s/secret", spot()), O_RDONLY));
}

static int
remount(void)
{
	return mount("none", "/", NULL, BIND | REMOUNT, NULL);
}

static int
clone3_user(void)
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal,
		    stack, stack_size, tls;
	} args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		_exit(0);
	return pid < 0 ? -1 : had(waitpid((pid_t)pid, NULL, 0));
}

/* The victim's: it is the host's own. */
static int
enter(void)
{
	int fd = open(text("/proc/%s/ns/mnt", fact("victim")), O_RDONLY);

	return fd < 0 ? -1 : setns(fd, CLONE_NEWNS);
}

static int
new_filesystem(void)
{
	return had(syscall(SYS_fsopen, "tmpfs", 0));
}

static int
mount_attributes(void)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NODIRATIME };

	return had(syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attr,
	    sizeof(attr)));
}

/* With this set no program can give more than one has. */
static int
new_privileges(void)
{
	errno = EPERM;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ? 0 : -1;
}

static int
set_user_id(void)
{
	int fd = make(text("%s/program", scratch), "x");

	return fd < 0 ? -1 : fchmod(fd, 04755);
}

/* ----- Capabilities ------------------------------------------------------ */

static int
capability_line(const char *key)
{
	char line[256];
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			caps = strtoull(line + strlen(key), NULL, 16);
	if (file != NULL)
		fclose(file);
	errno = EPERM;
	return caps != 0 ? 0 : -1;
}

static int
effective(void)
{
	return capability_line("CapEff:");
}

static int
permitted(void)
{
	return capability_line("CapPrm:");
}

static int
ambient(void)
{
	struct __user_cap_header_struct head = {
		_LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) != 0)
		return -1;
	data[0].inheritable |= 1U << CAP_CHOWN;
	if (syscall(SYS_capset, &head, data) != 0)
		return -1;
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_CHOWN, 0, 0);
}

/* ----- The system -------------------------------------------------------- */

static int
device_node(void)
{
	return mknod(text("%s/device", scratch), S_IFBLK | 0600, 0x0700);
}

/* Opened for writing, nothing is written. */
static int
first_writable(const char *const *paths)
{
	for (; *paths != NULL; paths++)
		if (open(*paths, O_WRONLY | O_CLOEXEC) >= 0)
			return 0;
	return -1;
}

static int
system_files(void)
{
	static const char *const paths[] = { "/proc/sys/kernel/core_pattern",
		"/proc/sys/vm/drop_caches", "/proc/sysrq-trigger",
		"/proc/sys/fs/binfmt_misc/register", "/sys/kernel/mm/ksm/run",
		"/sys/power/state", NULL };

	return first_writable(paths);
}

static int
own_cgroup(void)
{
	char line[512] = "";
	FILE *file = fopen("/proc/self/cgroup", "re");
	const char *paths[3] = { "/sys/fs/cgroup/cgroup.procs", NULL, NULL };

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "0::", 3) == 0) {
			line[strcspn(line, "\n")] = '\0';
			paths[1] = text("/sys/fs/cgroup%s/cgroup.procs",
			    line + 3);
		}
	if (file != NULL)
		fclose(file);
	return first_writable(paths);
}

static int
change_root(void)
{
	return chroot(scratch);
}

static int
performance(void)
{
	unsigned char attr[128] = { 1, 0, 0, 0, 112 }; /* software, size */

	attr[8] = 1; /* task clock */
	attr[40] = 1 << 5 | 1 << 6; /* not the kernel, not a hypervisor */
	return had(syscall(SYS_perf_event_open, attr, 0, -1, -1, 0));
}

static int
bpf_map(void)
{
	uint32_t attr[32] = { 2, 4, 8, 1 }; /* an array of one */

	return had(syscall(SYS_bpf, 0, attr, sizeof(attr)));
}

static int
page_faults(void)
{
	return had(syscall(SYS_userfaultfd, 1)); /* of user space only */
}

/* What the kernel said, the last of it. */
static int
kernel_log(void)
{
	char bytes[256];

	return had(syscall(SYS_syslog, 3, bytes, sizeof(bytes)));
}

const struct probe privileges_probes[] = {
	{ "54", user_namespace, 0 },
	{ "55-bind", bind_mount, MOUNTS },
	{ "55-rbind", bind_all, MOUNTS },
	{ "55-umount", unmount, MOUNTS },
	{ "55-open_tree", tree_of, MOUNTS },
	{ "55-overlay", overlay, MOUNTS },
	{ "56", remount, MOUNTS },
	{ "57", clone3_user, 0 },
	{ "58", enter, 0 },
	{ "59-fsopen", new_filesystem, MOUNTS },
	{ "59-setattr", mount_attributes, MOUNTS },
	{ "60-nnp", new_privileges, 0 },
	{ "60-setuid", set_user_id, 0 },
	{ "61-effective", effective, 0 },
	{ "61-permitted", permitted, 0 },
	{ "62", ambient, 0 },
	{ "63", device_node, 0 },
	{ "64", system_files, 0 },
	{ "65", own_cgroup, 0 },
	{ "66", change_root, 0 },
	{ "67-perf", performance, 0 },
	{ "67-bpf", bpf_map, 0 },
	{ "67-syslog", kernel_log, 0 },
	{ "67-userfaultfd", page_faults, 0 },
	{ NULL, NULL, 0 },
};
