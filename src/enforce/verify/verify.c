#include "enforce/verify/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "enforce/run/run.h"
#include "enforce/verify/probe.h"

#define AT_ONCE	   512	   /* probes of one child: signals wait meanwhile */
#define EXEC_CHECK 0x10000 /* AT_EXECVE_CHECK, since 6.14 */

struct verify {
	const struct cordon_session *session;
	const struct cordon_verify_options *options;
	struct cordon_run_options run;
	struct cordon_verify_result result;
	struct cdn_arena *arena;
	struct cordon_plan *plan;
	struct cdn_outside outside;
	struct cdn_sample sample;
	struct cdn_prober prober;
};

/* ----- The children --------------------------------------------------------------------- */

CDN_BARE static int
enter_nothing(const void *arg, pid_t pid)
{
	const struct cdn_inside *inside = arg;

	(void)pid;
	inside->run(inside->arg);
	return (int)cdn_raw(SYS_exit_group, 0);
}

/* As a launch, every step of it, but for the cage. */
static int
run_bare(struct verify *v, int (*enter)(const void *arg, pid_t pid),
    const void *arg, struct cordon_error *err)
{
	char *argv[] = { v->sample.tag, NULL };
	char *envp[] = { NULL };
	struct cdn_run_request request = {
		.program = v->sample.tag,
		.argv = argv,
		.envp = envp,
		.stdin_mode = CDN_STDIN_NULL,
		.reaper = v->run.sole ? CDN_REAPER_SELF : CDN_REAPER_SHEPHERD,
		.entry = { enter, arg, NULL },
	};
	struct cdn_run_result result;
	int code = cdn_run(&request, &result, err);

	if (code == 0)
		cdn_run_result_done(&result);
	return code;
}

static int
run_inside(struct verify *v, const struct cdn_inside *inside,
    struct cordon_error *err)
{
	struct cordon_run_result result;
	int code = cdn_launch_inside(v->session, &v->run, inside, &result, err);

	if (code == 0)
		cordon_run_result_done(&result);
	return code;
}

struct alone {
	const struct cdn_inside *inside;
	const struct cdn_cage *cage;
	const char *step;
};

CDN_BARE static int
enter_alone(const void *arg, pid_t pid)
{
	union {
		const void *given;
		struct alone *alone;
	} a = { arg };
	const struct cdn_cage *cage = a.alone->cage;
	int r = cage->backend->enter(cage, &a.alone->step);

	return r < 0 ? r : enter_nothing(a.alone->inside, pid);
}

/* The plan as it is, but nobody listens: the same Landlock, another filter. */
static int
run_alone(struct verify *v, const struct cdn_inside *inside,
    struct cordon_error *err)
{
	struct alone alone = { .inside = inside };
	struct cdn_plan plan = *v->plan->plan;
	struct cdn_cage *cage = NULL;
	int code;

	plan.mode = CDN_PLAN_MODE_NONE;
	code = cdn_backend_native.build(&plan, &v->plan->host, -1, &cage,
	    err);
	if (code != 0)
		return code;
	alone.cage = cage;
	code = run_bare(v, enter_alone, &alone, err);
	cage->backend->free(cage);
	return code;
}

/* ----- Afterwards ------------------------------------------------------------------------ */

static bool
is_our_link(const char *path)
{
	char text[sizeof(CDN_PROBER_LINK)];
	ssize_t n = readlink(path, text, sizeof(text));

	return n == (ssize_t)sizeof(text) - 1 &&
	    memcmp(text, CDN_PROBER_LINK, (size_t)n) == 0;
}

/* As the prober makes them, and hardly anybody else: empty, and private. */
static bool
is_ours(const char *path, const struct stat *st)
{
	mode_t others = st->st_mode & (S_IRWXO | S_IWGRP | S_IXGRP);

	if (st->st_uid != geteuid())
		return false;
	if (S_ISLNK(st->st_mode))
		return is_our_link(path);
	return S_ISSOCK(st->st_mode) || S_ISFIFO(st->st_mode) ||
	    (others == 0 && (S_ISDIR(st->st_mode) || st->st_size == 0));
}

/* Nothing was there before: otherwise it is not a name to be made up. */
static void
sweep(const char *path)
{
	struct stat st;

	if (path == NULL || lstat(path, &st) != 0 || !is_ours(path, &st))
		return;
	if (S_ISDIR(st.st_mode))
		(void)rmdir(path);
	else
		(void)unlink(path);
}

