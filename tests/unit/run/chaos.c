/* A run, with every allocation failing once: an error, and nobody is left. */
#include "runs.h"

#include "support/chaos.h"

static int fds_before;

/* Whatever happened, nothing of it may be there afterwards. */
static int
judge(int r, const struct cordon_error *err)
{
	if (!no_children())
		return 1;
	if (tmp_open_fds() != fds_before)
		return 2;
	if (r < 0 && err->code != r)
		return 3;
	return r;
}

static int
run(void *arg)
{
	const struct cdn_run_request *request = arg;
	struct cdn_run_result result = { .exit_code = 77 };
	struct cordon_error err = { 0 };
	int r = cdn_run(request, &result, &err);
	bool untouched = result.exit_code == 77 && result.out.p == NULL;

	if (r == 0)
		cdn_run_result_done(&result);
	else if (!untouched)
		return 4;
	return judge(r, &err);
}

int
main(int argc, char **argv)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin",
		"API_TOKEN=very-secret", NULL };
	struct cdn_run_request request;

	(void)argc;
	if (!become(argv[1]))
		return done_testing();
	fds_before = tmp_open_fds();
	for (int reaper = CDN_REAPER_SHEPHERD; reaper <= CDN_REAPER_SELF;
	    reaper++) {
		request = request_of(SHELL("(setsid sleep 60 &); echo e >&2; "
		    "head -c 100000 /dev/zero; exec sleep 0"));
		request.reaper = (enum cdn_reaper)reaper;
		chaos_run(reaper_names[reaper], run, &request, 0);
		request = request_of(SHELL("echo e >&2; sleep 60"));
		request.reaper = (enum cdn_reaper)reaper;
		request.wall_ms = 30;
		chaos_run("in time", run, &request, 0);
		request = request_of(SHELL("cat /dev/zero"));
		request.reaper = (enum cdn_reaper)reaper;
		request.output_max = 1000;
		chaos_run("too much", run, &request, 0);
		request = request_of(SHELL("true"));
		request.output_mode = CDN_OUTPUT_PTY;
		request.forward_signals = request.foreground = true;
		chaos_run("in a terminal", run, &request, 0);
	}
	request = request_of(SHELL("true"));
	request.limits.cpu_ms = 60000; /* of each process, if need be */
	chaos_run("limited", run, &request, CHAOS_ABSORBS);
	request = request_of(SHELL("echo very-secret"));
	request.envp = vector_of(env);
	request.tee = true;
	tmp_need(freopen("/dev/null", "w", stderr) != NULL, "open", "stderr");
	chaos_run("shown", run, &request, CHAOS_ABSORBS);
	return done_testing();
}
