#include "enforce/path/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "enforce/path/path_internal.h"

#define SLOTS_FIRST	 256 /* a power of two */
#define PLAIN_MAX	 4   /* devices remembered to have plain links */
#define PROC_MAGIC	 0x00009fa0U
#define SECURITYFS_MAGIC 0x73636673U
#define NOSYMFOLLOW	 0x2000 /* ST_NOSYMFOLLOW, since 5.10 */

enum kind {
	MISSING,   /* and so is what would lie below */
	DIRECTORY,
	OTHER,	   /* there, but nothing lies below */
	LINK,	   /* followed by its text */
	SHUT,	   /* no permission to look for it */
	UNCLEAR,   /* somebody else has to walk */
};

/* One step, asked once. */
struct node {
	const struct node *parent;
	cdn_str name;
	enum kind kind;
	dev_t dev;
	ino_t ino;
	nlink_t nlink;
	const char *target; /* LINK: where it leads */
};

struct cdn_lookup {
	struct cdn_arena *arena;
	struct node root;
	struct node **slots; /* open addressing by parent and name */
	size_t size;	     /* a power of two */
	size_t count;
	dev_t plain[PLAIN_MAX]; /* whose links are text */
	size_t plain_count;
};

/* Where a way down stands: the node, and its real path. */
struct way {
	const struct node *node;
	size_t missing;	 /* bytes of path before the first missing step */
	bool is_missing; /* from there on there is only text */
	bool linked;	 /* a link was followed: path is news */
	unsigned links;
	size_t len; /* 0 = "/" */
	char path[CDN_PATH_MAX + 1];
};

/* ----- What is remembered ------------------------------------------------- */

static void
fill(struct node *node, const struct stat *st)
{
	node->kind = S_ISDIR(st->st_mode) ? DIRECTORY :
	    S_ISLNK(st->st_mode) ? LINK : OTHER;
	node->dev = st->st_dev;
	node->ino = st->st_ino;
	node->nlink = st->st_nlink;
}

struct cdn_lookup *
cdn_lookup_new(struct cdn_arena *arena)
{
	struct cdn_lookup *lookup = cdn_arena_alloc(arena, sizeof(*lookup));
	struct stat st;

	if (lookup == NULL)
		return NULL;
	lookup->arena = arena;
	lookup->size = SLOTS_FIRST;
	lookup->slots = cdn_arena_array(arena, SLOTS_FIRST,
	    sizeof(struct node *));
	lookup->root.kind = UNCLEAR;
	if (stat("/", &st) == 0)
		fill(&lookup->root, &st);
	return lookup->slots == NULL ? NULL : lookup;
}

static size_t
hash(const struct node *parent, cdn_str name)
{
	uint64_t h = (uint64_t)(uintptr_t)parent;

	for (size_t i = 0; i < name.n; i++)
		h = (h ^ (unsigned char)name.p[i]) * 0x100000001b3ULL;
	return (size_t)(h ^ h >> 29);
}

/* The slot of that step, or the empty one where it belongs. */
static struct node **
slot_of(const struct cdn_lookup *lookup, const struct node *parent,
    cdn_str name)
{
	size_t at = hash(parent, name);

	for (;; at++) {
		struct node **slot = &lookup->slots[at & (lookup->size - 1)];

		if (*slot == NULL || ((*slot)->parent == parent &&
		    cdn_str_eq((*slot)->name, name)))
			return slot;
	}
}

static bool
grow(struct cdn_lookup *lookup)
{
	struct cdn_lookup bigger = *lookup;

	bigger.size *= 2;
	bigger.slots = cdn_arena_array(lookup->arena, bigger.size,
	    sizeof(struct node *));
	if (bigger.slots == NULL)
		return false;
	for (size_t i = 0; i < lookup->size; i++)
		if (lookup->slots[i] != NULL)
			*slot_of(&bigger, lookup->slots[i]->parent,
			    lookup->slots[i]->name) = lookup->slots[i];
	lookup->slots = bigger.slots;
	lookup->size = bigger.size;
	return true;
}

/* ----- Asking the kernel ---------------------------------------------------- */

/*
 * A link is text that can be followed here only where the kernel does not jump
 * by itself, or refuses.  Asked of the directory, once for each device.
 */
static bool
has_plain_links(struct cdn_lookup *lookup, dev_t dev, const char *path)
{
	char dir[CDN_PATH_MAX + 1];
	size_t n = cdn_path_parent(path, strlen(path));
	struct statfs fs;

	for (size_t i = 0; i < lookup->plain_count; i++)
		if (lookup->plain[i] == dev)
			return true;
	memcpy(dir, path, n);
	dir[n] = '\0';
	if (lookup->plain_count == PLAIN_MAX ||
	    statfs(n > 0 ? dir : "/", &fs) != 0 ||
	    (uint32_t)fs.f_type == PROC_MAGIC ||
	    (uint32_t)fs.f_type == SECURITYFS_MAGIC ||
	    ((unsigned long)fs.f_flags & NOSYMFOLLOW) != 0)
		return false;
	lookup->plain[lookup->plain_count++] = dev;
	return true;
}

static bool
read_link(struct cdn_lookup *lookup, struct node *node, const char *path)
{
	CDN_UNINITIALIZED char target[CDN_PATH_MAX + 1];
	ssize_t n;

	if (!has_plain_links(lookup, node->dev, path)) {
		node->kind = UNCLEAR;
		return true;
	}
	n = readlink(path, target, sizeof(target));
	if (n <= 0 || (size_t)n == sizeof(target)) {
		node->kind = UNCLEAR;
		return true;
	}
	node->target = cdn_arena_dup(lookup->arena, target, (size_t)n);
	return node->target != NULL;
}