static void
sweep_all(const struct cdn_prober *prober)
{
	for (size_t i = 0; i < prober->n; i++) {
		const struct cdn_probe *probe = &prober->probes[i];

		if (!cdn_tries[probe->how].makes || probe->result == -EEXIST ||
		    probe->result == CDN_NOT_SAME)
			continue;
		sweep(probe->path);
		sweep(probe->other);
	}
}

/* ----- Telling ---------------------------------------------------------------------------- */

static void
count_one(struct cordon_verify_result *result, enum cordon_outcome outcome)
{
	unsigned long *const counts[] = {
		[CORDON_AGREES] = &result->agree,
		[CORDON_LEAKS] = &result->leaks,
		[CORDON_REFUSES] = &result->refuses,
		[CORDON_KNOWN] = &result->known,
		[CORDON_NOT_PROBED] = &result->not_probed,
	};

	++*counts[outcome];
}

static void
tell(struct verify *v, const struct cdn_probe *probe, int result,
    enum cordon_outcome outcome, const char *why)
{
	bool escape = probe->how == CDN_TRY_ESCAPE;
	struct cordon_finding finding = {
		.outcome = outcome,
		.path = probe->path,
		.operation = escape ? "escape" :
		    cordon_op_name(cdn_tries[probe->how].op),
		.call = escape ? probe->path : cdn_tries[probe->how].call,
		.verdict = probe->verdict,
		.worked = cdn_prober_worked(probe, result),
		.why = why,
	};

	count_one(&v->result, outcome);
	if (v->options->found != NULL)
		v->options->found(&finding, v->options->arg);
}

static void
tell_both(struct verify *v, const struct cdn_probe *probe)
{
	char why[CDN_WHY_SIZE] = "";
	enum cordon_outcome outcome = cdn_compare(v->plan, probe, why);

	tell(v, probe, probe->result, outcome, why);
	/* What it says of the kernel alone matters where the cage holds. */
	if (!probe->native || outcome != CORDON_AGREES)
		return;
	why[0] = '\0';
	outcome = cdn_compare_alone(v->plan, probe, why);
	tell(v, probe, probe->alone, outcome, why);
}

static void
tell_progress(const struct verify *v, size_t done)
{
	if (v->options->progress != NULL)
		v->options->progress(done, v->sample.n, v->options->arg);
}

/* ----- The whole --------------------------------------------------------------------------- */

static bool
any_native(const struct cdn_prober *prober)
{
	for (size_t i = 0; i < prober->n; i++)
		if (prober->probes[i].native)
			return true;
	return false;
}

static int
take_turns(struct verify *v, struct cordon_error *err)
{
	struct cdn_inside inside = { cdn_prober_run, &v->prober };
	int code;

	v->prober.turn = CDN_TURN_CONTROL;
	code = run_bare(v, enter_nothing, &inside, err);
	if (code != 0)
		return cdn_err_context(err, code, "the control");
	v->prober.turn = CDN_TURN_CAGE;
	code = run_inside(v, &inside, err);
	if (code != 0 || !any_native(&v->prober))
		return code;
	v->prober.turn = CDN_TURN_ALONE;
	return run_alone(v, &inside, err);
}

static int
try_probes(struct verify *v, struct cdn_probe *probes, size_t n,
    struct cordon_error *err)
{
	int code;

	v->prober.probes = probes;
	v->prober.n = n;
	code = take_turns(v, err);
	sweep_all(&v->prober);
	return code;
}

static bool
differs(enum cordon_outcome outcome)
{
	return outcome != CORDON_AGREES && outcome != CORDON_NOT_PROBED;
}

static bool
any_differs(const struct verify *v, const struct cdn_probe *probe)
{
	char why[CDN_WHY_SIZE];

	return differs(cdn_compare(v->plan, probe, why)) ||
	    (probe->native &&
		differs(cdn_compare_alone(v->plan, probe, why)));
}

/*
 * The world goes on meanwhile: a directory that is replaced between the plan
 * and the try is not the one that was granted.  So what differs is asked and
 * tried once more, from the beginning; what is wrong stays so.
 */
static int
try_again(struct verify *v, size_t from, size_t n, struct cordon_error *err)
{
	struct cdn_probe *again = cdn_arena_array(v->arena, n,
	    sizeof(*again));
	size_t *of = cdn_arena_array(v->arena, n, sizeof(*of));
	size_t count = 0;
	int code;

	if (again == NULL || of == NULL)
		return cdn_err_nomem(err);
	for (size_t i = from; i < from + n; i++) {
		struct cdn_probe *probe = &v->sample.v[i];

		if (!any_differs(v, probe))
			continue;
		cdn_expect(v->session, probe);
		probe->control = probe->result = probe->alone = CDN_NOT_TRIED;
		probe->there = false;
		of[count] = i;
		again[count++] = *probe;
	}
	if (count == 0)
		return 0;
	code = try_probes(v, again, count, err);
	for (size_t i = 0; i < count; i++)
		v->sample.v[of[i]] = again[i];
	return code;
}

