#include "enforce/launch/nested.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "enforce/backend/landlock.h"
#include "enforce/launch/plant.h"
#include "enforce/session/folded.h"
#include "enforce/session/othernames.h"
#include "enforce/session/survey.h"
#include "enforce/sys/notify.h"

/* ----- What it judges, and how it tells ---------------------------------------- */

static int
by_path(const void *a, const void *b)
{
	const struct cdn_broker_region *one = a, *other = b;

	return strcmp(one->path, other->path);
}

/* Where Landlock holds every operation by itself a call may go on. */
static struct cdn_broker_region *
broker_regions(struct cordon_process *p)
{
	const struct cdn_plan *plan = p->plan->plan;
	struct cdn_broker_region *regions = cdn_arena_array(p->arena,
	    plan->region_count + 1, sizeof(*regions));

	for (size_t i = 0; regions != NULL && i < plan->region_count; i++) {
		const struct cdn_region *from = &plan->regions[i];

		regions[i] = (struct cdn_broker_region){
			.path = from->path,
			.native = from->held == CDN_REGION_OPEN ||
			    from->held == CDN_REGION_FIXED ||
			    from->held == CDN_REGION_DEVICE,
		};
	}
	if (regions != NULL)
		qsort(regions, plan->region_count, sizeof(*regions), by_path);
	return regions;
}

static void
tell_denial(const struct cordon_process *p, const struct cdn_denial *denial)
{
	char path[CDN_PATH_MAX + 1];
	struct cordon_denial told = {
		.call = denial->call,
		.pid = (int)denial->pid,
		.path = path,
		.verdict = *denial->verdict,
		.error = denial->error,
	};

	if (p->options->denied == NULL)
		return;
	snprintf(path, sizeof(path), "%.*s",
	    CDN_STR_ARG(denial->question->path));
	p->options->denied(&told, p->options->denied_arg);
}

/* Where somebody held the file for too long, each further try would block. */
static int
record_denial(struct cordon_process *p, const struct cdn_denial *denial,
    struct cordon_error *err)
{
	if (p->audit_lost > 0 && p->audit_error.sys_errno == ETIMEDOUT)
		return CORDON_E_SYSTEM;
	return cdn_record_denied(p->record, denial, err);
}

/*
 * Every refusal is an event.  One that cannot be kept must not go on unseen:
 * the run ends, unless the policy says otherwise.  Then it is counted, and the
 * next one is tried again: a disk can become less full.
 */
void
cdn_launch_denied(const struct cdn_denial *denial, void *arg)
{
	struct cordon_error err = { 0 };
	struct cordon_process *p = arg;

	if (!denial->routine) {
		__atomic_fetch_add(&p->denials, 1, __ATOMIC_RELAXED);
		tell_denial(p, denial);
	}
	cdn_launch_denied_at(p, denial->question->path);
	if (record_denial(p, denial, &err) == 0)
		return;
	if (p->audit_lost++ == 0)
		p->audit_error = err;
	if (!p->terms.audit_warn)
		(void)eventfd_write(p->stop_fd, 1);
}

static void
allowed(const struct cdn_allowance *allowance, void *arg)
{
	const struct cordon_process *p = arg;

	cdn_record_allowed(p->record, allowance);
}

/* The disk is full, or such: as for a denial. */
static void
not_recorded(const struct cordon_error *why, void *arg)
{
	const struct cordon_process *p = arg;

	(void)why; /* it is told at the end */
	if (!p->terms.audit_warn)
		(void)eventfd_write(p->stop_fd, 1);
}

static const struct cdn_authority *
folded(void *arg)
{
	const struct cordon_process *p = arg;
	const struct cdn_authority *authority;

	return cdn_folded_authority(p->session, &authority, NULL) == 0 ?
	    authority : NULL;
}

/* What a run around this one knows of its repositories holds in it, too. */
static bool
surveyed(size_t i, cdn_str path, const struct cdn_authority **ret, void *arg)
{
	const struct cordon_process *p = arg;

	for (; p != NULL; p = p->outer) {
		if (!cdn_survey_concerns(p->session, path) || i-- > 0)
			continue;
		*ret = NULL;
		(void)!cdn_survey_authority(p->session, ret, NULL);
		return true;
	}
	return false;
}

