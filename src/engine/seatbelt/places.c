/*
 * places - what macOS and the agent need besides the policy, as places.
 *
 * Written once here and added to the lists of a spec: the floor and the denies
 * of the policy hold against them as against everything else.
 */
#include "engine/seatbelt/seatbelt.h"

#include "base/arena.h"
#include "engine/decide/agents.h"

static const char source[] = "<seatbelt>";

/* A row of a table below: "~" is the home. */
struct row {
	const char *path;
	bool alone;
	bool glob;
};

/* clang-format off */
static const struct row readable[] = {
	{ "/", true, false }, /* its names */
	{ "/System", false, false },
	{ "/Library", false, false },
	{ "/usr", false, false },
	{ "/bin", false, false },
	{ "/sbin", false, false },
	{ "/dev", false, false },
	{ "/private/etc", false, false },
	{ "/private/var/db", false, false },
	{ "/private/var/run", false, false },
	{ "/opt/homebrew", false, false },
	{ "/Applications/Xcode.app", false, false },
};

static const struct row writable[] = {
	{ "/tmp", false, false },
	{ "/private/tmp", false, false },
	{ "/private/var/folders", false, false },
	{ "/dev", false, false },
	{ "~/Library/Caches", false, false },
	{ "~/.orbit/state/logs", false, false },
};

/* Never written; of these the floor knows some by the directory above. */
static const struct row system_rows[] = {
	{ "/System", false, false },
	{ "/Library", false, false },
	{ "/bin", false, false },
	{ "/sbin", false, false },
	{ "/usr/bin", false, false },
	{ "/usr/sbin", false, false },
	{ "/usr/lib", false, false },
	{ "/usr/libexec", false, false },
	{ "/usr/share", false, false },
	{ "/private/etc", false, false },
};

static const struct row secret[] = {
	{ "~/.ssh", false, false },
	{ "~/.aws", false, false },
	{ "~/.config/gh", false, false },
	{ "~/Library/Keychains", false, false },
	{ "/Library/Keychains", false, false },
	{ "/System/Library/Keychains", false, false },
	{ "~/Library/Cookies", false, false },
	{ "~/Library/Safari", false, false },
	{ "~/Library/Application Support/Firefox", false, false },
	{ "~/Library/Application Support/Google/Chrome", false, false },
	{ "~/Library/Application Support/BraveSoftware", false, false },
};
/* clang-format on */

static const char keychain[] = "~/Library/Keychains";

/* ----- Lists ------------------------------------------------------------------- */

struct builder {
	struct cdn_arena *arena;
	const struct cdn_seatbelt_facts *facts;
	const struct cdn_agent *agent; /* or NULL */
	bool moved; /* its first directory lies elsewhere */
	bool failed;
};

struct list {
	struct cdn_place *v;
	size_t n, capacity;
};

static void
push(struct builder *b, struct list *list, const struct cdn_place *place)
{
	struct cdn_place *v = cdn_arena_grow(b->arena, list->v, list->n,
	    &list->capacity, sizeof(*v));

	if (v == NULL) {
		b->failed = true;
		return;
	}
	list->v = v;
	v[list->n++] = *place;
}

/* With what the list had; nothing where the row needs a home and none is. */
static void
push_row(struct builder *b, struct list *list, const struct row *row)
{
	struct cdn_place place = { .path = row->path, .shown = row->path,
		.pos = { .source = source }, .glob = row->glob,
		.alone = row->alone };

	if (row->path[0] == '~') {
		if (b->facts->home == NULL || b->facts->home[0] != '/')
			return;
		place.path = cdn_arena_join(b->arena,
		    cdn_str_of(b->facts->home), cdn_str_of(row->path + 1));
	}
	if (place.path == NULL)
		b->failed = true;
	else
		push(b, list, &place);
}

static void
push_all(struct builder *b, struct list *list,
    const struct cdn_place_list *from)
{
	for (size_t i = 0; i < from->n; i++)
		push(b, list, &from->v[i]);
}

static void
push_rows(struct builder *b, struct list *list, const struct row *rows,
    size_t n)
{
	for (size_t i = 0; i < n; i++)
		push_row(b, list, &rows[i]);
}

static struct cdn_place_list
as_places(const struct list *list)
{
	return (struct cdn_place_list){ list->v, list->n };
}

/* ----- The agent ---------------------------------------------------------------- */

static void
find_agent(struct builder *b)
{
	const char *dir = b->facts->provider_dir;

	if (b->facts->provider != NULL)
		b->agent = cdn_agent_find(b->facts->provider);
	b->moved = b->agent != NULL && b->agent->variable != NULL &&
	    dir != NULL && dir[0] == '/';
}

/* Where place i of the agent lies; NULL: nowhere, or no memory. */
static const char *
place_path(struct builder *b, size_t i)
{
	const struct cdn_agent_place *place = &b->agent->places[i];
	const char *home = b->facts->home;
	const char *path;

	if (b->moved)
		return i == 0 ? b->facts->provider_dir : NULL;
	if (home == NULL || home[0] != '/')
		return NULL;
	path = cdn_arena_join(b->arena, cdn_str_of(home),
	    cdn_str_of(place->row.path + 1));
	b->failed |= path == NULL;
	return path;
}

