/* What the kernel says, asked twice: by the room and by this test itself. */
#include "enforce/host/deep.h"
#include "enforce/host/host.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define LANDLOCK_CREATE	  444
#define LANDLOCK_RESTRICT 446

/* ----- Who we are ------------------------------------------------------- */

static bool
put_file(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 &&
	    write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool
enter_userns(void)
{
	char uids[64], gids[64];

	snprintf(uids, sizeof(uids), "0 %u 1", (unsigned)geteuid());
	snprintf(gids, sizeof(gids), "0 %u 1", (unsigned)getegid());
	return unshare(CLONE_NEWUSER) == 0 &&
	    put_file("/proc/self/setgroups", "deny") &&
	    put_file("/proc/self/uid_map", uids) &&
	    put_file("/proc/self/gid_map", gids);
}

/* False: cannot be done here, which was said. */
static bool
become(const char *who)
{
	if (who == NULL)
		return true;
	if (strcmp(who, "userns") == 0 && enter_userns())
		return true;
	if (strcmp(who, "nobody") == 0 && geteuid() == 0 &&
	    setgid(TMP_NOBODY) == 0 && setuid(TMP_NOBODY) == 0) {
		prctl(PR_SET_DUMPABLE, 1L);
		return true;
	}
	skip("cannot become somebody else here");
	return false;
}

/* ----- Facts ------------------------------------------------------------ */

static int
first_digit(const char *file)
{
	FILE *f = fopen(file, "r");
	int c = f == NULL ? '0' : fgetc(f);

	if (f != NULL)
		fclose(f);
	return c - '0';
}

static int
try_userns(void *arg)
{
	(void)arg;
	return enter_userns() && unshare(CLONE_NEWUTS) == 0 &&
	    sethostname("x", 1) == 0 ? 0 : 1;
}

static void
test_facts(const char *who)
{
	struct cdn_host few, all;
	long abi = syscall(LANDLOCK_CREATE, NULL, 0, 1U);

	cdn_host_probe(&few);
	cdn_host_probe_all(&all);
	ok_f(few.landlock_abi == (abi < 0 ? 0 : abi), "Landlock ABI %ld", abi);
	ok(all.landlock_abi == few.landlock_abi &&
	    all.seccomp_notify == few.seccomp_notify &&
	    all.seccomp_filter == few.seccomp_filter &&
	    all.privileged == few.privileged &&
	    all.notify_wait_killable == few.notify_wait_killable,
	    "both agree");
	ok((all.landlock_error == 0) == (all.landlock_abi > 0),
	    "no Landlock has a reason");
	ok(all.yama_scope == first_digit("/proc/sys/kernel/yama/ptrace_scope"),
	    "Yama");
	ok(all.userns == (tmp_child(try_userns, NULL, false) == 0),
	    "user namespaces");
	ok((all.userns_error == 0) == all.userns, "or a reason");
	ok(all.privileged == (who == NULL && geteuid() == 0),
	    "root of a namespace is not root");
	ok(all.kernel_major >= 4, "a kernel");
	if (who == NULL || strcmp(who, "userns") != 0)
		ok(all.cgroup_delegated || geteuid() != 0 ||
		    access("/sys/fs/cgroup", W_OK) != 0, "cgroups");
	printf("# landlock %d errata %x layers %d notify %d userns %d (%d) "
	    "cgroup %d bwrap %d container %d\n", all.landlock_abi,
	    all.landlock_errata, all.landlock_layers, all.seccomp_notify,
	    all.userns, all.userns_error, all.cgroup_delegated, all.bwrap,
	    all.container);
}

/* ----- Nothing is left behind ------------------------------------------- */

static volatile sig_atomic_t seen;

static void
see(int signal)
{
	(void)signal;
	seen++;
}

static int
probe_quietly(void *arg)
{
	struct sigaction act = { .sa_handler = see };
	sigset_t before, after;
	struct cdn_host host;
	int fds = tmp_open_fds();
	int filtered = prctl(PR_GET_SECCOMP);
	int privs = prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L);

	(void)arg;
	memset(&before, 0, sizeof(before)); /* only a part of it is filled */
	memset(&after, 0, sizeof(after));
	for (int i = 1; i < 32; i++)
		(void)sigaction(i, &act, NULL);
	sigprocmask(SIG_SETMASK, NULL, &before);
	errno = EXDEV;
	cdn_host_probe_all(&host);
	if (errno != EXDEV)
		return 1;
	cdn_host_probe(&host);
	if (errno != EXDEV)
		return 2;
	sigprocmask(SIG_SETMASK, NULL, &after);
	if (seen != 0 || memcmp(&before, &after, sizeof(before)) != 0)
		return 3;
	if (waitpid(-1, NULL, __WALL) != -1 || errno != ECHILD)
		return 4;
	if (tmp_open_fds() != fds)
		return 5;
	return prctl(PR_GET_SECCOMP) == filtered &&
	    prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) == privs ? 0 : 6;
}

/* ----- Inside of something ---------------------------------------------- */

static int
put_filter(unsigned flags)
{
	struct sock_filter allow = { .code = BPF_RET | BPF_K,
		.k = SECCOMP_RET_ALLOW };
	struct sock_fprog program = { 1, &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
	    &program);
}

