/*
 * Which paths are tried: for every verdict and rule that is met in the
 * workspace a few files, the regions of the plan and the places of the floor
 * and of the view with something below each, the boundary of every rule, and
 * names at random.  Only what is a file or a directory is touched, and names
 * are made up only where the user lets the run write.
 */
#include "enforce/verify/probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"
#include "enforce/session/placelist.h"
#include "enforce/verify/sample.h"
#include "engine/plan/plan.h"

#define PROBES_MAX  12000 /* of one sample */
#define REGIONS_MAX 256	  /* tried of one plan */
#define RULES_MAX   512	  /* whose boundary is tried */
#define FRESH_DIRS  8	  /* directories where names are made up */

/* ----- Chance ----------------------------------------------------------------------- */

/* splitmix64 */
size_t
cdn_sample_chance(struct cdn_sample *s, size_t n)
{
	uint64_t x = s->random += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return n == 0 ? 0 : (size_t)(x % n);
}

/* ----- Probes ----------------------------------------------------------------------- */

struct cdn_probe *
cdn_sample_add(struct cdn_sample *s, enum cdn_try how, const char *path)
{
	struct cdn_probe *v;
	char *copy;

	if (s->nomem || s->n >= PROBES_MAX)
		return NULL;
	copy = cdn_arena_dup(s->arena, path, strlen(path));
	v = cdn_arena_grow(s->arena, s->v, s->n, &s->capacity, sizeof(*v));
	if (copy == NULL || v == NULL) {
		s->nomem = true;
		return NULL;
	}
	s->v = v;
	v[s->n] = (struct cdn_probe){ .how = how, .path = copy,
		.control = CDN_NOT_TRIED, .result = CDN_NOT_TRIED,
		.alone = CDN_NOT_TRIED };
	return &v[s->n++];
}

