/*
 * words - mounts as options of bwrap.
 */
#include "engine/bwrap/build.h"

#define READY "/dev/.cordon" /* in a directory that is ours, closed at once */
#define FIRST "/proc/1" /* of the sandbox */

struct words {
	struct cdn_arena *arena;
	const char **v;
	size_t n;
	size_t capacity;
	bool oom;
};

static void
put(struct words *w, const char *word)
{
	const char **v = w->oom || word == NULL ? NULL :
	    cdn_arena_grow(w->arena, w->v, w->n, &w->capacity, sizeof(*v));

	if (v == NULL) {
		w->oom = true;
		return;
	}
	w->v = v;
	v[w->n++] = word;
}

static void
put2(struct words *w, const char *option, const char *value)
{
	put(w, option);
	put(w, value);
}

static void
put3(struct words *w, const char *option, const char *from, const char *to)
{
	put2(w, option, from);
	put(w, to);
}

static void
put_fd(struct words *w, const char *option, int fd)
{
	if (fd >= 0)
		put2(w, option, cdn_arena_printf(w->arena, "%d", fd));
}

/* ----- Mounts ------------------------------------------------------------ */

static void
put_tmp(struct words *w, const struct cdn_bwrap_mount *mount, bool alone)
{
	if (mount->from != NULL && !alone)
		put3(w, "--bind", mount->from, mount->path);
	else
		put2(w, "--tmpfs", mount->path);
}

/* Somebody who is alone may not have it: then it is empty. */
static void
put_own(struct words *w, const struct cdn_bwrap_mount *mount, bool alone)
{
	if (!alone) {
		put3(w, mount->brief ? "--bind-try" : "--bind", mount->path,
		    mount->path);
		return;
	}
	put2(w, "--tmpfs", mount->path);
	put3(w, "--bind-try", mount->path, mount->path);
}

/* The root is empty from the beginning. */
static void
put_empty(struct words *w, const char *option,
    const struct cdn_bwrap_mount *mount)
{
	static const char *const modes[] = { "0000", "0111", "0555" };

	if (strcmp(mount->path, "/") == 0)
		return;
	put2(w, "--perms", modes[mount->mode == 0 ? 0 :
				 mount->mode == 0111 ? 1 : 2]);
	put2(w, option, mount->path);
}

/*
 * The first process is bwrap itself.  The command may run before that one has
 * closed what it has of the host, its /proc above all: nobody looks into it.
 */
static void
put_first(struct words *w)
{
	put2(w, "--perms", "0555");
	put2(w, "--tmpfs", FIRST);
	put2(w, "--remount-ro", FIRST);
}

static void
put_mount(struct words *w, const struct cdn_bwrap_mount *mount, bool alone)
{
	switch (mount->kind) {
	case CDN_MOUNT_RO:
		put3(w, mount->brief ? "--ro-bind-try" : "--ro-bind",
		    mount->path, mount->path);
		break;
	case CDN_MOUNT_RW:
		put_own(w, mount, alone && mount->own);
		break;
	case CDN_MOUNT_EMPTY:
		put_empty(w, "--tmpfs", mount);
		break;
	case CDN_MOUNT_DIR:
		put_empty(w, "--dir", mount);
		break;
	case CDN_MOUNT_NOTHING:
		/* As no device can be opened there, it cannot be opened. */
		put3(w, "--ro-bind", "/dev/null", mount->path);
		break;
	case CDN_MOUNT_DEVICE:
		put3(w, "--dev-bind", mount->path, mount->path);
		break;
	case CDN_MOUNT_LINK:
		put3(w, "--symlink", mount->from, mount->path);
		break;
	case CDN_MOUNT_TMP:
		put_tmp(w, mount, alone);
		break;
	case CDN_MOUNT_DEV:
		put2(w, "--dev", mount->path);
		put2(w, "--tmpfs", "/dev/shm");
		break;
	case CDN_MOUNT_PROC:
		put2(w, "--proc", mount->path);
		put_first(w);
		break;
	case CDN_MOUNT_KIND_MAX:
		break;
	}
}

/* When all that is mounted into them is there; /proc for root's sake. */
static void
put_sealed(struct words *w, const struct cdn_bwrap_mount *mount)
{
	if (mount->kind == CDN_MOUNT_EMPTY || mount->kind == CDN_MOUNT_DEV ||
	    mount->kind == CDN_MOUNT_PROC)
		put2(w, "--remount-ro", mount->path);
}

