/*
 * appear - names that are not there yet but may come.
 *
 * A directory in which nothing new may be made can be broken up into what is
 * there.  Whether something may be made is a question for the decision
 * function, but about which name?  Rules and places mention names; each is
 * asked about, with CDN_PLAN_NO_NAME wherever a pattern leaves it open.  Rules
 * are read here for the sake of their words, never for what they say.
 */
#include "engine/plan/build.h"

struct asking {
	const struct cdn_plan_build *b;
	const char *dir;
	cdn_plan_listed_fn *is_listed;
	const void *listed;
	char last[CDN_PATH_MAX + 1]; /* what was asked just now */
};

bool
cdn_plan_join(const char *dir, cdn_str name, char out[CDN_PATH_MAX + 1])
{
	size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	if (n >= CDN_PATH_MAX || name.n > CDN_PATH_MAX - n - 1)
		return false;
	memcpy(out, dir, n);
	out[n++] = '/';
	if (name.n > 0)
		memcpy(out + n, name.p, name.n);
	out[n + name.n] = '\0';
	return true;
}

/* ----- One name ---------------------------------------------------------- */

static bool
has_star(cdn_str part)
{
	return part.n > 0 && (memchr(part.p, '*', part.n) != NULL ||
	    memchr(part.p, '?', part.n) != NULL);
}

/* A name that the pattern of one component matches; false: too long. */
static bool
fill_in(cdn_str part, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < part.n; i++) {
		const char *piece = part.p[i] == '*' ? CDN_PLAN_NO_NAME :
		    part.p[i] == '?' ? "\x01" : NULL;
		size_t n = piece == NULL ? 1 : strlen(piece);

		if (at + n >= size)
			return false;
		memcpy(out + at, piece == NULL ? part.p + i : piece, n);
		at += n;
	}
	out[at] = '\0';
	return at > 0;
}

/* In doubt it may appear. */
static bool
name_appears(struct asking *a, cdn_str part)
{
	const struct cdn_plan_reader *reader = a->b->in->reader;
	char name[CDN_PATH_MAX + 1], path[CDN_PATH_MAX + 1];
	bool directory;

	if (!fill_in(part, name, sizeof(name)) ||
	    !cdn_plan_join(a->dir, cdn_str_of(name), path))
		return true;
	if (strcmp(path, a->last) == 0)
		return false; /* asked before, and it did not */
	memcpy(a->last, path, strlen(path) + 1);
	if (a->is_listed(path, a->listed))
		return false;
	if (cdn_decide_subtree(a->b->view, CORDON_AS_PROCESS, CORDON_MODIFY,
		cdn_str_of(path)) == CDN_SUBTREE_DENY)
		return false;
	return !reader->exists(reader->arg, path, &directory);
}

/* ----- Rules ------------------------------------------------------------- */

/*
 * The component of a pattern that speaks of names in the directory `relative`
 * (to the workspace, "" = itself).  A component with a star may be any.
 */
static bool
next_component(cdn_str pattern, cdn_str relative, cdn_str *ret)
{
	cdn_str rest = relative, want;

	while (cdn_str_next(&pattern, '/', ret)) {
		if (cdn_str_is(*ret, "**"))
			return cdn_str_next(&pattern, '/', ret) ||
			    (*ret = CDN_STR("*"), true);
		if (rest.n == 0 || !cdn_str_next(&rest, '/', &want))
			return true;
		if (!has_star(*ret) && !cdn_str_eq(*ret, want))
			return false;
	}
	return false;
}

static bool
rules_appear(struct asking *a, const struct cdn_rules *rules, cdn_str relative)
{
	cdn_str part;

	for (size_t i = 0; i < rules->n; i++)
		if (!rules->v[i].negated &&
		    next_component(rules->v[i].pattern, relative, &part) &&
		    name_appears(a, part))
			return true;
	return false;
}

/* What may be modified must be readable, so either list may hold the name. */
static bool
profile_appears(struct asking *a, const struct cordon_profile *profile,
    cdn_str relative)
{
	return rules_appear(a, &profile->sets[CORDON_MODIFY].rules, relative) ||
	    rules_appear(a, &profile->sets[CORDON_READ].rules, relative);
}

static bool
documents_appear(struct asking *a)
{
	const struct cdn_authority_spec *spec = a->b->in->spec;
	const struct cdn_authority *authority = a->b->in->authority;
	cdn_str relative;

	if (!cdn_plan_at_or_below(a->dir, spec->workspace))
		return false;
	relative = cdn_str_from(cdn_str_of(a->dir), strlen(spec->workspace));
	if (relative.n > 0 && relative.p[0] == '/')
		relative = cdn_str_from(relative, 1);
	for (size_t i = 0; i < spec->document_count; i++)
		if (profile_appears(a, spec->documents[i].profile, relative))
			return true;
	return cdn_authority_preset_speaks(authority) &&
	    profile_appears(a, cdn_authority_preset_profile(authority),
		relative);
}

/* ----- Places ------------------------------------------------------------ */

static bool
places_appear(struct asking *a, const struct cdn_place_list *places)
{
	size_t skip = strcmp(a->dir, "/") == 0 ? 0 : strlen(a->dir);

	for (size_t i = 0; i < places->n; i++) {
		cdn_str rest, part;

		if (!cdn_plan_below(places->v[i].path, a->dir))
			continue;
		rest = cdn_str_of(places->v[i].path + skip + 1);
		if (cdn_str_next(&rest, '/', &part) && name_appears(a, part))
			return true;
	}
	return false;
}

bool
cdn_plan_may_appear(const struct cdn_plan_build *b, const char *dir,
    cdn_plan_listed_fn *is_listed, const void *listed)
{
	const struct cdn_authority_spec *spec = b->in->spec;
	struct asking a = { .b = b, .dir = dir, .is_listed = is_listed,
		.listed = listed };

	for (size_t i = 0; i < spec->document_count; i++)
		if (places_appear(&a, &spec->documents[i].host_modify) ||
		    places_appear(&a, &spec->documents[i].host_read))
			return true;
	return places_appear(&a, &spec->command_write) ||
	    places_appear(&a, &spec->command_read) ||
	    places_appear(&a, &spec->runtime_write) ||
	    places_appear(&a, &spec->runtime_read) ||
	    places_appear(&a, &spec->runtime_write_roots) ||
	    places_appear(&a, &spec->own) ||
	    documents_appear(&a);
}
