#include "engine/plan/mention.h"

#include "engine/plan/plan.h"

struct asking {
	const struct cdn_plan_mentions *in;
	const char *dir;
	cdn_plan_mention_fn *mention;
	void *arg;
	char last[CDN_PATH_MAX + 1]; /* what was told just now */
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

static bool
tell(struct asking *a, cdn_str part)
{
	CDN_UNINITIALIZED char name[CDN_PATH_MAX + 1];
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];

	if (part.n == 0 || has_star(part)) {
		if (!fill_in(part, name, sizeof(name)))
			return a->mention(NULL, a->arg);
		part = cdn_str_of(name);
	}
	if (!cdn_plan_join(a->dir, part, path))
		return a->mention(NULL, a->arg);
	if (strcmp(path, a->last) == 0)
		return false; /* told before, and it was not enough */
	memcpy(a->last, path, strlen(path) + 1);
	return a->mention(path, a->arg);
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
tell_rules(struct asking *a, const struct cdn_rules *rules, cdn_str relative)
{
	cdn_str part;

	for (size_t i = 0; i < rules->n; i++)
		if ((!rules->v[i].negated || a->in->denials) &&
		    next_component(rules->v[i].pattern, relative, &part) &&
		    tell(a, part))
			return true;
	return false;
}

/* What may be modified must be readable, so either list may hold the name. */
static bool
tell_profile(struct asking *a, const struct cordon_profile *profile,
    cdn_str relative)
{
	return tell_rules(a, &profile->sets[CORDON_MODIFY].rules, relative) ||
	    tell_rules(a, &profile->sets[CORDON_READ].rules, relative);
}

static bool
tell_documents(struct asking *a)
{
	const struct cdn_authority_spec *spec = a->in->spec;
	const struct cdn_authority *authority = a->in->authority;
	struct cdn_builtin builtins[CDN_BUILTINS_MAX];
	cdn_str relative;
	size_t n;

	if (!cdn_plan_at_or_below(a->dir, spec->workspace))
		return false;
	relative = cdn_str_from(cdn_str_of(a->dir), strlen(spec->workspace));
	if (relative.n > 0 && relative.p[0] == '/')
		relative = cdn_str_from(relative, 1);
	for (size_t i = 0; i < spec->document_count; i++)
		if (tell_profile(a, spec->documents[i].profile, relative))
			return true;
	n = cdn_authority_builtins(authority, builtins);
	for (size_t i = 0; i < n; i++)
		if (tell_profile(a, builtins[i].profile, relative))
			return true;
	return false;
}

/* ----- Places ------------------------------------------------------------ */

static bool
tell_places(struct asking *a, const struct cdn_place_list *places)
{
	size_t skip = strcmp(a->dir, "/") == 0 ? 0 : strlen(a->dir);

	for (size_t i = 0; i < places->n; i++) {
		const char *path = places->v[i].path;
		cdn_str rest, part;

		if (!cdn_plan_at_or_below(path, a->dir) ||
		    path[skip] == '\0' || path[skip + 1] == '\0')
			continue;
		rest = cdn_str_of(path + skip + 1);
		if (cdn_str_next(&rest, '/', &part) && tell(a, part))
			return true;
	}
	return false;
}

static bool
tell_floor(struct asking *a)
{
	const struct cdn_authority_spec *spec = a->in->spec;

	return a->in->denials && (tell_places(a, &spec->sealed) ||
	    tell_places(a, &spec->hidden) || tell_places(a, &spec->closed));
}

bool
cdn_plan_mentioned(const struct cdn_plan_mentions *in, const char *dir,
    cdn_plan_mention_fn *mention, void *arg)
{
	const struct cdn_authority_spec *spec = in->spec;
	struct asking a = { .in = in, .dir = dir, .mention = mention,
		.arg = arg };

	for (size_t i = 0; i < spec->document_count; i++)
		if (tell_places(&a, &spec->documents[i].host_modify) ||
		    tell_places(&a, &spec->documents[i].host_read))
			return true;
	return tell_places(&a, &spec->command_write) ||
	    tell_places(&a, &spec->command_read) ||
	    tell_places(&a, &spec->runtime_write) ||
	    tell_places(&a, &spec->runtime_read) ||
	    tell_places(&a, &spec->runtime_write_roots) ||
	    tell_places(&a, &spec->own) || tell_floor(&a) ||
	    tell_documents(&a);
}
