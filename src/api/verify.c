#include "api/api.h"

#include "enforce/verify/verify.h"

const char *
cordon_outcome_name(enum cordon_outcome outcome)
{
	static const char *const names[CORDON_OUTCOME_MAX] = {
		[CORDON_AGREES] = "agrees",
		[CORDON_LEAKS] = "leaks",
		[CORDON_REFUSES] = "refuses",
		[CORDON_KNOWN] = "known",
		[CORDON_NOT_PROBED] = "not probed",
	};

	return (unsigned)outcome < CORDON_OUTCOME_MAX ? names[outcome] : NULL;
}

int
cordon_verify(const struct cordon_session *session,
    const struct cordon_run_options *run,
    const struct cordon_verify_options *options,
    struct cordon_verify_result *ret, struct cordon_error *err)
{
	int code;

	CDN_NEED(session, err);
	CDN_NEED(run, err);
	CDN_NEED(options, err);
	CDN_NEED(ret, err);
	if (options->size < sizeof(*options))
		return cdn_err(err, CORDON_E_INVALID,
		    "options: set .size to sizeof(options)");
	code = cdn_api_run_options(run, err);
	return code != 0 ? code : cdn_verify_run(session, run, options, ret, err);
}
