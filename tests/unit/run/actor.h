/*
 * actor - the commands that are run: each part does one thing worth seeing.
 *
 *	fds			open descriptors, one line each
 *	state			mask, capabilities, group, keyring and so on
 *	pause			says "ready", then nothing until it is killed
 *	kill PID SIGNAL		then pause
 *	orphan KIND FILE END	leaves somebody behind who has FILE locked and
 *				heeds no signal; then END: exit, or pause
 *	bomb FILE		ends, its children fork on without end
 *	spin			uses the processor
 *	team COUNT		so many do, each a session; it waits for them
 *	tty [noecho]		says "front", reads a line from the terminal,
 *				says "got LINE"; "int" and "cont" on signals
 *
 * An orphan says "ready" on stdout before its maker goes on.
 */
#ifndef CDN_TESTS_ACTOR_H
#define CDN_TESTS_ACTOR_H

#include <dirent.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <termios.h>

#include "runs.h"

/* ----- Looking at itself -------------------------------------------------- */

static inline int
play_fds(void)
{
	for (int fd = 0; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d\n", fd);
	return 0;
}

static inline void
print_line_of(const char *path, const char *key)
{
	char line[256];
	FILE *file = fopen(path, "re");

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			fputs(line, stdout);
	if (file != NULL)
		fclose(file);
}

/* Its number; negative when there are no keys here. */
static inline long
session_keyring(void)
{
	const int get_id = 0, session = -3; /* KEYCTL_, KEY_SPEC_ */

	return syscall(SYS_keyctl, get_id, session, 0, 0, 0);
}

static inline int
play_state(void)
{
	static const char *const keys[] = { "SigBlk", "SigIgn", "SigCgt",
		"NoNewPrivs", "CapInh", "CapPrm", "CapEff", "CapBnd",
		"CapAmb" };
	struct rlimit core = { 1, 1 };
	int death = 0;

	for (size_t i = 0; i < CDN_LEN(keys); i++)
		print_line_of("/proc/self/status", keys[i]);
	getrlimit(RLIMIT_CORE, &core);
	prctl(PR_GET_PDEATHSIG, &death);
	printf("core %lu %lu\ndeath %d\nleader %d\nsession %d\nkeyring %ld\n",
	    (unsigned long)core.rlim_cur, (unsigned long)core.rlim_max, death,
	    getpgrp() == getpid(), getsid(0) == getpid(), session_keyring());
	return 0;
}

/* ----- Those who stay behind ---------------------------------------------- */

static inline void
heed_nothing(void)
{
	for (int i = 1; i < 32; i++)
		signal(i, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

/* Everybody who stays writes his number into the file, then locks it. */
static inline void
sign_in(const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	char pid[32];

	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (fd < 0 || write(fd, pid, strlen(pid)) < 0 ||
	    flock(fd, LOCK_SH) != 0)
		_exit(1);
}

_Noreturn static inline void
stay(const char *file, int ready_fd)
{
	heed_nothing();
	sign_in(file);
	if (write(ready_fd, "!", 1) != 1)
		_exit(1);
	close(ready_fd);
	for (;;)
		pause();
}

static inline void
as_child(const char *file, int ready)
{
	if (fork() == 0)
		stay(file, ready);
}

static inline void
as_group(const char *file, int ready)
{
	if (fork() == 0) {
		setpgid(0, 0);
		stay(file, ready);
	}
}

static inline void
as_session(const char *file, int ready)
{
	if (fork() == 0) {
		setsid();
		stay(file, ready);
	}
}

/* As daemons do it. */
static inline void
as_daemon(const char *file, int ready)
{
	if (fork() != 0)
		return;
	setsid();
	if (fork() != 0)
		_exit(0);
	if (chdir("/") == 0)
		stay(file, ready);
}

/* Who would tell nobody that it ended. */
static inline void
as_clone(const char *file, int ready)
{
	if (syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L) == 0)
		stay(file, ready);
}

/* Stopped, it hears nothing but SIGKILL. */
static inline void
as_stopped(const char *file, int ready)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		setsid();
		sign_in(file);
		if (fork() == 0)
			stay(file, ready);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
}

/* A chain of sessions, each the parent of the next. */
static inline void
as_chain(const char *file, int ready)
{
	if (fork() != 0)
		return;
	heed_nothing();
	for (int i = 0; i < 20; i++) {
		setsid();
		sign_in(file);
		if (fork() != 0)
			for (;;)
				pause();
	}
	stay(file, ready);
}

static const struct {
	const char *name;
	void (*make)(const char *file, int ready);
} orphan_kinds[] = {
	{ "child", as_child },
	{ "group", as_group },
	{ "session", as_session },
	{ "daemon", as_daemon },
	{ "clone", as_clone },
	{ "stopped", as_stopped },
	{ "chain", as_chain },
};

static inline int
play_orphan(char **argv)
{
	int ends[2];
	char byte;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return 1;
	for (size_t i = 0; i < CDN_LEN(orphan_kinds); i++)
		if (strcmp(argv[0], orphan_kinds[i].name) == 0)
			orphan_kinds[i].make(argv[1], ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		return 1;
	if (write(1, "ready\n", 6) != 6)
		return 1;
	if (strcmp(argv[2], "pause") == 0)
		for (;;)
			pause();
	return 0;
}

/* Eight who run: each is gone as soon as it has a child. */
static inline int
play_bomb(char **argv)
{
	int fd = open(argv[0], O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	heed_nothing();
	if (fd < 0 || flock(fd, LOCK_SH) != 0)
		return 1;
	for (int i = 0; i < 8; i++)
		if (fork() == 0)
			break;
		else if (i == 7)
			return write(1, "ready\n", 6) == 6 ? 0 : 1;
	for (;;) {
		pid_t pid = fork();

		if (pid == 0)
			setsid();
		else if (pid > 0)
			_exit(0);
	}
}

static inline int
play_team(char **argv)
{
	long count = strtol(argv[0], NULL, 10);

	for (long i = 0; i < count; i++)
		if (fork() == 0) {
			setsid();
			for (volatile unsigned n = 0;; n++)
				;
		}
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return 0;
}

/* ----- At a terminal ------------------------------------------------------ */

static inline void
say_signal(int signal)
{
	ssize_t n = signal == SIGINT ? write(1, "int\n", 4)
				     : write(1, "cont\n", 5);
	(void)n;
}

static inline int
play_tty(char **argv)
{
	struct sigaction action = { .sa_handler = say_signal,
		.sa_flags = SA_RESTART };
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	struct termios settings;
	char line[64];
	ssize_t n;

	sigaction(SIGCONT, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	if (fd < 0 || tcgetattr(fd, &settings) != 0)
		return 1;
	settings.c_lflag &= ~(tcflag_t)ECHO;
	if (argv[0] != NULL && tcsetattr(fd, TCSANOW, &settings) != 0)
		return 1;
	dprintf(1, "front\n");
	n = read(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return 2;
	dprintf(1, "got %.*s", (int)n, line);
	return 4;
}

/* ----- Parts -------------------------------------------------------------- */

_Noreturn static inline void
play_kill(char **argv)
{
	kill((pid_t)strtol(argv[0], NULL, 10),
	    (int)strtol(argv[1], NULL, 10));
	for (;;)
		pause();
}

static inline int
play(char **argv)
{
	if (strcmp(argv[0], "fds") == 0)
		return play_fds();
	if (strcmp(argv[0], "state") == 0)
		return play_state();
	if (strcmp(argv[0], "kill") == 0)
		play_kill(argv + 1);
	if (strcmp(argv[0], "orphan") == 0)
		return play_orphan(argv + 1);
	if (strcmp(argv[0], "bomb") == 0)
		return play_bomb(argv + 1);
	if (strcmp(argv[0], "tty") == 0)
		return play_tty(argv + 1);
	if (strcmp(argv[0], "team") == 0)
		return play_team(argv + 1);
	for (volatile unsigned i = 0; strcmp(argv[0], "spin") == 0; i++)
		;
	if (write(1, "ready\n", 6) != 6)
		return 1;
	for (;;)
		pause();
}

/* Is somebody there who has it locked? */
static inline bool
is_locked(const char *file)
{
	int fd = open(file, O_RDWR | O_CLOEXEC);
	bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
	    errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

#endif
