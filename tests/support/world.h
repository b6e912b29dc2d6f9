/*
 * world - an authority from plain words, without a file system.
 *
 *	struct world w;
 *	world_make(&w, &(struct world_spec){
 *		.profile = "dev", .documents = { { CORDON_LAYER_USER, true,
 *		    "  fsProfiles: {dev: {read: [\"**\"]}}\n" } },
 *		.read = "/data" });
 *	... world_ask(&w, CORDON_AS_AGENT, CORDON_READ, "/data/a") ...
 *	world_done(&w);
 *
 * Lists of places are separated by blanks; the workspace is /w unless said.
 * In a place '*' makes a glob, a leading '=' means that path alone, a leading
 * '+' its sidecars too.
 */
#ifndef CDN_TESTS_WORLD_H
#define CDN_TESTS_WORLD_H

#include "engine/decide/decide.h"
#include "engine/match/endpoint.h"
#include "support/engine.h"

#define WORLD_DOCUMENTS 4

struct world_spec {
	const char *profile; /* NULL: unrestricted */
	const char *workspace;
	enum cordon_preset preset;
	struct {
		enum cordon_layer layer;
		bool trusted;
		const char *spec; /* of policy_of(); NULL ends the list */
	} documents[WORLD_DOCUMENTS];
	const char *closed, *kept, *sealed, *hidden, *own;
	const char *agent; /* the source of its network, or NULL */
	const char *read, *write; /* of the command line */
	const char *write_roots;
	const char *runtime_read, *runtime_write;
	const char *network; /* --network: a word, or a rule */
	bool fold;
	bool defaults; /* hold beside the documents; alone they always do */
};

struct world {
	struct cdn_arena *arena;
	struct cdn_document documents[WORLD_DOCUMENTS];
	size_t count;
	struct cdn_network_set network;
	struct cdn_authority_spec spec; /* what it was built from */
	const struct cdn_authority *authority;
};

static inline struct cdn_place_list
world_places(struct cdn_arena *arena, const char *text)
{
	cdn_str rest = cdn_str_of(text), part;
	struct cdn_place *v = cdn_arena_array(arena, rest.n + 1, sizeof(*v));
	size_t n = 0;

	need(v != NULL, "memory");
	while (rest.n > 0 && cdn_str_next(&rest, ' ', &part)) {
		v[n].alone = part.p[0] == '=';
		v[n].sidecars = part.p[0] == '+';
		part = cdn_str_from(part, v[n].alone || v[n].sidecars);
		v[n].path = v[n].shown = cdn_arena_dup(arena, part.p, part.n);
		need(v[n].path != NULL, "memory");
		v[n].glob = strchr(v[n].path, '*') != NULL;
		v[n].pos.source = "<place>";
		n++;
	}
	return (struct cdn_place_list){ v, n };
}

static inline struct cdn_place_list
world_roots(struct cdn_arena *arena, const struct cdn_roots *roots)
{
	struct cdn_place *v = cdn_arena_array(arena, roots->n, sizeof(*v));

	need(v != NULL, "memory");
	for (size_t i = 0; i < roots->n; i++)
		v[i] = (struct cdn_place){ .path = roots->v[i].text.p,
			.shown = roots->v[i].text.p, .pos = roots->v[i].pos };
	return (struct cdn_place_list){ v, roots->n };
}

static inline void
world_document(struct world *w, const struct world_spec *spec,
    const char *name)
{
	struct cordon_policy *policy =
	    policy_of(spec->documents[w->count].spec);
	struct cdn_document *d = &w->documents[w->count];

	*d = (struct cdn_document){
		.layer = spec->documents[w->count].layer,
		.trusted = spec->documents[w->count].trusted };
	need(cdn_profile_resolve(policy, cdn_str_of(name),
		 spec->fold ? CDN_RESOLVE_FOLDED : CDN_RESOLVE_DENIES_ONLY,
		 &d->profile, NULL) == 0, "profile");
	cdn_policy_free(policy);
	d->host_read = world_roots(w->arena, &d->profile->host_read);
	d->host_modify = world_roots(w->arena, &d->profile->host_modify);
	d->sockets = world_roots(w->arena, &d->profile->sockets);
	w->count++;
}

static inline void
world_network(struct world *w, const char *text)
{
	static const struct {
		const char *word;
		enum cdn_network_mode mode;
	} words[] = { { "none", CDN_NETWORK_NONE },
		{ "loopback", CDN_NETWORK_LOOPBACK },
		{ "full", CDN_NETWORK_FULL } };

	w->network.mode_rule = rule_of(text);
	for (size_t i = 0; i < CDN_LEN(words); i++)
		if (strcmp(words[i].word, text) == 0)
			w->network.mode = words[i].mode;
	if (w->network.mode != CDN_NETWORK_UNSET)
		return;
	w->network.mode = CDN_NETWORK_LIST;
	need(cdn_rule_set_build(w->arena, rules_of(w->arena, text), false,
		 &w->network.list, NULL) == 0, "network");
}

static inline void
world_make(struct world *w, const struct world_spec *spec)
{
	const char *name = spec->profile == NULL ?
	    CDN_UNRESTRICTED : spec->profile;
	struct cdn_authority_spec a = { .profile_name = name,
		.workspace = spec->workspace == NULL ? "/w" : spec->workspace,
		.preset = spec->preset, .fold = spec->fold };

	*w = (struct world){ .arena = cdn_arena_new() };
	need(w->arena != NULL, "memory");
	while (w->count < WORLD_DOCUMENTS &&
	    spec->documents[w->count].spec != NULL)
		world_document(w, spec, name);
	a.documents = w->documents;
	a.document_count = w->count;
	a.no_defaults = w->count > 0 && !spec->defaults;
	a.closed = world_places(w->arena, spec->closed);
	a.kept = world_places(w->arena, spec->kept);
	a.network_source = spec->agent;
	a.sealed = world_places(w->arena, spec->sealed);
	a.hidden = world_places(w->arena, spec->hidden);
	a.own = world_places(w->arena, spec->own);
	a.command_read = world_places(w->arena, spec->read);
	a.command_write = world_places(w->arena, spec->write);
	a.runtime_write_roots = world_places(w->arena, spec->write_roots);
	a.runtime_read = world_places(w->arena, spec->runtime_read);
	a.runtime_write = world_places(w->arena, spec->runtime_write);
	if (spec->network != NULL) {
		world_network(w, spec->network);
		a.network = &w->network;
	}
	w->spec = a;
	need(cdn_authority_build(w->arena, &a, &w->authority, NULL) == 0,
	    "authority");
}

static inline void
world_done(struct world *w)
{
	for (size_t i = 0; i < w->count; i++)
		cdn_profile_free(w->documents[i].profile);
	cdn_arena_free(w->arena);
}

/* For CONNECT and BIND: a path when it holds a slash, else HOST:PORT. */
static inline struct cordon_verdict
world_ask(const struct world *w, enum cordon_as as, enum cordon_op op,
    const char *path)
{
	struct cdn_question q = { .as = as, .op = op,
		.path = cdn_str_of(path),
		.is_socket = op >= CORDON_CONNECT &&
		    strchr(path, '/') != NULL };
	struct cordon_verdict verdict = { 0 };

	cdn_decide(w->authority, &q, &verdict);
	return verdict;
}

static inline bool
world_allows(const struct world *w, enum cordon_as as, enum cordon_op op,
    const char *path)
{
	return world_ask(w, as, op, path).allowed;
}

#endif