bool
cdn_bwrap_is_told(const struct cdn_bwrap_mount *mount)
{
	return mount->kind == CDN_MOUNT_PROC || strcmp(mount->path, "/") == 0;
}

/* The rest is made, and sealed, by somebody else. */
static void
put_told(struct words *w, const struct cdn_bwrap_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (cdn_bwrap_is_told(&plan->mounts[i]))
			put_mount(w, &plan->mounts[i], false);
		else if (plan->mounts[i].kind == CDN_MOUNT_DEV)
			put2(w, "--tmpfs", plan->mounts[i].path);
}

static void
put_ready(struct words *w, int fd)
{
	if (fd < 0)
		return;
	put2(w, "--perms", "0000");
	put_fd(w, "--file", fd);
	put(w, READY);
}

/* ----- The rest ---------------------------------------------------------- */

static void
put_variable(struct words *w, const char *variable)
{
	const char *value = strchr(variable, '=');

	if (value == NULL)
		return;
	put3(w, "--setenv", cdn_arena_dup(w->arena, variable,
	    (size_t)(value - variable)), value + 1);
}

/*
 * In the sandbox no capability is left and no user namespace can be made, so
 * nobody can take a mount away.
 */
static void
put_head(struct words *w, const struct cdn_plan *plan,
    const struct cdn_bwrap_command *command)
{
	put(w, "--unshare-all");
	put(w, "--unshare-user");
	put(w, "--disable-userns");
	if (plan->network != CDN_NETWORK_NONE)
		put(w, "--share-net");
	put(w, "--die-with-parent");
	if (command->alone || !command->terminal)
		put(w, "--new-session");
	put2(w, "--cap-drop", "ALL");
	put_fd(w, "--seccomp", command->seccomp_fd);
	put_fd(w, "--json-status-fd", command->status_fd);
	put(w, "--clearenv");
	for (size_t i = 0; command->envp[i] != NULL; i++)
		put_variable(w, command->envp[i]);
}

bool
cdn_bwrap_has(const struct cdn_bwrap_plan *plan, const char *dir)
{
	const struct cdn_bwrap_mount *around = cdn_bwrap_around(plan->mounts,
	    plan->count, dir);

	for (size_t i = 0; i < plan->count; i++)
		if (cdn_plan_at_or_below(plan->mounts[i].path, dir))
			return true;
	return around == NULL || around->kind != CDN_MOUNT_EMPTY ||
	    around->mode == 0;
}

/* What may not be seen can still be stood in: an empty one of that name. */
static void
put_cwd(struct words *w, const struct cdn_bwrap_plan *plan, const char *cwd)
{
	if (cdn_bwrap_has(plan, cwd))
		return;
	put2(w, "--perms", "0111");
	put2(w, "--dir", cwd);
}

int
cdn_bwrap_words(struct cdn_arena *arena, const struct cdn_bwrap_plan *plan,
    const struct cdn_bwrap_command *command, const char *const **ret,
    size_t *ret_count, struct cordon_error *err)
{
	struct words w = { .arena = arena };

	put_head(&w, plan->plan, command);
	if (command->helped)
		put_told(&w, plan);
	for (size_t i = 0; i < plan->count && !command->helped; i++)
		put_mount(&w, &plan->mounts[i], command->alone);
	if (!command->helped)
		put_cwd(&w, plan, command->cwd);
	put_ready(&w, command->ready_fd);
	for (size_t i = plan->count; i-- > 0 && !command->helped;)
		put_sealed(&w, &plan->mounts[i]);
	put2(&w, "--chdir", command->cwd);
	if (w.oom)
		return cdn_err_nomem(err);
	if (w.n > CDN_BWRAP_WORDS_MAX)
		return cdn_err(err, CORDON_E_INVALID, "this policy needs %zu "
		    "words to tell bwrap, which takes %d (use '--backend "
		    "native', or rules for whole directories)", w.n,
		    CDN_BWRAP_WORDS_MAX);
	*ret_count = w.n;
	put(&w, "");
	if (w.oom)
		return cdn_err_nomem(err);
	w.v[w.n - 1] = NULL;
	*ret = w.v;
	return 0;
}
