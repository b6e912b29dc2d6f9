/*
 * restrict - the calling process itself goes into the cage.
 */
#include "enforce/launch/launch.h"

#include <dirent.h>

#include "enforce/session/own.h"
#include "enforce/sys/forgo.h"
#include "enforce/sys/seccomp.h"

/* Landlock and the filter hold for one thread: there must be no other. */
static int
check_alone(struct cordon_error *err)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;
	unsigned threads = 0;

	if (dir == NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "/proc is not there, so other threads cannot be seen");
	while ((entry = readdir(dir)) != NULL)
		threads += entry->d_name[0] != '.';
	closedir(dir);
	if (threads == 1)
		return 0;
	return cdn_err(err, CORDON_E_INVALID, "this process has %u threads: "
	    "confine it before they are started", threads);
}

static int
enter(const struct cdn_cage *cage, struct cordon_error *err)
{
	const char *step = "keyring";
	int r = cdn_sys_forgo_keyring();

	if (r == 0) {
		step = "capabilities";
		r = cdn_sys_forgo_capabilities();
	}
	if (r == 0) {
		step = "no_new_privs";
		r = cdn_sys_no_new_privs();
	}
	if (r == 0)
		r = cage->backend->enter(cage, &step);
	return r == 0 ? 0 : cdn_err_sys(err, -r, "%s", step);
}

/* Of the caller, for good when it succeeds. */
struct restricting {
	const struct cordon_session *session;
	const struct cordon_run_options *options;
	struct cdn_terms terms;
	char run[CDN_ID_DIGITS + 1];
	struct cdn_record *record;
	struct cordon_plan *plan;
	struct cdn_cage *cage;
};

static int
prepare(struct restricting *r, struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	int code = cdn_launch_plan_unjudged(r->session, r->options, &r->plan,
	    err);

	if (code == 0)
		code = cdn_launch_accept(r->plan, err);
	if (code == 0)
		code = cdn_launch_check_state(r->plan, err);
	if (code == 0)
		code = cdn_backend_native.build(r->plan->plan, &r->plan->host,
		    -1, &r->cage, err);
	if (code == 0)
		code = cdn_launch_recorded(&r->terms, r->options,
		    cdn_record_start(r->record, r->plan, r->options, &why),
		    &why, err);
	return code;
}

/* The record is open until the end is known; nobody stays to tell of another. */
static int
restrict_recorded(struct restricting *r, struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	int code = prepare(r, &why);

	if (code == 0) {
		cdn_launch_tell(r->plan, r->options);
		code = enter(r->cage, &why);
	}
	if (code == 0)
		return 0;
	(void)!cdn_record_refused(r->record, r->options, &why, NULL);
	if (err != NULL)
		*err = why;
	return code;
}

int
cdn_launch_restrict(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_error *err)
{
	struct cordon_run_options own = *options;
	struct restricting r = { .session = session, .options = &own };
	struct cordon_error why = { 0 };
	int code = check_alone(err);

	own.argv = NULL; /* whatever it says, it is we */
	cdn_terms_find(session, &own, &r.terms);
	if (code == 0 && r.terms.backend == CORDON_BACKEND_BWRAP)
		code = cdn_err(err, CORDON_E_ENFORCE, "bwrap cannot confine "
		    "who is running already (use '--backend native')");
	if (code == 0)
		code = cdn_own_make_id(r.run, err);
	if (code == 0)
		code = cdn_launch_recorded(&r.terms, &own,
		    cdn_record_open(session, &own, &r.terms, r.run, &r.record,
			&why), &why, err);
	if (code == 0)
		code = restrict_recorded(&r, err);
	if (r.cage != NULL)
		r.cage->backend->free(r.cage);
	cdn_launch_plan_free(r.plan);
	cdn_record_close(r.record);
	return code;
}
