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

/*
 * Chance decides when the two meet, never whether each place is seen: after a
 * few moves the mover rests until two tries are over, of which the second saw
 * nothing move, and it rests in both places by turns.
 */
#define LEAST_RESTS 20
#define MOST_ROUNDS (1000 * ROUNDS)
#define LONGEST_BURST 64 /* moves between two rests */
#define LOOKS_PER_YIELD 10000 /* to stay awake beside the tries */

static atomic_bool stop, broken;
static atomic_ulong turns, rests, tries;

struct flip {
	const char *from;
	const char *to;
	unsigned flags; /* of renameat2 */
};

static bool
flip_once(const struct flip *flip, bool back)
{
	const char *from = back ? flip->to : flip->from;
	const char *to = back ? flip->from : flip->to;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, flip->flags) == 0)
		return true;
	atomic_store(&broken, true);
	return false;
}

static void
rest(void)
{
	unsigned long begun = atomic_load(&tries);

	for (unsigned i = 1; !atomic_load(&stop); i++) {
		if (atomic_load(&tries) >= begun + 2)
			break;
		if (i % LOOKS_PER_YIELD == 0)
			sched_yield();
	}
	atomic_fetch_add(&rests, 1);
}

static void *
flip_forever(void *arg)
{
	const struct flip *flip = arg;
	unsigned burst = 1;
	bool back = false;

	while (!atomic_load(&stop)) {
		for (unsigned i = 0; i < burst; i++, back = !back)
			if (!flip_once(flip, back))
				return NULL;
		atomic_fetch_add(&turns, burst);
		rest();
		burst = (burst + 2) % LONGEST_BURST; /* odd: another place */
	}
	if (back)
		flip_once(flip, back);
	return NULL;
}

/* Whether another try is due after so many. */
static bool
go_on(int done)
{
	atomic_fetch_add(&tries, 1);
	if (done < ROUNDS)
		return true;
	sched_yield();
	return done < MOST_ROUNDS && !atomic_load(&broken) &&
	    atomic_load(&rests) < LEAST_RESTS;
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
	atomic_store(&rests, 0);
	tmp_need(pthread_create(&thread, NULL, flip_forever,
		     (void *)(uintptr_t)flip) == 0,
	    "pthread_create", "");
	body();
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	ok_f(!atomic_load(&broken) && atomic_load(&rests) >= LEAST_RESTS,
	    "control: moved %lu times meanwhile", atomic_load(&turns));
}

/* ----- A directory and a link that change places -------------------------- */

static ino_t inside_ino, outside_ino;

static void
body_exchange(void)
{
	unsigned inside = 0, outside = 0, wrong = 0;

	for (int i = 0; go_on(i); i++) {
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

	for (int i = 0; go_on(i); i++) {
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
	ok(near > 0, "control: there is an answer while nothing moves");
}

/* The kernel follows b; its answer is one of two, each with its own name. */
static void
body_dotdot_fast(void)
{
	unsigned near = 0, far = 0, wrong = 0;

	for (int i = 0; go_on(i); i++) {
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

	while (fd < 0 && go_on(0))
		fd = open(tmp_path("r1"), O_RDONLY | O_CLOEXEC);
	for (int i = 0; go_on(i); i++) {
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
