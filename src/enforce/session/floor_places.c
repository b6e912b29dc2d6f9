/*
 * floor_places - where the floor's entries really lie on this machine.
 */
#include "enforce/session/placelist.h"

#include <glob.h>
#include <unistd.h>

#include "enforce/session/own.h"
#include "engine/decide/floor.h"

static const char floor_source[] = "<floor>";

/* Files that variables of the caller move elsewhere. */
static const struct {
	const char *variable;
	const char *below; /* "" = all of it */
	const char *shown;
} moved[] = {
	{ "CARGO_HOME", "/credentials", "$CARGO_HOME/credentials" },
	{ "CARGO_HOME", "/credentials.toml", "$CARGO_HOME/credentials.toml" },
	{ "CODEX_HOME", "", "$CODEX_HOME" },
	{ "CLAUDE_CONFIG_DIR", "", "$CLAUDE_CONFIG_DIR" },
	{ "GROK_HOME", "", "$GROK_HOME" },
};

/* cordon's own places below a home, wherever the variables point now. */
static const char *const own_dirs[] = { "/.config/cordon",
	"/.local/state/cordon" };

/* The audit, and the homes and temporary directories of all runs. */
static const char *const hidden_names[] = { "audit", "audit.jsonl",
	"audit.jsonl.head", "homes", "tmp" };

/* What makes git look for configuration elsewhere, in a worktree's gitdir. */
static const char *const redirects[] = { "/config.worktree", "/commondir",
	"/gitdir" };

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
		cdn_placelist_add(list, cdn_arena_printf(list->g->arena,
		    "%s%s", dir, name), &like);
}

/* The same without following a link; dir is real. */
static void
add_exact(struct cdn_placelist *list, const char *dir, const char *name)
{
	struct cdn_place like = { .pos = { .source = floor_source } };

	cdn_placelist_exact(list, cdn_arena_printf(list->g->arena, "%s%s",
	    dir, name), &like);
}

/* ----- Credentials ----------------------------------------------------------- */

/* What a pattern names today; the pattern itself stays for later files. */
static void
add_matches(struct cdn_placelist *list, const struct cdn_place *like)
{
	struct cdn_place plain = *like;
	glob_t found = { 0 };
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): without ~ it asks nobody */
	int r = glob(like->shown, GLOB_NOSORT, NULL, &found);

	plain.glob = false;
	if (r == GLOB_NOSPACE)
		cdn_placelist_add(list, NULL, &plain);
	for (size_t i = 0; r == 0 && i < found.gl_pathc; i++)
		cdn_placelist_add(list, cdn_arena_dup(list->g->arena,
		    found.gl_pathv[i], strlen(found.gl_pathv[i])), &plain);
	globfree(&found);
}

static void
add_credential(struct cdn_placelist *list, const struct cdn_floor_row *row)
{
	struct cdn_place like = { .shown = row->path, .glob = row->glob,
		.sidecars = row->is_file, .pos = { .source = floor_source } };
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
			cdn_placelist_add(list,
			    cdn_arena_printf(list->g->arena, "%s%s", homes[i],
				row->path + 1), &like);
}

static void
add_moved(struct cdn_placelist *list)
{
	for (size_t i = 0; i < CDN_LEN(moved); i++) {
		const char *dir = getenv(moved[i].variable);
		struct cdn_place like = { .shown = moved[i].shown,
			.sidecars = moved[i].below[0] != '\0',
			.pos = { .source = floor_source } };

		if (dir != NULL && dir[0] == '/' && dir[1] != '\0')
			cdn_placelist_add(list,
			    cdn_arena_printf(list->g->arena, "%s%s", dir,
				moved[i].below), &like);
	}
}

/* Credentials, and what documents add with `protect:`. */
static void
add_closed(struct cdn_placelist *list)
{
	const struct cordon_session *s = list->g->session;
	const struct cdn_floor_row *row;
	size_t first;

	for (size_t i = 0; (row = cdn_floor_credential(i)) != NULL; i++)
		add_credential(list, row);
	add_moved(list);
	first = list->n;
	for (size_t i = 0; i < s->loaded_count; i++)
		cdn_placelist_roots(list, &s->loaded[i].policy->protect);
	for (size_t i = first; i < list->n; i++)
		list->v[i].sidecars = true;
}

/* ----- cordon's own files ----------------------------------------------------- */

/* Every document loaded for this session. */
static void
add_documents(struct cdn_placelist *list)
{
	const struct cordon_session *s = list->g->session;
	struct cdn_place like = { .pos = { .source = floor_source } };

	for (size_t i = 0; i < s->file_count; i++) {
		const char *file = s->files[i].file;

		cdn_placelist_add(list, file[0] == '/' ? file :
			cdn_arena_printf(list->g->arena, "%s/%s", s->cwd,
			    file), &like);
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
			add_named(list, homes[i], own_dirs[k]);
	add_documents(list);
	for (size_t i = 0; worktree != NULL && i < CDN_LEN(redirects); i++)
		add_exact(list, worktree, redirects[i]);
}

static void
add_hidden_in(struct cdn_placelist *list, const char *dir, const char *state)
{
	for (size_t i = 0; dir[0] != '\0' && i < CDN_LEN(hidden_names); i++) {
		const char *name = cdn_arena_printf(list->g->arena, "%s/%s",
		    state, hidden_names[i]);

		if (name == NULL)
			cdn_placelist_add(list, NULL, &(struct cdn_place){ 0 });
		else
			add_named(list, dir, name);
	}
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
	const char *homes[HOMES];

	find_homes(list->g->session, homes);
	add_substitutes(list);
	add_hidden_in(list, list->g->session->places.state, "");
	for (size_t i = 0; i < HOMES; i++)
		add_hidden_in(list, homes[i], "/.local/state/cordon");
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

void
cdn_gather_floor(struct cdn_gather *g, struct cdn_authority_spec *spec,
    struct cdn_place_list *ret_inodes)
{
	struct cdn_placelist closed = { .g = g }, sealed = { .g = g };
	struct cdn_placelist hidden = { .g = g }, own = { .g = g };
	struct cdn_placelist inodes = { .g = g };

	add_closed(&closed);
	add_sealed(&sealed);
	add_hidden(&hidden);
	add_inodes(&inodes);
	if (g->session->own.home[0] != '\0')
		add_exact(&own, g->session->own.home, "");
	if (g->session->own.tmp[0] != '\0')
		add_exact(&own, g->session->own.tmp, "");
	spec->closed = cdn_placelist_done(&closed);
	spec->sealed = cdn_placelist_done(&sealed);
	spec->hidden = cdn_placelist_done(&hidden);
	spec->own = cdn_placelist_done(&own);
	*ret_inodes = cdn_placelist_done(&inodes);
}
