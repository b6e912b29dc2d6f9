/* The home and the tmp of a session: made, kept, locked, removed. */
#include "fixture.h"

#include "enforce/home/lock.h"

static void
test_made(struct fixture *f)
{
	struct cdn_home *home = NULL;
	int before = tmp_open_fds();

	ok(fixture_open(f, &home) == 0, "opened where nothing is");
	ok(mode_of("state") == 0700 && mode_of("state/homes") == 0700 &&
		mode_of(HOME) == 0700 && mode_of("state/tmp") == 0700 &&
		mode_of(TMP) == 0700,
	    "everything is 0700");
	tmp_file(HOME "/kept", "x");
	tmp_file(TMP "/gone", "x");
	cdn_home_close(home);
	ok(tmp_there(HOME "/kept"), "the home is kept");
	ok(!tmp_there(TMP), "the tmp is gone");
	ok(tmp_open_fds() == before, "no descriptor is left open");
	cdn_home_close(NULL);
}

/* The cage can change the mode of what is its own. */
static int
body_modes(void *arg)
{
	struct fixture *f = arg;
	struct cdn_home *home = NULL;

	if (fixture_open(f, &home) != 0)
		return 1;
	tmp_mode(HOME, 0);
	tmp_dir(TMP "/d");
	tmp_mode(TMP "/d", 0);
	tmp_mode(TMP, 0);
	cdn_home_close(home);
	if (tmp_there(TMP))
		return 2;
	if (fixture_visit(f) != 0)
		return 3;
	if (mode_of(HOME) != 0700)
		return 4;
	tmp_mode(HOME, 0777);
	tmp_dir("state/tmp/dead000000000001");
	tmp_file("state/tmp/dead000000000001/f", "x");
	tmp_mode("state/tmp/dead000000000001", 0);
	if (fixture_visit(f) != 0 || mode_of(HOME) != 0700)
		return 5;
	return tmp_there("state/tmp/dead000000000001") ? 6 : 0;
}

static void
test_parts(struct fixture *f)
{
	struct cdn_home *home = NULL;

	tmp_clear(tmp_path("state"));
	f->spec.home = "";
	ok(fixture_open(f, &home) == 0 && tmp_there(TMP) &&
		!tmp_there("state/homes"),
	    "a tmp alone");
	cdn_home_close(home);
	f->spec.home = f->home;
	f->spec.tmp = "";
	ok(fixture_visit(f) == 0 && tmp_there(HOME), "a home alone");
	tmp_clear(tmp_path("state"));
	f->spec.home = "";
	ok(fixture_visit(f) == 0 && !tmp_there("state"),
	    "neither: nothing is made");
	f->spec.home = f->home;
	f->spec.tmp = f->tmp;
}

/* ----- What is refused --------------------------------------------------------- */

static void
refused(struct fixture *f, int code, const char *what)
{
	struct cdn_home *home = NULL;
	int before = tmp_open_fds();

	ok(fixture_open(f, &home) == code && home == NULL &&
		tmp_open_fds() == before,
	    what);
	ok(!tmp_there("outside/w") && !tmp_there("outside/s") &&
		!tmp_there("outside/.gitconfig"),
	    "... and nothing was made elsewhere");
}

static void
refused_via(const struct fixture *f)
{
	struct fixture other = *f;

	snprintf(other.base, sizeof(other.base), "%s", tmp_path("via/s2"));
	snprintf(other.home, sizeof(other.home), "%s", tmp_path("via/s2/h/w"));
	snprintf(other.tmp, sizeof(other.tmp), "%s", tmp_path("via/s2/t/s"));
	other.spec.base = other.base;
	other.spec.home = other.home;
	other.spec.tmp = other.tmp;
	refused(&other, CORDON_E_SYSTEM, "a link on the way to base");
}

