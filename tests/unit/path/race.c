/*
 * Somebody moves things about while a name is resolved.  The answer may be
 * any that was true at some moment, never a mixture of two.
 */
#include "enforce/path/path_internal.h"

#include <pthread.h>
#include <stdatomic.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define ROUNDS 20000

static atomic_bool stop;
static atomic_ulong turns;

struct flip {
	const char *from;
	const char *to;
	unsigned flags; /* of renameat2 */
};

static void *
flip_forever(void *arg)
{
	const struct flip *flip = arg;

	while (!atomic_load(&stop)) {
		if (renameat2(AT_FDCWD, flip->from, AT_FDCWD, flip->to,
			flip->flags) != 0)
			break;
		if (flip->flags != RENAME_EXCHANGE &&
		    renameat2(AT_FDCWD, flip->to, AT_FDCWD, flip->from, 0) != 0)
			break;
		atomic_fetch_add(&turns, 1);
	}
	return NULL;
}

static ino_t
inode_of(const char *name)
{
	struct stat st;

	tmp_need(lstat(tmp_path(name), &st) == 0, "lstat", name);
	return st.st_ino;
}

static void
with_flips(const struct flip *flip, void (*body)(void))
{
	pthread_t thread;

	atomic_store(&stop, false);
	atomic_store(&turns, 0);
	tmp_need(pthread_create(&thread, NULL, flip_forever,
		     (void *)(uintptr_t)flip) == 0,
	    "pthread_create", "");
	while (atomic_load(&turns) == 0)
		usleep(100);
	body();
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	ok_f(atomic_load(&turns) > 10, "control: moved %lu times meanwhile",
	    atomic_load(&turns));
}

/* ----- A directory and a link that change places -------------------------- */

static ino_t inside_ino, outside_ino;

static void
body_exchange(void)
{
	unsigned inside = 0, outside = 0, wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct cdn_real real;
		int r = i % 2 == 0 ?
		    cdn_path_walk(tmp_root, CDN_STR("w/d/f"), &real, NULL) :
		    cdn_path_resolve(tmp_root, CDN_STR("w/d/f"), &real, NULL);

		if (r != 0)
			wrong++;
		else if (strcmp(real.path, tmp_path("out/f")) == 0)
			real.ino == outside_ino ? outside++ : wrong++;
		else if (strcmp(real.path, tmp_path("w/d/f")) == 0 ||
		    strcmp(real.path, tmp_path("w/e/f")) == 0)
			real.ino == inside_ino ? inside++ : wrong++;
		else
			wrong++;
	}
	ok_f(wrong == 0, "%u inside, %u outside, %u neither", inside, outside,
	    wrong);
	ok(inside > 0 && outside > 0, "control: both were seen");
}

static void
test_exchange(void)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct flip flip = { from, to, RENAME_EXCHANGE };

	tmp_dir("w");
	tmp_dir("w/d");
	tmp_file("w/d/f", "");
	tmp_dir("out");
	tmp_file("out/f", "");
	tmp_link("../out", "w/e");
	snprintf(from, sizeof(from), "%s", tmp_path("w/d"));
	snprintf(to, sizeof(to), "%s", tmp_path("w/e"));
	inside_ino = inode_of("w/d/f");
	outside_ino = inode_of("out/f");
	with_flips(&flip, body_exchange);
}

/* ----- ".." of a directory that moves ------------------------------------- */

static ino_t near_ino, far_ino;

static void
body_dotdot(void)
{
	unsigned near = 0, wrong = 0, gave_up = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct cdn_real real;
		struct cordon_error err = { 0 };
		int r = cdn_path_walk(tmp_root, CDN_STR("a/b/../c"), &real,
		    &err);

		if (r == CORDON_E_RESOLVE && err.sys_errno == EAGAIN)
			gave_up++;
		else if (r != 0 || real.ino != near_ino ||
		    strcmp(real.path, tmp_path("a/c")) != 0)
			wrong++;
		else
			near++;
	}
	ok_f(wrong == 0, "a/b/../c is a/c %u times, %u wrong, %u given up",
	    near, wrong, gave_up);
	ok(near > ROUNDS / 2, "control: mostly there is an answer");
}

/* The kernel follows b; its answer is one of two, each with its own name. */
static void
body_dotdot_fast(void)
{
	unsigned near = 0, far = 0, wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct cdn_real real;

		if (cdn_path_fast(tmp_root, CDN_STR("a/b/../c"), &real) != 0)
			continue; /* b was away */
		if (strcmp(real.path, tmp_path("a/c")) == 0 &&
		    real.ino == near_ino)
			near++;
		else if (strcmp(real.path, tmp_path("z/c")) == 0 &&
		    real.ino == far_ino)
			far++;
		else
			wrong++;
	}
	ok_f(wrong == 0 && near > 0, "%u near, %u far, %u wrong by the kernel",
	    near, far, wrong);
}

static void
test_dotdot(void)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct flip flip = { from, to, 0 };

	tmp_dir("a");
	tmp_dir("a/b");
	tmp_file("a/c", "");
	tmp_dir("z");
	tmp_file("z/c", "");
	near_ino = inode_of("a/c");
	far_ino = inode_of("z/c");
	snprintf(from, sizeof(from), "%s", tmp_path("a/b"));
	snprintf(to, sizeof(to), "%s", tmp_path("z/b"));
	with_flips(&flip, body_dotdot);
	with_flips(&flip, body_dotdot_fast);
}

/* ----- A file that is replaced while its descriptor is asked -------------- */

static void
body_of_fd(void)
{
	unsigned one = 0, two = 0, none = 0, wrong = 0;
	int fd = -1;

	while (fd < 0)
		fd = open(tmp_path("r1"), O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < ROUNDS; i++) {
		struct cdn_real real;
		int r = cdn_path_of_fd(fd, &real, NULL);

		if (r != 0)
			none++; /* moved between the question and the look */
		else if (strcmp(real.path, tmp_path("r1")) == 0)
			one++;
		else if (strcmp(real.path, tmp_path("r2")) == 0)
			two++;
		else
			wrong++;
	}
	close(fd);
	ok_f(wrong == 0 && one > 0 && two > 0,
	    "r1 %u, r2 %u, neither %u, wrong %u times", one, two, none, wrong);
}

int
main(void)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct flip flip = { from, to, 0 };

	tmp_begin_below(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL);
	test_exchange();
	test_dotdot();
	tmp_file("r1", "");
	snprintf(from, sizeof(from), "%s", tmp_path("r1"));
	snprintf(to, sizeof(to), "%s", tmp_path("r2"));
	with_flips(&flip, body_of_fd);
	tmp_end();
	return done_testing();
}