static void
add_file(struct cdn_sample *s, const char *path, mode_t mode)
{
	cdn_sample_add(s, CDN_TRY_READ, path);
	cdn_sample_add(s, CDN_TRY_WRITE, path);
	cdn_sample_add(s, CDN_TRY_XATTR, path);
	if ((mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0)
		cdn_sample_add(s, CDN_TRY_EXEC, path);
}

static void
add_directory(struct cdn_sample *s, const char *path)
{
	cdn_sample_add(s, CDN_TRY_LIST, path);
	cdn_sample_add(s, CDN_TRY_TMPFILE, path);
	cdn_sample_add(s, CDN_TRY_XATTR, path);
}

/* Those that do nothing when they are opened. */
static void
add_device(struct cdn_sample *s, const char *path)
{
	static const char *const quiet[] = { "/dev/null", "/dev/zero",
		"/dev/full", "/dev/random", "/dev/urandom" };

	for (size_t i = 0; i < CDN_LEN(quiet); i++)
		if (strcmp(path, quiet[i]) == 0) {
			cdn_sample_add(s, CDN_TRY_READ, path);
			cdn_sample_add(s, CDN_TRY_WRITE, path);
		}
}

/* ----- Names that are not there ------------------------------------------------------ */

static bool
is_below_any(const char *path, const struct cdn_place_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (!list->v[i].glob &&
		    cdn_placelist_below(path, list->v[i].path))
			return true;
	return false;
}

/* What is made here, if it can be, is made where the user expects changes. */
static bool
may_make_in(const struct cdn_sample *s, const char *dir)
{
	const struct cordon_session *session = s->session;

	if (cdn_placelist_below(dir, session->workspace) ||
	    is_below_any(dir, &session->spec.command_write) ||
	    is_below_any(dir, &session->spec.own))
		return true;
	for (size_t i = 0; i < session->spec.document_count; i++)
		if (is_below_any(dir, &session->spec.documents[i].host_modify))
			return true;
	return s->outside->dir[0] != '\0' &&
	    cdn_placelist_below(dir, s->outside->dir);
}

static struct cdn_probe *
add_new(struct cdn_sample *s, enum cdn_try how, const char *path,
    const char *parent)
{
	struct cdn_probe *probe = cdn_sample_add(s, how, path);

	if (probe != NULL)
		probe->parent = parent;
	return probe;
}

static void
add_socket(struct cdn_sample *s, const char *path, const char *parent)
{
	union cdn_probe_address *address;
	struct cdn_probe *probe;

	if (strlen(path) >= sizeof(address->un.sun_path))
		return;
	address = cdn_arena_alloc(s->arena, sizeof(*address));
	probe = add_new(s, CDN_TRY_BIND_UNIX, path, parent);
	if (probe == NULL || address == NULL)
		return;
	address->un.sun_family = AF_UNIX;
	memcpy(address->un.sun_path, path, strlen(path) + 1);
	probe->address = address;
	probe->address_size = sizeof(address->un);
}

/* From a name beside it that no rule knows. */
static void
add_pair(struct cdn_sample *s, enum cdn_try how, const char *path,
    const char *parent)
{
	char *from = cdn_arena_printf(s->arena, "%s/%s-%u", parent, s->tag,
	    ++s->names);
	struct cdn_probe *probe = from == NULL ? NULL :
	    add_new(s, how, from, parent);

	if (probe != NULL)
		probe->other = cdn_arena_dup(s->arena, path, strlen(path));
	if (probe != NULL && probe->other == NULL)
		s->nomem = true;
}

static void
add_fresh(struct cdn_sample *s, const char *path, const char *parent)
{
	static const enum cdn_try always[] = { CDN_TRY_CREATE, CDN_TRY_MKDIR,
		CDN_TRY_SYMLINK, CDN_TRY_REREAD };

	for (size_t i = 0; i < CDN_LEN(always); i++)
		(void)add_new(s, always[i], path, parent);
	(void)add_new(s, cdn_sample_chance(s, 2) == 0 ? CDN_TRY_CHMOD :
		CDN_TRY_TRUNCATE, path, parent);
	if (cdn_sample_chance(s, 2) == 0)
		(void)add_new(s, CDN_TRY_FIFO, path, parent);
	else
		add_socket(s, path, parent);
	add_pair(s, cdn_sample_chance(s, 3) == 0 ? CDN_TRY_LINK :
		CDN_TRY_RENAME, path, parent);
}

/* The first name on the way that is missing, below what is there. */
static void
add_missing(struct cdn_sample *s, const char *path)
{
	char at[CDN_PATH_MAX + 1];
	struct stat st;
	char *slash, *parent;

	snprintf(at, sizeof(at), "%s", path);
	for (;;) {
		slash = strrchr(at, '/');
		if (slash == NULL || slash == at)
			return;
		*slash = '\0';
		if (lstat(at, &st) == 0)
			break;
	}
	if (!S_ISDIR(st.st_mode) || !may_make_in(s, at))
		return;
	parent = cdn_arena_dup(s->arena, at, strlen(at));
	*slash = '/';
	/* Only the first: what would lie in it cannot be tried. */
	slash = strchr(slash + 1, '/');
	if (slash != NULL)
		*slash = '\0';
	if (parent == NULL)
		s->nomem = true;
	else if (cdn_sample_is_new(s, at))
		add_fresh(s, at, parent);
}

void
cdn_sample_path(struct cdn_sample *s, const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0) {
		add_missing(s, path);
		return;
	}
	if (!cdn_sample_is_new(s, path))
		return;
	if (S_ISLNK(st.st_mode) && stat(path, &st) != 0)
		return;
	if (S_ISREG(st.st_mode))
		add_file(s, path, st.st_mode);
	else if (S_ISDIR(st.st_mode))
		add_directory(s, path);
	else if (S_ISCHR(st.st_mode))
		add_device(s, path);
}

/* Relative to the workspace; places are written in other ways, too. */
static void
add_example(const char *path, void *arg)
{
	struct cdn_sample *s = arg;
	char full[CDN_PATH_MAX + 1];

	if (strstr(path, "..") != NULL || path[0] == '~')
		return;
	if (path[0] == '/')
		cdn_sample_path(s, path);
	else if (snprintf(full, sizeof(full), "%s/%s", s->session->workspace,
		path) < (int)sizeof(full))
		cdn_sample_path(s, full);
}

/* ----- Regions and places ------------------------------------------------------------- */

static void
add_with_below(struct cdn_sample *s, const char *path)
{
	char below[CDN_PATH_MAX + 1];

	cdn_sample_path(s, path);
	if (cdn_sample_below(s, path, below))
		cdn_sample_path(s, below);
}

