/* Facts that a test makes up: only in a program that is built for it. */
#include "enforce/host/hook.h"
#include "enforce/host/host.h"

#include <sys/resource.h>
#include <signal.h>

#include "support/tap.h"
#include "support/tmpdir.h"

static int
probe_with(void *arg)
{
	struct rlimit none = { 0, 0 };
	struct cdn_host host;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	setrlimit(RLIMIT_CORE, &none);
	dup2(null, 2);
	setenv("CORDON_TEST_HOST", arg, 1);
	cdn_host_probe(&host);
	return host.landlock_abi == 3 && !host.seccomp_notify &&
	    host.bwrap == CDN_BWRAP_BROKEN && host.privileged ? 0 : 1;
}

int
main(void)
{
	static char good[] = "landlock_abi=3,seccomp_notify=0,bwrap=1,"
	    "privileged=1";
	static char bad[][32] = {
		"landlock_abi", "landlock_abi=", "landlock_abi=x",
		"landlock_abi=3,", ",landlock_abi=3", "landlock=3",
		"seccomp_notify=2", "landlock_abi=-1", "bwrap=3",
		"landlock_abi=4294967299", "landlock_abi=3=3",
	};
	struct cdn_host before, after;

	unsetenv("CORDON_TEST_HOST");
	cdn_host_probe(&before);
	setenv("CORDON_TEST_HOST", "", 1);
	cdn_host_probe(&after);
	ok(before.landlock_abi == after.landlock_abi, "nothing made up");
	ok(tmp_child(probe_with, good, false) == 0, "what is made up counts");
	for (size_t i = 0; i < CDN_LEN(bad); i++)
		ok_f(tmp_child(probe_with, bad[i], false) == -1,
		    "'%s' stops the program", bad[i]);
	return done_testing();
}
