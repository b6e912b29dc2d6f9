#include "enforce/session/repositories.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "enforce/path/repository.h"

struct paths {
	const char **v;
	size_t n, room;
};

struct looking {
	struct cdn_arena *arena;
	int root;
	bool near; /* only what is nearest to the root */
	bool is_all; /* the root is "/" */
	bool partial;
	const char *queue[CDN_REPOSITORY_LOOKS_MAX]; /* relative to it */
	size_t queued;
	size_t entries;	       /* looked at */
	struct cdn_buf stack; /* instead of the queue, each with its NUL */
	struct paths found, trees;
	bool failed; /* out of memory */
	_Alignas(struct dirent) char buffer[32768];
};

static void
add(struct looking *l, struct paths *paths, const char *path)
{
	const char **v = cdn_arena_grow(l->arena, paths->v, paths->n,
	    &paths->room, sizeof(*v));
	const char *kept = cdn_arena_dup(l->arena, path, strlen(path));

	if (v == NULL || kept == NULL) {
		l->failed = true;
		return;
	}
	paths->v = v;
	v[paths->n++] = kept;
}

static void
put_near(struct looking *l, const char *dir, const char *name)
{
	const char *path;

	if (l->queued >= CDN_REPOSITORY_LOOKS_MAX) {
		l->partial = true;
		return;
	}
	path = cdn_arena_printf(l->arena, "%s%s%s", dir,
	    dir[0] == '\0' ? "" : "/", name);
	if (path == NULL)
		l->failed = true;
	else
		l->queue[l->queued++] = path;
}

/* What has a longer name than this cannot be named to us either. */
static void
put(struct looking *l, const char *dir, const char *name)
{
	if (strlen(dir) + 1 + strlen(name) > CDN_PATH_MAX)
		return;
	if (l->near) {
		put_near(l, dir, name);
		return;
	}
	cdn_buf_printf(&l->stack, "%s%s%s", dir, dir[0] == '\0' ? "" : "/",
	    name);
	cdn_buf_putc(&l->stack, '\0');
}

static bool
is_directory(int dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode);
}

/* The rules hold for .git by its name. */
static bool
is_passed_over(cdn_str name)
{
	return cdn_str_is(name, ".") || cdn_str_is(name, "..") ||
	    cdn_str_is(name, ".git");
}

/*
 * What the kernel shows there is no repository.  node_modules is large, and
 * seldom holds one: later.
 */
static bool
is_left_out(struct looking *l, const char *path, cdn_str name)
{
	if (l->is_all && path[0] == '\0' &&
	    (cdn_str_is(name, "proc") || cdn_str_is(name, "sys")))
		return true;
	if (!l->near || !cdn_str_is(name, "node_modules"))
		return false;
	l->partial = true;
	return true;
}

/* The parts of a repository that it has; its directories are put in the queue. */
static unsigned
look_at_entries(struct looking *l, int dir, const char *path, ssize_t n)
{
	unsigned parts = 0;

	for (ssize_t at = 0; at < n && !l->failed;) {
		const struct dirent *entry = (const void *)(l->buffer + at);
		cdn_str name = cdn_str_of(entry->d_name);

		l->entries++;
		parts |= cdn_repository_part(name);
		if (cdn_str_is(name, ".git"))
			add(l, &l->trees, path);
		if (!is_passed_over(name) && is_directory(dir, entry) &&
		    !is_left_out(l, path, name))
			put(l, path, entry->d_name);
		at += entry->d_reclen;
	}
	return parts;
}

static bool
is_enough(struct looking *l)
{
	if (!l->near || l->entries < CDN_REPOSITORY_ENTRIES_MAX)
		return false;
	l->partial = true;
	return true;
}

