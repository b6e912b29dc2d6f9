/*
 * Ordinary programs under the broker in mode C: they say what they say
 * without it.  The caller is a shell.
 */
#include "cage.h"

static const struct {
	const char *needs;
	const char *script;
} programs[] = {
	{ "/bin/ls", "ls -la /usr/share/perl5 | wc -l" },
	{ "/bin/cat", "cat /etc/passwd | head -2" },
	{ "/bin/sh", "for i in 1 2 3; do echo $i; done | (read a; cat >/dev/null; echo $a)" },
	{ "/bin/sh", "sh -c 'echo out >/dev/stdout; echo err >/dev/stderr' 2>&1" },
	{ "/bin/sh", "echo here | cat /dev/stdin" },
	{ "/bin/sh", "echo here | cat /dev/fd/0 /proc/self/fd/0" },
	{ "/bin/bash", "bash -c 'cat <(echo one) <(echo two); "
	    "diff <(echo a) <(echo a) && echo same'" },
	{ "/bin/bash", "bash -c 'cat <<<here; cat <<X\nthere\nX'" },
	{ "/bin/grep", "grep -rl root /etc/passwd /etc/group" },
	{ "/usr/bin/find", "find /usr/share/perl5 -name '*.pm' | sort | "
	    "sed -n 1,50p | xargs cat | cksum" },
	{ "/usr/bin/gcc", "echo 'int main(void) { return 0; }' | "
	    "gcc -x c -fsyntax-only - && echo compiled" },
	{ "/usr/bin/python3", "python3 -S -c 'import json, os; "
	    "print(sorted(os.listdir(\"/usr/share/perl5\"))[0], json.dumps([1]))'" },
	{ "/usr/bin/perl", "perl -MPOSIX -e "
	    "'open(my $f, \"<\", \"/etc/passwd\"); print scalar <$f>'" },
	{ "/usr/bin/node", "node -e "
	    "'console.log(require(\"fs\").readFileSync(\"/etc/group\").length)'" },
	{ "/usr/bin/git", "git --version; git -C / status 2>&1 | head -1" },
	{ "/bin/ps", "ps -o comm= -p $$" },
	{ "/bin/cat", "cat /proc/self/comm /proc/self/status | head -2" },
	{ "/bin/sh", "readlink /proc/self/exe; cat /proc/self/cmdline | tr '\\0' ' '" },
	{ "/bin/sh", "cd $W/pub && cat a ../ro/a && ls .. | sort | head -3" },
	{ "/bin/sh", "echo more >$W/pub/a && cat $W/pub/a" },
	{ "/bin/sh", "umask 027; echo made >$W/pub/made; ls -l $W/pub/made | cut -c1-10" },
	{ "/bin/sh", "echo '#!/bin/sh\necho run' >$W/pub/run && sh $W/pub/run" },
	/* Nobody else may have it open for writing when it is executed. */
	{ "/bin/echo", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20;"
	    " do cat /bin/echo >$W/pub/bin && $W/pub/bin $i || exit 1; done" },
	{ "/bin/chmod", "cd $W/pub && chmod -v 640 a && chmod -R g+rwX sub &&"
	    " ls -ld a sub | cut -c1-10" },
	{ "/bin/cp", "cd $W/pub && touch -d '2001-02-03 04:05:06' a &&"
	    " cp -p a b && cp -a sub sub2 && stat -c '%a %u %Y %n' a b" },
	{ "/usr/bin/install", "cd $W/pub && install -m 751 a c &&"
	    " stat -c %a c" },
	{ "/bin/tar", "cd $W/pub && chmod 604 a && tar cf t.tar a sub && mkdir x"
	    " && tar xpf t.tar -C x && stat -c '%a %n' x/a" },
	{ "/usr/bin/python3", "cd $W/pub && python3 -S -c 'import os, shutil;"
	    " os.utime(\"a\", (1, 2)); os.setxattr(\"a\", \"user.k\", b\"v\");"
	    " shutil.copy2(\"a\", \"p\"); print(os.getxattr(\"p\", \"user.k\"),"
	    " os.stat(\"p\").st_mtime)'" },
	{ "/usr/bin/git", "cd $W/pub/sub && git init -q --shared . 2>&1 &&"
	    " stat -c %a .git && echo made" },
	{ "/bin/dd", "dd if=/dev/zero bs=1k count=3 2>/dev/null | wc -c" },
};

/* All scripts in one shell, each with a line at its end. */
static char *
run(enum cage_mode mode, size_t only)
{
	struct cage cage = { 0 };
	char *text = calloc(1, 1 << 20);
	size_t n = 0;

	tmp_begin();
	cage_files();
	tmp_file("w/pub/bin", "");
	tmp_mode("w/pub/bin", 0755);
	cage_start(&cage, mode);
	cage_send(&cage, "PATH=/usr/bin:/bin HOME=/nonexistent W=%s LC_ALL=C; "
	    "export PATH HOME W LC_ALL; exec 2>&1", tmp_path("w"));
	cage_send(&cage, "%s", programs[only].script);
	cage_send(&cage, "exit 0");
	fflush(cage.to);
	while (n < 1 << 19 && fgets(text + n, 4096, cage.from) != NULL)
		n += strlen(text + n);
	(void)cage_stop(&cage);
	/* The trees have other names. */
	for (char *at = text; (at = strstr(at, tmp_root)) != NULL;)
		memset(at, '*', strlen(tmp_root));
	tmp_end();
	return text;
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	setenv("CORDON_CALLER", "/bin/sh", 1);
	for (size_t i = 0; i < CDN_LEN(programs); i++) {
		char *bare, *brokered;

		if (access(programs[i].needs, X_OK) != 0)
			continue;
		bare = run(CAGE_BARE, i);
		brokered = run(CAGE_C, i);
		if (!ok_f(bare[0] != '\0' && strcmp(bare, brokered) == 0, "%s",
			programs[i].script))
			printf("# really: %.300s\n# broker: %.300s\n", bare,
			    brokered);
		free(bare);
		free(brokered);
	}
	return done_testing();
}
