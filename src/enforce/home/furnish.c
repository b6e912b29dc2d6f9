#include "enforce/home/furnish.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "enforce/home/nest.h"
#include "enforce/home/sync.h"

#define PARENT_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/*
 * Leaves of the real home that a run may read and execute, never change.  The
 * same that are granted; a link alone grants nothing.  Grouped by parent, so
 * that each parent is opened once.
 */
static const struct leaf {
	const char *parent; /* one name, or "" for the home itself */
	const char *name;
} leaves[] = {
	{ "", ".rustup" },
	{ "", ".nvm" },
	{ "", ".pyenv" },
	{ ".cargo", "bin" },
	{ ".cargo", "config.toml" },
	{ ".cargo", "env" },
	{ ".local", "bin" },
	{ ".local", "lib" },
	{ "go", "bin" },
};

struct furnish {
	int homefd;
	const struct cdn_home_spec *spec;
	char real[CDN_PATH_MAX + 1]; /* the real home, without a last slash */
	char resolved[CDN_PATH_MAX + 1]; /* the same without links; "" unasked */
};

/* ----- Where roots lie --------------------------------------------------------- */

/* What follows dir and a slash in path, or NULL. */
static const char *
behind(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	while (n > 0 && dir[n - 1] == '/')
		n--;
	if (dir[0] == '\0' || strncmp(path, dir, n) != 0 || path[n] != '/' ||
	    path[n + 1] == '\0')
		return NULL;
	return path + n + 1;
}

static bool
is_at_or_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* The path of root below the real home, whatever that is called; or NULL. */
static const char *
home_path(const struct furnish *f, const char *root)
{
	const char *path = behind(f->real, root);

	if (path == NULL)
		path = behind(f->spec->places->passwd_home, root);
	if (path == NULL)
		path = behind(f->resolved, root);
	return path;
}

static const char *
root_path(const struct furnish *f, size_t i)
{
	return home_path(f, f->spec->roots[i]);
}

/* Does path lie at or below a declared root other than number `but`? */
static bool
is_below_root(const struct furnish *f, const char *path, size_t but)
{
	for (size_t i = 0; i < f->spec->root_count; i++) {
		const char *root = i == but ? NULL : root_path(f, i);

		if (root == NULL || !is_at_or_below(path, root))
			continue;
		/* Of two that are the same the first one counts. */
		if (but == SIZE_MAX || strcmp(path, root) != 0 || i < but)
			return true;
	}
	return false;
}

static bool
leaf_target(const struct furnish *f, const struct leaf *leaf,
    char out[CDN_PATH_MAX + 1])
{
	int n = snprintf(out, CDN_PATH_MAX + 1, "%s/%s%s%s", f->real,
	    leaf->parent, leaf->parent[0] != '\0' ? "/" : "", leaf->name);

	return n > 0 && n <= CDN_PATH_MAX;
}

static bool
is_there(const char *path)
{
	return faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0;
}

/* A root below a leaf that is linked can be reached by that link. */
static bool
is_below_leaf(const struct furnish *f, const char *path)
{
	CDN_UNINITIALIZED char target[CDN_PATH_MAX + 1];
	size_t skip = strlen(f->real) + 1;

	for (size_t i = 0; i < CDN_LEN(leaves); i++)
		if (leaf_target(f, &leaves[i], target) &&
		    is_at_or_below(path, target + skip) &&
		    strcmp(path, target + skip) != 0 && is_there(target))
			return true;
	return false;
}

/* ----- Links ------------------------------------------------------------------- */

typedef int link_fn(int dirfd, const char *name, const char *target);

/* At the same relative place. */
static void
link_at(const struct furnish *f, const char *path, const char *target,
    link_fn *link_name)
{
	const char *slash = strrchr(path, '/');
	char parent[CDN_PATH_MAX + 1];
	int fd;

	if (slash == NULL) {
		(void)!link_name(f->homefd, path, target);
		return;
	}
	memcpy(parent, path, (size_t)(slash - path));
	parent[slash - path] = '\0';
	fd = cdn_nest_make_dir(f->homefd, parent);
	if (fd < 0)
		return;
	(void)!link_name(fd, slash + 1, target);
	close(fd);
}

static void
link_root(const struct furnish *f, size_t i)
{
	const char *path = root_path(f, i);

	if (path != NULL && strlen(path) <= CDN_PATH_MAX &&
	    !is_below_root(f, path, i) && !is_below_leaf(f, path))
		link_at(f, path, f->spec->roots[i], cdn_nest_link);
}

