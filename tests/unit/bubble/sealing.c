/*
 * What is sealed beside us: a device and a program are the same ones, nobody
 * changes them through what was made, and nothing of it is left at the end.
 */
#include "enforce/bubble/sealing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"

#define PROGRAM "/bin/sh"
#define FDS_MAX 256

static int
count_fds(void)
{
	int n = 0;

	for (int i = 0; i < FDS_MAX; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

static bool
has_child(void)
{
	return waitpid(-1, NULL, __WALL | WNOHANG) >= 0 || errno != ECHILD;
}

static bool
is_read_only(int fd)
{
	struct statvfs system;

	return fstatvfs(fd, &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
}

static bool
is_same(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	    x.st_ino == y.st_ino;
}

/* A descriptor that is sealed, closes at exec and is none of the first. */
static bool
is_sealed(int fd, int of)
{
	return fd > 2 && fd != of && is_same(fd, of) && is_read_only(fd) &&
	    fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static void
test_devices(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int program = open(PROGRAM, O_RDONLY | O_CLOEXEC);
	int before = count_fds();
	struct cdn_sealing s;
	int fds[3] = { zero, null, null };
	int taken[3];

	cdn_sealing_open(&s, PROGRAM);
	cdn_sealing_begin(&s, fds);
	cdn_sealing_await(&s);
	for (int i = 0; i < 3; i++)
		taken[i] = cdn_sealing_take(&s, i, fds[i]);
	ok(is_same(s.program_fd, program) && is_read_only(s.program_fd),
	    "the program is sealed");
	ok(is_sealed(taken[0], zero) && is_sealed(taken[1], null),
	    "and so are the devices");
	ok(taken[1] == taken[2], "one that is given twice is one open file");
	ok((fcntl(taken[0], F_GETFL) & O_ACCMODE) == O_RDONLY &&
	    (fcntl(taken[1], F_GETFL) & O_ACCMODE) == O_RDWR,
	    "each is open as it was");
	ok(fchmod(taken[1], 0666) != 0, "its mode cannot be changed");
	cdn_sealing_close(&s);
	ok(count_fds() == before && !has_child(), "nothing is left of it");
	cdn_sealing_close(&s);
	ok(count_fds() == before, "nor when it is closed again");
	close(null);
	close(zero);
	close(program);
}

/* What has no name is given as it is; so is what another one stands for now. */
static void
test_others(void)
{
	int before = count_fds(), ends[2], null, zero;
	struct cdn_sealing s;
	int fds[3];

	if (!ok(pipe2(ends, O_CLOEXEC) == 0, "a pipe"))
		return;
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	fds[0] = null;
	fds[1] = ends[1];
	fds[2] = -1;
	cdn_sealing_open(&s, PROGRAM);
	cdn_sealing_begin(&s, fds);
	cdn_sealing_await(&s);
	ok(cdn_sealing_take(&s, 1, ends[1]) == ends[1], "a pipe stays");
	ok(cdn_sealing_take(&s, 0, zero) == zero,
	    "another device under that number is not taken for the first");
	cdn_sealing_close(&s);
	close(null);
	close(zero);
	close(ends[0]);
	close(ends[1]);
	ok(count_fds() == before && !has_child(), "nothing is left");
}

static void
test_early_end(void)
{
	int before = count_fds();
	int fds[3] = { -1, -1, -1 };
	struct cdn_sealing s;

	cdn_sealing_open(&s, PROGRAM);
	cdn_sealing_begin(&s, fds);
	cdn_sealing_close(&s);
	ok(count_fds() == before && !has_child(),
	    "closed while it is at work: nothing is left");
	cdn_sealing_open(&s, "/nonexistent");
	cdn_sealing_begin(&s, fds);
	cdn_sealing_await(&s);
	ok(s.program_fd < 0, "a program that is not there is none");
	cdn_sealing_close(&s);
	ok(count_fds() == before && !has_child(), "nothing is left");
}

/* What is opened beside us would be taken for one of the first three. */
static void
test_closed_input(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int kept = fcntl(0, F_DUPFD_CLOEXEC, 3);
	const int fds[3] = { null, null, null };
	struct cdn_sealing s;

	cdn_sealing_open(&s, PROGRAM);
	close(0);
	cdn_sealing_begin(&s, fds);
	ok(!has_child(), "without a standard input nobody begins early");
	cdn_sealing_await(&s);
	ok(cdn_sealing_take(&s, 0, null) == null && fcntl(0, F_GETFD) < 0,
	    "and nothing is taken");
	cdn_sealing_close(&s);
	(void)!dup2(kept, 0);
	close(kept);
	close(null);
}

/* Where somebody guards user namespaces it does not work at all. */
static bool
can_seal(void)
{
	const int fds[3] = { -1, -1, -1 };
	struct cdn_sealing s;
	bool can;

	cdn_sealing_open(&s, PROGRAM);
	cdn_sealing_begin(&s, fds);
	cdn_sealing_await(&s);
	can = s.program_error == 0;
	cdn_sealing_close(&s);
	return can;
}

int
main(void)
{
	if (can_seal())
		test_devices();
	else
		skip("no mount can be made here");
	test_others();
	test_early_end();
	test_closed_input();
	return done_testing();
}
