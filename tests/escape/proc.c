/* Family 3: /proc, descriptors, handles. */
#include "escape.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

/* The runner opened these for us: a secret, and the directory above. */
#define GIVEN_FILE 7
#define GIVEN_DIR  8

static int
victim(void)
{
	return fact_number("victim");
}

static int
read_proc(const char *entry)
{
	return leaks(open(text("/proc/%d/%s", victim(), entry), O_RDONLY));
}

static int
own_root(void)
{
	return leaks(open(text("/proc/self/root%s/secret", unreadable),
	    O_RDONLY));
}

static int
other_root(void)
{
	return read_proc(text("root%s/secret", unreadable));
}

static int
other_cwd(void)
{
	return read_proc("cwd/secret");
}

static int
other_fd(void)
{
	return read_proc(text("fd/%s", fact("victim-fd")));
}

static int
contains(const char *path, const char *word)
{
	char bytes[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	if (n < 0)
		return -1;
	errno = ENODATA;
	return memmem(bytes, (size_t)n, word, strlen(word)) != NULL ? 0 : -1;
}

static int
environment(void)
{
	return contains(text("/proc/%d/environ", victim()), "SECRET");
}

static int
mem_read(void)
{
	int fd = open(text("/proc/%d/mem", victim()), O_RDONLY);
	off_t at = (off_t)strtoull(fact("victim-at"), NULL, 16);

	return fd < 0 || lseek(fd, at, SEEK_SET) < 0 ? -1 : leaks(fd);
}

static int
mem_write(void)
{
	return had(open(text("/proc/%d/mem", victim()), O_RDWR));
}

static int
vm_read(void)
{
	char bytes[8] = "";
	struct iovec here = { bytes, 6 };
	struct iovec there = { NULL, 6 };

	there.iov_base = (void *)strtoul(fact("victim-at"), NULL, 16);
	if (process_vm_readv(victim(), &here, 1, &there, 1, 0) < 0)
		return -1;
	return strcmp(bytes, "SECRET") == 0 ? 0 : -1;
}

static int
vm_write(void)
{
	char bytes[] = "SECRET";
	struct iovec here = { bytes, 6 };
	struct iovec there = { NULL, 6 };

	there.iov_base = (void *)strtoul(fact("victim-at"), NULL, 16);
	return had(process_vm_writev(victim(), &here, 1, &there, 1, 0));
}

static int
command_line(void)
{
	return contains(text("/proc/%d/cmdline", victim()), "escape");
}

static int
maps(void)
{
	return contains(text("/proc/%d/maps", victim()), "escape");
}

/* ----- Descriptors ------------------------------------------------------- */

static int
inherited(void)
{
	return leaks(GIVEN_FILE);
}

static int
opened_again(void)
{
	return had(open(text("/proc/self/fd/%d", GIVEN_FILE), O_RDWR));
}

static int
inherited_directory(void)
{
	return leaks(openat(GIVEN_DIR, "45/secret", O_RDONLY));
}

/* Anything but input, output, errors, and what this function opens. */
static int
others_of_ours(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int found = 0;

	if (dir == NULL)
		return -1;
	while ((entry = readdir(dir)) != NULL)
		found += atoi(entry->d_name) > 2 &&
		    atoi(entry->d_name) != dirfd(dir);
	errno = EBADF;
	return found > 0 ? 0 : -1;
}

/* The caller gave it: the runner's input is a secret. */
static int
given(void)
{
	if (lseek(0, 0, SEEK_SET) < 0)
		return -1;
	return leaks(0);
}

/* A server that hands out descriptors, in a directory that may be used. */
static int
handed_over(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control) };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", fact("hands"));
	if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)) != 0 ||
	    recvmsg(fd, &message, 0) < 0 || message.msg_controllen == 0)
		return -1;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	return leaks(fd);
}

static int
taken(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, victim(), 0);

	return pidfd < 0 ? -1 : had(syscall(SYS_pidfd_getfd, pidfd,
	    fact_number("victim-fd"), 0));
}

static int
by_handle(void)
{
	struct {
		struct file_handle head;
		unsigned char bytes[128];
	} handle = { .head.handle_bytes = sizeof(handle.bytes) };
	int mount;
	int at = open(scratch, O_RDONLY | O_DIRECTORY);

	if (at < 0 || name_to_handle_at(AT_FDCWD, text("%s/secret", unreadable),
	    &handle.head, &mount, 0) != 0)
		return -1;
	return leaks(open_by_handle_at(at, &handle.head, O_RDONLY));
}

const struct probe proc_probes[] = {
	{ "37", own_root, WORKS },
	{ "38-root", other_root, 0 },
	{ "38-cwd", other_cwd, 0 },
	{ "39", other_fd, 0 },
	{ "40", environment, 0 },
	{ "41-read", mem_read, 0 },
	{ "41-write", mem_write, 0 },
	{ "41-readv", vm_read, 0 },
	{ "41-writev", vm_write, 0 },
	{ "42-cmdline", command_line, 0 },
	{ "42-maps", maps, 0 },
	{ "43", inherited, 0 },
	{ "44", opened_again, 0 },
	{ "45", inherited_directory, 0 },
	{ "46", others_of_ours, 0 },
	{ "47", given, 0 },
	{ "48", handed_over, 0 },
	{ "49", taken, 0 },
	{ "50", by_handle, 0 },
	{ NULL, NULL, 0 },
};
