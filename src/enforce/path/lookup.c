#include "enforce/path/lookup.h"

#include <errno.h>

#include "enforce/path/path_internal.h"
#include "enforce/path/steps.h"

#define CROWDED_MAX 4 /* directories of which many names are asked */

/* A directory that is real, and its step; or one that is missing. */
struct crowded {
	cdn_str path;
	struct cdn_step *step;
};

struct cdn_lookup {
	struct cdn_steps steps;
	struct crowded crowded[CROWDED_MAX];
	size_t crowded_count;
};

/* Where a way down stands: the node, and its real path. */
struct way {
	struct cdn_step *node;
	size_t missing;	 /* bytes of path before the first missing step */
	bool is_missing; /* from there on there is only text */
	bool linked;	 /* a link was followed: path is news */
	bool recalls;	 /* nobody is asked */
	unsigned links;
	size_t asked; /* bytes of what was */
	size_t len;   /* 0 = "/" */
	char path[CDN_PATH_MAX + 1];
};

struct cdn_lookup *
cdn_lookup_new(struct cdn_arena *arena)
{
	struct cdn_lookup *lookup = cdn_arena_alloc(arena, sizeof(*lookup));

	return lookup != NULL && cdn_steps_init(&lookup->steps, arena) ?
	    lookup : NULL;
}

/* ----- The way down ----------------------------------------------------------- */

enum outcome { DONE, NO_MEMORY, REFUSED, ASK_ELSEWHERE };

/* The name behind the slash, from the directory before it. */
static struct cdn_step *
take(struct cdn_lookup *lookup, const struct way *way, size_t slash,
    uint32_t hash)
{
	cdn_str path = { way->path, way->len };

	return way->recalls ? cdn_steps_find(&lookup->steps, way->node,
	    cdn_str_from(path, slash + 1), hash) :
	    cdn_steps_take(&lookup->steps, way->node, path, slash, hash);
}

static enum outcome go(struct cdn_lookup *lookup, struct way *way,
    cdn_str names);

static enum outcome
follow(struct cdn_lookup *lookup, struct way *way, const struct cdn_step *link,
    size_t parent_len)
{
	cdn_str target = cdn_str_of(link->target);

	if (++way->links > CDN_LINKS_MAX)
		return ASK_ELSEWHERE;
	way->linked = true;
	way->len = parent_len;
	if (target.p[0] == '/') {
		way->len = 0;
		way->node = &lookup->steps.root;
	}
	way->path[way->len] = '\0';
	return go(lookup, way, target);
}

static enum outcome
go_one(struct cdn_lookup *lookup, struct way *way, cdn_str name,
    uint32_t hash)
{
	size_t parent_len = way->len;
	struct cdn_step *node;

	if (name.n + 1 > CDN_PATH_MAX - way->len)
		return ASK_ELSEWHERE;
	way->path[way->len++] = '/';
	memcpy(way->path + way->len, name.p, name.n);
	way->len += name.n;
	way->path[way->len] = '\0';
	if (way->is_missing)
		return DONE;
	if (way->node->kind == CDN_STEP_UNCLEAR)
		return ASK_ELSEWHERE; /* "/" itself */
	if (way->node->kind != CDN_STEP_DIRECTORY) {
		/* Below a file: a missing tail, as for the kernel's ENOTDIR. */
		way->is_missing = true;
		way->missing = parent_len;
		return DONE;
	}
	node = take(lookup, way, parent_len, hash);
	if (node == NULL)
		return NO_MEMORY;
	if (node->kind == CDN_STEP_UNCLEAR)
		return ASK_ELSEWHERE;
	if (node->kind == CDN_STEP_SHUT)
		return REFUSED;
	if (node->kind == CDN_STEP_LINK)
		return follow(lookup, way, node, parent_len);
	if (node->kind == CDN_STEP_MISSING) {
		way->is_missing = true;
		way->missing = parent_len;
		return DONE;
	}
	way->node = node;
	return DONE;
}

/* ".." of a real directory is the one we came through. */
static enum outcome
go_up(struct way *way)
{
	if (way->is_missing || way->node->kind != CDN_STEP_DIRECTORY)
		return ASK_ELSEWHERE;
	if (way->node->parent != NULL)
		way->node = way->node->parent;
	way->len = cdn_path_parent(way->path, way->len);
	way->path[way->len] = '\0';
	return DONE;
}

/* The next name, if there is one, and its hash on the way. */
static bool
next_name(cdn_str *names, cdn_str *ret, uint32_t *ret_hash)
{
	uint32_t hash = CDN_NAME_HASH;
	size_t n = 0;

	while (names->n > 0 && names->p[0] == '/')
		*names = (cdn_str){ names->p + 1, names->n - 1 };
	for (; n < names->n && names->p[n] != '/'; n++)
		hash = cdn_name_hash(hash, names->p[n]);
	*ret = (cdn_str){ names->p, n };
	*ret_hash = hash;
	*names = (cdn_str){ names->p + n, names->n - n };
	return n > 0;
}

static enum outcome
go(struct cdn_lookup *lookup, struct way *way, cdn_str names)
{
	enum outcome outcome = DONE;
	uint32_t hash;
	cdn_str name;

	while (outcome == DONE && next_name(&names, &name, &hash))
		if (name.n == 2 && name.p[0] == '.' && name.p[1] == '.')
			outcome = go_up(way);
		else if (name.n > 1 || name.p[0] != '.')
			outcome = go_one(lookup, way, name, hash);
	return outcome;
}

/* ----- Answers ------------------------------------------------------------------ */