static int
try_some(struct verify *v, size_t from, size_t n, struct cordon_error *err)
{
	int code = try_probes(v, v->sample.v + from, n, err);

	if (code == 0)
		code = try_again(v, from, n, err);
	for (size_t i = from; code == 0 && i < from + n; i++)
		tell_both(v, &v->sample.v[i]);
	return code;
}

static int
try_all(struct verify *v, struct cordon_error *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < v->sample.n; i += AT_ONCE) {
		size_t left = v->sample.n - i;

		tell_progress(v, i);
		code = try_some(v, i, left < AT_ONCE ? left : AT_ONCE, err);
		if (code == 0 && v->options->stop != NULL &&
		    v->options->stop(v->options->arg))
			return cdn_err(err, CORDON_E_SYSTEM,
			    "it was stopped before the end");
	}
	if (code == 0)
		tell_progress(v, v->sample.n);
	return code;
}

/* What has no answer, or rests on what is not allowed, is no probe. */
static void
expect_all(struct verify *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->sample.n; i++) {
		struct cdn_probe *probe = &v->sample.v[i];

		cdn_expect(v->session, probe);
		if (!probe->expected)
			continue;
		probe->native = cdn_compare_is_native(v->plan->plan, probe);
		v->sample.v[n++] = *probe;
	}
	v->sample.n = n;
}

static int
fill_prober(struct verify *v, struct cordon_error *err)
{
	struct cdn_prober *prober = &v->prober;
	int victim = v->outside.victim;

	*prober = (struct cdn_prober){ .exec_check = EXEC_CHECK,
		.victim = victim, .canary = &cdn_outside_canary };
	if (v->outside.abstract_size > 0) {
		prober->abstract = &v->outside.abstract;
		prober->abstract_size = v->outside.abstract_size;
	}
	if (victim <= 0)
		return 0;
	prober->victim_environ = cdn_arena_printf(v->arena,
	    "/proc/%d/environ", victim);
	prober->victim_root = cdn_arena_printf(v->arena, "/proc/%d/root/",
	    victim);
	return prober->victim_environ == NULL || prober->victim_root == NULL ?
	    cdn_err_nomem(err) : 0;
}

static void
fill_sample(struct verify *v)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		number = (uint64_t)getpid();
	v->sample.arena = v->arena;
	v->sample.session = v->session;
	v->sample.plan = v->plan->plan;
	v->sample.outside = &v->outside;
	v->sample.random = v->options->seed;
	snprintf(v->sample.tag, sizeof(v->sample.tag), "cordon-verify-%08x",
	    (unsigned)number);
}

/* The first time with nothing to try: a home is made, or it cannot start. */
static int
verify(struct verify *v, struct cordon_error *err)
{
	static const char *const argv[] = { "cordon-verify", NULL };
	struct cdn_inside inside = { cdn_prober_run, &v->prober };
	int code;

	v->run.argv = argv;
	v->run.audit = "";
	v->run.stdin_mode = CORDON_STDIN_NULL;
	v->run.foreground = v->run.forward_signals = v->run.debug = false;
	code = run_inside(v, &inside, err);
	v->run.notice = NULL;
	if (code == 0)
		code = cdn_launch_plan(v->session, &v->run, &v->plan, err);
	if (code != 0)
		return code;
	cdn_outside_open(&v->outside, v->arena);
	fill_sample(v);
	code = fill_prober(v, err);
	if (code == 0)
		code = cdn_sample_take(&v->sample, err);
	if (code == 0) {
		expect_all(v);
		code = try_all(v, err);
	}
	cdn_outside_close(&v->outside);
	return code;
}

int
cdn_verify_run(const struct cordon_session *session,
    const struct cordon_run_options *run,
    const struct cordon_verify_options *options,
    struct cordon_verify_result *ret, struct cordon_error *err)
{
	struct verify v = { .session = session, .run = *run,
		.options = options, .arena = cdn_arena_new() };
	int code = v.arena == NULL ? cdn_err_nomem(err) : verify(&v, err);

	if (code == 0)
		*ret = v.result;
	cdn_launch_plan_free(v.plan);
	cdn_arena_free(v.arena);
	return code;
}
