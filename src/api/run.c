#include "api/api.h"

#include "enforce/launch/launch.h"
#include "enforce/run/run.h"
#include "engine/policy/values.h"

static const struct cordon_run_options no_options = {
	.size = sizeof(struct cordon_run_options),
};

static int
check_words(const struct cordon_run_options *o, struct cordon_error *err)
{
	const struct {
		const char *name;
		unsigned value, max;
	} rows[] = {
		{ "stdin_mode", o->stdin_mode, CORDON_STDIN_BYTES },
		{ "output", o->output, CORDON_OUTPUT_PTY },
		{ "environment", o->environment, CORDON_ENV_INHERIT },
		{ "backend", o->backend, CORDON_BACKEND_MAX - 1 },
		{ "enforcement", o->enforcement, CORDON_ENFORCEMENT_MAX - 1 },
		{ "isolation", o->isolation, CORDON_ISOLATION_MAX - 1 },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++)
		if (rows[i].value > rows[i].max)
			return cdn_err(err, CORDON_E_INVALID,
			    "options: unknown value of '%s'", rows[i].name);
	return 0;
}

int
cdn_api_run_options(const struct cordon_run_options *o, struct cordon_error *err)
{
	if (o->size < sizeof(*o))
		return cdn_err(err, CORDON_E_INVALID,
		    "options: set .size to sizeof(options)");
	if (o->stdin_bytes == NULL && o->stdin_len > 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "options: 'stdin_len' without 'stdin_bytes'");
	if (o->env == NULL && o->env_count > 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "options: 'env_count' without 'env'");
	return check_words(o, err);
}

int
cdn_api_run_command(const struct cordon_run_options *o, struct cordon_error *err)
{
	int code;

	CDN_NEED(o, err);
	code = cdn_api_run_options(o, err);
	if (code == 0 && (o->argv == NULL || o->argv[0] == NULL ||
	    o->argv[0][0] == '\0'))
		code = cdn_err(err, CORDON_E_INVALID,
		    "options: 'argv' names no program");
	return code;
}

/* ----- Plans ------------------------------------------------------------------ */

int
cordon_plan_new(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_plan **ret,
    struct cordon_error *err)
{
	struct cordon_plan *plan = NULL;
	int code;

	CDN_NEED(session, err);
	CDN_NEED(ret, err);
	if (options == NULL)
		options = &no_options;
	code = cdn_api_run_options(options, err);
	if (code == 0)
		code = cdn_launch_plan(session, options, &plan, err);
	if (code == 0 && plan->terms.backend == CORDON_BACKEND_BWRAP)
		code = cdn_launch_bwrap_command(plan, options, err);
	if (code == 0)
		*ret = plan;
	else
		cdn_launch_plan_free(plan);
	return code;
}

void
cordon_plan_free(struct cordon_plan *plan)
{
	cdn_launch_plan_free(plan);
}

int
cordon_plan_format(const struct cordon_plan *plan, enum cordon_format format,
    char **ret, struct cordon_error *err)
{
	struct cdn_buf buf;
	int code;

	CDN_NEED(plan, err);
	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	code = cdn_launch_plan_format(plan, format, &buf, err);
	return cdn_api_give(code, &buf, ret, err);
}

int
cordon_plan_accept(const struct cordon_plan *plan, struct cordon_error *err)
{
	CDN_NEED(plan, err);
	return cdn_launch_accept(plan, err);
}

/* ----- Runs ------------------------------------------------------------------- */

int
cordon_spawn(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_process **ret,
    struct cordon_error *err)
{
	int code;

	CDN_NEED(session, err);
	CDN_NEED(ret, err);
	code = cdn_api_run_command(options, err);
	return code != 0 ? code : cdn_launch_start(session, options, ret, err);
}

int
cordon_process_pid(const struct cordon_process *process)
{
	return process == NULL ? -1 :
	    (int)cdn_run_pid(cdn_launch_running(process));
}

int
cordon_process_fd(const struct cordon_process *process)
{
	return process == NULL ? -1 : cdn_run_fd(cdn_launch_running(process));
}

bool
cordon_process_step(struct cordon_process *process)
{
	return process == NULL || cdn_run_step(cdn_launch_running(process));
}

int
cordon_process_signal(struct cordon_process *process, int signal,
    struct cordon_error *err)
{
	CDN_NEED(process, err);
	return cdn_run_signal(cdn_launch_running(process), signal, err);
}

int
cordon_wait(struct cordon_process *process, struct cordon_run_result *ret,
    struct cordon_error *err)
{
	CDN_NEED(process, err);
	CDN_NEED(ret, err);
	return cdn_launch_wait(process, ret, err);
}

int
cordon_run(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_run_result *ret,
    struct cordon_error *err)
{
	struct cordon_process *process = NULL;
	int code;

	CDN_NEED(ret, err);
	code = cordon_spawn(session, options, &process, err);
	return code != 0 ? code : cdn_launch_wait(process, ret, err);
}

int
cordon_stand_in(struct cordon_error *err)
{
	return cdn_launch_stand_in_main(err);
}

void
cordon_run_result_done(struct cordon_run_result *result)
{
	if (result == NULL)
		return;
	free(result->out);
	free(result->err);
	free(result->audit);
	result->out = result->err = result->audit = NULL;
	result->out_len = result->err_len = 0;
}

/* ----- Ourselves, and others' tools -------------------------------------------- */

int
cordon_restrict_self(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_error *err)
{
	int code;

	CDN_NEED(session, err);
	if (options == NULL)
		options = &no_options;
	code = cdn_api_run_options(options, err);
	return code != 0 ? code : cdn_launch_restrict(session, options, err);
}

#define PROTECTED_MAX 2

int
cordon_unguarded(const char *workspace, const char *why,
    struct cordon_session **ret, struct cordon_error *err)
{
	CDN_NEED(ret, err);
	if (why == NULL || why[0] == '\0')
		return cdn_err(err, CORDON_E_INVALID, "why: say what for");
	return cdn_launch_unguarded(workspace, why, ret, err);
}

int
cordon_protected_command(const char *data_dir, struct cordon_session **ret,
    struct cordon_error *err)
{
	static const char *const names[PROTECTED_MAX] = { "data",
		"config.toml" };
	char paths[PROTECTED_MAX][CDN_PATH_MAX + 1];
	const char *protect[PROTECTED_MAX];
	struct cordon_session_options options = {
		.size = sizeof(options),
		.preset = CORDON_PRESET_PROTECT,
		.protect = protect,
		.protect_count = PROTECTED_MAX,
	};

	CDN_NEED(data_dir, err);
	CDN_NEED(ret, err);
	if (data_dir[0] != '/' || strlen(data_dir) + 16 > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "data directory '%s' is not absolute, or too long",
		    data_dir);
	for (size_t i = 0; i < PROTECTED_MAX; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", data_dir,
		    names[i]);
		protect[i] = paths[i];
	}
	return cordon_session_new(&options, NULL, ret, err);
}

int
cordon_duration_parse(const char *text, unsigned long long *ret_ms,
    struct cordon_error *err)
{
	uint64_t ms;
	int code;

	CDN_NEED(text, err);
	CDN_NEED(ret_ms, err);
	code = cdn_value_parse(CDN_VALUE_DURATION, cdn_str_of(text), &ms, err);
	if (code == 0)
		*ret_ms = ms;
	return code;
}
