#include "enforce/session/hooks.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "enforce/home/gitconfig.h"
#include "enforce/path/path.h"
#include "enforce/session/placelist.h"
#include "enforce/store/file.h"

struct hooks {
	struct cdn_arena *arena;
	const char *workspace;
	const char **v;
	size_t n, room;
	bool failed; /* out of memory */
};

/* ----- Places --------------------------------------------------------------------- */

static void
push(struct hooks *h, const char *relative, size_t n, const char *tail)
{
	const char **v;
	char *pattern = cdn_arena_join(h->arena, (cdn_str){ relative, n },
	    cdn_str_of(tail));

	v = cdn_arena_grow(h->arena, h->v, h->n, &h->room, sizeof(*v));
	if (pattern == NULL || v == NULL) {
		h->failed = true;
		return;
	}
	h->v = v;
	v[h->n++] = pattern;
}

/* husky's directory of hooks is .husky/_, and these run those beside it. */
static size_t
without_husky(const char *path, size_t n)
{
	return n > 2 && path[n - 1] == '_' && path[n - 2] == '/' ? n - 2 : n;
}

/* A place that git is led to; only what lies in the workspace is ours. */
static void
add(struct hooks *h, const char *base, cdn_str name, bool directory)
{
	struct cdn_real real;
	size_t skip = strlen(h->workspace) + (h->workspace[1] != '\0');

	if (name.n == 0 || cdn_path_resolve(base, name, &real, NULL) != 0 ||
	    !cdn_placelist_below(real.path, h->workspace) || real.len <= skip)
		return;
	push(h, real.path + skip, directory ?
	    without_husky(real.path + skip, real.len - skip) : real.len - skip,
	    directory ? "/**" : "");
}

/* ----- Links ---------------------------------------------------------------------- */

static void
add_links(struct hooks *h, const char *gitdir)
{
	char hooks[CDN_PATH_MAX + sizeof("/hooks")];
	const struct dirent *entry;
	struct stat st;
	DIR *dir;

	snprintf(hooks, sizeof(hooks), "%s/hooks", gitdir);
	if (lstat(hooks, &st) == 0 && S_ISLNK(st.st_mode))
		add(h, gitdir, CDN_STR("hooks"), true);
	dir = opendir(hooks);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && (entry->d_type == DT_LNK ||
			entry->d_type == DT_UNKNOWN))
			add(h, hooks, cdn_str_of(entry->d_name), false);
	if (dir != NULL)
		closedir(dir);
}

/* ----- Configuration -------------------------------------------------------------- */

#define CONFIG_MAX (256UL * 1024UL)

struct reading {
	struct hooks *hooks;
	const char *gitdir;
};

static void
add_value(const char *key, cdn_str value, void *arg)
{
	const struct reading *reading = arg;
	bool is_path = strcmp(key, "path") == 0;

	add(reading->hooks, is_path ? reading->gitdir :
		reading->hooks->workspace, value, !is_path);
}

static void
add_configured(struct hooks *h, const char *gitdir)
{
	struct reading reading = { h, gitdir };
	char file[CDN_PATH_MAX + sizeof("/config")];
	cdn_cleanup_fd int fd = -1;
	struct cdn_buf text;
	struct stat st;

	snprintf(file, sizeof(file), "%s/config", gitdir);
	fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    cdn_file_read(fd, file, CONFIG_MAX, &text, NULL) != 0)
		return;
	(void)!cdn_gitconfig_leading((cdn_str){ text.p, text.n }, add_value,
	    &reading, NULL);
	cdn_buf_done(&text);
}

int
cdn_hooks_find(struct cdn_arena *arena, const char *workspace,
    const struct cdn_worktree *worktree, const char *const **ret, size_t *ret_n,
    struct cordon_error *err)
{
	struct hooks h = { .arena = arena, .workspace = workspace };
	char gitdir[CDN_PATH_MAX + sizeof("/.git")];

	snprintf(gitdir, sizeof(gitdir), "%s%s",
	    worktree->common != NULL ? worktree->common : workspace,
	    worktree->common != NULL ? "" : "/.git");
	add_configured(&h, gitdir);
	add_links(&h, gitdir);
	if (h.failed)
		return cdn_err_nomem(err);
	*ret = h.v;
	*ret_n = h.n;
	return 0;
}
