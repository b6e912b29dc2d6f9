/*
 * apart - the namespaces of a run that asks for them.
 */
#include "enforce/launch/process.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_at_or_below(const char *path, const char *place)
{
	size_t n = strlen(place);

	return strcmp(place, "/") == 0 || (strncmp(path, place, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/'));
}

/* Granted by name, or open to changes: then the host's is what was meant. */
static bool
is_granted(const struct cdn_plan *plan, const char *place)
{
	const struct cdn_region *deepest = NULL;

	for (size_t i = 0; i < plan->region_count; i++)
		if (is_at_or_below(place, plan->regions[i].path))
			deepest = &plan->regions[i];
	return deepest != NULL && deepest->kind != CDN_REGION_CLOSED &&
	    (strcmp(deepest->path, place) == 0 ||
		deepest->says[CORDON_MODIFY] != CDN_SUBTREE_DENY);
}

static void
find_covered(const struct cdn_plan *plan, struct cdn_spaces_spec *spec)
{
	const char *const *covers = cdn_spaces_covers();
	struct stat st;
	size_t n = 0;

	for (size_t i = 0; covers[i] != NULL; i++)
		if (lstat(covers[i], &st) == 0 && S_ISDIR(st.st_mode) &&
		    !is_granted(plan, covers[i]))
			spec->covered[n++] = covers[i];
	spec->covered[n] = NULL;
}

static int
find_kept(struct cordon_process *p, struct cdn_spaces_spec *spec,
    struct cordon_error *err)
{
	const struct cdn_plan *plan = p->plan->plan;
	const char **kept = cdn_arena_array(p->arena, plan->region_count + 1,
	    sizeof(*kept));

	if (kept == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < plan->region_count; i++)
		if (plan->regions[i].kind != CDN_REGION_CLOSED &&
		    plan->regions[i].kind != CDN_REGION_PASSAGE)
			kept[spec->kept_count++] = plan->regions[i].path;
	spec->kept = kept;
	return 0;
}

int
cdn_launch_cwd(struct cordon_process *p, struct cordon_error *err)
{
	const char *given = p->options->cwd;
	char here[CDN_PATH_MAX + 1];

	if (given != NULL && given[0] == '/') {
		p->cwd = given;
		return 0;
	}
	if (getcwd(here, sizeof(here)) == NULL)
		return cdn_err_sys(err, errno, "the current directory has no "
		    "name (go to another one)");
	p->cwd = given == NULL ? cdn_arena_dup(p->arena, here, strlen(here)) :
				 cdn_arena_printf(p->arena, "%s/%s", here, given);
	return p->cwd == NULL ? cdn_err_nomem(err) : 0;
}

int
cdn_launch_spaces(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_spaces_spec spec = { .tmp = p->session->own.tmp,
		.network = p->plan->plan->network == CDN_NETWORK_NONE };
	int code;

	if (!p->plan->apart)
		return 0;
	find_covered(p->plan->plan, &spec);
	code = find_kept(p, &spec, err);
	if (code == 0)
		code = cdn_launch_cwd(p, err);
	return code != 0 ? code : cdn_spaces_open(&spec, &p->spaces, err);
}
