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

/* ----- Watched places ----------------------------------------------------------- */

/* Does anything at or below the place belong to the run? */
static bool
is_inhabited(const struct cdn_plan *plan, const char *place)
{
	for (size_t i = 0; i < plan->region_count; i++)
		if (plan->regions[i].kind != CDN_REGION_CLOSED &&
		    is_at_or_below(plan->regions[i].path, place))
			return true;
	return false;
}

/*
 * May the directory that holds the place be listed?  Then `ls -l` looks its
 * entries up, and a look would say nothing.
 */
static bool
is_listed(const struct cdn_plan *plan, const char *place)
{
	const struct cdn_region *deepest = NULL;

	for (size_t i = 0; i < plan->region_count; i++)
		if (is_at_or_below(place, plan->regions[i].path) &&
		    strcmp(place, plan->regions[i].path) != 0)
			deepest = &plan->regions[i];
	return deepest != NULL && deepest->kind != CDN_REGION_CLOSED;
}

static bool
is_below_watched(const struct cdn_spaces_spec *spec, const char *place)
{
	for (size_t i = 0; i < spec->watched_count; i++)
		if (is_at_or_below(place, spec->watched[i]))
			return true;
	return false;
}

static bool
is_worth_watching(const struct cordon_process *p,
    const struct cdn_spaces_spec *spec, const struct cdn_place *place)
{
	const struct cdn_plan *plan = p->plan->plan;
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_READ, .path = cdn_str_of(place->path) };
	struct cordon_verdict verdict;
	struct stat st;

	/* Most of the floor does not exist: that is asked first. */
	if (place->glob || lstat(place->path, &st) != 0 ||
	    S_ISLNK(st.st_mode) || is_below_watched(spec, place->path) ||
	    is_inhabited(plan, place->path) || is_listed(plan, place->path))
		return false;
	cdn_decide(p->session->authority, &question, &verdict);
	return !verdict.allowed;
}

static void
add_watched(struct cordon_process *p, struct cdn_spaces_spec *spec,
    const char **watched, const struct cdn_place_list *list, size_t most)
{
	for (size_t i = 0; i < list->n && spec->watched_count < most; i++)
		if (is_worth_watching(p, spec, &list->v[i]))
			watched[spec->watched_count++] = list->v[i].path;
}

/*
 * One of cordon's own files, for is_every_mount(), then what is closed: of more
 * than fit, those that the floor has first.
 */
static int
find_watched(struct cordon_process *p, struct cdn_spaces_spec *spec,
    struct cordon_error *err)
{
	const struct cdn_authority_spec *floor = &p->session->spec;
	const char **watched = cdn_arena_array(p->arena,
	    CDN_SPACES_WATCHED_MAX, sizeof(*watched));

	if (watched == NULL)
		return cdn_err_nomem(err);
	spec->watched = watched;
	/*
	 * In mode C the broker sees every open; and a prober that looks at the
	 * sandbox from inside tries these places on purpose.
	 */
	if (p->plan->plan->mode == CDN_PLAN_MODE_C || p->inside != NULL)
		return 0;
	add_watched(p, spec, watched, &floor->hidden, 1);
	add_watched(p, spec, watched, &floor->closed, CDN_SPACES_WATCHED_MAX);
	return 0;
}

/*
 * df(1) and its like look every mount up, those of cordon's own files too.
 * That is recorded, but not worth a line in the summary of the run.
 */
static bool
is_every_mount(const struct cordon_process *p,
    const struct cdn_spaces_look *look)
{
	const struct cdn_place_list *hidden = &p->session->spec.hidden;

	/* All of them, and more than one. */
	if (look->found != look->known ||
	    (look->known & (look->known - 1)) == 0)
		return false;
	for (size_t i = 0; i < hidden->n; i++)
		if (strcmp(hidden->v[i].path, p->spaces->watched[0]) == 0)
			return true;
	return false;
}

static void
report_lookup(struct cordon_process *p, const char *place, bool routine)
{
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_READ, .path = cdn_str_of(place) };
	struct cordon_verdict verdict;
	const struct cdn_denial denial = { .call = "lookup",
		.question = &question, .verdict = &verdict, .error = EACCES,
		.routine = routine };

	memset(&verdict, 0, sizeof(verdict));
	cdn_decide(p->session->authority, &question, &verdict);
	if (!verdict.allowed)
		cdn_launch_denied(&denial, p);
}

void
cdn_launch_denied_at(struct cordon_process *p, cdn_str path)
{
	size_t n = p->spaces == NULL ? 0 : p->spaces->watched_count;

	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(p->spaces->watched[i]);

		if (path.n >= length &&
		    memcmp(path.p, p->spaces->watched[i], length) == 0 &&
		    (path.n == length || path.p[length] == '/'))
			p->watched_told |= UINT64_C(1) << i;
	}
}

void
cdn_launch_look_back(struct cordon_process *p)
{
	struct cdn_spaces_look look;
	bool routine;
	int r;

	if (p->spaces == NULL)
		return;
	r = cdn_spaces_look_back(p->spaces, &look);
	if (r < 0 && p->options->notice != NULL)
		p->options->notice("it is not known whether the run looked "
		    "keys up: its namespaces could not be entered",
		    p->options->notice_arg);
	routine = is_every_mount(p, &look);
	for (size_t i = 0; i < p->spaces->watched_count; i++)
		if (((look.found & ~p->watched_told) >> i & 1) != 0)
			report_lookup(p, p->spaces->watched[i], routine);
}

/* ----- The namespaces ------------------------------------------------------------ */

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
		code = find_watched(p, &spec, err);
	if (code == 0)
		code = cdn_launch_cwd(p, err);
	return code != 0 ? code : cdn_spaces_open(&spec, &p->spaces, err);
}
