/*
 * floor_places - where the floor's entries really lie on this machine.
 */
#include "enforce/session/placelist.h"

#include "engine/decide/floor.h"

static const char floor_source[] = "<floor>";

/* Both homes: the caller's HOME and the one of the password database. */
static void
add_credential(struct cdn_placelist *list, const struct cdn_floor_row *row)
{
	const struct cdn_places *places = &list->g->session->places;
	const char *homes[] = { places->home, places->passwd_home };
	struct cdn_place like = { .shown = row->path, .glob = row->glob,
		.sidecars = row->is_file, .pos = { .source = floor_source } };

	if (row->path[0] != '~') {
		cdn_placelist_add(list, row->path, &like);
		return;
	}
	for (size_t i = 0; i < CDN_LEN(homes); i++) {
		if (homes[i][0] == '\0' ||
		    (i > 0 && strcmp(homes[i], homes[0]) == 0))
			continue;
		cdn_placelist_add(list, cdn_arena_printf(list->g->arena,
		    "%s%s", homes[i], row->path + 1), &like);
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
	first = list->n;
	for (size_t i = 0; i < s->loaded_count; i++)
		cdn_placelist_roots(list, &s->loaded[i].policy->protect);
	for (size_t i = first; i < list->n; i++)
		list->v[i].sidecars = true;
}

/* DIR + slash + name; nothing when there is no such place here. */
static void
add_named(struct cdn_placelist *list, const char *dir, const char *slash,
    const char *name)
{
	struct cdn_place like = { .pos = { .source = floor_source } };

	if (dir[0] != '\0' || name[0] == '/')
		cdn_placelist_add(list, cdn_arena_printf(list->g->arena,
		    "%s%s%s", dir, slash, name), &like);
}

/* cordon's own files, and every document loaded for this session. */
static void
add_sealed(struct cdn_placelist *list)
{
	const struct cordon_session *s = list->g->session;

	add_named(list, "/etc/cordon", "", "");
	add_named(list, s->places.config, "", "");
	add_named(list, s->places.state, "", "");
	for (size_t i = 0; i < s->file_count; i++) {
		const char *file = s->files[i].file;

		add_named(list, file[0] == '/' ? "" : s->cwd,
		    file[0] == '/' ? "" : "/", file);
	}
}

/* The audit, and the homes and temporary directories of all runs. */
static void
add_hidden(struct cdn_placelist *list)
{
	static const char *const names[] = { "audit", "audit.jsonl",
		"audit.jsonl.head", "homes", "tmp" };

	for (size_t i = 0; i < CDN_LEN(names); i++)
		add_named(list, list->g->session->places.state, "/", names[i]);
}

void
cdn_gather_floor(struct cdn_gather *g, const char *own_home,
    struct cdn_authority_spec *spec)
{
	struct cdn_placelist closed = { .g = g }, sealed = { .g = g };
	struct cdn_placelist hidden = { .g = g }, own = { .g = g };

	add_closed(&closed);
	add_sealed(&sealed);
	add_hidden(&hidden);
	add_named(&own, own_home, "", "");
	spec->closed = cdn_placelist_done(&closed);
	spec->sealed = cdn_placelist_done(&sealed);
	spec->hidden = cdn_placelist_done(&hidden);
	spec->own = cdn_placelist_done(&own);
}
