/*
 * guard_bench - what the guard adds to a conversation with an MCP server.
 *
 *	guard_bench			needs CORDON, the command
 *	guard_bench --server		the server that is talked to
 *
 * Each figure is taken through pipes to the server itself, and through `cordon
 * mcp guard` with the same server in its cage, in turns; the best of ROUNDS is
 * shown, so that what else the machine does matters least.
 *
 *	call	one call of 1 KiB, its answer, the next: median
 *	cpu	processor time of the server, or of the guard, for one such call
 *	string	calls whose argument is a string of 1 MiB
 *	flight	10 000 calls sent without waiting, answered in their order
 */
#include "clock.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
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
#define WARM_UP	   500
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
	double call_p50, call_p99; /* us */
	double cpu;		   /* us */
	double string;		   /* MB/s */
	double flight;		   /* calls/s */
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

static void
measure_calls(struct server *s, struct figures *ret)
{
	double *us = calloc(CALLS, sizeof(*us)), cpu = 0;
	size_t n;

	if (us == NULL)
		err(1, "memory");
	for (long i = 0; i < WARM_UP + CALLS; i++) {
		char *line = call_of(i, CALL_SIZE - 120, &n);
		double begin = now_us();

		if (i == WARM_UP)
			cpu = cpu_of(s);
		write_all(s->in, line, n);
		expect(s, i);
		if (i >= WARM_UP)
			us[i - WARM_UP] = now_us() - begin;
		free(line);
	}
	qsort(us, CALLS, sizeof(*us), compare);
	ret->call_p50 = us[CALLS / 2];
	ret->call_p99 = us[CALLS / 100 * 99];
	ret->cpu = (cpu_of(s) - cpu) / CALLS;
	free(us);
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
measure(char *const argv[], struct figures *best)
{
	struct server s = start(argv);
	struct figures f;
	bool first = best->flight == 0;

	measure_calls(&s, &f);
	measure_strings(&s, &f);
	measure_flight(&s, &f);
	stop(&s);
	*best = first ? f : (struct figures){
		.call_p50 = least(best->call_p50, f.call_p50),
		.call_p99 = least(best->call_p99, f.call_p99),
		.cpu = least(best->cpu, f.cpu),
		.string = most(best->string, f.string),
		.flight = most(best->flight, f.flight),
	};
}

static void
print(const char *who, const struct figures *f)
{
	printf("%-8s call %7.1f us (p99 %7.1f)   cpu %5.1f us   "
	       "string %6.0f MB/s   flight %8.0f calls/s\n",
	    who, f->call_p50, f->call_p99, f->cpu, f->string, f->flight);
}

int
main(int argc, char **argv)
{
	char self[4096], work[] = "/tmp/guard_bench.XXXXXX";
	char *cordon = getenv("CORDON");
	char *direct[] = { self, (char[]){ "--server" }, NULL };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct figures without = { .flight = 0 }, with = { .flight = 0 };

	if (argc > 1 && strcmp(argv[1], "--server") == 0)
		return serve();
	if (cordon == NULL || n <= 0 || mkdtemp(work) == NULL ||
	    chdir(work) != 0)
		errx(2, "CORDON names no command, or there is no place in /tmp");
	self[n] = '\0';
	signal(SIGPIPE, SIG_IGN);
	setenv("XDG_STATE_HOME", work, 1);
	for (int i = 0; i < ROUNDS; i++) {
		measure(direct, &without);
		measure((char *[]){ cordon, (char[]){ "mcp" },
		    (char[]){ "guard" }, (char[]){ "--quiet" },
		    (char[]){ "--read" }, self, (char[]){ "--" }, self,
		    (char[]){ "--server" }, NULL }, &with);
	}
	print("direct", &without);
	print("guarded", &with);
	printf("added    call %7.1f us (p99 %7.1f)\n",
	    with.call_p50 - without.call_p50, with.call_p99 - without.call_p99);
	return 0;
}
