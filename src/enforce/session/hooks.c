#include "enforce/session/hooks.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "enforce/home/gitconfig.h"
#include "enforce/path/path.h"
#include "enforce/session/gitenv.h"
#include "enforce/session/links.h"
#include "enforce/session/placelist.h"
#include "enforce/store/file.h"

struct repository;

struct hooks {
	struct cdn_arena *arena;
	const char *workspace;
	struct cdn_found_executed *v;
	size_t n, room;
	bool failed; /* out of memory */
	int code;    /* of the first other error, which is in err */
	struct cordon_error *err;
	const struct cdn_hooks_spec *spec;
	unsigned files;	     /* of configuration, read */
	unsigned looks;	     /* entries of directories of hooks */
	const char *group;   /* of what is found; NULL: CDN_GROUP_HOOKS */
	const struct repository *now; /* whose configuration; NULL: of all */
	const char **common; /* values of core.hooksPath for all repositories */
	size_t common_count, common_room;
};

/* ----- Places --------------------------------------------------------------------- */

static void
push_as(struct hooks *h, const char *pattern, const char *group, bool link)
{
	struct cdn_found_executed *v = cdn_arena_grow(h->arena, h->v, h->n,
	    &h->room, sizeof(*v));

	if (pattern == NULL || v == NULL) {
		h->failed = true;
		return;
	}
	h->v = v;
	v[h->n++] = (struct cdn_found_executed){ pattern, group,
		NULL, link };
}

static const char *
group_of(const struct hooks *h)
{
	return h->group != NULL ? h->group : CDN_GROUP_HOOKS;
}

static void
push(struct hooks *h, const char *relative, size_t n, const char *tail)
{
	push_as(h, cdn_arena_join(h->arena, (cdn_str){ relative, n },
	    cdn_str_of(tail)), group_of(h), false);
}

/* husky's directory of hooks is .husky/_, and these run those beside it. */
static size_t
without_husky(const char *path, size_t n)
{
	return n > 2 && path[n - 1] == '_' && path[n - 2] == '/' ? n - 2 : n;
}

/* Where the workspace itself is the directory: what git looks for there. */
static void
push_hook_names(struct hooks *h)
{
	static const char *const names[] = { "applypatch-msg",
		"pre-applypatch", "post-applypatch", "pre-commit",
		"pre-merge-commit", "prepare-commit-msg", "commit-msg",
		"post-commit", "pre-rebase", "post-checkout", "post-merge",
		"pre-push", "pre-receive", "update", "proc-receive",
		"post-receive", "post-update", "reference-transaction",
		"push-to-checkout", "pre-auto-gc", "post-rewrite",
		"sendemail-validate", "fsmonitor-watchman", "p4-changelist",
		"p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit",
		"post-index-change" };

	for (size_t i = 0; i < CDN_LEN(names); i++)
		push(h, names[i], strlen(names[i]), "");
}

/* How far a path is the workspace's own, to its name in there. */
static size_t
skip_workspace(const struct hooks *h)
{
	return strlen(h->workspace) + (h->workspace[1] != '\0');
}

/* What git follows: symlinks on the way, and the names that are behind them. */
struct way {
	struct hooks *hooks;
	const char *group;
	const char *tail; /* of patterns: "/" and two stars, or "" */
};

static bool
is_pushed(const struct hooks *h, const char *pattern)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].link && strcmp(h->v[i].pattern, pattern) == 0)
			return true;
	return false;
}

/* No .git is replaced anyway. */
static bool
is_git(const char *relative)
{
	const char *slash = strrchr(relative, '/');

	return strcmp(slash == NULL ? relative : slash + 1, ".git") == 0;
}

static void
push_link(const char *link, const char *rest, void *arg)
{
	const struct way *way = arg;
	struct hooks *h = way->hooks;
	const char *relative;

	if (!cdn_placelist_below(link, h->workspace) ||
	    strlen(link) <= skip_workspace(h))
		return;
	relative = link + skip_workspace(h);
	if (is_git(relative) || is_pushed(h, relative))
		return;
	push_as(h, cdn_arena_dup(h->arena, relative, strlen(relative)),
	    way->group, true);
	if (rest[0] != '\0' && strstr(rest, "..") == NULL)
		push_as(h, cdn_arena_printf(h->arena, "%s/%s%s", relative,
		    rest, way->tail), way->group, true);
}

