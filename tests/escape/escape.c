/*
 * escape-probe - attacks, and the host that is attacked.
 *
 *	escape-probe list			the names of all probes
 *	escape-probe setup DIR			DIR/NAME/secret for each; prints
 *						what they are
 *	escape-probe verify DIR <printed	names those that have changed
 *	escape-probe run FACTS R M SCRATCH [works]	tries them all
 *	escape-probe host DIR			waits to be attacked
 *	escape-probe session PROGRAM [ARG...]	with a key in its keyring
 *
 * `run` prints a line for each: NAME, then `escaped`, `held ERROR` or
 * `impossible WHY`.  With `works` only those that work where it is allowed.
 *
 * Built without sanitizers: it runs under any filter.
 */
#include "escape.h"

#include <err.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/wait.h>

#define TEXTS	16
#define SECONDS 120 /* for one probe; none waits for anything */

static const struct probe *const families[] = { paths_probes, links_probes,
	proc_probes, privileges_probes, calls_probes, metadata_probes,
	network_probes, others_probes };

const char *unreadable, *unwritable, *scratch;
static const char *why_not;
static char facts[8192];

/* ----- For the probes ---------------------------------------------------- */

const char *
text(const char *fmt, ...)
{
	static char texts[TEXTS][2 * PATH_MAX];
	static unsigned next;
	char *out = texts[next++ % TEXTS];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out, sizeof(texts[0]), fmt, ap);
	va_end(ap);
	return out;
}

const char *
fact(const char *key)
{
	size_t n = strlen(key);

	for (char *line = facts; line != NULL && *line != '\0';
	     line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) == 0 && line[n] == '=')
			return text("%.*s", (int)strcspn(line + n + 1, "\n"),
			    line + n + 1);
	}
	return "";
}

int
fact_number(const char *key)
{
	return atoi(fact(key));
}

int
leaks(int fd)
{
	char bytes[16] = "";
	int error;

	if (fd < 0)
		return -1;
	if (read(fd, bytes, sizeof(bytes) - 1) >= 0)
		errno = ENODATA;
	error = errno;
	close(fd);
	errno = error;
	return strncmp(bytes, "SECRET", 6) == 0 ? 0 : -1;
}

int
not_here(const char *why)
{
	why_not = why;
	return 1;
}

int
had(long result)
{
	return result < 0 ? -1 : 0;
}

int
make(const char *path, const char *bytes)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd >= 0 && write(fd, bytes, strlen(bytes)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ----- Each of them ------------------------------------------------------ */

static void
each(void (*fn)(const struct probe *probe, void *arg), void *arg)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		for (const struct probe *p = families[i]; p->name != NULL; p++)
			fn(p, arg);
}

static void
list(const struct probe *probe, void *arg)
{
	(void)arg;
	printf("%s%s\n", probe->name, (probe->flags & WORKS) ? " works" : "");
}

/* ----- Secrets ----------------------------------------------------------- */

/* Whatever is done to a file changes one of these; reading does not. */
static const char *
describe(const char *dir, const char *name)
{
	const char *place = text("%s/%s", dir, name);
	struct stat st = { 0 }, above = { 0 };

	(void)lstat(text("%s/secret", place), &st);
	(void)lstat(place, &above);
	return text("%s %lu %lld.%09ld %lld.%09ld %u\n", name,
	    (unsigned long)st.st_ino, (long long)st.st_ctim.tv_sec,
	    st.st_ctim.tv_nsec, (long long)above.st_ctim.tv_sec,
	    above.st_ctim.tv_nsec, (unsigned)st.st_nlink);
}

static void
setup(const struct probe *probe, void *arg)
{
	const char *place = text("%s/%s", (const char *)arg, probe->name);
	int fd;

	if (mkdir(place, 0755) != 0)
		err(2, "%s", place);
	fd = make(text("%s/secret", place), "SECRET\n");
	if (fd < 0 || fchmod(fd, 0644) != 0 || close(fd) != 0)
		err(2, "%s/secret", place);
}

static void
show(const struct probe *probe, void *arg)
{
	fputs(describe(arg, probe->name), stdout);
}

/* ----- Trying ------------------------------------------------------------ */

struct places {
	const char *read;
	const char *modify;
	const char *scratch;
	bool works; /* only those that do where it is allowed */
};

/* Back to a mount namespace of one's own, where this user may have one. */
static void
keep_mounts(void)
{
	if (unshare(CLONE_NEWNS) == 0 &&
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		_exit(3);
}

static void
attack(const struct probe *probe, const struct places *places)
{
	int r;

	unreadable = text("%s/%s", places->read, probe->name);
	unwritable = text("%s/%s", places->modify, probe->name);
	scratch = text("%s/%s", places->scratch, probe->name);
	unreadable = strdup(unreadable);
	unwritable = strdup(unwritable);
	scratch = strdup(scratch);
	(void)mkdir(scratch, 0755);
	alarm(SECONDS);
	if ((probe->flags & MOUNTS) != 0)
		keep_mounts();
	errno = 0;
	r = probe->try();
	if (r == 0)
		printf("%s escaped\n", probe->name);
	else if (r < 0)
		printf("%s held %s\n", probe->name, strerrorname_np(errno));
	else
		printf("%s impossible %s\n", probe->name, why_not);
	fflush(stdout);
	_exit(0);
}

static void
run(const struct probe *probe, void *arg)
{
	const struct places *places = arg;
	pid_t pid;
	int status;

	if (places->works && (probe->flags & WORKS) == 0)
		return;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		attack(probe, places);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(2, "%s", probe->name);
	if (WIFSIGNALED(status))
		printf("%s held SIG%s\n", probe->name,
		    sigabbrev_np(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		printf("%s held exit-%d\n", probe->name, WEXITSTATUS(status));
}

static void
read_facts(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, facts, sizeof(facts) - 1);

	if (n < 0)
		err(2, "%s", path);
	close(fd);
}

/* ----- What is new ------------------------------------------------------- */

static void
verify(const char *dir)
{
	char line[512], name[64];

	while (fgets(line, sizeof(line), stdin) != NULL)
		if (sscanf(line, "%63s", name) == 1 &&
		    strcmp(describe(dir, name), line) != 0)
			printf("%s\n", name);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	umask(022);
	if (strcmp(what, "list") == 0) {
		each(list, NULL);
	} else if (strcmp(what, "setup") == 0 && argc == 3) {
		each(setup, argv[2]);
		each(show, argv[2]);
	} else if (strcmp(what, "verify") == 0 && argc == 3) {
		verify(argv[2]);
	} else if (strcmp(what, "run") == 0 && argc >= 6) {
		struct places places = { argv[3], argv[4], argv[5], argc > 6 };

		read_facts(argv[2]);
		each(run, &places);
	} else if (strcmp(what, "host") == 0 && argc == 3) {
		host_serve(argv[2]);
	} else if (strcmp(what, "session") == 0 && argc > 2) {
		host_session(argv + 2);
	} else {
		errx(2, "usage: see the top of escape.c");
	}
	return 0;
}
