/*
 * start_floor - what a start takes of the kernel alone, by a program that does
 * for a run what cordon promises, one step after the other, and nothing else.
 *
 *	start_floor WORKSPACE PROGRAM [ARG...]
 *
 * It looks once at each place that a start has to know (the floor below $HOME
 * and the system, the runtime, the names that the host would execute), asks for
 * the mounts, makes and removes a private directory, writes the two lines of
 * the record under its lock, gives a thread its bound, and executes PROGRAM in
 * a new session without capabilities, in a Landlock domain of as many rules and
 * behind a filter of as many instructions as the default has.  It reads no
 * policy, decides nothing and answers nobody: all its time is the kernel's.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_CREATE_RULESET 444
#define NR_ADD_RULE	  445
#define NR_RESTRICT_SELF  446
#define NR_STATMOUNT	  457
#define NR_LISTMOUNT	  458
#define ALL_RIGHTS	  ((UINT64_C(1) << 16) - 1)
#define READ_EXECUTE	  UINT64_C(13)
#define MOUNTS_MAX	  64
#define STACK_SIZE	  (64 * 1024)
#define RECORD_BYTES	  800 /* a run.start without a document */
#define FILTER_LENGTH	  185 /* of mode B: filter_bench */

/* ----- What a start looks at --------------------------------------------------- */

static const char *const in_home[] = { ".ssh", ".aws", ".gnupg", ".netrc",
	".git-credentials", ".kube", ".docker", ".config", ".azure", ".npmrc",
	".pypirc", ".cargo", ".digitorn", ".omega", ".mozilla", ".local",
	".local/share", ".gnome2", ".claude", ".claude.json", ".codex",
	".gemini", ".grok", ".rustup", ".nvm", ".pyenv", ".rbenv", ".sdkman",
	".volta", ".bun", ".deno", ".local/bin", ".local/lib", "go",
	".gitconfig", NULL };

static const char *const in_workspace[] = { ".git", ".envrc", ".vscode",
	".idea", ".devcontainer", ".mcp.json", ".claude", ".codex", ".gemini",
	".cursor", ".cordon", NULL };

/* Those that are there get a rule. */
static const char *const in_system[] = { "/etc", "/etc/shadow", "/etc/shadow-",
	"/etc/gshadow", "/etc/gshadow-", "/etc/ssh", "/run", "/run/secrets",
	"/var", "/var/run", "/proc", "/usr", "/bin", "/sbin", "/lib", "/lib32",
	"/lib64", "/libx32", "/opt", "/nix", "/gnu", "/snap", "/var/lib",
	"/sys", "/run/systemd", "/run/NetworkManager", "/usr/local",
	"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin",
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	"/dev/tty", "/dev/ptmx", NULL };

static void
fail(const char *what)
{
	perror(what);
	_exit(125);
}

static void
look_in(const char *dir, const char *const *names)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	for (; *names != NULL; names++)
		(void)!fstatat(fd, *names, &st, AT_SYMLINK_NOFOLLOW);
	close(fd);
}

/* Kernels before 6.8 have neither: then it is less than the least. */
static void
look_at_mounts(void)
{
	struct {
		uint32_t size, spare;
		uint64_t mount, param;
	} about = { 24, 0, UINT64_MAX, 0 };
	uint64_t ids[MOUNTS_MAX];
	char told[512];
	long n = syscall(NR_LISTMOUNT, &about, ids, MOUNTS_MAX, 0);

	for (long i = 0; i < n; i++) {
		about.mount = ids[i];
		about.param = 0x1f;
		(void)!syscall(NR_STATMOUNT, &about, told, sizeof(told), 0);
	}
}

/* ----- What it leaves and takes away --------------------------------------------- */

static int state_fd, record_fd, head_fd;

