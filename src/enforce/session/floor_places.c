/*
 * floor_places - where the floor's entries really lie on this machine.
 */
#include "enforce/session/workers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "enforce/session/agent.h"
#include "enforce/session/links.h"
#include "enforce/session/own.h"
#include "enforce/session/private_files.h"
#include "engine/decide/floor.h"
#include "engine/decide/preset.h"

static const char floor_source[] = "<floor>";

/* Files that variables of the caller move elsewhere; agents have their own. */
static const struct {
	const char *variable;
	const char *below;
	const char *shown;
} moved[] = {
	{ "CARGO_HOME", "/credentials", "$CARGO_HOME/credentials" },
	{ "CARGO_HOME", "/credentials.toml", "$CARGO_HOME/credentials.toml" },
};

/* cordon's own places below a home, wherever the variables point now. */
static const char own_state[] = "/.local/state/cordon";
static const char *const own_dirs[] = { "/.config/cordon", own_state };

/* The audit, and the homes and temporary directories of all runs. */
static const char *const hidden_names[] = { "/audit", "/audit.jsonl",
	"/audit.jsonl.head", "/homes", "/tmp" };

/*
 * What git reads as configuration, runs, or is led elsewhere by, in a worktree's
 * gitdir and in those of its submodules (see the entries in preset.c).
 */
static const char *const redirects[] = { "/**/config.worktree",
	"/**/commondir", "/gitdir", "/config", "/hooks", "/modules/**/config",
	"/modules/**/hooks" };

/*
 * The same in what a worktree's run may write of the repository.  That these
 * hold at any depth keeps all of it with the broker, which lets no repository
 * come to be in there (broker/repository.c).
 */
static const char *const in_common[] = { "/objects/**/commondir",
	"/refs/**/commondir", "/logs/**/commondir", "/objects/info/alternates",
	"/objects/info/http-alternates" };

/* Both homes: the caller's HOME and the one of the password database. */
#define HOMES 2
static void
find_homes(const struct cordon_session *s, const char *homes[HOMES])
{
	homes[0] = s->places.home;
	homes[1] = s->places.passwd_home;
	if (strcmp(homes[0], homes[1]) == 0)
		homes[1] = "";
}

/* DIR + name; nothing when there is no such place here. */
static void
add_named(struct cdn_placelist *list, const char *dir, const char *name)
{
	struct cdn_place like = { .pos = { .source = floor_source } };

	if (dir[0] != '\0')
		cdn_placelist_add(list, cdn_placelist_name(list, dir, name),
		    &like);
}

/* The same without following a link; dir is real. */
static void
add_exact(struct cdn_placelist *list, const char *dir, const char *name)
{
	struct cdn_place like = { .pos = { .source = floor_source } };

	cdn_placelist_exact(list, cdn_placelist_name(list, dir, name), &like);
}

/* The same for a pattern; what dir holds of one means more, never less. */
static void
add_pattern(struct cdn_placelist *list, const char *dir, const char *name)
{
	struct cdn_place like = { .glob = strchr(name, '*') != NULL,
		.pos = { .source = floor_source } };

	cdn_placelist_exact(list, cdn_placelist_name(list, dir, name), &like);
}

/* Is HOME + dir the same as place? */
static bool
is_at(const char *home, const char *dir, const char *place)
{
	size_t n = strlen(home);

	return strncmp(place, home, n) == 0 && strcmp(place + n, dir) == 0;
}

/* ----- Credentials ----------------------------------------------------------- */

/* The pattern has one star, as those of the floor have. */
static bool
is_meant(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t head = (size_t)(star - pattern), tail = strlen(star + 1);
	size_t n = strlen(name);

	return n >= head + tail && strncmp(name, pattern, head) == 0 &&
	    strcmp(name + n - tail, star + 1) == 0;
}

/* One name of the directory, whether or not it is meant. */
static void
add_match(struct cdn_placelist *list, const char *dir, const char *name,
    const struct cdn_place *plain)
{
	const char *pattern = strrchr(plain->shown, '/') + 1;

	if (is_meant(pattern, name))
		cdn_placelist_add(list, cdn_placelist_name(list, dir, name),
		    plain);
}