/* base need not be real. */
static void
add_way(struct hooks *h, const char *base, cdn_str name, const char *group,
    const char *tail)
{
	char path[2 * CDN_PATH_MAX + 2];
	struct way way = { h, group, tail };
	size_t skip = skip_workspace(h);
	int n;

	if (name.n > 0 && name.p[0] == '/')
		base = "";
	n = snprintf(path, sizeof(path), "%s/%.*s", base, CDN_STR_ARG(name));
	if (n <= 0 || (size_t)n >= sizeof(path))
		return;
	if (cdn_placelist_below(path, h->workspace) && (size_t)n > skip)
		cdn_links_walk(h->workspace, cdn_str_of(path[skip] == '/' ?
		    path + skip + 1 : path + skip), push_link, &way);
	else
		cdn_links_walk("", cdn_str_of(path), push_link, &way);
}

/* A place that git is led to; only what lies in the workspace is ours. */
static void
add(struct hooks *h, const char *base, cdn_str name, bool directory)
{
	struct cdn_real real;
	size_t skip = skip_workspace(h);

	if (name.n > 0)
		add_way(h, base, name, group_of(h), directory ? "/**" : "");
	if (name.n == 0 || cdn_path_resolve(base, name, &real, NULL) != 0 ||
	    !cdn_placelist_below(real.path, h->workspace))
		return;
	directory |= real.exists && real.is_directory && real.len > skip;
	if (real.len <= skip) {
		if (directory)
			push_hook_names(h);
		return;
	}
	push(h, real.path + skip, directory ?
	    without_husky(real.path + skip, real.len - skip) : real.len - skip,
	    directory ? "/**" : "");
}

/* ----- Links ---------------------------------------------------------------------- */

#define LINK_DEPTH_MAX 2 /* directories below one of hooks */

static void fail(struct hooks *h, const char *file, const char *why);

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/*
 * What is executed or obeyed in a protected directory may be a symlink: what it
 * leads to in the workspace, and each one on the way, is protected with it.
 */
static void
follow_links(struct hooks *h, const char *path, unsigned depth)
{
	char below[CDN_PATH_MAX + NAME_MAX + 2];
	const struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir != NULL && h->code == 0 && (entry = readdir(dir)) != NULL) {
		if (is_dots(entry->d_name))
			continue;
		if (++h->looks > CDN_HOOK_LOOKS_MAX) {
			fail(h, path, "too many files lie there");
			break;
		}
		if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
			add(h, path, cdn_str_of(entry->d_name), false);
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		/* What is not a directory cannot be opened as one. */
		if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
		    depth < LINK_DEPTH_MAX)
			follow_links(h, below, depth + 1);
	}
	if (dir != NULL)
		closedir(dir);
}

static void
add_links(struct hooks *h, const char *gitdir)
{
	char hooks[CDN_PATH_MAX + sizeof("/hooks")];
	struct stat st;

	snprintf(hooks, sizeof(hooks), "%s/hooks", gitdir);
	if (lstat(hooks, &st) == 0 && S_ISLNK(st.st_mode))
		add(h, gitdir, CDN_STR("hooks"), true);
	follow_links(h, hooks, 0);
}

/* Directories of the defaults at the top of the workspace. */
static void
add_defaults(struct hooks *h)
{
	static const char anywhere[] = "**/", all[] = "/**";
	const struct cdn_executed *entry;
	char path[2 * CDN_PATH_MAX];

	for (size_t i = 0; (entry = cdn_preset_entry(i)) != NULL; i++) {
		cdn_str name = cdn_str_of(entry->pattern);

		if (name.n < sizeof(anywhere) + sizeof(all) ||
		    !cdn_str_starts(name, CDN_STR("**/")) ||
		    !cdn_str_ends(name, CDN_STR("/**")))
			continue;
		name = cdn_str_from(name, sizeof(anywhere) - 1);
		name.n -= sizeof(all) - 1;
		if (memchr(name.p, '*', name.n) != NULL ||
		    cdn_str_starts(name, CDN_STR(".git/")))
			continue;
		snprintf(path, sizeof(path), "%s/%.*s", h->workspace,
		    CDN_STR_ARG(name));
		h->group = entry->group;
		follow_links(h, path, 0);
	}
	h->group = NULL;
}

/* ----- Configuration -------------------------------------------------------------- */

#define CONFIG_MAX (256UL * 1024UL)

