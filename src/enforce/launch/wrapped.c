/*
 * wrapped - a process of ours as a run that bwrap is put in front of.
 */
#include "enforce/launch/process.h"

#include "enforce/bubble/relay.h"

/* What it is given as input and output, as cdn_relay_open() takes it. */
static void
find_stdio(const struct cordon_process *p, int ret[3])
{
	const struct cordon_run_options *o = p->options;
	bool passes = o->output == CORDON_OUTPUT_PASS;
	const int given[3] = {
		o->stdin_mode != CORDON_STDIN_INHERIT ||
			o->output == CORDON_OUTPUT_PTY ? CDN_RELAY_NONE : -1,
		passes ? -1 : CDN_RELAY_NONE,
		passes ? -1 : CDN_RELAY_NONE,
	};

	for (int i = 0; i < 3; i++)
		ret[i] = p->stdio != NULL && p->stdio[i] >= 0 ? p->stdio[i] :
								given[i];
}

int
cdn_launch_seal(struct cordon_process *p, struct cordon_error *err)
{
	int stdio[3];

	find_stdio(p, stdio);
	return cdn_bubble_seal(p->arena, stdio, &p->sealing, err);
}

void
cdn_launch_unseal(struct cordon_process *p)
{
	if (p->sealing != NULL)
		cdn_sealing_close(p->sealing);
}

int
cdn_launch_wrap(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_bubble_input input = {
		.plan = p->plan->plan,
		.host = &p->plan->host,
		.mounts = &p->plan->bwrap,
		.cwd_is = p->cwd_is,
		.sealing = p->sealing,
	};
	int code = cdn_launch_cwd(p, err);

	if (code != 0)
		return code;
	input.cwd = p->cwd;
	find_stdio(p, input.stdio);
	return cdn_bubble_open(p->arena, &input, &p->request, &p->wrapping,
	    err);
}

int
cdn_launch_start_wrapped(struct cordon_process *p, struct cordon_error *err)
{
	return cdn_bubble_start(p->wrapping, &p->running, err);
}

void
cdn_launch_wrap_failed(const struct cordon_process *p)
{
	cdn_bubble_failed(p->wrapping);
}

static void
tell_strict(const struct cordon_process *p)
{
	struct cordon_error why = { 0 };

	if (p->sealing->error == 0 || p->options->notice == NULL)
		return;
	(void)!cdn_err_sys(&why, p->sealing->error, "modes, owners and times "
	    "cannot be changed in this run: what it is given of the host's "
	    "devices could not be made read-only");
	p->options->notice(why.text, p->options->notice_arg);
}

int
cdn_launch_unwrap(struct cordon_process *p, struct cordon_error *err)
{
	int code;

	tell_strict(p);
	code = cdn_bubble_go_on(p->wrapping, p->running, err);
	if (code != 0)
		p->running = NULL;
	return code;
}

int
cdn_launch_wrapped(struct cordon_process *p,
    const struct cdn_run_result *result, struct cordon_error *err)
{
	int code = cdn_bubble_end(p->wrapping, err);

	if (code != 0 || result->success || result->timed_out ||
	    result->signal != 0 || cdn_bubble_was_started(p->wrapping))
		return code;
	return cdn_err(err, CORDON_E_EXEC, "failed to spawn `%s`: bwrap says "
	    "why", p->options->argv[0]);
}

void
cdn_launch_wrapping_free(struct cdn_bubble *wrapping)
{
	cdn_bubble_free(wrapping);
}
