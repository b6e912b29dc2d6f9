/*
 * approve - who says yes: a command, or a person at the terminal.
 *
 * A yes has to be given after the question was seen: what was typed before is
 * thrown away, and nobody is asked who cannot see the terminal.
 */
#include "front/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static long long
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* True when there is something to read before the deadline. */
static bool
wait_until(int fd, long long deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		long long left = deadline - now_ms();
		int n = left <= 0 ? 0 :
		    poll(&p, 1, left < INT_MAX ? (int)left : INT_MAX);

		if (n > 0 || left <= 0 || (n < 0 && errno != EINTR))
			return n > 0;
	}
}

/* ----- A command ------------------------------------------------------------------- */

static void
put_list(struct cdn_json_writer *w, const char *key, const char *const *v,
    size_t n)
{
	cdn_json_put_key(w, key);
	cdn_json_open(w, '[');
	for (size_t i = 0; i < n && v[i] != NULL; i++)
		cdn_json_put_cstring(w, v[i]);
	cdn_json_close(w);
}

static void
put_question(const struct cordon_approval *a, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "schema");
	cdn_json_put_int(&w, 1);
	cdn_json_put_key(&w, "tool");
	cdn_json_put_cstring(&w, a->tool);
	cdn_json_put_key(&w, "prompt");
	cdn_json_put_cstring(&w, a->prompt);
	cdn_json_put_key(&w, "digest");
	cdn_json_put_cstring(&w, a->digest);
	if (a->argv != NULL)
		put_list(&w, "argv", a->argv, SIZE_MAX);
	cdn_json_put_key(&w, "cwd");
	cdn_json_put_cstring(&w, a->cwd);
	cdn_json_put_key(&w, "grants");
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "network");
	cdn_json_put_bool(&w, a->grants->network);
	put_list(&w, "read", a->grants->read, a->grants->read_count);
	put_list(&w, "write", a->grants->write, a->grants->write_count);
	put_list(&w, "sockets", a->grants->sockets, a->grants->socket_count);
	cdn_json_close(&w);
	cdn_json_put_key(&w, "expires_ms");
	cdn_json_put_uint(&w, a->expires_ms);
	cdn_json_close(&w);
	cdn_buf_putc(out, '\n');
	if (!cdn_json_end(&w) || cdn_buf_failed(out))
		cli_out_of_memory();
}

/* Its output is no answer of ours: it goes where messages go. */
_Noreturn static void
become(const char *command, int input)
{
	dup2(input, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	setpgid(0, 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void
tell(int fd, const struct cdn_buf *text)
{
	size_t done = 0;

	while (done < text->n) {
		ssize_t n = send(fd, text->p + done, text->n - done,
		    MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* who does not listen can still say no */
		done += (size_t)n;
	}
	shutdown(fd, SHUT_WR);
}

/* Only a plain 0 in time is a yes. */
static bool
says_yes(pid_t pid, long long deadline)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	bool ended = fd >= 0 && wait_until(fd, deadline);
	int status = -1;
	pid_t got;

	if (!ended)
		kill(-pid, SIGKILL);
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (fd >= 0)
		close(fd);
	return ended && got == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == 0;
}

static enum cordon_answer
ask_command(const struct cordon_approval *approval, const char *command)
{
	long long deadline = now_ms() + (long long)approval->expires_ms;
	struct cdn_buf question;
	bool yes;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return CORDON_ANSWER_NOBODY;
	cdn_buf_init(&question, CDN_TOOL_RESULT_MAX);
	put_question(approval, &question);
	pid = fork();
	if (pid == 0)
		become(command, pair[1]);
	close(pair[1]);
	if (pid > 0) {
		setpgid(pid, pid);
		tell(pair[0], &question);
	}
	yes = pid > 0 && says_yes(pid, deadline);
	close(pair[0]);
	cdn_buf_done(&question);
	return yes ? CORDON_ANSWER_YES : CORDON_ANSWER_NO;
}

/* ----- The terminal ------------------------------------------------------------------ */

static void
put(int fd, const char *text)
{
	ssize_t n = write(fd, text, strlen(text));

	(void)n; /* an unseen question is not answered with yes */
}

/* "yes" and nothing else. */
static bool
reads_yes(int fd, long long deadline)
{
	char line[16] = "";
	ssize_t n;

	if (!wait_until(fd, deadline))
		return false;
	n = read(fd, line, sizeof(line) - 1);
	return n > 0 && strcmp(line, "yes\n") == 0;
}

/* A directory may be called anything: its name is plain characters here. */
static void
put_plain(int fd, const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;
		char shown[8];

		snprintf(shown, sizeof(shown),
		    c < ' ' || c > '~' || c == '\\' ? "\\x%02x" : "%c", c);
		put(fd, shown);
	}
}

static enum cordon_answer
ask_terminal(const struct cordon_approval *approval)
{
	cdn_cleanup_fd int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	bool yes;

	if (fd < 0 || tcgetpgrp(fd) != getpgrp())
		return CORDON_ANSWER_NOBODY;
	tcflush(fd, TCIFLUSH);
	put(fd, "cordon: the agent asks to run: ");
	put(fd, approval->prompt);
	if (approval->cwd != NULL) {
		put(fd, "\n  in: ");
		put_plain(fd, approval->cwd);
	}
	put(fd, "\n  once? yes or no: ");
	yes = reads_yes(fd, now_ms() + (long long)approval->expires_ms);
	put(fd, yes ? "" : "  no.\n");
	return yes ? CORDON_ANSWER_YES : CORDON_ANSWER_NO;
}

enum cordon_answer
cli_approve(const struct cordon_approval *approval, void *arg)
{
	return arg != NULL ? ask_command(approval, arg) :
			     ask_terminal(approval);
}