static bool
has(const struct list *list, const char *path)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i].path, path) == 0)
			return true;
	return false;
}

/* The session may have said so already. */
static void
push_new(struct builder *b, struct list *list, const char *path, bool glob,
    bool alone)
{
	const struct cdn_place place = { .path = path, .shown = path,
		.pos = { .source = source }, .glob = glob, .alone = alone };

	if (path == NULL)
		b->failed = true;
	else if (!has(list, path))
		push(b, list, &place);
}

static void
push_obeyed(struct builder *b, struct list *sealed, const char *state)
{
	const char *pattern;

	for (size_t i = 0; (pattern = cdn_agent_obeyed(b->agent, i)) != NULL;
	     i++)
		push_new(b, sealed, cdn_arena_printf(b->arena, "%s/%s", state,
		    pattern), strchr(pattern, '*') != NULL, false);
}

static void
push_state(struct builder *b, struct list *write, struct list *sealed)
{
	for (size_t i = 0; b->agent != NULL && i < b->agent->place_count;
	     i++) {
		enum cdn_agent_kind kind = b->agent->places[i].kind;
		const char *path = kind == CDN_AGENT_PART ? NULL :
		    place_path(b, i);

		if (path == NULL)
			continue;
		push_new(b, write, path, false, kind == CDN_AGENT_FILE);
		if (kind == CDN_AGENT_DIR)
			push_obeyed(b, sealed, path);
	}
	for (size_t i = 0; b->agent != NULL && !b->moved &&
	     i < b->agent->beside_count; i++) {
		const struct row row = { b->agent->beside[i].path, true,
			b->agent->beside[i].glob };

		push_row(b, write, &row);
	}
}

/* Its own state is closed to every run but its own. */
static bool
is_its_own(struct builder *b, const struct cdn_place *place)
{
	for (size_t i = 0; b->agent != NULL && i < b->agent->place_count;
	     i++) {
		const char *path = place_path(b, i);
		size_t n = path == NULL ? 0 : strlen(path);

		if (n > 0 && strncmp(place->path, path, n) == 0 &&
		    (place->path[n] == '\0' || place->path[n] == '/'))
			return true;
	}
	return false;
}

/* ----- All of it ----------------------------------------------------------------- */

static bool
is_lent(const struct builder *b, const struct row *row)
{
	return b->agent != NULL && b->agent->keychain &&
	    strcmp(row->path, keychain) == 0;
}

static void
find_secrets(struct builder *b, const struct cdn_authority_spec *spec,
    struct cdn_seatbelt *ret, struct list *read)
{
	struct list secrets = { 0 }, lent = { 0 }, closed = { 0 };

	for (size_t i = 0; i < spec->closed.n; i++)
		if (!is_its_own(b, &spec->closed.v[i]))
			push(b, &closed, &spec->closed.v[i]);
	push_rows(b, &secrets, secret, CDN_LEN(secret));
	for (size_t i = 0; i < CDN_LEN(secret); i++)
		push_row(b, is_lent(b, &secret[i]) ? &lent : &closed,
		    &secret[i]);
	for (size_t i = 0; i < lent.n; i++)
		push(b, read, &lent.v[i]);
	ret->secrets = as_places(&secrets);
	ret->lent = as_places(&lent);
	ret->spec.closed = as_places(&closed);
}

static void
fill(struct builder *b, const struct cdn_authority_spec *spec,
    struct cdn_seatbelt *ret)
{
	struct list read = { 0 }, write = { 0 }, sealed = { 0 };

	ret->spec = *spec;
	find_agent(b);
	push_all(b, &read, &spec->runtime_read);
	push_all(b, &write, &spec->runtime_write);
	push_all(b, &sealed, &spec->sealed);
	push_rows(b, &sealed, system_rows, CDN_LEN(system_rows));
	find_secrets(b, spec, ret, &read);
	push_rows(b, &read, readable, CDN_LEN(readable));
	push_rows(b, &write, writable, CDN_LEN(writable));
	push_state(b, &write, &sealed);
	ret->spec.runtime_read = as_places(&read);
	ret->spec.runtime_write = as_places(&write);
	ret->spec.sealed = as_places(&sealed);
}

int
cdn_seatbelt_build(struct cdn_arena *arena,
    const struct cdn_authority_spec *spec,
    const struct cdn_seatbelt_facts *facts, struct cdn_seatbelt *ret,
    struct cordon_error *err)
{
	struct builder b = { .arena = arena, .facts = facts };
	struct cdn_seatbelt made = { 0 };
	int code;

	fill(&b, spec, &made);
	if (b.failed)
		return cdn_err_nomem(err);
	code = cdn_authority_build(arena, &made.spec, &made.authority, err);
	if (code == 0)
		*ret = made;
	return code;
}
