/*
 * guard_bench - what the guard adds to a conversation with an MCP server.
 *
 *	guard_bench			needs CORDON, the command
 *	guard_bench --server CPU	the server that is talked to
 *
 * Each figure is taken through pipes to the server itself, and through `cordon
 * mcp guard` with the same server in its cage: both run all the time, and are
 * called in turns of SLICE calls, so that what the machine does meanwhile meets
 * both.  The best of ROUNDS is shown.
 *
 *	call	one call of 1 KiB, its answer, the next: least, median, p99
 *	cpu	processor time of the server, or of the guard, for one such call
 *	string	calls whose argument is a string of 1 MiB
 *	flight	10 000 calls sent without waiting, answered in their order
 *
 * Three sets of rows.  "As scheduled" is what a user gets here and now.  Whether
 * that is one processor for all or several decides more than the guard does: to
 * wake somebody on a processor that sleeps costs tens of microseconds in a virtual
 * machine, and direct calls are not always where guarded ones are.  So both are
 * also measured where they must be: all "on one processor", where nobody sleeps
 * and what is added the guard adds; and with the "server on another".
 */
#include "clock.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	   5
#define CALLS	   10000
#define SLICE	   500
#define WARM_UP	   50 /* before each slice */
#define CALL_SIZE  1024
#define STRINGS	   100
#define STRING_MIB 1
#define FLIGHT	   10000
#define MIB	   (1024UL * 1024UL)
#define LINE_SIZE  (2 * MIB)

static void
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0)
			err(1, "write");
		p += done;
		n -= (size_t)done;
	}
}

/* ----- Lines --------------------------------------------------------------- */

struct lines {
	int fd;
	char *p;
	size_t begin, end;
};

/* The next one, NUL for its newline; NULL at the end. */
static char *
next_line(struct lines *l)
{
	for (;;) {
		char *line = l->p + l->begin;
		char *newline = memchr(line, '\n', l->end - l->begin);
		ssize_t n;

		if (newline != NULL) {
			*newline = '\0';
			l->begin = (size_t)(newline - l->p) + 1;
			return line;
		}
		memmove(l->p, line, l->end - l->begin);
		l->end -= l->begin;
		l->begin = 0;
		n = read(l->fd, l->p + l->end, LINE_SIZE - l->end);
		if (n <= 0)
			return NULL;
		l->end += (size_t)n;
	}
}

static struct lines
lines_of(int fd)
{
	struct lines l = { .fd = fd, .p = malloc(LINE_SIZE) };

	if (l.p == NULL)
		err(1, "memory");
	return l;
}

/* ----- The server ------------------------------------------------------------ */

static int
serve(void)
{
	struct lines l = lines_of(STDIN_FILENO);
	char answer[128];
	char *line;

	while ((line = next_line(&l)) != NULL) {
		const char *id = strstr(line, "\"id\":");
		int n = snprintf(answer, sizeof(answer), "{\"jsonrpc\":\"2.0\","
		    "\"id\":%ld,\"result\":{\"content\":[]}}\n",
		    id == NULL ? 0 : strtol(id + 5, NULL, 10));

		write_all(STDOUT_FILENO, answer, (size_t)n);
	}
	free(l.p);
	return 0;
}

/* ----- The client -------------------------------------------------------------- */

struct server {
	pid_t pid;
	int in;
	struct lines out;
};