static void
test_refused(struct fixture *f)
{
	tmp_dir("outside");
	tmp_clear(tmp_path("state"));
	tmp_link("outside", "state");
	refused(f, CORDON_E_SYSTEM, "base is a link");
	unlink(tmp_path("state"));
	tmp_file("state", "");
	refused(f, CORDON_E_SYSTEM, "base is a file");
	tmp_link(".", "via");
	refused_via(f);
	unlink(tmp_path("state"));
	tmp_dir("state");
	tmp_link("../outside", "state/homes");
	refused(f, CORDON_E_SYSTEM, "homes is a link");
	unlink(tmp_path("state/homes"));
	tmp_dir("state/homes");
	tmp_link("../../outside", HOME);
	refused(f, CORDON_E_SYSTEM, "the home is a link");
	unlink(tmp_path(HOME));
	tmp_file(HOME, "");
	refused(f, CORDON_E_SYSTEM, "the home is a file");
	unlink(tmp_path(HOME));
	tmp_clear(tmp_path("state/tmp"));
	tmp_link("../outside", "state/tmp");
	refused(f, CORDON_E_SYSTEM, "tmp is a link");
	unlink(tmp_path("state/tmp"));
	tmp_mode("state", 0777);
	refused(f, CORDON_E_SYSTEM, "base can be written by all");
	tmp_mode("state", 0700);
	f->spec.home = "/elsewhere/w";
	refused(f, CORDON_E_INVALID, "a home that is not below base");
	f->spec.home = f->base;
	refused(f, CORDON_E_INVALID, "a home that is base");
	f->spec.home = f->home;
	f->spec.tmp = "/tmp/s";
	refused(f, CORDON_E_INVALID, "a tmp that is not below base");
	f->spec.tmp = f->tmp;
	ok(fixture_visit(f) == 0, "control: without all that");
}

static void
give_away(const char *name)
{
	tmp_need(chown(tmp_path(name), TMP_NOBODY, TMP_NOBODY) == 0, "chown",
	    name);
}

static void
test_owner(struct fixture *f)
{
	if (geteuid() != 0 ||
	    chown(tmp_path("outside"), TMP_NOBODY, TMP_NOBODY) != 0) {
		skip("only root can give things away, to a user there is");
		return;
	}
	give_away(HOME);
	refused(f, CORDON_E_SYSTEM, "a home of somebody else");
	tmp_clear(tmp_path(HOME));
	give_away("state/tmp");
	refused(f, CORDON_E_SYSTEM, "a tmp of somebody else");
	tmp_clear(tmp_path("state/tmp"));
	give_away("state");
	refused(f, CORDON_E_SYSTEM, "a base of somebody else");
	tmp_clear(tmp_path("state"));
	ok(fixture_visit(f) == 0, "control: without all that");
}

/* ----- A base that was invented -------------------------------------------------- */

static void
test_substitute(struct fixture *f)
{
	struct cdn_home *home = NULL;

	tmp_clear(tmp_path("state"));
	f->spec.substitute = true;
	ok(fixture_open(f, &home) == 0 && mode_of("state") == 0700 &&
		tmp_there(HOME) && tmp_there(TMP),
	    "a base for one session");
	tmp_dir(HOME "/d");
	tmp_link("../../../../outside", HOME "/d/l");
	cdn_home_close(home);
	ok(!tmp_there("state") && tmp_there("outside"),
	    "goes with it, as a whole");
	tmp_dir("state");
	ok(fixture_open(f, &home) == CORDON_E_SYSTEM,
	    "one that is there is not taken");
	ok(tmp_there("state"), "and not removed");
	tmp_clear(tmp_path("state"));
	f->spec.substitute = false;
}

/* ----- Locks and leftovers --------------------------------------------------------- */

