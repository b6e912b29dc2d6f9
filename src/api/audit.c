#include "api/api.h"

#include "enforce/audit/verify.h"
#include "enforce/store/places.h"

int
cordon_audit_file(char **ret, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_places places;
	int code;

	CDN_NEED(ret, err);
	if (arena == NULL)
		return cdn_err_nomem(err);
	code = cdn_places_find(arena, &places, err);
	if (code == 0 && places.state[0] == '\0')
		code = cdn_err(err, CORDON_E_INVALID,
		    "no state directory: set HOME or XDG_STATE_HOME");
	if (code == 0 && asprintf(ret, "%s/audit.jsonl", places.state) < 0)
		code = cdn_err_nomem(err);
	cdn_arena_free(arena);
	return code;
}

/* The one that was named, or the user's own: free() *ret_own. */
static int
find_file(const char **file, char **ret_own, struct cordon_error *err)
{
	int code = 0;

	if (*file == NULL) {
		code = cordon_audit_file(ret_own, err);
		if (code == 0)
			*file = *ret_own;
	}
	return code;
}

int
cordon_audit_verify(const char *file, struct cordon_diags *diags,
    struct cordon_audit_verified *ret, struct cordon_error *err)
{
	bool named = file != NULL;
	cdn_cleanup_free char *own = NULL;
	int code;

	CDN_NEED(ret, err);
	code = find_file(&file, &own, err);
	return code != 0 ? code : cdn_verify(file, !named, diags, ret, err);
}