/* A repository: where its work tree is, and its git directory. */
struct repository {
	const char *top; /* NULL: it has none */
	const char *gitdir;
};

/* One file of configuration. */
struct reading {
	struct hooks *hooks;
	const struct repository *of; /* NULL: of every repository */
	const char *dir;	     /* where the file lies */
	unsigned depth;		     /* of includes */
};

static void read_config(struct hooks *h, const struct repository *of,
    const char *file, unsigned depth);

/* The first error is the one that is reported. */
static void
fail(struct hooks *h, const char *file, const char *why)
{
	if (h->spec->lenient && h->now != NULL) {
		add(h, h->now->top != NULL ? h->now->top : h->now->gitdir,
		    CDN_STR("."), true);
		return;
	}
	if (h->code == 0)
		h->code = cdn_err(h->err, CORDON_E_INVALID,
		    "%s: %s, so that what git would execute is not known "
		    "(git config --list --file shows it)", file, why);
}

static void
add_hooks_in(struct hooks *h, const char *base, cdn_str value)
{
	struct cdn_real real;

	add(h, base, value, true);
	if (value.n > 0 && cdn_path_resolve(base, value, &real, NULL) == 0 &&
	    strcmp(real.path, h->workspace) != 0)
		follow_links(h, real.path, 0);
}

static void
add_hooks_path(struct hooks *h, const struct repository *of, cdn_str value)
{
	if (of->top != NULL)
		add_hooks_in(h, of->top, value);
	add_hooks_in(h, of->gitdir, value);
}

/* Of a file that every repository has: for later (add_repository()). */
static void
keep_hooks_path(struct hooks *h, cdn_str value)
{
	const char **v = cdn_arena_grow(h->arena, h->common, h->common_count,
	    &h->common_room, sizeof(*v));
	char *text = cdn_arena_dup(h->arena, value.p, value.n);

	if (v == NULL || text == NULL) {
		h->failed = true;
		return;
	}
	h->common = v;
	v[h->common_count++] = text;
}

/* "~/x" and "~user/x" as git has them; the value itself where it has neither. */
static cdn_str
expand(struct hooks *h, const char *dir, cdn_str value)
{
	const struct cdn_places *places = h->spec->places;
	const char *expanded = NULL;

	if (value.n == 0 || value.p[0] != '~')
		return value;
	if (value.n > 1 && value.p[1] != '/') {
		if (cdn_places_expand(h->arena, places, value, &expanded,
			NULL) != 0)
			fail(h, dir, "a configuration there names the home of "
			    "an unknown user");
	} else {
		/* ".." is resolved later, physically. */
		expanded = cdn_arena_join(h->arena, cdn_str_of(places->home),
		    cdn_str_from(value, 1));
		h->failed |= expanded == NULL;
	}
	return cdn_str_of(expanded == NULL ? "" : expanded);
}

static void
add_include(const struct reading *reading, cdn_str value)
{
	struct cdn_real real;

	add(reading->hooks, reading->dir, value, false);
	if (cdn_path_resolve(reading->dir, value, &real, NULL) == 0)
		read_config(reading->hooks, reading->of, real.path,
		    reading->depth + 1);
}

static void
take_value(const char *key, cdn_str value, void *arg)
{
	const struct reading *reading = arg;
	cdn_str expanded;

	if (strcmp(key, "path") != 0 && strcmp(key, "hookspath") != 0)
		return;
	expanded = expand(reading->hooks, reading->dir, value);
	if (strcmp(key, "path") == 0)
		add_include(reading, expanded);
	else if (reading->of == NULL)
		keep_hooks_path(reading->hooks, expanded);
	else
		add_hooks_path(reading->hooks, reading->of, expanded);
}