static struct server
start(char *const argv[])
{
	struct server s = { .pid = -1 };
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		err(1, "pipe");
	s.pid = fork();
	if (s.pid < 0)
		err(1, "fork");
	if (s.pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execv(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	close(in[0]);
	close(out[1]);
	s.in = in[1];
	s.out = lines_of(out[0]);
	return s;
}

static void
stop(struct server *s)
{
	int status;

	close(s->in);
	close(s->out.fd);
	free(s->out.p);
	if (waitpid(s->pid, &status, 0) != s->pid || status != 0)
		errx(1, "the server ended badly: %#x", status);
}

/* A call with a string of that many bytes, and its length; to be freed. */
static char *
call_of(long id, size_t bytes, size_t *ret)
{
	char *line = malloc(bytes + 256);
	int head;

	if (line == NULL)
		err(1, "memory");
	head = snprintf(line, 256, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":"
	    "\"tools/call\",\"params\":{\"name\":\"write\",\"arguments\":"
	    "{\"path\":\"file\",\"content\":\"", id);
	memset(line + head, 'x', bytes);
	memcpy(line + head + bytes, "\"}}}\n", 5);
	*ret = (size_t)head + bytes + 5;
	return line;
}

static void
expect(struct server *s, long id)
{
	const char *line = next_line(&s->out);
	const char *at = line == NULL ? NULL : strstr(line, "\"id\":");

	if (at == NULL || strtol(at + 5, NULL, 10) != id ||
	    strstr(line, "isError") != NULL)
		errx(1, "call %ld: %s", id, line == NULL ? "nothing" : line);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct figures {
	double least, p50, p99; /* of calls, us */
	double cpu;		/* us */
	double string;		/* MB/s */
	double flight;		/* calls/s */
};

/* Somebody who is called, and how long each call took. */
struct side {
	char *const *argv;
	struct server server;
	double us[CALLS];
	size_t calls;
	struct figures best;
};

/* What its first thread has had of the processors so far, in us. */
static double
cpu_of(const struct server *s)
{
	char name[64];
	double ns = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/schedstat", (int)s->pid);
	file = fopen(name, "r");
	if (file == NULL || fscanf(file, "%lf", &ns) != 1)
		ns = 0;
	if (file != NULL)
		fclose(file);
	return ns / 1e3;
}

static double
call(struct server *s, long id)
{
	size_t n;
	char *line = call_of(id, CALL_SIZE - 120, &n);
	double begin = now_us();

	write_all(s->in, line, n);
	expect(s, id);
	free(line);
	return now_us() - begin;
}

/* The processor's time is added up; the rest is seen at the end. */
static void
measure_slice(struct side *side, struct figures *f)
{
	double cpu;

	for (long i = 0; i < WARM_UP; i++)
		call(&side->server, i);
	cpu = cpu_of(&side->server);
	for (long i = 0; i < SLICE; i++)
		side->us[side->calls++] = call(&side->server, i);
	f->cpu += (cpu_of(&side->server) - cpu) / CALLS;
}

static void
settle_calls(struct side *side, struct figures *f)
{
	qsort(side->us, CALLS, sizeof(side->us[0]), compare);
	f->least = side->us[0];
	f->p50 = side->us[CALLS / 2];
	f->p99 = side->us[CALLS / 100 * 99];
}

static void
measure_strings(struct server *s, struct figures *ret)
{
	size_t n;
	char *line = call_of(1, STRING_MIB * MIB, &n);
	double begin = now_us();

	for (long i = 0; i < STRINGS; i++) {
		write_all(s->in, line, n);
		expect(s, 1);
	}
	ret->string = (double)STRINGS * (double)n / (now_us() - begin);
	free(line);
}

/* A child of its own sends, so that nobody waits for the other. */
static void
measure_flight(struct server *s, struct figures *ret)
{
	double begin = now_us();
	pid_t pid = fork();
	int status;
	size_t n;

	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		for (long i = 0; i < FLIGHT; i++) {
			char *line = call_of(i, CALL_SIZE - 120, &n);

			write_all(s->in, line, n);
			free(line);
		}
		_exit(0);
	}
	for (long i = 0; i < FLIGHT; i++)
		expect(s, i);
	ret->flight = FLIGHT / (now_us() - begin) * 1e6;
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "the sender ended badly");
}

static double
least(double a, double b)
{
	return a < b ? a : b;
}

static double
most(double a, double b)
{
	return a > b ? a : b;
}

/* best: of the rounds before; none: its flight is 0. */
static void
keep_best(struct figures *best, const struct figures *f)
{
	bool first = best->flight == 0;

	*best = first ? *f : (struct figures){
		.least = least(best->least, f->least),
		.p50 = least(best->p50, f->p50),
		.p99 = least(best->p99, f->p99),
		.cpu = least(best->cpu, f->cpu),
		.string = most(best->string, f->string),
		.flight = most(best->flight, f->flight),
	};
}

static void
measure_round(struct side sides[2])
{
	struct figures f[2] = { { .cpu = 0 }, { .cpu = 0 } };

	for (int i = 0; i < 2; i++) {
		sides[i].server = start(sides[i].argv);
		sides[i].calls = 0;
	}
	while (sides[1].calls < CALLS)
		for (int i = 0; i < 2; i++)
			measure_slice(&sides[i], &f[i]);
	for (int i = 0; i < 2; i++) {
		settle_calls(&sides[i], &f[i]);
		measure_strings(&sides[i].server, &f[i]);
		measure_flight(&sides[i].server, &f[i]);
		stop(&sides[i].server);
		keep_best(&sides[i].best, &f[i]);
	}
}

static void
print(const char *who, const struct figures *f)
{
	printf("  %-8s call %6.1f us (least %6.1f, p99 %7.1f)   cpu %5.1f us   "
	       "string %5.0f MB/s   flight %7.0f calls/s\n",
	    who, f->p50, f->least, f->p99, f->cpu, f->string, f->flight);
}

static void
measure(const char *how, struct side sides[2])
{
	const struct figures *direct = &sides[0].best, *with = &sides[1].best;

	sides[0].best = sides[1].best = (struct figures){ .flight = 0 };
	for (int i = 0; i < ROUNDS; i++)
		measure_round(sides);
	printf("%s\n", how);
	print("direct", direct);
	print("guarded", with);
	printf("  %-8s call %6.1f us (least %6.1f, p99 %7.1f)\n", "added",
	    with->p50 - direct->p50, with->least - direct->least,
	    with->p99 - direct->p99);
	fflush(stdout);
}

/* Ourselves, and so all that we start; false where that cannot be. */
static bool
stay_on(size_t cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0;
}

/* Two that we may use; false when there are not two. */
static bool
find_two(size_t ret[2])
{
	cpu_set_t all;
	size_t n = 0;

	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return false;
	for (size_t i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &all))
			ret[n++] = i;
	return n == 2;
}