/*
 * A directory of an agent's state is the run's own.  A root above it shows the
 * real one, where nothing is made.
 */
static void
make_state(const struct furnish *f, const char *path)
{
	int fd;

	if (is_below_root(f, path, SIZE_MAX))
		return;
	fd = cdn_nest_make_dir(f->homefd, path);
	if (fd >= 0)
		close(fd);
}

static void
link_inside(const struct furnish *f, const struct cdn_home_link *link)
{
	if (strlen(link->inside) <= CDN_PATH_MAX &&
	    !is_below_root(f, link->inside, SIZE_MAX))
		link_at(f, link->inside, link->target, cdn_nest_link_over);
}

static int
copy_files(const struct furnish *f, const struct cdn_home_spec *spec,
    struct cordon_error *err)
{
	char record[CDN_PATH_MAX + 1];
	int n = snprintf(record, sizeof(record), "%s" CDN_HOME_RECORD,
	    spec->home);

	if (n < 0 || n > CDN_PATH_MAX)
		return 0;
	return cdn_sync_files(f->homefd, record, spec->files,
	    spec->file_count) == 0 ? 0 : cdn_err_nomem(err);
}

/* A link that is right is not questioned: that saves a look at the real one. */
static void
link_leaf(const struct furnish *f, const struct leaf *leaf, int *parentfd)
{
	CDN_UNINITIALIZED char target[CDN_PATH_MAX + 1];

	if (!leaf_target(f, leaf, target) ||
	    (*parentfd >= 0 &&
	    cdn_nest_is_link(*parentfd, leaf->name, target)) ||
	    !is_there(target) ||
	    is_below_root(f, target + strlen(f->real) + 1, SIZE_MAX))
		return;
	if (leaf->parent[0] != '\0') { /* there, and with rights */
		cdn_cleanup_fd_fn(parentfd);
		*parentfd = cdn_nest_make_dir(f->homefd, leaf->parent);
	}
	if (*parentfd >= 0)
		(void)!cdn_nest_link(*parentfd, leaf->name, target);
}

/* The leaves of one parent; returns how many these were. */
static size_t
link_group(const struct furnish *f, const struct leaf *first, size_t left)
{
	bool top = first->parent[0] == '\0';
	CDN_UNINITIALIZED char real[CDN_PATH_MAX + 1];
	int fd = f->homefd;
	bool wanted = true;
	size_t n = 0;

	if (!top) {
		fd = cdn_nest_open(f->homefd, first->parent, PARENT_FLAGS);
		snprintf(real, sizeof(real), "%s/%s", f->real, first->parent);
		wanted = fd >= 0 || is_there(real);
	}
	for (; n < left && strcmp(first[n].parent, first->parent) == 0; n++)
		if (wanted)
			link_leaf(f, &first[n], &fd);
	if (!top && fd >= 0)
		close(fd);
	return n;
}

static bool
is_covered(const void *arg, const char *path)
{
	return is_below_root(arg, path, SIZE_MAX);
}

/* ----- All together ------------------------------------------------------------ */

static void
find_real(struct furnish *f)
{
	const char *home = f->spec->places->home;
	size_t n = strlen(home);
	char *resolved;

	while (n > 0 && home[n - 1] == '/')
		n--;
	if (n > CDN_PATH_MAX)
		n = 0;
	memcpy(f->real, home, n);
	f->real[n] = '\0';
	f->resolved[0] = '\0';
	if (f->spec->root_count + f->spec->state_count == 0 || n == 0)
		return;
	resolved = realpath(f->real, NULL);
	if (resolved != NULL && strlen(resolved) <= CDN_PATH_MAX)
		snprintf(f->resolved, sizeof(f->resolved), "%s", resolved);
	free(resolved);
}

int
cdn_furnish(int homefd, const struct cdn_home_spec *spec,
    struct cordon_error *err)
{
	CDN_UNINITIALIZED struct furnish f;
	int r;

	f.homefd = homefd;
	f.spec = spec;
	find_real(&f);
	for (size_t i = 0; i < spec->root_count; i++)
		link_root(&f, i);
	for (size_t i = 0; i < spec->state_count; i++)
		make_state(&f, spec->states[i]);
	for (size_t i = 0; i < spec->link_count; i++)
		link_inside(&f, &spec->links[i]);
	if (f.real[0] != '\0')
		for (size_t i = 0; i < CDN_LEN(leaves);)
			i += link_group(&f, &leaves[i], CDN_LEN(leaves) - i);
	r = copy_files(&f, spec, err);
	return r != 0 ? r :
	    cdn_furnish_files(homefd, spec, is_covered, &f, err);
}