/* Of one run alone: those around it would have to be asked as well. */
static const struct cdn_authority *
configuring(void *arg)
{
	const struct cordon_process *p = arg;
	const struct cdn_authority *authority;

	return p->outer == NULL && p->session->guarded_count > 0 &&
	    cdn_survey_configuring(p->session, &authority, NULL) == 0 ?
	    authority : NULL;
}

/* A second name that any of the runs around it may not use is none of its. */
static void
judge_other_names(const struct cdn_question *question, dev_t dev, ino_t ino,
    struct cordon_verdict *verdict, void *arg)
{
	const struct cordon_process *p = arg;

	if (p->outer != NULL)
		judge_other_names(question, dev, ino, verdict, p->outer);
	if (verdict->allowed && p->other_names != NULL)
		cdn_other_names_judge(question, dev, ino, verdict,
		    p->other_names);
}

static void
look_at_other_names(void *arg)
{
	const struct cordon_process *p = arg;

	for (; p != NULL; p = p->outer)
		if (p->other_names != NULL)
			cdn_other_names_look(p->other_names);
}

/*
 * Whoever judges is confined to what the plan grants.  Where no region lets him
 * list the workspace he could not look for other names when he needs them, and
 * would have to refuse whatever has several: so that is done before.
 */
static void
look_before(const struct cordon_process *p)
{
	const struct cdn_plan *plan = p->plan->plan;

	for (size_t i = 0; i < plan->region_count; i++)
		if ((cdn_landlock_bound(plan->regions[i].held) &
			CDN_LL_READ_DIR) != 0 &&
		    cdn_plan_at_or_below(p->session->workspace,
			plan->regions[i].path))
			return;
	cdn_other_names_look(p->other_names);
}

/* What a run around this one guards, its broker does not see. */
static int
find_guarded(const struct cordon_process *p, struct cdn_broker_spec *spec,
    struct cordon_error *err)
{
	const char **v;
	size_t n = 0;

	for (const struct cordon_session *s = p->session; s != NULL;
	     s = s->outer)
		n += s->guarded_count;
	v = cdn_arena_array(p->arena, n + 1, sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(err);
	n = 0;
	for (const struct cordon_session *s = p->session; s != NULL;
	     s = s->outer)
		for (size_t i = 0; i < s->guarded_count; i++)
			v[n++] = s->guarded[i];
	spec->guarded = v;
	spec->guarded_count = n;
	return 0;
}

/* Not what holds the workspace, as the home around a run in a run may. */
static size_t
add_private(const struct cordon_process *p, const char **v, size_t n,
    const char *dir)
{
	struct cdn_real real;

	if (dir == NULL || dir[0] != '/')
		return n;
	if (cdn_path_resolve("/", cdn_str_of(dir), &real, NULL) == 0)
		dir = cdn_arena_dup(p->arena, real.path, real.len);
	if (dir != NULL && cdn_plan_at_or_below(p->session->workspace, dir))
		return n;
	v[n] = dir; /* or NULL */
	return n + 1;
}

/* Where a run is free to make repositories, and where those of others lie. */
static int
find_private(const struct cordon_process *p, struct cdn_broker_spec *spec,
    struct cordon_error *err)
{
	const char **v;
	size_t n = 0;

