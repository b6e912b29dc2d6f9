/*
 * world_chance - random worlds over a small alphabet, as data.
 *
 * A draft says what a world is made of; it can be changed a little and built
 * again, so that two worlds can be compared.  The paths are all those over
 * the names a, b, c below /w (the workspace), /o and /p, three deep.
 */
#ifndef CDN_TESTS_WORLD_CHANCE_H
#define CDN_TESTS_WORLD_CHANCE_H

#include "support/world.h"

#define DRAFT_DOCUMENTS 4
#define DRAFT_TEXT	160

struct draft_document {
	enum cordon_layer layer;
	bool trusted;
	bool defined; /* it has the profile */
	bool has_exec;
	bool bounds, called; /* of a worker */
	char own[CDN_RULE_OPS][DRAFT_TEXT];
	char deny[CDN_RULE_OPS][DRAFT_TEXT];
	char host_read[DRAFT_TEXT], host_modify[DRAFT_TEXT];
	char sockets[DRAFT_TEXT];
	enum cdn_network_mode network; /* not LIST */
};

struct draft {
	struct draft_document documents[DRAFT_DOCUMENTS];
	size_t count;
	enum cordon_preset preset;
	char closed[DRAFT_TEXT], sealed[DRAFT_TEXT];
	char read[DRAFT_TEXT], write[DRAFT_TEXT], write_roots[DRAFT_TEXT];
	char runtime_read[DRAFT_TEXT], runtime_write[DRAFT_TEXT];
	const char *network; /* NULL: not said */
};

static const char *const draft_rules[] = {
	"**", "a/**", "a", "a/b", "a/b/**", "*/b", "a/*", "**/c", "**/c/**",
	"b/**", "?", "a/**/c", "**/a/b", "*", ".", "b", "c/a/**",
};
static const char *const draft_places[] = {
	"/w/a", "/w/a/b", "/w/b", "/o", "/o/a", "/o/a/b", "/p", "/p/c", "/",
	"=/w/b", "+/w/c", "=/o/b", "/w", "/w/c/a/b",
};

/* ----- Paths ----------------------------------------------------------------- */

#define DRAFT_PATHS 128

static char draft_paths[DRAFT_PATHS][16];
static size_t draft_path_count;

static inline void
draft_walk(const char *prefix, int depth)
{
	need(draft_path_count < DRAFT_PATHS, "paths");
	snprintf(draft_paths[draft_path_count++], sizeof(draft_paths[0]), "%s",
	    prefix);
	for (char c = 'a'; depth > 0 && c <= 'c'; c++) {
		char path[16];

		snprintf(path, sizeof(path), "%s/%c", prefix, c);
		draft_walk(path, depth - 1);
	}
}

static inline void
draft_begin(void)
{
	draft_walk("/w", 3);
	draft_walk("/o", 3);
	draft_walk("/p", 3);
	snprintf(draft_paths[draft_path_count++], sizeof(draft_paths[0]), "/");
}

static inline bool
draft_below(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/');
}

/* ----- Drafts ------------------------------------------------------------------ */

static inline void
draft_list(char *out, unsigned most, bool negations)
{
	chance_rules(draft_rules, CDN_LEN(draft_rules), most, negations, out,
	    DRAFT_TEXT);
}

/* One of several times something, otherwise nothing. */
static inline void
draft_some_places(char *out, unsigned once_in)
{
	out[0] = '\0';
	if (chance(once_in) == 0)
		chance_rules(draft_places, CDN_LEN(draft_places), 2, false,
		    out, DRAFT_TEXT);
}

static inline void
draft_document(struct draft_document *d, enum cordon_layer layer, bool trusted)
{
	*d = (struct draft_document){ .layer = layer, .trusted = trusted,
		.defined = chance(3) > 0, .has_exec = chance(3) == 0,
		.network = (enum cdn_network_mode)chance(CDN_NETWORK_LIST) };
	for (size_t op = 0; op < CDN_RULE_OPS; op++) {
		draft_list(d->own[op], 3, true);
		if (chance(2) == 0)
			draft_list(d->deny[op], 2, false);
	}
	draft_some_places(d->host_read, 2);
	draft_some_places(d->host_modify, 3);
	draft_some_places(d->sockets, 3);
}

static inline void
draft_worker(struct draft_document *d, bool called)
{
	draft_document(d, CORDON_LAYER_WORKER, !called);
	d->defined = true;
	d->called = called;
	d->bounds = chance(3) > 0;
}