/* The text of a file; false: there is none, or none that may be read. */
static bool
read_text(struct hooks *h, const char *file, struct cdn_buf *text)
{
	cdn_cleanup_fd int fd = open(file,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int code;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	code = cdn_file_read(fd, file, CONFIG_MAX, text, NULL);
	if (code == CORDON_E_NOMEM)
		h->failed = true;
	else if (code != 0)
		fail(h, file, "it is too large or cannot be read");
	return code == 0;
}

static void
read_config(struct hooks *h, const struct repository *of, const char *file,
    unsigned depth)
{
	char dir[CDN_PATH_MAX + 1];
	struct reading reading = { h, of, dir, depth };
	const char *slash = strrchr(file, '/');
	struct cdn_buf text;

	if (h->code != 0 || slash == NULL ||
	    (size_t)(slash - file) >= sizeof(dir) || !read_text(h, file, &text))
		return;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - file), file);
	h->now = of;
	if (depth > CDN_GIT_INCLUDE_DEPTH_MAX)
		fail(h, file, "it is included too deeply");
	else if (++h->files > CDN_GIT_CONFIGS_MAX)
		fail(h, file, "there are too many files of configuration");
	else if (cdn_gitconfig_leading((cdn_str){ text.p, text.n }, take_value,
		     &reading, NULL) != 0)
		fail(h, file, "it is not a git configuration");
	cdn_buf_done(&text);
}

/* ----- Repositories --------------------------------------------------------------- */

static void
read_in(struct hooks *h, const struct repository *of, const char *dir,
    const char *name)
{
	char file[CDN_PATH_MAX + sizeof("/config.worktree")];

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	read_config(h, of, file, 0);
}

static void
add_repository(struct hooks *h, const struct repository *of)
{
	read_in(h, of, of->gitdir, "config");
	read_in(h, of, of->gitdir, "config.worktree");
	for (size_t i = 0; i < h->common_count; i++)
		add_hooks_path(h, of, cdn_str_of(h->common[i]));
	add_links(h, of->gitdir);
}

/* By the rules for directories called .git, or those of a repository. */
static bool
is_known(const struct hooks *h, const char *relative)
{
	const struct cdn_repositories *found = h->spec->repositories;
	cdn_str rest = cdn_str_of(relative), name;

	while (cdn_str_next(&rest, '/', &name))
		if (cdn_str_is(name, ".git"))
			return true;
	for (size_t i = 0; i < found->n; i++)
		if (found->v[i][0] == '\0' ||
		    cdn_placelist_below(relative, found->v[i]))
			return true;
	return false;
}

/*
 * A git directory with a name of its own, which may lie deeper than anybody
 * looked: no directory above it can be renamed then.
 */
static void
push_gitdir(struct hooks *h, const char *gitdir)
{
	static const char *const parts[] = { "config", "config.worktree",
		"commondir", "hooks/**" };
	const char *relative;

	if (!cdn_placelist_below(gitdir, h->workspace) ||
	    strlen(gitdir) <= skip_workspace(h))
		return;
	relative = gitdir + skip_workspace(h);
	for (size_t i = 0; i < CDN_LEN(parts) && !is_known(h, relative); i++)
		push_as(h, cdn_arena_printf(h->arena, "%s/%s", relative,
		    parts[i]), CDN_GROUP_GIT, false);
}

/* TOP/.git: a directory, a symlink, or a file that names another. */
static void
add_git(struct hooks *h, const char *top)
{
	char name[CDN_PATH_MAX + 1];
	struct cdn_real gitdir, common;

	add_way(h, top, CDN_STR(".git"), CDN_GROUP_GIT, "/**");
	if (cdn_gitfile_name(top, name))
		add_way(h, top, cdn_str_of(name), CDN_GROUP_GIT, "/**");
	if (!cdn_gitfile_target(top, &gitdir) &&
	    (cdn_path_resolve(top, CDN_STR(".git"), &gitdir, NULL) != 0 ||
		!gitdir.exists))
		return;
	push_gitdir(h, gitdir.path);
	if (cdn_gitdir_common(gitdir.path, &common))
		push_gitdir(h, common.path);
}

/*
 * The git directory of a work tree: TOP/.git, or what that file names.  That of
 * a linked worktree names another one, where most of the configuration is.
 */
static void
add_tree(struct hooks *h, const char *top)
{
	char gitdir[CDN_PATH_MAX + sizeof("/.git")];
	struct repository of = { top, gitdir };
	struct cdn_real real, common;

	add_git(h, top);
	snprintf(gitdir, sizeof(gitdir), "%s/.git", top);
	if (cdn_gitfile_target(top, &real))
		of.gitdir = real.path;
	add_repository(h, &of);
	if (cdn_gitdir_common(of.gitdir, &common))
		read_in(h, &of, common.path, "config");
}