static void
test_leftovers(struct fixture *f)
{
	struct cdn_home *home = NULL;
	char name[64];
	int left = 0, dirfd, lock;

	ok(fixture_visit(f) == 0, "control: an ordinary session");
	dirfd = open(tmp_path("state/tmp"), O_RDONLY | O_CLOEXEC);
	lock = cdn_lock_make(-1, dirfd, "a11fe00000000001");
	tmp_file("state/tmp/a11fe00000000001/f", "x");
	tmp_dir("state/tmp/dead000000000001");
	tmp_file("state/tmp/dead000000000001/f", "x");
	tmp_link("../../../outside", "state/tmp/dead000000000001/l");
	tmp_dir("state/tmp/c105ed0000000001");
	tmp_mode("state/tmp/c105ed0000000001", 0);
	tmp_link("../../outside", "state/tmp/link");
	tmp_dir("state/tmp/precious");
	tmp_file("state/tmp/file", "");
	ok(lock >= 0 && fixture_open(f, &home) == 0, "among leftovers");
	ok(!tmp_there("state/tmp/dead000000000001") && !tmp_there("state/tmp/c105ed0000000001"),
	    "what the dead left is removed");
	ok(tmp_there("state/tmp/a11fe00000000001/f"), "what is in use is not");
	ok(tmp_there("state/tmp/link") && tmp_there("state/tmp/file") &&
		tmp_there("outside"),
	    "nor what is no directory");
	ok(tmp_there("state/tmp/precious"),
	    "nor what has no name of ours");
	cdn_home_close(home);
	close(lock);
	ok(fixture_visit(f) == 0 && !tmp_there("state/tmp/a11fe00000000001"),
	    "until its lock is free");
	for (int i = 0; i < CDN_HOME_CLEAN_MAX + 4; i++) {
		snprintf(name, sizeof(name), "state/tmp/%016x", i);
		tmp_dir(name);
	}
	ok(fixture_visit(f) == 0, "many leftovers");
	for (int i = 0; i < CDN_HOME_CLEAN_MAX + 4; i++) {
		snprintf(name, sizeof(name), "state/tmp/%016x", i);
		left += tmp_there(name);
	}
	ok(left == 4, "a start removes so many and no more");
	close(dirfd);
}

static void
test_in_use(struct fixture *f)
{
	struct cdn_home *one = NULL, *two = NULL;
	char other[PATH_MAX];

	ok(fixture_open(f, &one) == 0, "one session");
	ok(fixture_open(f, &two) == CORDON_E_SYSTEM && two == NULL &&
		tmp_there(TMP),
	    "its tmp is nobody else's");
	snprintf(other, sizeof(other), "%s", tmp_path("state/tmp/s2"));
	f->spec.tmp = other;
	ok(fixture_open(f, &two) == 0 && tmp_there("state/tmp/s2"),
	    "two sessions may share a home");
	cdn_home_close(two);
	ok(tmp_there(TMP) && !tmp_there("state/tmp/s2"),
	    "each removes its own tmp");
	f->spec.tmp = f->tmp;
	cdn_home_close(one);
	tmp_dir(TMP);
	tmp_file(TMP "/old", "x");
	ok(fixture_open(f, &one) == 0 && tmp_there(TMP) &&
		!tmp_there(TMP "/old"),
	    "a tmp is fresh even where its name was left behind");
	cdn_home_close(one);
}

/* Killed: the next session removes what it left. */
static void
test_killed(struct fixture *f)
{
	struct cdn_home *home = NULL;
	char other[PATH_MAX];
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(fixture_open(f, &home) == 0 ? 0 : 1);
	waitpid(pid, NULL, 0);
	ok(tmp_there(TMP),
	    "control: a session that ended too early leaves something");
	snprintf(other, sizeof(other), "%s", tmp_path("state/tmp/s2"));
	f->spec.tmp = other;
	ok(fixture_visit(f) == 0 && !tmp_there(TMP),
	    "which the next one removes");
	f->spec.tmp = f->tmp;
}

/* A sweep may remove a directory that is about to be locked. */
static int
body_sweep(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20000; i++) {
		int fd = open(tmp_path("locks"), O_RDONLY | O_CLOEXEC);

		cdn_lock_sweep(fd);
		close(fd);
	}
	return 0;
}

/* Of those that are swept. */
#define LOCK_NAME "10c4000000000001"
#define LOCK	  "locks/" LOCK_NAME

