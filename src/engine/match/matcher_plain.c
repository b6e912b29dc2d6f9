#include "engine/match/matcher_plain.h"

/* ----- What is plain ----------------------------------------------------- */

bool
cdn_plain_match(const struct cdn_kept_rule *rule, cdn_str path)
{
	size_t n = rule->plain;

	if (path.n < n || path.n > CDN_PATH_MAX ||
	    memcmp(path.p, rule->pattern.text.p, n) != 0)
		return false;
	return path.n == n || (rule->below && path.p[n] == '/');
}

/* ----- Nodes ------------------------------------------------------------- */

void
cdn_trails_init(struct cdn_trail trails[CDN_TRAILS])
{
	for (size_t i = 0; i < CDN_TRAILS; i++) {
		trails[i].path = CDN_STR("");
		trails[i].n = trails[i].age = 0;
	}
}

/* How many names of the trail the path has, too. */
static inline size_t
shared_names(const struct cdn_trail *trail, cdn_str path)
{
	size_t alike = cdn_alike(trail->path, path), n = trail->n;

	for (; n > 0; n--) {
		size_t end = trail->steps[n - 1].end;

		if (end <= alike && (end == path.n || path.p[end] == '/'))
			break; /* and so it is with those before it */
	}
	return n;
}

/* The one with more of them; if there is none, the older one. */
static inline struct cdn_trail *
follow(struct cdn_trail trails[CDN_TRAILS], cdn_str path)
{
	struct cdn_trail *trail = &trails[trails[1].age > trails[0].age];
	struct cdn_trail *other = &trails[trail == &trails[0]];
	size_t n = shared_names(trail, path), age = trail->age + 1;

	/* its neighbour of last time: nobody shares more */
	if (n == 0 || n + 1 < trail->n) {
		size_t more = shared_names(other, path);

		if (more > n || n == 0) {
			trail = other;
			n = more;
		}
	}
	trail->age = age;
	trail->path = path;
	trail->n = n;
	return trail;
}

/* Where the name ends that begins there. */
static inline size_t
name_end(cdn_str path, size_t at)
{
	for (; at < path.n; at += 64) {
		uint64_t slashes = cdn_find64(path.p + at, path.p,
		    path.p + path.n, '/');

		if (slashes != 0)
			return at + (size_t)__builtin_ctzll(slashes);
	}
	return path.n;
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
		size_t end = name_end(path, at);

		if (end == at)
			return 0;
		node = cdn_draft_name(draft, node, path, at, end);
		if (trail->n < CDN_TRAIL_MAX) {
			trail->steps[trail->n].end = end;
			trail->steps[trail->n++].node = node;
		}
		at = end + 1;
	}
	return node;
}
