/*
 * home_class - which private home a session uses.
 *
 * Threat:    a run with little authority writes files into its home that a run
 *            with more authority executes or obeys (.bashrc, git aliases).
 * Invariant: two sessions share a home only if they have the same workspace,
 *            preset, agent, kind of network, and the same roots and sockets
 *            outside of the workspace.
 * Held by:   all of these are hashed here, and the digest names the home.
 *
 * Rules inside of the workspace do not count: a new rule must not cost the
 * caches and the agent's first-start dialogs.
 */
#include "enforce/session/own.h"

#include <sha2.h>

#include "enforce/session/placelist.h"
#include "engine/decide/agents.h"
#include "engine/decide/preset.h"

#define CLASS_FORM "cordon home, form 1"

struct roots {
	struct cdn_arena *arena;
	const char *workspace;
	const char **v;
	size_t n, capacity;
	bool failed;
};

/* ----- Roots and sockets outside of the workspace ------------------------------ */

static void
add_root(struct roots *roots, char kind, const struct cdn_place *place)
{
	const char **v;
	const char *text;

	if (cdn_placelist_below(place->path, roots->workspace))
		return;
	text = cdn_arena_printf(roots->arena, "%c%c%s", kind,
	    place->alone ? '=' : '/', place->path);
	v = cdn_arena_grow(roots->arena, roots->v, roots->n, &roots->capacity,
	    sizeof(*v));
	if (text == NULL || v == NULL) {
		roots->failed = true;
		return;
	}
	roots->v = v;
	v[roots->n++] = text;
}

static void
add_roots(struct roots *roots, char kind, const struct cdn_place_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		add_root(roots, kind, &list->v[i]);
}

/* A document that is not trusted can only narrow: its roots open nothing. */
static void
add_document_roots(struct roots *roots, const struct cdn_document *document)
{
	if (!document->trusted)
		return;
	add_roots(roots, 'r', &document->host_read);
	add_roots(roots, 'w', &document->host_modify);
	add_roots(roots, 's', &document->sockets);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
find_roots(const struct cordon_session *s, struct roots *roots)
{
	add_roots(roots, 'r', &s->spec.command_read);
	add_roots(roots, 'w', &s->spec.command_write);
	add_roots(roots, 'w', &s->spec.runtime_write_roots);
	add_roots(roots, 's', &s->spec.command_sockets);
	for (size_t i = 0; i < s->document_count; i++)
		add_document_roots(roots, &s->documents[i]);
	if (!roots->failed && roots->n > 1)
		qsort(roots->v, roots->n, sizeof(*roots->v), by_text);
	return !roots->failed;
}

/* ----- The digest ---------------------------------------------------------------- */

/* With its NUL byte, so that two texts cannot be read as one. */
static void
hash_text(SHA2_CTX *ctx, const char *text)
{
	SHA256Update(ctx, (const uint8_t *)text, strlen(text) + 1);
}

/* The keys that were given; what they are narrowed from follows the preset. */
static void
hash_network(SHA2_CTX *ctx, const struct cordon_session *s)
{
	char text[64];

	snprintf(text, sizeof(text), "network %d", s->network == NULL ? -1 :
	    (int)s->network->mode);
	hash_text(ctx, text);
	for (size_t i = 0; i < s->document_count; i++) {
		const struct cdn_document *document = &s->documents[i];
		enum cdn_network_mode mode = document->profile->network.mode;

		if (mode == CDN_NETWORK_UNSET)
			continue;
		snprintf(text, sizeof(text), "network %d %d %d",
		    (int)document->layer, (int)document->trusted, (int)mode);
		hash_text(ctx, text);
	}
}

static void
hash_roots(SHA2_CTX *ctx, const struct roots *roots)
{
	for (size_t i = 0; i < roots->n; i++)
		if (i == 0 || strcmp(roots->v[i], roots->v[i - 1]) != 0)
			hash_text(ctx, roots->v[i]);
}

int
cdn_home_class(const struct cordon_session *session,
    uint8_t ret[SHA256_DIGEST_LENGTH], struct cordon_error *err)
{
	struct roots roots = { .arena = session->arena,
		.workspace = session->workspace };
	SHA2_CTX ctx;

	if (!find_roots(session, &roots))
		return cdn_err_nomem(err);
	SHA256Init(&ctx);
	hash_text(&ctx, CLASS_FORM);
	hash_text(&ctx, session->workspace);
	hash_text(&ctx, cdn_preset_get(session->preset)->name);
	hash_text(&ctx, session->agent.is == NULL ? "" :
	    session->agent.is->name);
	hash_network(&ctx, session);
	hash_roots(&ctx, &roots);
	SHA256Final(ret, &ctx);
	return 0;
}