static int
ask_elsewhere(struct cdn_lookup *lookup, const char *path,
    struct cdn_found *ret, struct cordon_error *err)
{
	struct cdn_real real;
	int code = cdn_path_resolve("/", cdn_str_of(path), &real, err);

	if (code != 0)
		return code;
	*ret = (struct cdn_found){
		.path = cdn_arena_dup(lookup->steps.arena, real.path, real.len),
		.len = real.len, .existing = real.existing,
		.exists = real.exists, .is_directory = real.is_directory,
		.nlink = real.nlink,
	};
	return ret->path == NULL ? cdn_err_nomem(err) : 0;
}

static int
answer(struct cdn_lookup *lookup, const char *path, const struct way *way,
    struct cdn_found *ret, struct cordon_error *err)
{
	cdn_str real = { way->path, way->len };
	size_t existing = way->is_missing ? way->missing : way->len;

	if (real.n == 0)
		real = CDN_STR("/");
	*ret = (struct cdn_found){ .path = path, .len = real.n,
		.existing = existing > 0 ? existing : 1,
		.exists = !way->is_missing };
	if (ret->exists) {
		ret->is_directory = way->node->kind == CDN_STEP_DIRECTORY;
		ret->nlink = way->node->nlink;
	}
	/* Without links there is only less of it, or all. */
	if (!way->linked && real.n == way->asked)
		return 0;
	ret->path = cdn_arena_dup(lookup->steps.arena, real.p, real.n);
	return ret->path == NULL ? cdn_err_nomem(err) : 0;
}

/* From the nearest directory that is known to be real. */
static cdn_str
begin(struct cdn_lookup *lookup, struct way *way, const char *path)
{
	cdn_str names = cdn_str_of(path);

	way->node = &lookup->steps.root;
	way->asked = names.n;
	way->missing = way->len = 0;
	way->is_missing = way->linked = way->recalls = false;
	way->links = 0;
	for (size_t i = 0; i < lookup->crowded_count; i++) {
		const struct crowded *c = &lookup->crowded[i];

		if (c->path.n > way->len && c->path.n < names.n &&
		    path[c->path.n] == '/' && cdn_str_starts(names, c->path)) {
			way->node = c->step;
			way->len = c->path.n;
		}
	}
	if (way->node->kind == CDN_STEP_MISSING) {
		way->is_missing = true;
		way->missing = cdn_path_parent(path, way->len);
	}
	memcpy(way->path, path, way->len);
	way->path[way->len] = '\0';
	return (cdn_str){ path + way->len, names.n - way->len };
}

int
cdn_lookup_find(struct cdn_lookup *lookup, const char *path,
    struct cdn_found *ret, struct cordon_error *err)
{
	/* It is large: what is read is set, the compiler sets nothing. */
	CDN_UNINITIALIZED struct way way;

	if (path[0] != '/')
		return ask_elsewhere(lookup, path, ret, err);
	switch (go(lookup, &way, begin(lookup, &way, path))) {
	case DONE:
		return answer(lookup, path, &way, ret, err);
	case NO_MEMORY:
		return cdn_err_nomem(err);
	case REFUSED:
		return cdn_path_error(err, EACCES,
		    (cdn_str){ way.path, way.len });
	case ASK_ELSEWHERE:
		break;
	}
	return ask_elsewhere(lookup, path, ret, err);
}

bool
cdn_lookup_recall(struct cdn_lookup *lookup, const char *path,
    struct cdn_real *ret)
{
	CDN_UNINITIALIZED struct way way;
	cdn_str names;

	if (path[0] != '/')
		return false;
	names = begin(lookup, &way, path);
	way.recalls = true;
	if (go(lookup, &way, names) != DONE || way.is_missing || way.len == 0)
		return false;
	memcpy(ret->path, way.path, way.len + 1);
	ret->len = ret->existing = way.len;
	ret->exists = true;
	ret->is_directory = way.node->kind == CDN_STEP_DIRECTORY;
	ret->dev = way.node->dev;
	ret->ino = way.node->ino;
	ret->nlink = way.node->nlink;
	return true;
}

/* ----- What the caller knows ------------------------------------------------------ */

bool
cdn_lookup_know(struct cdn_lookup *lookup, const char *dir)
{
	struct cdn_step *node = &lookup->steps.root, *known;
	cdn_str names = cdn_str_of(dir), name;
	uint32_t hash;

	while (next_name(&names, &name, &hash)) {
		known = cdn_steps_find(&lookup->steps, node, name, hash);
		node = known != NULL ? known :
		    cdn_steps_add(&lookup->steps, node, name, hash);
		if (node == NULL)
			return false;
		node->kind = CDN_STEP_DIRECTORY;
	}
	return true;
}

bool
cdn_lookup_expect(struct cdn_lookup *lookup, const char *dir)
{
	CDN_UNINITIALIZED struct way way;
	cdn_str path = { NULL, 0 };
	enum outcome outcome;

	if (dir[0] != '/')
		return true;
	outcome = go(lookup, &way, begin(lookup, &way, dir));
	if (outcome != DONE)
		return outcome != NO_MEMORY;
	if (way.is_missing && way.missing == cdn_path_parent(way.path, way.len))
		way.node = &lookup->steps.missing;
	else if (way.is_missing || way.node->kind != CDN_STEP_DIRECTORY)
		return true;
	if (way.len == 0 || lookup->crowded_count == CROWDED_MAX)
		return true;
	if (!cdn_arena_str(lookup->steps.arena,
		(cdn_str){ way.path, way.len }, &path))
		return false;
	lookup->crowded[lookup->crowded_count++] = (struct crowded){ path,
		way.node };
	return true;
}
