/*
 * places - what macOS and the agent need besides the policy, as places.
 *
 * Written once here and added to the lists of a spec: the floor and the denies
 * of the policy hold against them as against everything else.
 */
#include "engine/seatbelt/seatbelt.h"

#include "base/arena.h"

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

/* The agents; what each keeps in the home beside its directory. */
struct provider {
	struct cdn_seatbelt_provider is;
	bool keychain; /* its credentials are there */
	const struct row *files; /* unless its directory was moved */
	size_t file_count;
};

static const struct row claude_files[] = {
	{ "~/.claude.json", true, false },
	{ "~/.claude.json.lock", true, false },
	{ "~/.claude.json.tmp.*.*", true, true }, /* process and time */
};

static const struct provider providers[] = {
	{ { "codex", "CODEX_HOME", ".codex" }, false, NULL, 0 },
	{ { "claude", "CLAUDE_CONFIG_DIR", ".claude" }, true, claude_files,
	    CDN_LEN(claude_files) },
	{ { "gemini", NULL, ".gemini" }, false, NULL, 0 },
	{ { "grok", "GROK_HOME", ".grok" }, false, NULL, 0 },
};

/* Below the state of any agent: what it later executes or obeys. */
static const char *const obeyed[] = {
	"settings.json", "settings.local.json", "config.toml", "mcp.json",
	"hooks", "hooks.json", "CLAUDE.md", "AGENTS.md", "GEMINI.md",
	"agents", "commands", "prompts", "skills", "plugins", "extensions",
};
/* clang-format on */

static const char keychain[] = "~/Library/Keychains";

bool
cdn_seatbelt_provider(size_t i, struct cdn_seatbelt_provider *ret)
{
	if (i >= CDN_LEN(providers))
		return false;
	*ret = providers[i].is;
	return true;
}

/* ----- Lists ------------------------------------------------------------------- */

struct builder {
	struct cdn_arena *arena;
	const struct cdn_seatbelt_facts *facts;
	const struct provider *provider; /* or NULL */
	const char *state; /* of the provider; NULL: none, or no home */
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

static bool
is_moved(const struct builder *b)
{
	const char *dir = b->facts->provider_dir;

	return b->provider != NULL && b->provider->is.variable != NULL &&
	    dir != NULL && dir[0] == '/';
}

static void
find_provider(struct builder *b)
{
	for (size_t i = 0; b->facts->provider != NULL &&
	     i < CDN_LEN(providers); i++)
		if (strcmp(b->facts->provider, providers[i].is.name) == 0)
			b->provider = &providers[i];
	if (is_moved(b))
		b->state = b->facts->provider_dir;
	else if (b->provider != NULL && b->facts->home != NULL) {
		b->state = cdn_arena_printf(b->arena, "%s/%s", b->facts->home,
		    b->provider->is.state);
		b->failed |= b->state == NULL;
	}
}

static void
push_state(struct builder *b, struct list *write, struct list *sealed)
{
	struct cdn_place place = { .path = b->state, .shown = b->state,
		.pos = { .source = source } };

	if (b->state == NULL)
		return;
	push(b, write, &place);
	for (size_t i = 0; i < CDN_LEN(obeyed); i++) {
		place.path = place.shown = cdn_arena_printf(b->arena, "%s/%s",
		    b->state, obeyed[i]);
		if (place.path == NULL)
			b->failed = true;
		else
			push(b, sealed, &place);
	}
	if (!is_moved(b))
		push_rows(b, write, b->provider->files,
		    b->provider->file_count);
}

/* Its own state is closed to every run but its own. */
static bool
is_its_own(const struct builder *b, const struct cdn_place *place)
{
	size_t n = b->state == NULL ? 0 : strlen(b->state);

	if (n == 0)
		return false;
	if (strncmp(place->path, b->state, n) == 0 &&
	    (place->path[n] == '\0' || place->path[n] == '/'))
		return true;
	for (size_t i = 0; i < b->provider->file_count && !is_moved(b); i++) {
		const char *name = b->provider->files[i].path + 1;
		size_t home = strlen(b->facts->home);

		if (strncmp(place->path, b->facts->home, home) == 0 &&
		    strcmp(place->path + home, name) == 0)
			return true;
	}
	return false;
}

/* ----- All of it ----------------------------------------------------------------- */

static bool
is_lent(const struct builder *b, const struct row *row)
{
	return b->provider != NULL && b->provider->keychain &&
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
	find_provider(b);
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