static int
probe_filtered(void *arg)
{
	const unsigned *flags = arg;
	struct cdn_host few, all;
	bool free_listener = *flags == 0;

	if (put_filter(*flags) < 0)
		return 50;
	cdn_host_probe(&few);
	cdn_host_probe_all(&all);
	if (!few.seccomp_filtered || few.seccomp_notify != free_listener)
		return 1;
	return all.notify_taken == !free_listener &&
	    all.seccomp_notify == free_listener ? 0 : 2;
}

static int
probe_layers(void *arg)
{
	const int *layers = arg;
	uint64_t rights = 1;
	struct cdn_host host;
	int fd = (int)syscall(LANDLOCK_CREATE, &rights, sizeof(rights), 0U);

	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0)
		return 50;
	for (int i = 0; i < *layers; i++)
		if (syscall(LANDLOCK_RESTRICT, fd, 0U) != 0)
			return 51;
	cdn_host_probe_all(&host);
	return host.landlock_layers == *layers ? 0 : 1;
}

/* A namespace in which there may be no further ones. */
static int
probe_without_userns(void *arg)
{
	struct cdn_host host;

	(void)arg;
	if (!enter_userns() ||
	    !put_file("/proc/sys/user/max_user_namespaces", "0"))
		return 50;
	cdn_host_probe_all(&host);
	return !host.userns && host.userns_error == ENOSPC ? 0 : 1;
}

static void
test_inside(void)
{
	unsigned flags[] = { 0, SECCOMP_FILTER_FLAG_NEW_LISTENER };
	int layers[] = { 0, 1, 5, 15, 16 };
	int r;

	ok(tmp_child(probe_filtered, &flags[0], false) == 0,
	    "under a filter there is a listener for us");
	ok(tmp_child(probe_filtered, &flags[1], false) == 0,
	    "under one with a listener there is not");
	if (syscall(LANDLOCK_CREATE, NULL, 0, 1U) > 0)
		for (size_t i = 0; i < CDN_LEN(layers); i++)
			ok_f(tmp_child(probe_layers, &layers[i], false) == 0,
			    "%d layers of Landlock are seen", layers[i]);
	else
		skip("no Landlock");
	r = tmp_child(probe_without_userns, NULL, false);
	if (r == 50)
		skip("no user namespaces");
	else
		ok_f(r == 0, "none left of the user namespaces (%d)", r);
}

/* ----- bwrap ------------------------------------------------------------ */

/* Stands for bwrap: what counts is how it ends. */
static void
test_bwrap(void)
{
	static const struct {
		const char *name;
		const char *script;
		enum cdn_bwrap want;
	} cases[] = {
		{ "good", "#!/bin/sh\n[ $# = 15 ] && [ \"$1\" = "
		    "--unshare-all ] && [ -z \"$HOME\" ]\n",
		    CDN_BWRAP_USABLE },
		{ "fails", "#!/bin/sh\nexit 1\n", CDN_BWRAP_BROKEN },
		{ "killed", "#!/bin/sh\nkill -9 $$\n", CDN_BWRAP_BROKEN },
		{ "hangs", "#!/bin/sh\nexec sleep 600\n", CDN_BWRAP_BROKEN },
		{ "noshell", "#!/no/such/interpreter\n", CDN_BWRAP_BROKEN },
		{ "reads", "#!/bin/sh\nread x; [ $? = 1 ]\n",
		    CDN_BWRAP_USABLE },
	};

	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		tmp_file(cases[i].name, cases[i].script);
		tmp_mode(cases[i].name, 0755);
		ok_f(cdn_deep_bwrap(tmp_path(cases[i].name)) == cases[i].want,
		    "a bwrap that is '%s'", cases[i].name);
	}
	ok(cdn_deep_bwrap(tmp_path("missing")) == CDN_BWRAP_MISSING,
	    "no bwrap");
	ok(cdn_deep_bwrap(tmp_path("good/below")) == CDN_BWRAP_MISSING,
	    "no directory");
	tmp_link("nowhere", "dangling");
	ok(cdn_deep_bwrap(tmp_path("dangling")) == CDN_BWRAP_BROKEN,
	    "a link to nowhere");
	tmp_dir("directory");
	ok(cdn_deep_bwrap(tmp_path("directory")) == CDN_BWRAP_BROKEN,
	    "a directory");
	tmp_mode("good", 0644);
	ok(cdn_deep_bwrap(tmp_path("good")) == CDN_BWRAP_BROKEN,
	    "one that may not be executed");
}

/* ----- No variable weakens anything ------------------------------------- */

static void
test_variable(void)
{
	struct cdn_host before, after;

	cdn_host_probe(&before);
	setenv("CORDON_TEST_HOST", "landlock_abi=1,seccomp_notify=0,junk", 1);
	cdn_host_probe(&after);
	unsetenv("CORDON_TEST_HOST");
	ok(before.landlock_abi == after.landlock_abi &&
	    before.seccomp_notify == after.seccomp_notify,
	    "the library does not look at CORDON_TEST_HOST");
}

int
main(int argc, char **argv)
{
	const char *who = argc > 1 ? argv[1] : NULL;
	int r;

	if (!become(who))
		return done_testing();
	tmp_begin();
	test_facts(who);
	r = tmp_child(probe_quietly, NULL, false);
	ok_f(r == 0, "nothing of the probe is left behind (%d)", r);
	test_inside();
	test_bwrap();
	test_variable();
	tmp_end();
	return done_testing();
}
