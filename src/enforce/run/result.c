#include "enforce/run/running.h"

#include <errno.h>
#include <signal.h>

static const char *
signal_name(int signal)
{
	static const struct {
		int number;
		const char *name;
	} names[] = { { SIGINT, "SIGINT" }, { SIGHUP, "SIGHUP" },
		{ SIGQUIT, "SIGQUIT" } };

	for (size_t i = 0; i < CDN_LEN(names); i++)
		if (names[i].number == signal)
			return names[i].name;
	return "SIGTERM";
}

/* What we have to say stands on a line of its own. */
CDN_PRINTF(2, 3)
static void
note(struct cdn_buf *text, const char *fmt, ...)
{
	char line[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (text->n > 0)
		cdn_buf_putc(text, '\n');
	cdn_buf_puts(text, line);
}

static void
note_all(struct cdn_running *running)
{
	struct cdn_output *both[] = { &running->out, &running->err };

	for (size_t i = 0; i < CDN_LEN(both); i++)
		if (both[i]->cut)
			note(&both[i]->text, "output cut after %zu bytes",
			    running->request.output_max);
	if (running->timed_out)
		note(&running->err.text, "process timed out");
	else if (running->interrupted != 0)
		note(&running->err.text, "process interrupted by signal %s",
		    signal_name(running->interrupted));
}

static void
fill_status(const struct cdn_running *running, struct cdn_run_result *result)
{
	const struct cdn_tree *tree = &running->spawn.shepherd.tree;
	int signal = tree->code == CLD_EXITED ? 0 : tree->status;

	if (running->interrupted != 0)
		signal = running->interrupted;
	result->tree_limits = running->cgroup.held;
	result->timed_out = running->timed_out;
	result->output_cut = running->out.cut || running->err.cut;
	result->has_exit_code = !running->timed_out;
	if (running->timed_out)
		return;
	result->signal = signal;
	result->exit_code = signal != 0 ? 128 + signal : tree->status;
	result->success = result->exit_code == 0 && !running->ending &&
	    !running->killing;
}

/* Nobody may be left.  When somebody is, that is what there is to say. */
static int
check_end(const struct cdn_running *running, struct cordon_error *err)
{
	const struct cdn_tree *tree = &running->spawn.shepherd.tree;

	if (running->failure != 0) {
		if (err != NULL)
			*err = running->error;
		return running->failure;
	}
	if (tree->left != 0)
		return cdn_err_sys(err, EPERM, "failed to end process %d",
		    (int)tree->left);
	if (!tree->leader_done)
		return cdn_err(err, CORDON_E_SYSTEM, "the shepherd of `%s` was "
		    "killed: what the command left behind may still run",
		    running->request.program);
	return 0;
}

int
cdn_result_build(struct cdn_running *running, struct cdn_run_result *ret,
    struct cordon_error *err)
{
	struct cdn_run_result result = { 0 };
	int r = check_end(running, err);

	if (r < 0)
		return r;
	note_all(running);
	if (cdn_buf_failed(&running->out.text) ||
	    cdn_buf_failed(&running->err.text))
		return cdn_err_nomem(err);
	fill_status(running, &result);
	result.duration_ms = (running->ended_ns - running->begun_ns) / 1000000;
	result.out = running->out.text;
	result.err = running->err.text;
	running->out.text = (struct cdn_buf){ 0 };
	running->err.text = (struct cdn_buf){ 0 };
	*ret = result;
	return 0;
}

void
cdn_run_result_done(struct cdn_run_result *result)
{
	cdn_buf_done(&result->out);
	cdn_buf_done(&result->err);
}

void
cdn_run_text(struct cdn_buf *out, cdn_str bytes)
{
	const char *end = bytes.p + bytes.n;

	for (const char *p = bytes.p; p < end;) {
		size_t n = cdn_utf8_len(p, end);

		if (n == 1 && (unsigned char)*p >= 0x80)
			cdn_buf_puts(out, "\xef\xbf\xbd");
		else
			cdn_buf_add(out, p, n);
		p += n;
	}
}
