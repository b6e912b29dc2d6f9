#include "api/api.h"

#include "enforce/guard/config.h"
#include "enforce/guard/guard.h"
#include "enforce/guard/judge.h"
#include "enforce/guard/pins.h"
#include "enforce/store/places.h"

int
cordon_mcp_check(const struct cordon_session *session,
    const struct cordon_mcp_call *call, struct cordon_mcp_refusal *ret,
    struct cordon_error *err)
{
	CDN_NEED(session, err);
	CDN_NEED(call, err);
	CDN_NEED(ret, err);
	if (call->size < sizeof(*call))
		return cdn_err(err, CORDON_E_INVALID,
		    "call: set .size to sizeof(call)");
	CDN_NEED(call->tool, err);
	CDN_NEED(call->arguments, err);
	return cdn_guard_check(session, call, ret, err);
}

int
cordon_mcp_guard(const struct cordon_session *session,
    const struct cordon_run_options *run,
    const struct cordon_mcp_options *options, struct cordon_run_result *ret,
    struct cordon_error *err)
{
	struct cordon_run_options with;
	int code;

	CDN_NEED(session, err);
	CDN_NEED(run, err);
	CDN_NEED(options, err);
	CDN_NEED(ret, err);
	code = cdn_api_run_command(run, err);
	if (code != 0)
		return code;
	if (options->size < sizeof(*options))
		return cdn_err(err, CORDON_E_INVALID,
		    "options: set .size to sizeof(options)");
	with = *run;
	with.stdin_mode = CORDON_STDIN_INHERIT;
	with.output = CORDON_OUTPUT_PASS;
	with.foreground = false;
	return cdn_guard_run(session, &with, options, ret, err);
}

/* ----- Pins ------------------------------------------------------------------- */

static int
find_state(struct cdn_arena **arena, const char **ret, struct cordon_error *err)
{
	struct cdn_places places;
	int code;

	*arena = cdn_arena_new();
	if (*arena == NULL)
		return cdn_err_nomem(err);
	code = cdn_places_find(*arena, &places, err);
	if (code == 0 && places.state[0] == '\0')
		code = cdn_err(err, CORDON_E_NOT_FOUND, "there is no state "
		    "directory (set HOME or XDG_STATE_HOME)");
	if (code == 0)
		*ret = places.state;
	return code;
}

int
cordon_mcp_pins(void (*each)(const struct cordon_mcp_pin *pin, void *arg),
    void *arg, struct cordon_error *err)
{
	struct cdn_arena *arena = NULL;
	const char *state = NULL;
	int code;

	CDN_NEED(each, err);
	code = find_state(&arena, &state, err);
	if (code == 0)
		code = cdn_pins_list(state, each, arg, err);
	cdn_arena_free(arena);
	return code;
}

int
cordon_mcp_forget(const char *name, struct cordon_error *err)
{
	struct cdn_arena *arena = NULL;
	const char *state = NULL;
	int code;

	CDN_NEED(name, err);
	code = find_state(&arena, &state, err);
	if (code == 0)
		code = cdn_pins_forget(state, name, err);
	cdn_arena_free(arena);
	return code;
}

/* ----- Configurations ----------------------------------------------------------- */

int
cordon_mcp_wrap(const struct cordon_mcp_wrap *wrap, struct cordon_error *err)
{
	CDN_NEED(wrap, err);
	if (wrap->size < sizeof(*wrap))
		return cdn_err(err, CORDON_E_INVALID,
		    "wrap: set .size to sizeof(wrap)");
	CDN_NEED(wrap->file, err);
	CDN_NEED(wrap->command, err);
	return cdn_config_wrap(wrap, err);
}