	for (const struct cordon_session *s = p->session; s != NULL;
	     s = s->outer)
		n += 4;
	v = cdn_arena_array(p->arena, n, sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(err);
	n = 0;
	for (const struct cordon_session *s = p->session; s != NULL;
	     s = s->outer) {
		n = add_private(p, v, n, s->own.home);
		n = add_private(p, v, n, s->own.state);
		n = add_private(p, v, n, s->own.tmp);
		n = add_private(p, v, n, s->places.state);
	}
	for (size_t i = 0; i < n; i++)
		if (v[i] == NULL)
			return cdn_err_nomem(err);
	spec->private = v;
	spec->private_count = n;
	return 0;
}

int
cdn_launch_broker(struct cordon_process *p, struct cordon_error *err)
{
	const struct cdn_plan *plan = p->plan->plan;
	struct cdn_broker_spec spec = {
		.authority = cdn_plant_authority(p->session, CDN_FOR_BROKER,
		    p->arena),
		.regions = broker_regions(p),
		.region_count = plan->region_count,
		.spaces = p->spaces,
		.reads = plan->mode == CDN_PLAN_MODE_C,
		.trace = p->terms.trace,
		.strict = plan->strict,
		.own_child = cdn_launch_is_own_child(p),
		.at_once = p->inside != NULL,
		.denied = cdn_launch_denied,
		.denied_arg = p,
		.allowed = p->record == NULL ? NULL : allowed,
		.allowed_arg = p,
		.other_names = cdn_plant_forgets_names(CDN_FOR_BROKER) ?
		    NULL : judge_other_names,
		.last_look = look_at_other_names,
		.other_names_arg = p,
		.outer = p->outer == NULL ? NULL : p->outer->broker,
		.folded = folded,
		.folded_arg = p,
		.surveyed = surveyed,
		.surveyed_arg = p,
		.configuring = configuring,
		.configuring_arg = p,
	};
	int r = find_guarded(p, &spec, err);

	if (r == 0)
		r = find_private(p, &spec, err);
	if (r == 0)
		r = cdn_guests_open(p, &p->guests, err);
	if (r != 0)
		return r;
	/* By a thread of ours: the broker's see less. */
	cdn_survey_begin(p->session);
	p->surveys = true;
	spec.nested = p->guests == NULL ? NULL : cdn_guests_knock;
	spec.nested_arg = p->guests;
	p->other_names = cdn_other_names_new(p->session);
	if (spec.regions == NULL || p->other_names == NULL)
		return cdn_err_nomem(err);
	look_before(p);
	p->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->stop_fd < 0)
		return cdn_err_sys(err, errno, "failed to make an eventfd");
	p->offer = (struct cdn_offer)CDN_OFFER_INIT;
	if (!cdn_launch_is_own_child(p)) {
		int fd = cdn_sys_pidfd_open(getpid());

		if (fd < 0)
			return cdn_err_sys(err, -fd, "failed to open a pidfd");
		p->offer.caller_fd = fd;
	}
	r = cdn_record_watch(p->record, not_recorded, p, err);
	return r != 0 ? r : cdn_broker_open(&spec, &p->broker, err);
}

/* ----- The way in --------------------------------------------------------------- */

CDN_BARE static int
enter(const void *arg, pid_t pid)
{
	const struct cdn_entrance *e = arg;
	int r = e->cage->backend->enter(e->cage, e->step);

	if (r >= 0 && e->offer != NULL) {
		*e->step = "broker";
		e->offer->pid = pid;
		r = cdn_broker_offer(e->offer, r);
	}
	if (r < 0 || e->inside == NULL)
		return r;
	e->inside->run(e->inside->arg);
	return (int)cdn_raw(SYS_exit_group, 0);
}

static int
via(void *arg, int (*start)(void *start_arg),
    void (*beside)(void *start_arg), void *start_arg)
{
	struct cordon_process *p = arg;

	return cdn_broker_via(p->broker, &p->offer, start, beside, start_arg);
}

void
cdn_launch_enter(struct cordon_process *p)
{
	struct cdn_run_request *r = &p->request;

	if (p->cage == NULL)
		return;
	p->entrance = (struct cdn_entrance){ p->cage, &p->step,
		p->broker != NULL ? &p->offer : NULL, p->inside };
	r->entry = (struct cdn_entry){ enter, &p->entrance, &p->step, NULL };
	if (p->broker != NULL) {
		/* No call of its is answered before exec is done. */
		if (p->plan->plan->mode != CDN_PLAN_MODE_C &&
		    !p->terms.trace && p->inside == NULL)
			r->entry.shares = &p->offer.shared;
		/* In a user namespace it has one of that. */
		if (p->spaces == NULL)
			r->entry.keyless = cdn_broker_keyless(p->broker);
		r->via = via;
		r->via_arg = p;
		r->stop_fd = p->stop_fd;
	}
}
