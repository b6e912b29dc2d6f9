/*
 * wrappers - programs that start other programs.
 */
#include "engine/shell/reader.h"

#define INNER CDN_SHELL_STARTS_WORDS
#define TEXT  CDN_SHELL_STARTS_TEXT

/* clang-format off */
static const struct {
	const char *name;
	unsigned how;
} wrappers[] = {
	/* Shells, and builtins that read commands. */
	{ ".", TEXT }, { "ash", TEXT }, { "bash", TEXT }, { "busybox", TEXT },
	{ "csh", TEXT }, { "dash", TEXT }, { "elvish", TEXT }, { "eval", TEXT },
	{ "exec", TEXT | INNER }, { "fish", TEXT }, { "ksh", TEXT },
	{ "ksh93", TEXT }, { "lksh", TEXT }, { "mksh", TEXT }, { "nu", TEXT },
	{ "osh", TEXT }, { "pwsh", TEXT }, { "rbash", TEXT }, { "sh", TEXT },
	{ "source", TEXT }, { "tcsh", TEXT }, { "toybox", TEXT },
	{ "trap", TEXT }, { "xonsh", TEXT }, { "yash", TEXT }, { "zsh", TEXT },

	/* Programs that hand a text to a shell, or run what they read. */
	{ "at", TEXT }, { "batch", TEXT }, { "capsh", TEXT },
	{ "crontab", TEXT }, { "entr", TEXT }, { "expect", TEXT },
	{ "flock", TEXT | INNER }, { "gdb", TEXT }, { "hyperfine", TEXT },
	{ "newgrp", TEXT }, { "parallel", TEXT }, { "runuser", TEXT },
	{ "screen", TEXT }, { "script", TEXT }, { "sg", TEXT },
	{ "su", TEXT }, { "tmux", TEXT }, { "watch", TEXT },
	{ "watchexec", TEXT }, { "xargs", TEXT },

	/* Programs that start the words behind their own options. */
	{ "builtin", INNER }, { "catchsegv", INNER }, { "chroot", INNER },
	{ "chrt", INNER }, { "command", INNER }, { "dbus-run-session", INNER },
	{ "doas", INNER }, { "env", INNER }, { "eatmydata", INNER },
	{ "faketime", INNER }, { "fakeroot", INNER }, { "ionice", INNER },
	{ "ltrace", INNER }, { "nice", INNER }, { "nohup", INNER },
	{ "nsenter", INNER }, { "numactl", INNER }, { "pkexec", INNER },
	{ "prlimit", INNER }, { "setarch", INNER }, { "setpriv", INNER },
	{ "setsid", INNER }, { "setuidgid", INNER }, { "start-stop-daemon", INNER },
	{ "stdbuf", INNER }, { "strace", INNER }, { "sudo", INNER },
	{ "systemd-run", INNER }, { "taskset", INNER }, { "time", INNER },
	{ "timeout", INNER }, { "unbuffer", INNER }, { "unshare", INNER },
	{ "valgrind", INNER }, { "xvfb-run", INNER },
};
/* clang-format on */

unsigned
cdn_shell_starts(cdn_str program)
{
	size_t slash = program.n;

	while (slash > 0 && program.p[slash - 1] != '/')
		slash--;
	program = cdn_str_from(program, slash);
	for (size_t i = 0; i < CDN_LEN(wrappers); i++)
		if (cdn_str_is(program, wrappers[i].name))
			return wrappers[i].how;
	return 0;
}