/* Of the workspace itself: a linked worktree has two git directories. */
static void
add_workspace(struct hooks *h)
{
	const struct cdn_worktree *worktree = h->spec->worktree;
	struct repository of = { h->workspace, worktree->common };

	if (worktree->common == NULL) {
		add_tree(h, h->workspace);
		return;
	}
	add_git(h, h->workspace);
	add_repository(h, &of);
	read_in(h, &of, worktree->gitdir, "config.worktree");
}

/* The repository that the workspace is a directory of. */
static void
add_around(struct hooks *h)
{
	char top[CDN_PATH_MAX + 1], git[CDN_PATH_MAX + sizeof("/.git")];
	struct stat st;
	char *slash;

	snprintf(top, sizeof(top), "%s", h->workspace);
	while ((slash = strrchr(top, '/')) != NULL && slash != top) {
		*slash = '\0';
		snprintf(git, sizeof(git), "%s/.git", top);
		if (lstat(git, &st) != 0)
			continue;
		add_tree(h, top);
		return;
	}
}

static void
add_inner(struct hooks *h)
{
	const struct cdn_repositories *found = h->spec->repositories;
	char path[CDN_PATH_MAX + 1];

	for (size_t i = 0; i < found->n; i++) {
		struct repository of = { NULL, path };

		snprintf(path, sizeof(path), "%s/%s", h->workspace,
		    found->v[i]);
		add_repository(h, &of);
	}
	for (size_t i = 0; i < found->tree_count; i++) {
		if (found->trees[i][0] == '\0')
			continue;
		snprintf(path, sizeof(path), "%s/%s", h->workspace,
		    found->trees[i]);
		add_tree(h, path);
	}
}

/* One that every repository has; in the workspace it is closed. */
static void
read_shared(struct hooks *h, const char *dir, const char *name)
{
	struct cdn_real real;

	if (dir[0] != '/' || name[0] == '\0')
		return;
	add(h, dir, cdn_str_of(name), false);
	if (cdn_path_resolve(dir, cdn_str_of(name), &real, NULL) == 0)
		read_config(h, NULL, real.path, 0);
}

/* As in a file, but what is included must be absolute. */
static void
take_setting(const char *key, cdn_str value, void *arg)
{
	struct hooks *h = arg;
	const struct reading reading = { h, NULL, "/", 0 };
	size_t n = strlen(key);
	bool includes = strcasecmp(key, "include.path") == 0 ||
	    (n > 15 && strncasecmp(key, "includeif.", 10) == 0 &&
		strcasecmp(key + n - 5, ".path") == 0);

	if (includes)
		add_include(&reading, expand(h, "/", value));
	else if (strcasecmp(key, "core.hookspath") == 0)
		keep_hooks_path(h, expand(h, "/", value));
}

/*
 * The files that every repository has: the system's and the user's, and those
 * that the caller's environment puts in their place.  All of them count: who
 * runs git later may have another environment.
 */
static void
read_common(struct hooks *h)
{
	static const char *const variables[] = { "GIT_CONFIG_SYSTEM",
		"GIT_CONFIG_GLOBAL" };
	const struct cdn_places *places = h->spec->places;
	const char *last = strrchr(places->config, '/');
	char dir[CDN_PATH_MAX + 1];
	const char *bad;

	read_shared(h, "/etc", "gitconfig");
	read_shared(h, places->home, ".gitconfig");
	if (last != NULL) {
		/* Beside CONFIG/cordon, which need not be there. */
		snprintf(dir, sizeof(dir), "%.*s",
		    (int)(last - places->config), places->config);
		read_shared(h, dir, "git/config");
	}
	for (size_t i = 0; i < CDN_LEN(variables); i++) {
		const char *name = getenv(variables[i]);

		if (name != NULL)
			read_shared(h, h->workspace, name);
	}
	bad = cdn_gitenv_read(take_setting, h);
	if (bad != NULL)
		fail(h, bad, "it cannot be understood");
}

int
cdn_hooks_find(struct cdn_arena *arena, const struct cdn_hooks_spec *spec,
    const struct cdn_found_executed **ret, size_t *ret_n,
    struct cordon_error *err)
{
	struct hooks h = { .arena = arena, .workspace = spec->workspace,
		.spec = spec, .err = err };

	read_common(&h);
	add_around(&h);
	add_workspace(&h);
	add_inner(&h);
	if (!spec->lenient)
		add_defaults(&h);
	if (h.failed)
		return cdn_err_nomem(err);
	*ret = h.v;
	*ret_n = h.n;
	return h.code;
}
