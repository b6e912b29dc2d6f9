#include "engine/match/matcher_plain.h"

/* ----- What is plain ----------------------------------------------------- */

static bool
has_wildcard(cdn_str text, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (text.p[i] == '*' || text.p[i] == '?')
			return true;
	return false;
}

size_t
cdn_plain_length(const struct cdn_match_rule *rule)
{
	cdn_str text = rule->pattern;
	size_t n = text.n;

	/* the last two stars must not be part of a name */
	if (cdn_str_ends(text, CDN_STR("/**")) && rule->literal <= n - 2)
		n -= 3;
	if (text.n > CDN_PATTERN_MAX || cdn_str_is(text, ".") ||
	    has_wildcard(text, rule->literal, n))
		return 0;
	return n;
}

bool
cdn_plain_match(cdn_str text, size_t length, cdn_str path)
{
	if (path.n < length || path.n > CDN_PATH_MAX ||
	    memcmp(path.p, text.p, length) != 0)
		return false;
	return path.n == length ||
	    (text.n > length && path.p[length] == '/');
}

/* ----- Nodes ------------------------------------------------------------- */

/* How many names of the trail the path has, too. */
static size_t
shared_names(const struct cdn_trail *trail, cdn_str path)
{
	size_t alike = cdn_alike(trail->path, path), n = 0;

	for (; n < trail->n && trail->steps[n].end <= alike; n++) {
		size_t end = trail->steps[n].end;

		if (end < path.n && path.p[end] != '/')
			break;
	}
	return n;
}

/* The one with more of them; if there is none, the other than last time. */
static struct cdn_trail *
follow(struct cdn_trail trails[CDN_TRAILS], cdn_str path)
{
	size_t n = shared_names(&trails[0], path);
	size_t other = shared_names(&trails[1], path);
	struct cdn_trail *trail = &trails[0];

	if (other > n || (n == 0 && trails[1].age <= trails[0].age)) {
		trail = &trails[1];
		n = other;
	}
	trail->age = trails[0].age > trails[1].age ? trails[0].age + 1 :
						     trails[1].age + 1;
	trail->path = path;
	trail->n = n;
	return trail;
}

uint32_t
cdn_plain_node(struct cdn_draft *draft, struct cdn_trail trails[CDN_TRAILS],
    cdn_str path)
{
	struct cdn_trail *trail = follow(trails, path);
	uint32_t node = 0;
	size_t at = 0;

	if (trail->n > 0) {
		node = trail->steps[trail->n - 1].node;
		at = trail->steps[trail->n - 1].end + 1;
	}
	while (at <= path.n) {
		const char *slash = memchr(path.p + at, '/', path.n - at);
		size_t end = slash == NULL ? path.n : (size_t)(slash - path.p);

		if (end == at)
			return 0;
		node = cdn_draft_child(draft, node,
		    cdn_draft_name(draft, path, at, end));
		if (trail->n < CDN_TRAIL_MAX) {
			trail->steps[trail->n].end = end;
			trail->steps[trail->n++].node = node;
		}
		at = end + 1;
	}
	return node;
}