static void
test_lock(void)
{
	struct stat held, named;
	int dirfd, lock, lost = 0, failed = 0;
	pid_t pid;

	tmp_dir("locks");
	tmp_dir(LOCK);
	tmp_file(LOCK "/f", "x");
	dirfd = open(tmp_path("locks"), O_RDONLY | O_CLOEXEC);
	lock = cdn_lock_make(-1, dirfd, LOCK_NAME);
	ok(lock >= 0 && tmp_there(LOCK) && !tmp_there(LOCK "/f"),
	    "what was left behind is made anew");
	ok(cdn_lock_make(-1, dirfd, LOCK_NAME) == -EBUSY,
	    "and cannot be made again");
	close(lock);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(body_sweep(NULL));
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		int fd = cdn_lock_make(-1, dirfd, LOCK_NAME);

		failed += fd < 0;
		lost += fd >= 0 && (fstat(fd, &held) != 0 ||
		    stat(tmp_path(LOCK), &named) != 0 ||
		    held.st_ino != named.st_ino);
		(void)!rmdir(tmp_path(LOCK));
		if (fd >= 0)
			close(fd);
	}
	close(dirfd);
	ok_f(lost == 0 && failed == 0,
	    "a directory that is locked is there (%d lost, %d failed)", lost,
	    failed);
}

/* Many start and end at once, and each has its tmp as long as it lives. */
static int
body_many(void *arg)
{
	struct fixture own = *(const struct fixture *)arg;
	struct cdn_home *home = NULL;
	char tmp[PATH_MAX], name[64];

	snprintf(name, sizeof(name), "state/tmp/p%d", (int)getpid());
	snprintf(tmp, sizeof(tmp), "%s", tmp_path(name));
	own.spec.tmp = tmp;
	for (int i = 0; i < 100; i++) {
		if (fixture_open(&own, &home) != 0)
			return 1;
		if (!tmp_there(name))
			return 2;
		cdn_home_close(home);
		if (tmp_there(name))
			return 3;
	}
	return 0;
}

