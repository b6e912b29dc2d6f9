/*
 * Ordinary programs under the filter without a broker: they say what they say
 * without it.
 *
 *	programs root|nobody|userns
 */
#include "try.h"

#include <err.h>
#include <unistd.h>

#include "support/tap.h"

/* In a directory of the identity's own, which is also its home. */
static const struct {
	const char *needs;
	const char *script;
} programs[] = {
	{ "/bin/sh", "for i in 1 2 3; do echo $i; done | (read a; cat; echo $a) & wait" },
	{ "/bin/ls", "mkdir d && touch d/a d/b && ls -la d | wc -l && rm -r d" },
	{ "/bin/cat", "echo x >f && cat f && rm f" },
	{ "/bin/cp", "echo x >f && cp -p f g && mv g h && chmod 600 h && cat h && rm f h" },
	{ "/bin/tar", "mkdir d && echo x >d/f && tar cf t d && rm -r d && tar xf t &&"
	    " cat d/f && rm -r d t" },
	{ "/usr/bin/gcc", "echo '#include <stdio.h>\nint main(void)"
	    "{ puts(\"hello\"); return 0; }' >a.c && gcc -O1 -o a a.c && ./a && rm a a.c" },
	{ "/usr/bin/python3", "/usr/bin/python3 -c 'import subprocess, threading,"
	    " multiprocessing, socket, tempfile\n"
	    "t = threading.Thread(target=print, args=(1,)); t.start(); t.join()\n"
	    "print(subprocess.check_output([\"echo\", \"2\"]))\n"
	    "a, b = socket.socketpair(); a.send(b\"3\"); print(b.recv(1))\n"
	    "print(multiprocessing.get_context(\"fork\").Pool(2).map(abs, [-4]))'" },
	{ "/usr/bin/perl", "perl -e 'print join(\",\", map { $_ * 2 } 1..3), \"\\n\";"
	    " system(\"true\")'" },
	{ "/usr/bin/node", "/usr/bin/node -e 'console.log(1+1);"
	    " require(\"child_process\").execFile(\"echo\", [\"3\"], (e, out) => {"
	    " console.log(out);"
	    " require(\"fs\").promises.readFile(\"/etc/passwd\").then(() => console.log(4)) })'" },
	{ "/usr/bin/git", "git init -q r && cd r && git config user.email a@b &&"
	    " git config user.name a && echo x >f && git add f && git commit -qm m &&"
	    " git status --short --branch && cd .. && rm -rf r" },
	{ "/usr/bin/make", "printf 'all:\\n\\t@echo made\\n' >Makefile && make -s && rm Makefile" },
	{ "/usr/bin/timeout", "timeout 100 sh -c 'sleep 0.01; echo slept'" },
};

static void
compare(const char *identity, const struct cdn_filter *filter,
    const char *directory, const char *needs, const char *program)
{
	static char script[4096], with[65536], without[65536];
	int bare, status;

	if (access(needs, X_OK) != 0) {
		char why[128];

		snprintf(why, sizeof(why), "%s is not installed", needs);
		skip(why);
		return;
	}
	snprintf(script, sizeof(script), "cd %s && export HOME=%s TMPDIR=%s"
	    " PATH=/usr/bin:/bin && %s", directory, directory, directory,
	    program);
	bare = try_script(identity, NULL, script, without, sizeof(without));
	status = try_script(identity, filter, script, with, sizeof(with));
	ok_f(bare == 0 && without[0] != '\0', "%s works (%d)", needs, bare);
	if (!ok_f(status == bare && strcmp(with, without) == 0,
		"and does so under the filter (%d)", status))
		printf("# with: %.200s\n# without: %.200s\n", with, without);
}

int
main(int argc, char **argv)
{
	const char *identity = argc == 2 ? argv[1] : "root", *why;
	struct cdn_filter_spec spec = { .arch = CDN_FILTER_ARCH_HERE };
	struct cdn_filter filter;
	char directory[64], script[128], out[16];

	if ((why = try_obstacle(identity)) != NULL) {
		skip(why);
		return done_testing();
	}
	if (cdn_filter_build(&spec, &filter, NULL) < 0)
		errx(1, "no filter");
	snprintf(directory, sizeof(directory), "/tmp/cordon-programs-%s-%d",
	    identity, (int)getpid());
	snprintf(script, sizeof(script), "mkdir %s", directory);
	if (try_script(identity, NULL, script, out, sizeof(out)) != 0)
		errx(1, "%s", directory);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		compare(identity, &filter, directory, programs[i].needs,
		    programs[i].script);
	snprintf(script, sizeof(script), "rm -rf %s", directory);
	(void)try_script(identity, NULL, script, out, sizeof(out));
	return done_testing();
}