static int
serve_on(const char *cpu)
{
	if (cpu[0] != '\0' && !stay_on(strtoul(cpu, NULL, 10)))
		err(1, "processor %s", cpu);
	return serve();
}

int
main(int argc, char **argv)
{
	static struct side sides[2];
	char self[4096], work[] = "/tmp/guard_bench.XXXXXX", cpu[16] = "";
	char server[] = "--server", mcp[] = "mcp", guard[] = "guard";
	char quiet[] = "--quiet", may_read[] = "--read", end[] = "--";
	char *cordon = getenv("CORDON");
	char *direct[] = { self, server, cpu, NULL };
	char *guarded[] = { cordon, mcp, guard, quiet, may_read, self, end,
		self, server, cpu, NULL };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t two[2] = { 0, 0 };
	bool has_two = find_two(two);

	if (argc > 2 && strcmp(argv[1], "--server") == 0)
		return serve_on(argv[2]);
	if (cordon == NULL || n <= 0 || mkdtemp(work) == NULL ||
	    chdir(work) != 0)
		errx(2, "CORDON names no command, or there is no place in /tmp");
	self[n] = '\0';
	signal(SIGPIPE, SIG_IGN);
	setenv("XDG_STATE_HOME", work, 1);
	sides[0].argv = direct;
	sides[1].argv = guarded;
	measure("as scheduled", sides);
	if (!stay_on(two[0]))
		err(1, "cannot stay on one processor");
	measure("on one processor", sides);
	snprintf(cpu, sizeof(cpu), "%zu", two[1]);
	if (has_two)
		measure("server on another processor", sides);
	return 0;
}