static void
test_many(struct fixture *f)
{
	bool good = true;
	int status;

	fflush(stdout);
	for (int i = 0; i < 4; i++)
		if (fork() == 0)
			_exit(body_many(f));
	for (int i = 0; i < 4; i++) {
		wait(&status);
		good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	ok(good, "four at a time do not take each other's");
}

static ino_t
inode_of(const char *name)
{
	struct stat st;

	return lstat(tmp_path(name), &st) == 0 ? st.st_ino : 0;
}

/* One that is not as new; it is there afterwards, and another one is used. */
static void
not_taken(struct fixture *f, const char *what)
{
	struct cdn_home *home = NULL;
	ino_t ahead = inode_of("state/next");

	ok_f(ahead != 0 && fixture_open(f, &home) == 0 &&
		mode_of(TMP) == 0700 && inode_of(TMP) != ahead &&
		rmdir(tmp_path(TMP)) == 0 && !tmp_there("state/next"),
	    "not taken: %s", what);
	cdn_home_close(home);
}

static void
test_ahead(struct fixture *f)
{
	struct cdn_home *home = NULL;
	ino_t ahead;

	tmp_clear(tmp_path("state"));
	ok(fixture_visit(f) == 0 && !tmp_there("state/next"),
	    "nothing is made ahead unless asked for");
	ok(fixture_open(f, &home) == 0, "opened");
	cdn_home_ahead(home);
	cdn_home_ahead(home);
	cdn_home_close(home);
	ahead = inode_of("state/next");
	ok(mode_of("state/next") == 0700 && !tmp_there(TMP),
	    "a directory is made ahead");
	ok(fixture_open(f, &home) == 0 && inode_of(TMP) == ahead &&
		!tmp_there("state/next"),
	    "and is the tmp of the next session");
	cdn_home_close(home);
	ok(!tmp_there(TMP), "which is removed");
	tmp_dir("state/next");
	not_taken(f, "another mode");
	tmp_dir("state/next");
	tmp_mode("state/next", 0700);
	tmp_file("state/next/f", "x");
	not_taken(f, "not empty");
	tmp_link("homes", "state/next");
	not_taken(f, "a link");
	ok(tmp_there("state/homes"), "which is not followed");
	tmp_file("state/next", "x");
	not_taken(f, "a file");
}

/* Opened, what it made ahead, closed; name: made in its tmp, or NULL. */
static void
visit_ahead(struct fixture *f, const char *name)
{
	struct cdn_home *home = NULL;

	ok(fixture_open(f, &home) == 0, "opened");
	cdn_home_ahead(home);
	if (name != NULL)
		tmp_file(name, "x");
	cdn_home_close(home);
}

static void
test_aside(struct fixture *f)
{
	ino_t last, next;

	tmp_clear(tmp_path("state"));
	visit_ahead(f, NULL);
	last = inode_of("state/last");
	next = inode_of("state/next");
	ok(last != 0 && !tmp_there(TMP), "a tmp that is empty is put aside");
	visit_ahead(f, NULL);
	ok(inode_of("state/last") == next, "and removed during the next "
	    "session, whose own is then");
	visit_ahead(f, TMP "/f");
	ok(!tmp_there("state/last") && !tmp_there(TMP),
	    "one that is not empty is removed at once");
	tmp_dir("state/last");
	tmp_file("state/last/f", "x");
	visit_ahead(f, NULL);
	ok(tmp_there("state/last/f") && !tmp_there(TMP),
	    "what somebody else put there stays, and nothing else is left");
	tmp_clear(tmp_path("state"));
	visit_ahead(f, NULL);
	last = inode_of("state/last");
	ok(fixture_visit(f) == 0 && inode_of("state/last") == last &&
		!tmp_there(TMP),
	    "who removed none leaves none");
}

/* A directory in a place where everybody can make names. */
static int
body_shared(void *arg)
{
	(void)arg;
	return cdn_home_make_shared(tmp_path("shared/other"), NULL) ==
	    CORDON_E_SYSTEM ? 0 : 1;
}

static void
test_shared(void)
{
	char shared[PATH_MAX];
	struct stat st;

	tmp_dir("shared");
	tmp_mode("shared", 01777);
	snprintf(shared, sizeof(shared), "%s", tmp_path("shared/mine"));
	ok(cdn_home_make_shared(shared, NULL) == 0 &&
	    lstat(shared, &st) == 0 && (st.st_mode & 07777) == 0700,
	    "a shared place: made for us alone");
	ok(cdn_home_make_shared(shared, NULL) == 0, "and used again");
	tmp_dir("elsewhere");
	tmp_link(tmp_path("elsewhere"), "shared/link");
	ok(cdn_home_make_shared(tmp_path("shared/link"), NULL) ==
	    CORDON_E_SYSTEM, "a link is refused");
	tmp_file("shared/file", "");
	ok(cdn_home_make_shared(tmp_path("shared/file"), NULL) ==
	    CORDON_E_SYSTEM, "a file, too");
	tmp_dir("shared/other");
	ok_nobody(body_shared, NULL, "and what belongs to somebody else");
	/* Nobody makes directories there, not even root. */
	ok(cdn_home_make_shared("/sys/cordon-test", NULL) == 0 &&
	    lstat("/sys/cordon-test", &st) != 0,
	    "where none may be made there is none, and no error");
	ok(cdn_home_make_shared(tmp_path("none/at/all"), NULL) ==
	    CORDON_E_SYSTEM, "other errors are errors");
}

int
main(void)
{
	struct fixture f;

	fixture_begin(&f);
	tmp_need(chmod(tmp_root, 0777) == 0, "chmod", tmp_root);
	test_made(&f);
	tmp_clear(tmp_path("state"));
	ok(tmp_child(body_modes, &f, false) == 0, "modes are put right");
	tmp_clear(tmp_path("state"));
	ok_nobody(body_modes, &f, "modes, as nobody");
	test_parts(&f);
	test_refused(&f);
	test_owner(&f);
	test_substitute(&f);
	test_leftovers(&f);
	test_in_use(&f);
	test_killed(&f);
	test_lock();
	test_many(&f);
	test_ahead(&f);
	test_aside(&f);
	test_shared();
	tmp_end();
	return done_testing();
}
