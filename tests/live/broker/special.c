/*
 * What is not an ordinary file, or not an ordinary moment: terminals, second
 * names, tracing, an open that hangs.
 */
#include "cage.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <termios.h>

static void
begin(struct cage *cage, enum cage_mode mode)
{
	tmp_begin();
	cage_files();
	cage_start(cage, mode);
}

static void
end(struct cage *cage)
{
	(void)cage_stop(cage);
	tmp_end();
}

/* ----- Hard links --------------------------------------------------------------- */

static ino_t denied_ino;

static void
other_names(const struct cdn_question *question, dev_t dev, ino_t ino,
    struct cordon_verdict *verdict, void *arg)
{
	(void)question;
	(void)dev;
	(void)arg;
	if (ino != denied_ino)
		return;
	verdict->allowed = false;
	verdict->decision = CORDON_DENY;
	verdict->matched_rule = "another name";
}

static void
check_links(void)
{
	struct cage cage = { .other_names = other_names };
	struct stat st;

	tmp_begin();
	cage_files();
	tmp_hardlink("w/secrets/s", "w/pub/second");
	tmp_hardlink("w/pub/a", "w/pub/b");
	stat(tmp_path("w/secrets/s"), &st);
	denied_ino = st.st_ino;
	cage_start(&cage, CAGE_C);
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/pub/second"));
	ok_f(cage_says(&cage, "errno 13") &&
	    strcmp(cage.rule, "another name") == 0,
	    "a second name of what is denied: %s", cage.answer);
	(void)cage_ask(&cage, "open 1 0 %s", tmp_path("w/pub/second"));
	ok_f(cage_says(&cage, "errno 13"), "and for writing: %s", cage.answer);
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/pub/b"));
	ok_f(cage_says(&cage, "mode 100644"), "of what is not: %s",
	    cage.answer);
	end(&cage);
}

/* ----- Tracing ------------------------------------------------------------------- */

static void
check_trace(void)
{
	struct cage cage = { .trace = true };

	begin(&cage, CAGE_C);
	(void)cage_ask(&cage, "open 1 0 %s", tmp_path("w/open/a"));
	ok_f(cage_says(&cage, "mode 100644"), "traced: %s", cage.answer);
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("out/o"));
	ok_f(cage_says(&cage, "errno 13") && cage.denials == 1,
	    "a refusal is seen: %s", cage.answer);
	end(&cage);
}

/* ----- Terminals ----------------------------------------------------------------- */

static void
check_pts(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int other = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int foreign[1];
	struct cage cage = { .foreign_pts = foreign, .foreign_pts_count = 1 };
	char own[64], name[64];
	unsigned n = 0;

	if (master < 0 || other < 0 || unlockpt(master) != 0 ||
	    unlockpt(other) != 0 || ptsname_r(master, name, sizeof(name)) ||
	    ptsname_r(other, own, sizeof(own)) || access(name, R_OK) != 0) {
		skip("no terminals here");
		return;
	}
	(void)ioctl(master, TIOCGPTN, &n);
	foreign[0] = (int)n;
	begin(&cage, CAGE_C);
	(void)cage_ask(&cage, "open 2 0 %s", name);
	ok_f(cage_says(&cage, "errno 13"), "a terminal of others: %s",
	    cage.answer);
	(void)cage_ask(&cage, "open 2 0 %s", own);
	ok_f(cage_says(&cage, "mode 20"), "one that is new: %s", cage.answer);
	end(&cage);
	close(master);
	close(other);
}

/* In a session of its own with a terminal, which /dev/tty is for the caller. */
static int
in_session(void *arg)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;
	struct cage cage = { 0 };
	bool good;

	(void)arg;
	if (setsid() < 0 || master < 0 || unlockpt(master) != 0 ||
	    (slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY)) < 0 ||
	    ioctl(slave, TIOCSCTTY, 0) != 0)
		return 2;
	begin(&cage, CAGE_C);
	(void)cage_ask(&cage, "open 2 0 /dev/tty");
	good = cage_says(&cage, "mode 20666");
	(void)cage_ask(&cage, "keep 2 /dev/tty");
	(void)cage_ask(&cage, "write 3 typed");
	good = good && cage_says(&cage, "wrote 5") &&
	    read(master, cage.answer, 5) == 5 &&
	    memcmp(cage.answer, "typed", 5) == 0;
	end(&cage);
	return good ? 0 : 1;
}

/* The caller has a session and a terminal that are not ours. */
static void
check_his_tty(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct cage cage = { 0 };
	char name[64], data[8] = "";

	if (master < 0 || unlockpt(master) != 0 ||
	    ptsname_r(master, name, sizeof(name)) != 0) {
		skip("no terminals here");
		return;
	}
	begin(&cage, CAGE_C);
	(void)cage_ask(&cage, "setsid");
	(void)cage_ask(&cage, "keep 2 %s", name);
	(void)cage_ask(&cage, "ctty 3");
	ok_f(cage_says(&cage, "terminal"), "a terminal of his own: %s",
	    cage.answer);
	(void)cage_ask(&cage, "keep 2 /dev/tty");
	ok_f(cage_says(&cage, "fd 4"), "is /dev/tty for him: %s", cage.answer);
	(void)cage_ask(&cage, "write 4 typed");
	ok(read(master, data, 5) == 5 && memcmp(data, "typed", 5) == 0,
	    "and what he writes to it arrives there");
	end(&cage);
	close(master);
}

static void
check_tty(void)
{
	int r = tmp_child(in_session, NULL, false);

	if (r == 2)
		skip("no terminals here");
	else
		ok_f(r == 0, "/dev/tty is the caller's: %d", r);
}

/* ----- An open that hangs ------------------------------------------------------------ */

/* Whoever opens it for writing waits until we give the lease up. */
static int
lease(const char *name)
{
	int fd = open(tmp_path(name), O_RDONLY | O_CLOEXEC);

	signal(SIGIO, SIG_IGN);
	if (fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
		return fd;
	close(fd);
	return -1;
}

static void
check_hanging(bool all)
{
	struct cage cage = { 0 };
	struct timespec from, to;
	int fd, n = all ? 8 : 1, good = 0;
	long ms;

	begin(&cage, CAGE_C);
	fd = lease("w/pub/a");
	if (fd < 0) {
		skip("no leases here");
		end(&cage);
		return;
	}
	for (int i = 0; i < n; i++)
		(void)cage_ask(&cage, "late 1 %s", tmp_path("w/pub/a"));
	for (int i = 0; i < 20; i++) {
		(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/ro/a"));
		good += cage_says(&cage, "mode 100644");
	}
	ok_f(good == 20, "%d hang, others are answered %d times", n, good);
	clock_gettime(CLOCK_MONOTONIC, &from);
	cage_close(&cage);
	clock_gettime(CLOCK_MONOTONIC, &to);
	ms = (to.tv_sec - from.tv_sec) * 1000 +
	    (to.tv_nsec - from.tv_nsec) / 1000000;
	ok_f(ms < 10000, "and the end does not wait for it: %ld ms", ms);
	fclose(cage.to);
	fclose(cage.from);
	waitpid(cage.pid, NULL, __WALL);
	close(fd); /* they come back, and nothing that they borrowed is there */
	ok_f(cage_threads_left() == 1, "then no thread is left: %d",
	    cage_count_threads());
	tmp_end();
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_tty();
	check_his_tty();
	check_links();
	check_trace();
	check_pts();
	check_hanging(false);
	check_hanging(true);
	return done_testing();
}