/* All names of an open directory; 0 or an errno. */
static int
add_names(struct cdn_placelist *list, int fd, const char *dir,
    const struct cdn_place *plain)
{
	_Alignas(struct dirent64) CDN_UNINITIALIZED char room[2048];
	ssize_t n;

	while ((n = getdents64(fd, (void *)room, sizeof(room))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *entry =
			    (const void *)(room + at);

			add_match(list, dir, entry->d_name, plain);
			at += entry->d_reclen;
		}
	return n < 0 ? errno : 0;
}

/* Nobody gets at a file by a directory that is not there or closed to him. */
static bool
names_nothing(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES;
}

/*
 * What a pattern names today; the pattern itself stays for later files.  Only
 * its last step is one.
 */
static void
add_matches(struct cdn_placelist *list, const struct cdn_place *like)
{
	struct cdn_gather *g = list->g;
	struct cdn_place plain = *like;
	size_t n = (size_t)(strrchr(like->shown, '/') + 1 - like->shown);
	const char *dir = cdn_arena_dup(g->arena, like->shown, n);
	cdn_cleanup_fd int fd = -1;
	int error;

	plain.glob = false;
	if (dir == NULL || g->code != 0) {
		cdn_placelist_add(list, NULL, &plain);
		return;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	error = fd < 0 ? errno : add_names(list, fd, dir, &plain);
	if (error != 0 && !names_nothing(error) && g->code == 0)
		g->code = cdn_err_sys(g->err, error, "cannot look for '%s'",
		    like->shown);
}

/* What the agent that is run has in the caller's home, goes to `kept`. */
static void
add_credential(struct cdn_placelist *list, struct cdn_placelist *kept,
    const struct cdn_floor_row *row)
{
	struct cdn_place like = { .shown = row->path, .glob = row->glob,
		.sidecars = row->is_file, .pos = { .source = floor_source } };
	bool is_own = cdn_agent_owns(list->g->session, row);
	const char *homes[HOMES];

	if (row->path[0] != '~') {
		cdn_placelist_add(list, row->path, &like);
		if (row->glob)
			add_matches(list, &like);
		return;
	}
	find_homes(list->g->session, homes);
	for (size_t i = 0; i < HOMES; i++)
		if (homes[i][0] != '\0')
			cdn_placelist_add(i == 0 && is_own ? kept : list,
			    cdn_placelist_name(list, homes[i], row->path + 1),
			    &like);
}

static const char *
directory_of(const char *variable)
{
	const char *dir = variable == NULL ? NULL : getenv(variable);

	return dir != NULL && dir[0] == '/' && dir[1] != '\0' ? dir : NULL;
}

/* The state of an agent as a whole. */
static void
add_moved_agent(struct cdn_placelist *list, struct cdn_placelist *kept,
    const struct cdn_agent *agent)
{
	const struct cdn_agent_here *here = &list->g->session->agent;
	const char *dir = directory_of(agent->variable);
	struct cdn_place like = { .pos = { .source = floor_source } };

	if (dir == NULL)
		return;
	like.shown = cdn_arena_printf(list->g->arena, "$%s", agent->variable);
	cdn_placelist_add(agent == here->is ? kept : list,
	    like.shown == NULL ? NULL : cdn_placelist_name(list, dir, ""),
	    &like);
}

static void
add_moved(struct cdn_placelist *list, struct cdn_placelist *kept)
{
	const struct cdn_agent *agent;

	for (size_t i = 0; (agent = cdn_agent(i)) != NULL; i++)
		add_moved_agent(list, kept, agent);
	for (size_t i = 0; i < CDN_LEN(moved); i++) {
		const char *dir = directory_of(moved[i].variable);
		struct cdn_place like = { .shown = moved[i].shown,
			.sidecars = true, .pos = { .source = floor_source } };

		if (dir != NULL)
			cdn_placelist_add(list, cdn_placelist_name(list, dir,
			    moved[i].below), &like);
	}
}

/* Paths that a caller of the library keeps for himself. */
static void
add_protected(struct cdn_placelist *list,
    const struct cordon_session_options *options)
{
	struct cdn_gather *g = list->g;

	for (size_t i = 0; i < options->protect_count; i++) {
		const char *path = cdn_arena_dup(g->arena,
		    options->protect[i], strlen(options->protect[i]));
		struct cdn_place like = { .shown = path,
			.pos = { .source = floor_source } };

		if (path != NULL)
			g->session->protect[i] = path;
		if (g->code == 0 && path != NULL && path[0] != '/')
			g->code = cdn_err(g->err, CORDON_E_INVALID,
			    "protect: '%s' is not absolute", path);
		cdn_placelist_add(list, path, &like);
	}
}

/* Credentials, and what documents and callers add to them. */
static void
add_closed(struct cdn_placelist *list, struct cdn_placelist *kept,
    const struct cordon_session_options *options)
{
	const struct cordon_session *s = list->g->session;
	const struct cdn_floor_row *row;
	size_t first;

	for (size_t i = 0; (row = cdn_floor_credential(i)) != NULL; i++) {
		list->look = row->store ? CDN_LOOK_FLAT : CDN_LOOK_DEEP;
		add_credential(list, kept, row);
	}
	list->look = CDN_LOOK_FLAT;
	add_moved(list, kept);
	cdn_private_files_add(list);
	first = list->n;
	list->look = CDN_LOOK_DEEP;
	for (size_t i = 0; i < s->loaded_count; i++)
		cdn_placelist_roots(list, &s->loaded[i].policy->protect);
	add_protected(list, options);
	for (size_t i = first; i < list->n; i++)
		list->v[i].sidecars = true;
}

/* ----- cordon's own files ----------------------------------------------------- */

/*
 * A name below the current directory or above it.  That one is real, so what
 * stands in front can be taken away as it is written; a place with ".." in it
 * would be that of a name nobody has.
 */
static const char *
name_from(struct cdn_arena *arena, const char *cwd, const char *file)
{
	size_t n = strcmp(cwd, "/") == 0 ? 0 : strlen(cwd);

	for (bool up; (up = strncmp(file, "../", 3) == 0) ||
	     strncmp(file, "./", 2) == 0;) {
		while (up && n > 0 && cwd[--n] != '/')
			;
		file += up ? 3 : 2;
		file += strspn(file, "/");
	}
	return cdn_arena_printf(arena, "%.*s/%s", (int)n, cwd, file);
}

/* Every document loaded for this session. */
static void
add_documents(struct cdn_placelist *list)
{
	const struct cordon_session *s = list->g->session;
	struct cdn_place like = { .pos = { .source = floor_source } };

	for (size_t i = 0; i < s->file_count; i++) {
		const char *file = s->files[i].file;

		if (file[0] == '\0')
			continue; /* it was never one */
		cdn_placelist_add(list, file[0] == '/' ? file :
			name_from(list->g->arena, s->cwd, file), &like);
	}
}

/* For cdn_links_walk(). */
static void
seal_link(const char *link, const char *rest, void *arg)
{
	const struct cdn_place like = { .alone = true,
		.pos = { .source = floor_source } };
	struct cdn_placelist *list = arg;

	(void)rest;
	/* NULL is a failure that the list keeps. */
	cdn_placelist_exact(list, cdn_arena_dup(list->g->arena, link,
	    strlen(link)), &like);
}

/*
 * Threat:    `.cordon` is a symlink to a directory; a run replaces the symlink,
 *            and the next run obeys another policy, or none.
 * Invariant: every symlink on the way to a loaded document stays as it was.
 * Held by:   the floor: the symlink's own name is sealed, beside the document.
 */
static void
seal_links(struct cdn_placelist *list)
{
	const struct cordon_session *s = list->g->session;

	for (size_t i = 0; i < s->file_count && list->g->code == 0; i++) {
		const char *file = s->files[i].file;
		const char *path = file[0] == '/' ? file :
		    name_from(list->g->arena, s->cwd, file);

		if (path == NULL)
			list->g->code = cdn_err_nomem(list->g->err);
		else if (file[0] != '\0')
			cdn_links_walk("", cdn_str_of(path), seal_link, list);
	}
}

static void
add_sealed(struct cdn_placelist *list)
{
	const struct cordon_session *s = list->g->session;
	const char *worktree = list->g->worktree.gitdir;
	const char *homes[HOMES];

	find_homes(s, homes);
	add_named(list, "/etc/cordon", "");
	add_named(list, s->places.config, "");
	add_named(list, s->places.state, "");
	for (size_t i = 0; i < HOMES; i++)
		for (size_t k = 0; k < CDN_LEN(own_dirs); k++)
			if (!is_at(homes[i], own_dirs[k], s->places.config) &&
			    !is_at(homes[i], own_dirs[k], s->places.state))
				add_named(list, homes[i], own_dirs[k]);
	add_documents(list);
	seal_links(list);
	for (size_t i = 0; worktree != NULL && i < CDN_LEN(redirects); i++)
		add_pattern(list, worktree, redirects[i]);
	for (size_t i = 0; worktree != NULL && i < CDN_LEN(in_common); i++)
		add_pattern(list, list->g->worktree.common, in_common[i]);
}

/* dir: one that holds cordon's state, or "". */
static void
add_hidden_in(struct cdn_placelist *list, const char *dir)
{
	for (size_t i = 0; i < CDN_LEN(hidden_names); i++)
		add_named(list, dir, hidden_names[i]);
}

/* Homes and temporary directories that could not be made in STATE. */
static void
add_substitutes(struct cdn_placelist *list)
{
	struct cdn_place like = { .shown = "/tmp/cordon-*", .glob = true,
		.pos = { .source = floor_source } };

	cdn_placelist_add(list, cdn_arena_printf(list->g->arena,
	    CDN_OWN_SUBSTITUTE "????????????????", (unsigned)geteuid()), &like);
}

static void
add_hidden(struct cdn_placelist *list)
{
	const char *state = list->g->session->places.state;
	const char *homes[HOMES];

	find_homes(list->g->session, homes);
	add_substitutes(list);
	add_hidden_in(list, state);
	for (size_t i = 0; i < HOMES; i++) {
		const char *dir = cdn_placelist_name(list, homes[i], own_state);

		if (dir == NULL)
			cdn_placelist_add(list, NULL, &(struct cdn_place){ 0 });
		else if (homes[i][0] != '\0' && strcmp(dir, state) != 0)
			add_hidden_in(list, dir);
	}
}

/*
 * What is protected under every name it has: no directories of runs, whose
 * files are hard-linked for good reasons.
 */
static void
add_inodes(struct cdn_placelist *list)
{
	static const char *const names[] = { "/trust.json", "/audit.jsonl",
		"/audit.jsonl.head" };
	const struct cordon_session *s = list->g->session;

	for (size_t i = 0; i < CDN_LEN(names); i++)
		add_named(list, s->places.state, names[i]);
	add_named(list, "/etc/cordon", "");
	add_named(list, s->places.config, "");
	add_documents(list);
}

/*
 * Where the whole host can be read: not its terminals, disks and whatever else
 * stands in /dev, but for the list of devices.
 */
static void
add_devices(struct cdn_placelist *hidden, struct cdn_placelist *own,
    enum cordon_preset preset)
{
	struct cdn_place like = { .alone = true,
		.pos = { .source = floor_source } };
	const char *device;

	if (!cdn_preset_get(preset)->whole_host &&
	    !cdn_workers_root(hidden->g->session, "/dev"))
		return;
	add_exact(hidden, "/dev", "");
	for (size_t i = 0; (device = cdn_floor_device(i)) != NULL; i++)
		cdn_placelist_add(own, device, &like);
}

void
cdn_gather_floor(struct cdn_gather *g,
    const struct cordon_session_options *options,
    struct cdn_authority_spec *spec,
    struct cdn_place_list *ret_inodes)
{
	struct cdn_placelist closed = { .g = g }, kept = { .g = g };
	struct cdn_placelist sealed = { .g = g };
	struct cdn_placelist hidden = { .g = g }, own = { .g = g };
	struct cdn_placelist inodes = { .g = g };

	add_closed(&closed, &kept, options);
	add_sealed(&sealed);
	cdn_gather_sealed_state(&sealed);
	add_hidden(&hidden);
	cdn_gather_private_state(&hidden);
	add_devices(&hidden, &own, options->preset);
	add_inodes(&inodes);
	cdn_placelist_aliases(&closed);
	cdn_placelist_aliases(&kept);
	cdn_placelist_aliases(&sealed);
	cdn_placelist_aliases(&hidden);
	spec->closed = cdn_placelist_done(&closed);
	spec->kept = cdn_placelist_done(&kept);
	spec->sealed = cdn_placelist_done(&sealed);
	spec->hidden = cdn_placelist_done(&hidden);
	spec->own = cdn_placelist_done(&own);
	*ret_inodes = cdn_placelist_done(&inodes);
}

void
cdn_gather_own(struct cdn_gather *g, struct cdn_authority_spec *spec)
{
	const struct cdn_own *own = &g->session->own;
	const char *const dirs[] = { own->state, own->tmp };
	struct cdn_placelist list = { .g = g };

	if (g->code != 0)
		return;
	for (size_t i = 0; i < spec->own.n; i++)
		cdn_placelist_exact(&list, spec->own.v[i].path,
		    &spec->own.v[i]);
	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		if (dirs[i][0] != '\0')
			add_exact(&list, dirs[i], "");
	spec->own = cdn_placelist_done(&list);
}