/* With a document there is a trusted one that has the profile. */
static inline void
draft_make(struct draft *d)
{
	static const enum cordon_layer layers[] = { CORDON_LAYER_HOST,
		CORDON_LAYER_USER, CORDON_LAYER_PROJECT };
	static const char *const networks[] = { NULL, NULL, "none", "full" };

	*d = (struct draft){ .preset = (enum cordon_preset)chance(
				 CORDON_PRESET_MAX),
		.network = networks[chance(CDN_LEN(networks))] };
	d->count = chance(3);
	for (size_t i = 0; i < d->count; i++)
		draft_document(&d->documents[i], layers[i + chance(2)],
		    i == 0 || chance(3) > 0);
	if (d->count > 0)
		d->documents[0].defined = true;
	if (chance(3) == 0)
		draft_worker(&d->documents[d->count++], false);
	draft_some_places(d->closed, 3);
	draft_some_places(d->sealed, 3);
	draft_some_places(d->read, 3);
	draft_some_places(d->write, 3);
	draft_some_places(d->write_roots, 4);
	draft_some_places(d->runtime_read, 2);
	draft_some_places(d->runtime_write, 3);
}

static inline void
draft_build_document(const struct draft_document *from, struct world *w)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_profile_def def = { .name = CDN_STR(CDN_UNRESTRICTED),
		.has_exec = from->has_exec,
		.network = { .mode = from->network } };
	struct cordon_policy policy = { .arena = arena, .source = "t.yaml",
		.name = CDN_STR("t"), .profiles = &def,
		.profile_count = from->defined };
	struct cdn_document *d = &w->documents[w->count++];

	need(arena != NULL, "memory");
	for (size_t op = 0; op < CDN_RULE_OPS; op++) {
		def.rules[op] = rules_of(arena, from->own[op]);
		policy.deny[op] = rules_of(arena, from->deny[op]);
	}
	*d = (struct cdn_document){ .layer = from->layer,
		.trusted = from->trusted, .bounds = from->bounds,
		.called = from->called };
	need(cdn_profile_resolve(&policy, def.name, CDN_RESOLVE_DENIES_ONLY,
		 &d->profile, NULL) == 0, "profile");
	d->host_read = world_places(w->arena, from->host_read);
	d->host_modify = world_places(w->arena, from->host_modify);
	d->sockets = world_places(w->arena, from->sockets);
	cdn_arena_free(arena); /* the profile keeps it */
}

static inline void
draft_build(const struct draft *from, struct world *w)
{
	struct cdn_authority_spec a = { .profile_name = CDN_UNRESTRICTED,
		.workspace = "/w", .preset = from->preset };

	*w = (struct world){ .arena = cdn_arena_new() };
	need(w->arena != NULL, "memory");
	for (size_t i = 0; i < from->count; i++)
		draft_build_document(&from->documents[i], w);
	a.documents = w->documents;
	a.document_count = w->count;
	a.closed = world_places(w->arena, from->closed);
	a.sealed = world_places(w->arena, from->sealed);
	a.command_read = world_places(w->arena, from->read);
	a.command_write = world_places(w->arena, from->write);
	a.runtime_write_roots = world_places(w->arena, from->write_roots);
	a.runtime_read = world_places(w->arena, from->runtime_read);
	a.runtime_write = world_places(w->arena, from->runtime_write);
	if (from->network != NULL) {
		world_network(w, from->network);
		a.network = &w->network;
	}
	w->spec = a;
	need(cdn_authority_build(w->arena, &a, &w->authority, NULL) == 0,
	    "authority");
}

/* What a failing world was made of. */
static inline void
draft_print(const struct draft *d)
{
	printf("# preset %s; closed [%s] sealed [%s] read [%s] write [%s] "
	    "roots [%s] runtime [%s] [%s] network %s\n",
	    cordon_preset_name(d->preset), d->closed, d->sealed, d->read,
	    d->write, d->write_roots, d->runtime_read, d->runtime_write,
	    d->network != NULL ? d->network : "-");
	for (size_t i = 0; i < d->count; i++) {
		const struct draft_document *doc = &d->documents[i];

		printf("# %s%s%s%s: read [%s] modify [%s] exec [%s]; deny "
		    "[%s] [%s] [%s]; host [%s] [%s]; network %d\n",
		    cordon_layer_name(doc->layer),
		    doc->trusted ? " trusted" : "",
		    doc->defined ? " defined" : "",
		    doc->has_exec ? " exec" : "", doc->own[0], doc->own[1],
		    doc->own[2], doc->deny[0], doc->deny[1], doc->deny[2],
		    doc->host_read, doc->host_modify, (int)doc->network);
	}
}

#endif