/* path is that of the node. */
static bool
ask(struct cdn_lookup *lookup, struct node *node, const char *path)
{
	struct stat st;

	if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		node->kind = errno == ENOENT ? MISSING :
		    errno == EACCES ? SHUT : UNCLEAR;
		return true;
	}
	fill(node, &st);
	return node->kind != LINK || read_link(lookup, node, path);
}

/* The step `name` from a directory; way->path names it already. */
static const struct node *
step(struct cdn_lookup *lookup, const struct way *way, size_t name_at)
{
	cdn_str name = { way->path + name_at, way->len - name_at };
	struct node **slot = slot_of(lookup, way->node, name);
	struct node *node = *slot;

	if (node != NULL)
		return node;
	if (lookup->count * 2 >= lookup->size) {
		if (!grow(lookup))
			return NULL;
		slot = slot_of(lookup, way->node, name);
	}
	node = cdn_arena_alloc(lookup->arena, sizeof(*node));
	if (node == NULL || !cdn_arena_str(lookup->arena, name, &node->name))
		return NULL;
	node->parent = way->node;
	if (!ask(lookup, node, way->path))
		return NULL;
	*slot = node;
	lookup->count++;
	return node;
}

/* ----- The way down ----------------------------------------------------------- */

enum outcome { DONE, NO_MEMORY, REFUSED, ASK_ELSEWHERE };

static enum outcome go(struct cdn_lookup *lookup, struct way *way,
    cdn_str names);

static enum outcome
follow(struct cdn_lookup *lookup, struct way *way, const struct node *link,
    size_t parent_len)
{
	cdn_str target = cdn_str_of(link->target);

	if (++way->links > CDN_LINKS_MAX)
		return ASK_ELSEWHERE;
	way->linked = true;
	way->len = parent_len;
	if (target.p[0] == '/') {
		way->len = 0;
		way->node = &lookup->root;
	}
	way->path[way->len] = '\0';
	return go(lookup, way, target);
}

static enum outcome
go_one(struct cdn_lookup *lookup, struct way *way, cdn_str name)
{
	size_t parent_len = way->len;
	const struct node *node;

	if (name.n + 1 > CDN_PATH_MAX - way->len)
		return ASK_ELSEWHERE;
	way->path[way->len++] = '/';
	memcpy(way->path + way->len, name.p, name.n);
	way->len += name.n;
	way->path[way->len] = '\0';
	if (way->is_missing)
		return DONE;
	if (way->node->kind == UNCLEAR)
		return ASK_ELSEWHERE; /* "/" itself */
	if (way->node->kind != DIRECTORY) {
		/* Below a file: a missing tail, as for the kernel's ENOTDIR. */
		way->is_missing = true;
		way->missing = parent_len;
		return DONE;
	}
	node = step(lookup, way, parent_len + 1);
	if (node == NULL)
		return NO_MEMORY;
	if (node->kind == UNCLEAR)
		return ASK_ELSEWHERE;
	if (node->kind == SHUT)
		return REFUSED;
	if (node->kind == LINK)
		return follow(lookup, way, node, parent_len);
	if (node->kind == MISSING) {
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
	if (way->is_missing || way->node->kind != DIRECTORY)
		return ASK_ELSEWHERE;
	if (way->node->parent != NULL)
		way->node = way->node->parent;
	way->len = cdn_path_parent(way->path, way->len);
	way->path[way->len] = '\0';
	return DONE;
}

static enum outcome
go(struct cdn_lookup *lookup, struct way *way, cdn_str names)
{
	cdn_str name;

	while (cdn_str_next(&names, '/', &name)) {
		enum outcome outcome = DONE;

		if (name.n == 2 && name.p[0] == '.' && name.p[1] == '.')
			outcome = go_up(way);
		else if (name.n > 1 || (name.n == 1 && name.p[0] != '.'))
			outcome = go_one(lookup, way, name);
		if (outcome != DONE)
			return outcome;
	}
	return DONE;
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
		.path = cdn_arena_dup(lookup->arena, real.path, real.len),
		.len = real.len, .existing = real.existing,
		.exists = real.exists, .is_directory = real.is_directory,
		.dev = real.dev, .ino = real.ino, .nlink = real.nlink,
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
		ret->is_directory = way->node->kind == DIRECTORY;
		ret->dev = way->node->dev;
		ret->ino = way->node->ino;
		ret->nlink = way->node->nlink;
	}
	if (!way->linked && cdn_str_eq(real, cdn_str_of(path)))
		return 0;
	ret->path = cdn_arena_dup(lookup->arena, real.p, real.n);
	return ret->path == NULL ? cdn_err_nomem(err) : 0;
}

int
cdn_lookup_find(struct cdn_lookup *lookup, const char *path,
    struct cdn_found *ret, struct cordon_error *err)
{
	/* It is large: what is read is set, the compiler sets nothing. */
	CDN_UNINITIALIZED struct way way;

	way.node = &lookup->root;
	way.missing = way.len = 0;
	way.is_missing = way.linked = false;
	way.links = 0;
	if (path[0] != '/')
		return ask_elsewhere(lookup, path, ret, err);
	switch (go(lookup, &way, cdn_str_of(path))) {
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