/* Of a repository the rules say all about what lies in it. */
static void
look_into(struct looking *l, const char *path)
{
	int fd = openat(l->root, path[0] == '\0' ? "." : path, O_RDONLY |
	    O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t queued = l->queued, stacked = l->stack.n;
	unsigned parts = 0;
	ssize_t n;

	if (fd < 0)
		return; /* git of the same user cannot read it either */
	while (!l->failed && !is_enough(l) &&
	    (n = getdents64(fd, (void *)l->buffer, sizeof(l->buffer))) > 0)
		parts |= look_at_entries(l, fd, path, n);
	if (cdn_repository_is(parts)) {
		l->queued = queued;
		l->stack.n = stacked;
		add(l, &l->found, path);
	}
	close(fd);
}

static int
begin(struct cdn_arena *arena, const char *workspace, bool near,
    struct looking **ret, struct cordon_error *err)
{
	struct looking *l = cdn_arena_alloc(arena, sizeof(*l));

	if (l == NULL)
		return cdn_err_nomem(err);
	l->arena = arena;
	l->near = near;
	l->is_all = workspace[1] == '\0';
	l->root = open(workspace, O_RDONLY | O_DIRECTORY | O_NONBLOCK |
	    O_CLOEXEC);
	cdn_buf_init(&l->stack, CDN_SURVEY_PENDING_MAX);
	*ret = l;
	return 0;
}

static int
finish(struct looking *l, struct cdn_repositories *ret,
    struct cordon_error *err)
{
	bool failed = l->failed || cdn_buf_failed(&l->stack);

	cdn_buf_done(&l->stack);
	if (l->root >= 0)
		close(l->root);
	if (failed)
		return cdn_err_nomem(err);
	*ret = (struct cdn_repositories){ l->found.v, l->found.n, l->trees.v,
		l->trees.n, l->partial };
	return 0;
}

int
cdn_repositories_near(struct cdn_arena *arena, const char *workspace,
    struct cdn_repositories *ret, struct cordon_error *err)
{
	struct looking *l;
	size_t i = 0;
	int code = begin(arena, workspace, true, &l, err);

	if (code != 0)
		return code;
	l->queue[l->queued++] = "";
	for (; l->root >= 0 && i < l->queued && !l->failed &&
	     l->found.n < CDN_REPOSITORIES_MAX; i++)
		look_into(l, l->queue[i]);
	l->partial |= l->root >= 0 && i < l->queued;
	return finish(l, ret, err);
}

/* The last one that was put there. */
static void
take(struct cdn_buf *stack, char path[CDN_PATH_MAX + 1])
{
	size_t start = stack->n - 1; /* its NUL */

	while (start > 0 && stack->p[start - 1] != '\0')
		start--;
	memcpy(path, stack->p + start, stack->n - start);
	stack->n = start;
}

static int
look_into_all(struct looking *l, unsigned long max, const atomic_bool *stop,
    struct cordon_error *err)
{
	char path[CDN_PATH_MAX + 1] = "";
	unsigned long looks = 0;

	for (;;) {
		if (stop != NULL && atomic_load_explicit(stop,
			memory_order_relaxed))
			return cdn_err(err, CORDON_E_INVALID,
			    "the search for git repositories was stopped");
		if (++looks > max)
			return cdn_err(err, CORDON_E_INVALID,
			    "more than %lu directories in the workspace, in "
			    "which git repositories could be (choose a smaller "
			    "one, or pass '--allow git')", max);
		look_into(l, path);
		if (l->failed || cdn_buf_failed(&l->stack) || l->stack.n == 0)
			return 0;
		take(&l->stack, path);
	}
}

int
cdn_repositories_all(struct cdn_arena *arena, const char *workspace,
    unsigned long max, const atomic_bool *stop, struct cdn_repositories *ret,
    struct cordon_error *err)
{
	struct looking *l;
	int done, code = begin(arena, workspace, false, &l, err);

	if (code != 0)
		return code;
	if (l->root >= 0)
		code = look_into_all(l, max, stop, err);
	done = finish(l, ret, code == 0 ? err : NULL);
	return code != 0 ? code : done;
}
