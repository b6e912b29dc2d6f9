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

/* A terminal of somebody else's, as its name; the master, or -1. */
static int
make_foreign(char name[64])
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0 || unlockpt(master) != 0 ||
	    ptsname_r(master, name, 64) != 0 || access(name, R_OK) != 0) {
		close(master);
		return -1;
	}
	return master;
}

/* In the cage: its master is descriptor 3 there. */
static int
make_own(struct cage *cage)
{
	int number = -1;

	(void)cage_ask(cage, "keep 2 /dev/ptmx");
	(void)cage_ask(cage, "pts 3");
	return sscanf(cage->answer, "pts %d", &number) == 1 ? number : -1;
}

/* A terminal of that very name: the master, or -1. */
static int
make_named(const char *want)
{
	char name[64];
	int masters[64], n = 0, found = -1;

	while (found < 0 && n < 64 && (masters[n] = make_foreign(name)) >= 0)
		if (strcmp(name, want) == 0)
			found = masters[n];
		else
			n++;
	while (n > 0)
		close(masters[--n]);
	return found;
}

/*
 * The number of the one that is gone is given to somebody else.  It is free a
 * moment later, and another process of this machine may have it for a while.
 */
static void
check_number_again(struct cage *cage, int number)
{
	char want[64];
	int master = -1;

	(void)cage_ask(cage, "close 3");
	snprintf(want, sizeof(want), "/dev/pts/%d", number);
	for (int i = 0; i < 12000 && (master = make_named(want)) < 0; i++)
		usleep(10000);
	(void)cage_ask(cage, "open 2 0 %s", want);
	ok_f(master >= 0 && cage_says(cage, "errno 13"),
	    "whose number is somebody else's now: %s", cage->answer);
	close(master);
}

static void
check_pts(void)
{
	char before[64], later[64];
	int masters[2] = { make_foreign(before), -1 }, number;
	struct cage cage = { 0 };

	if (masters[0] < 0) {
		skip("no terminals here");
		return;
	}
	begin(&cage, CAGE_C);
	masters[1] = make_foreign(later);
	(void)cage_ask(&cage, "open 2 0 %s", before);
	ok_f(cage_says(&cage, "errno 13"), "a terminal of others: %s",
	    cage.answer);
	(void)cage_ask(&cage, "open 2 0 %s", later);
	ok_f(masters[1] >= 0 && cage_says(&cage, "errno 13"),
	    "one that came later: %s", cage.answer);
	number = make_own(&cage);
	(void)cage_ask(&cage, "open 2 0 /dev/pts/%d", number);
	ok_f(cage_says(&cage, "mode 20"), "one of his own: %s", cage.answer);
	check_number_again(&cage, number);
	end(&cage);
	close(masters[0]);
	close(masters[1]);
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
	struct cage cage = { 0 };
	int number;

	if (access("/dev/ptmx", R_OK | W_OK) != 0) {
		skip("no terminals here");
		return;
	}
	begin(&cage, CAGE_C);
	(void)cage_ask(&cage, "setsid");
	number = make_own(&cage);
	(void)cage_ask(&cage, "keep 2 /dev/pts/%d", number);
	(void)cage_ask(&cage, "ctty 4");
	ok_f(cage_says(&cage, "terminal"), "a terminal of his own: %s",
	    cage.answer);
	(void)cage_ask(&cage, "keep 2 /dev/tty");
	ok_f(cage_says(&cage, "fd 5"), "is /dev/tty for him: %s", cage.answer);
	(void)cage_ask(&cage, "write 5 typed");
	(void)cage_ask(&cage, "read 3");
	ok_f(strstr(cage.answer, "typed") != NULL,
	    "and what he writes to it arrives there: %s", cage.answer);
	end(&cage);
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
	/* The kernel itself breaks a lease after 45 seconds. */
	ok_f(ms < 30000, "and the end does not wait for it: %ld ms", ms);
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
