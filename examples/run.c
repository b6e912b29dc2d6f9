/*
 * run - start a command inside the boundary, and say how it ended.
 *
 *	cc run.c $(pkg-config --cflags --libs libcordon) -o run
 *	./run make test
 *
 * The workspace is the current directory, the rules are those of the preset
 * or of the policies found.  Where this host cannot enforce all of them it says
 * what is missing, and nothing is started.
 * Exit: the command's own, 125 when it was not started.
 */
#include <cordon/cordon.h>

#include <stdio.h>

static void
notice(const char *text, void *arg)
{
	(void)arg;
	fprintf(stderr, "run: %s\n", text);
}

int
main(int argc, char **argv)
{
	struct cordon_session_options where = { .size = sizeof(where) };
	struct cordon_run_options what = {
		.size = sizeof(what),
		.argv = (const char *const *)(argv + 1),
		.forward_signals = true,
		.notice = notice,
	};
	struct cordon_session *session = NULL;
	struct cordon_run_result result;
	struct cordon_error err;

	if (argc < 2) {
		fprintf(stderr, "usage: run COMMAND [ARG...]\n");
		return 125;
	}
	if (cordon_session_new(&where, NULL, &session, &err) != 0 ||
	    cordon_run(session, &what, &result, &err) != 0) {
		fprintf(stderr, "run: %s\n", err.text);
		cordon_session_free(session);
		return 125;
	}
	fprintf(stderr, "run: ended with %d after %llu ms\n",
	    result.exit_code, result.duration_ms);
	cordon_run_result_done(&result);
	cordon_session_free(session); /* its private tmp goes with it */
	return result.exit_code;
}