static void
add_regions(struct cdn_sample *s)
{
	const struct cdn_plan *plan = s->plan;
	size_t n = plan->region_count;

	for (size_t i = 0; i < n; i++)
		if (n <= REGIONS_MAX ||
		    cdn_sample_chance(s, n) < REGIONS_MAX)
			add_with_below(s, plan->regions[i].path);
}

static void
add_places(struct cdn_sample *s, const struct cdn_place_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *path = list->v[i].path;

		if (list->v[i].glob)
			continue;
		add_with_below(s, path);
		cdn_examples(cdn_str_of(path), s->tag, "", add_example, s);
	}
}

static void
add_all_places(struct cdn_sample *s)
{
	const struct cdn_authority_spec *spec = &s->session->spec;
	const struct cdn_place_list *lists[] = { &spec->sealed, &spec->hidden,
		&spec->own, &spec->closed, &spec->command_read,
		&spec->command_write, &spec->runtime_write_roots,
		&spec->runtime_read, &spec->runtime_write };

	for (size_t i = 0; i < CDN_LEN(lists); i++)
		add_places(s, lists[i]);
	for (size_t i = 0; i < spec->document_count; i++) {
		add_places(s, &spec->documents[i].host_read);
		add_places(s, &spec->documents[i].host_modify);
	}
}

/* ----- Rules --------------------------------------------------------------------------- */

/* Of the workspace, as patterns see it. */
static const char *
some_directory(struct cdn_sample *s, const struct cdn_looked *looked)
{
	const char *dir = looked->dir_count == 0 ? "" :
	    looked->dirs[cdn_sample_chance(s, looked->dir_count)];
	size_t n = strlen(s->session->workspace);

	return strlen(dir) > n ? dir + n + 1 : "";
}

static void
add_rules(struct cdn_sample *s, const struct cdn_looked *looked)
{
	size_t n = s->plan->rule_count;

	for (size_t i = 0; i < n; i++) {
		const struct cdn_plan_rule *rule = &s->plan->rules[i];

		if (rule->op > CORDON_EXEC ||
		    (n > RULES_MAX && cdn_sample_chance(s, n) >= RULES_MAX))
			continue;
		cdn_examples(rule->rule->pattern, s->tag,
		    some_directory(s, looked), add_example, s);
	}
}

/* ----- At random ----------------------------------------------------------------------- */

static void
add_made_up(struct cdn_sample *s, const char *dir)
{
	char path[CDN_PATH_MAX + 1];

	if (dir[0] != '\0' &&
	    snprintf(path, sizeof(path), "%s/%s-%u", dir, s->tag,
		++s->names) < (int)sizeof(path))
		cdn_sample_path(s, path);
}

static void
add_random(struct cdn_sample *s, const struct cdn_looked *looked)
{
	for (size_t i = 0; i < looked->count; i++)
		cdn_sample_path(s, looked->paths[i]);
	for (size_t i = 0; i < looked->dir_count && i < FRESH_DIRS; i++)
		add_made_up(s, looked->dirs[cdn_sample_chance(s,
				   looked->dir_count)]);
	add_made_up(s, s->session->workspace);
	add_made_up(s, s->session->own.home);
	add_made_up(s, s->session->own.tmp);
	add_made_up(s, s->outside->dir);
}

static void
add_escapes(struct cdn_sample *s)
{
	bool open = s->plan->network == CDN_NETWORK_FULL;

	for (size_t i = 0; i < cdn_escape_count; i++) {
		struct cdn_probe *probe = cdn_escapes[i].network && open ?
		    NULL :
		    cdn_sample_add(s, CDN_TRY_ESCAPE, cdn_escapes[i].name);

		if (probe != NULL)
			probe->escape = (unsigned)i;
	}
}

int
cdn_sample_take(struct cdn_sample *s, struct cordon_error *err)
{
	CDN_UNINITIALIZED struct cdn_looked looked;

	add_escapes(s);
	cdn_sample_network(s);
	cdn_sample_look(s, &looked);
	add_regions(s);
	add_all_places(s);
	add_rules(s, &looked);
	add_random(s, &looked);
	return s->nomem ? cdn_err_nomem(err) : 0;
}
