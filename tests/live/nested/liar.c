/*
 * A program that uses libcordon inside of a run, and stands in for its command
 * itself, but not as it should.
 *
 *	liar ACT COMMAND [ARG...]	its status, or 99: nothing was started
 *
 *	none	is gone before it gives anything	few	two descriptors
 *	many	twenty of them				signal	a signal first
 *	twice	all of it again				stream	the stream itself
 *	paths	only names of a directory		well	as it should
 */
#include <cordon/cordon.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STREAM 3
#define MANY   20

static void
give(const int *fds, size_t n, char byte)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(MANY * sizeof(int))] =
	    { 0 };
	struct iovec from = { &byte, 1 };
	struct msghdr message = { .msg_iov = &from, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (n > 0) {
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	(void)!sendmsg(STREAM, &message, MSG_NOSIGNAL);
}

/* Whatever it is answered. */
static int
await_end(void)
{
	char room[512];

	while (read(STREAM, room, sizeof(room)) > 0)
		;
	return 0;
}

static int
stand_in(const char *act)
{
	int fds[MANY];

	for (size_t i = 0; i < MANY; i++)
		fds[i] = (int)(i % 3);
	if (strcmp(act, "few") == 0)
		give(fds, 2, 0);
	else if (strcmp(act, "many") == 0)
		give(fds, MANY, 0);
	else if (strcmp(act, "signal") == 0)
		give(fds, 3, 15);
	else if (strcmp(act, "twice") == 0)
		for (int i = 0; i < 100; i++)
			give(fds, 3, 0);
	else if (strcmp(act, "stream") == 0) {
		fds[0] = STREAM;
		give(fds, 3, 0);
		return 0; /* and its run keeps its own stream open */
	} else if (strcmp(act, "paths") == 0) {
		fds[0] = open("secrets", O_PATH | O_CLOEXEC);
		give(fds, 3, 0);
	} else if (strcmp(act, "none") == 0)
		return 0;
	return await_end();
}

int
main(int argc, char **argv)
{
	struct cordon_session_options session_options = {
		.size = sizeof(session_options) };
	struct cordon_run_options options = { .size = sizeof(options),
		.stand_in = "/proc/self/exe" };
	const char *policies[] = { "inner.yaml" };
	struct cordon_session *session = NULL;
	struct cordon_run_result result;
	struct cordon_error err = { 0 };
	char act[64];
	const char *env[] = { act };

	if (argc == 2 && strcmp(argv[1], CORDON_STAND_IN) == 0) {
		const char *how = getenv("ACT");

		if (how != NULL && strcmp(how, "well") != 0)
			return stand_in(how);
		return cordon_stand_in(&err) & 0xff;
	}
	if (argc < 3)
		return 2;
	snprintf(act, sizeof(act), "ACT=%s", argv[1]);
	session_options.policies = policies;
	session_options.policy_count = 1;
	session_options.profile = "dev";
	options.argv = (const char *const *)argv + 2;
	options.env = env;
	options.env_count = 1;
	if (cordon_session_new(&session_options, NULL, &session, &err) != 0 ||
	    cordon_run(session, &options, &result, &err) != 0) {
		fprintf(stderr, "liar: %s\n", err.text);
		cordon_session_free(session);
		return 99;
	}
	argc = result.exit_code;
	cordon_run_result_done(&result);
	cordon_session_free(session);
	return argc;
}