static void
open_state(void)
{
	char state[4096];

	snprintf(state, sizeof(state), "%s/.floor", getenv("HOME"));
	(void)!mkdir(state, 0700);
	state_fd = open(state, O_PATH | O_DIRECTORY | O_CLOEXEC);
	record_fd = openat(state_fd, "record",
	    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	head_fd = openat(state_fd, "head", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (record_fd < 0 || head_fd < 0)
		fail(state);
	/* It was made while the last program ran. */
	if (renameat(state_fd, "next", state_fd, "tmp") != 0)
		(void)!mkdirat(state_fd, "tmp", 0700);
}

static void
record(size_t n)
{
	char line[RECORD_BYTES], head[72];

	memset(line, 'x', sizeof(line));
	(void)!flock(head_fd, LOCK_EX);
	(void)!pread(head_fd, head, sizeof(head), 0);
	if (write(record_fd, line, n) != (ssize_t)n ||
	    pwrite(head_fd, line, sizeof(head), 0) < 0)
		fail("record");
	(void)!flock(head_fd, LOCK_UN);
}

/* ----- The cage ------------------------------------------------------------------ */

struct path_beneath {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

struct launch {
	char **argv;
	int rules, bound;
	struct sock_filter filter[FILTER_LENGTH];
	char stack[STACK_SIZE] __attribute__((aligned(16)));
	int status; /* of the program */
};

static struct launch launch;

static int
new_ruleset(void)
{
	uint64_t handled = ALL_RIGHTS;

	return (int)syscall(NR_CREATE_RULESET, &handled, sizeof(handled), 0);
}

static void
grant(const char *path, uint64_t rights)
{
	struct path_beneath rule = { rights, open(path, O_PATH | O_CLOEXEC) };

	if (rule.fd < 0)
		return;
	if (syscall(NR_ADD_RULE, launch.rules, 1, &rule, 0) == 0)
		(void)!syscall(NR_ADD_RULE, launch.bound, 1, &rule, 0);
	close(rule.fd);
}

static void
build_cage(const char *workspace)
{
	launch.rules = new_ruleset();
	launch.bound = new_ruleset();
	if (launch.rules < 0 || launch.bound < 0)
		fail("Landlock");
	for (size_t i = 0; in_system[i] != NULL; i++)
		grant(in_system[i], READ_EXECUTE);
	grant("/", READ_EXECUTE);
	grant(workspace, ALL_RIGHTS);
	grant(getenv("HOME"), ALL_RIGHTS);
	/* As much to translate, and nothing of it is ever reached. */
	launch.filter[0] = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA,
	    FILTER_LENGTH - 2);
	for (unsigned i = 1; i < FILTER_LENGTH - 1; i++)
		launch.filter[i] = (struct sock_filter)BPF_JUMP(BPF_JMP |
			BPF_JEQ | BPF_K,
		    i, 0, 0);
	launch.filter[FILTER_LENGTH - 1] =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

static int
be_child(void *arg)
{
	struct sock_fprog program = { FILTER_LENGTH, launch.filter };
	uint32_t header[2] = { 0x20080522, 0 }, none[6] = { 0 };

	(void)arg;
	(void)!prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	(void)!setsid();
	(void)!syscall(SYS_capset, header, none);
	if (syscall(NR_RESTRICT_SELF, launch.rules, 0) == 0 &&
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) >= 0)
		execv(launch.argv[0], launch.argv);
	_exit(127);
}

/* The child dies with this very thread, so it stays. */
static void *
be_launcher(void *arg)
{
	pid_t pid;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(NR_RESTRICT_SELF, launch.bound, 0) != 0)
		fail("bound");
	pid = clone(be_child, launch.stack + STACK_SIZE,
	    CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	if (pid < 0 || waitpid(pid, &launch.status, 0) != pid)
		fail("child");
	return arg;
}

/* ----- All of it ----------------------------------------------------------------- */

int
main(int argc, char **argv)
{
	pthread_t launcher;

	if (argc < 3 || getenv("HOME") == NULL)
		return 125;
	launch.argv = argv + 2;
	look_in(getenv("HOME"), in_home);
	look_in("/", in_system);
	look_in(argv[1], in_workspace);
	look_at_mounts();
	open_state();
	build_cage(argv[1]);
	record(RECORD_BYTES);
	if (pthread_create(&launcher, NULL, be_launcher, NULL) != 0)
		fail("thread");
	(void)!mkdirat(state_fd, "next", 0700);
	pthread_join(launcher, NULL);
	record(RECORD_BYTES / 2);
	(void)!unlinkat(state_fd, "tmp", AT_REMOVEDIR);
	return WIFEXITED(launch.status) ? WEXITSTATUS(launch.status) : 125;
}
