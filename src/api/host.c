#include "api/api.h"

#include <unistd.h>

#include "enforce/agents/examine.h"
#include "enforce/hooks/hooks.h"
#include "enforce/host/doctor.h"
#include "enforce/host/host.h"

_Static_assert((int)CORDON_ENFORCES_MAX == (int)CDN_ENFORCES_MAX &&
	(int)CORDON_ENFORCES_NONE == (int)CDN_ENFORCES_NONE &&
	(int)CORDON_ENFORCES_REQUIRED == (int)CDN_ENFORCES_REQUIRED,
    "the same words inside and outside");

int
cordon_doctor(enum cordon_format format, char **ret,
    enum cordon_enforces *ret_enforces, struct cordon_error *err)
{
	char program[CDN_PATH_MAX + 1] = "";
	struct cdn_arena *arena;
	struct cdn_doctor doctor;
	struct cdn_host host;
	struct cdn_buf buf;
	int code;

	CDN_NEED(ret, err);
	arena = cdn_arena_new();
	if (arena == NULL)
		return cdn_err_nomem(err);
	cdn_host_probe_all(&host);
	cdn_doctor_examine(&host, &doctor);
	code = readlink("/proc/self/exe", program, sizeof(program) - 1) > 0 ?
	    cdn_hooks_examine(program, &doctor, err) : 0;
	if (code == 0)
		code = cdn_agents_examine(arena, program, &doctor, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	if (code == 0)
		code = cdn_doctor_format(&doctor, format, &buf, err);
	code = cdn_api_give(code, &buf, ret, err);
	cdn_arena_free(arena);
	if (code == 0 && ret_enforces != NULL)
		*ret_enforces = (enum cordon_enforces)doctor.enforces;
	return code;
}
