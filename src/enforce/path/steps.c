#include "enforce/path/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "enforce/path/path_internal.h"

#define SLOTS_FIRST	 256 /* a power of two */
#define PROC_MAGIC	 0x00009fa0U
#define SECURITYFS_MAGIC 0x73636673U
#define NOSYMFOLLOW	 0x2000 /* ST_NOSYMFOLLOW, since 5.10 */

/* ----- What is remembered ------------------------------------------------- */

static void
fill(struct cdn_step *step, const struct stat *st)
{
	step->kind = S_ISDIR(st->st_mode) ? CDN_STEP_DIRECTORY :
	    S_ISLNK(st->st_mode) ? CDN_STEP_LINK : CDN_STEP_OTHER;
	step->dev = st->st_dev;
	step->ino = st->st_ino;
	step->nlink = st->st_nlink;
}

bool
cdn_steps_init(struct cdn_steps *steps, struct cdn_arena *arena)
{
	struct stat st;

	*steps = (struct cdn_steps){ .arena = arena, .size = SLOTS_FIRST,
		.root = { .kind = CDN_STEP_UNCLEAR },
		.missing = { .kind = CDN_STEP_MISSING } };
	steps->slots = cdn_arena_array(arena, SLOTS_FIRST,
	    sizeof(struct cdn_step *));
	if (stat("/", &st) == 0)
		fill(&steps->root, &st);
	return steps->slots != NULL;
}

/* The slot of that step, or the empty one where it belongs. */
static struct cdn_step **
slot_of(const struct cdn_steps *steps, const struct cdn_step *dir,
    cdn_str name, uint32_t hash)
{
	size_t at = ((uintptr_t)dir >> 4) * 0x9e3779b1U ^ hash ^ hash >> 15;

	for (;; at++) {
		struct cdn_step **slot = &steps->slots[at & (steps->size - 1)];

		if (*slot == NULL || ((*slot)->parent == dir &&
		    (*slot)->hash == hash && cdn_str_eq((*slot)->name, name)))
			return slot;
	}
}

struct cdn_step *
cdn_steps_find(const struct cdn_steps *steps, const struct cdn_step *dir,
    cdn_str name, uint32_t hash)
{
	return *slot_of(steps, dir, name, hash);
}

static bool
grow(struct cdn_steps *steps)
{
	struct cdn_steps bigger = *steps;

	bigger.size *= 2;
	bigger.slots = cdn_arena_array(steps->arena, bigger.size,
	    sizeof(struct cdn_step *));
	if (bigger.slots == NULL)
		return false;
	for (size_t i = 0; i < steps->size; i++) {
		struct cdn_step *step = steps->slots[i];

		if (step != NULL)
			*slot_of(&bigger, step->parent, step->name,
			    step->hash) = step;
	}
	steps->slots = bigger.slots;
	steps->size = bigger.size;
	return true;
}

struct cdn_step *
cdn_steps_add(struct cdn_steps *steps, struct cdn_step *dir, cdn_str name,
    uint32_t hash)
{
	struct cdn_step *step;

	if (steps->count * 2 >= steps->size && !grow(steps))
		return NULL;
	step = cdn_arena_alloc(steps->arena, sizeof(*step));
	if (step == NULL || !cdn_arena_str(steps->arena, name, &step->name))
		return NULL;
	step->parent = dir;
	step->hash = hash;
	step->kind = CDN_STEP_UNCLEAR;
	*slot_of(steps, dir, name, hash) = step;
	steps->count++;
	return step;
}

/* ----- Asking the kernel -------------------------------------------------- */

static bool
links_are_text(const struct statfs *fs)
{
	return (uint32_t)fs->f_type != PROC_MAGIC &&
	    (uint32_t)fs->f_type != SECURITYFS_MAGIC &&
	    ((unsigned long)fs->f_flags & NOSYMFOLLOW) == 0;
}

static bool
is_plain(const struct cdn_steps *steps, dev_t dev)
{
	for (size_t i = 0; i < steps->plain_count; i++)
		if (steps->plain[i] == dev)
			return true;
	return false;
}

/* path up to the slash, which is that of a directory. */
static void
copy_directory(cdn_str path, size_t slash, char out[CDN_PATH_MAX + 1])
{
	memcpy(out, slash > 0 ? path.p : "/", slash > 0 ? slash : 1);
	out[slash > 0 ? slash : 1] = '\0';
}

/*
 * A link is text that can be followed here only where the kernel does not jump
 * by itself, or refuses.  Asked of the directory, once for each device.
 */
static bool
has_plain_links(struct cdn_steps *steps, dev_t dev, cdn_str path, size_t slash)
{
	CDN_UNINITIALIZED char dir[CDN_PATH_MAX + 1];
	struct statfs fs;

	if (is_plain(steps, dev))
		return true;
	copy_directory(path, slash, dir);
	if (steps->plain_count == CDN_STEPS_PLAIN_MAX ||
	    statfs(dir, &fs) != 0 || !links_are_text(&fs))
		return false;
	steps->plain[steps->plain_count++] = dev;
	return true;
}

static bool
read_link(struct cdn_steps *steps, struct cdn_step *step, const char *path)
{
	CDN_UNINITIALIZED char target[CDN_PATH_MAX + 1];
	ssize_t n = readlink(path, target, sizeof(target));

	step->kind = CDN_STEP_UNCLEAR;
	if (n <= 0 || (size_t)n == sizeof(target))
		return true;
	step->kind = CDN_STEP_LINK;
	step->target = cdn_arena_dup(steps->arena, target, (size_t)n);
	return step->target != NULL;
}

static bool
ask(struct cdn_steps *steps, struct cdn_step *step, cdn_str path, size_t slash)
{
	struct stat st;

	if (fstatat(AT_FDCWD, path.p, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		step->kind = errno == ENOENT ? CDN_STEP_MISSING :
		    errno == EACCES ? CDN_STEP_SHUT : CDN_STEP_UNCLEAR;
		return true;
	}
	fill(step, &st);
	if (step->kind != CDN_STEP_LINK)
		return true;
	if (has_plain_links(steps, step->dev, path, slash))
		return read_link(steps, step, path.p);
	step->kind = CDN_STEP_UNCLEAR;
	return true;
}

struct cdn_step *
cdn_steps_take(struct cdn_steps *steps, struct cdn_step *dir, cdn_str path,
    size_t slash, uint32_t hash)
{
	cdn_str name = cdn_str_from(path, slash + 1);
	struct cdn_step *step = cdn_steps_find(steps, dir, name, hash);

	if (step != NULL)
		return step;
	step = cdn_steps_add(steps, dir, name, hash);
	return step != NULL && ask(steps, step, path, slash) ? step : NULL;
}
