/*
 * repository - no git repository comes to be where the run may write.
 *
 * Threat:    the run completes a repository (HEAD, objects, refs, config) in any
 *            directory, one part after the other or by several threads.  The
 *            next `git status` of the host there executes what its config says.
 * Invariant: the entry that would complete one is refused, and so is whatever
 *            configures one that is there.
 * Held by:   every call that makes a name looks at its directory and makes the
 *            name under one lock (family->naming).  Below a guarded directory
 *            no region is open, so that none of these calls is continued:
 *            the rules for HEAD hold at any depth (engine/decide/preset.c).
 */
#include "enforce/broker/names.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "enforce/broker/inside.h"
#include "enforce/path/repository.h"

static const char rule[] = "nested-git";
static const char content_rule[] = "git-index";
static const char link_rule[] = "git-symlink";

#define OBEYED                                                       \
	((unsigned)CDN_REPOSITORY_CONFIG | CDN_REPOSITORY_COMMONDIR | \
	    CDN_REPOSITORY_CONTENT)

static bool
is_guarded(const struct cdn_broker_spec *spec, const char *path)
{
	for (size_t i = 0; i < spec->guarded_count; i++) {
		const char *dir = spec->guarded[i];
		size_t n = dir[1] == '\0' ? 0 : strlen(dir); /* "/" */

		if (strncmp(path, dir, n) == 0 &&
		    (path[n] == '\0' || path[n] == '/'))
			return true;
	}
	return false;
}

bool
cdn_call_makes_part(const struct cdn_call *call, const char *path)
{
	const char *slash = strrchr(path, '/');

	return call->broker->spec.guarded_count > 0 && slash != NULL &&
	    (cdn_repository_part(cdn_str_of(slash + 1)) &
		~(unsigned)CDN_REPOSITORY_CONTENT) != 0 &&
	    is_guarded(&call->broker->spec, path);
}

bool
cdn_broker_made_part(const struct cdn_broker *broker)
{
	return atomic_load(&broker->family->made_part);
}

int
cdn_call_check_part(struct cdn_call *call, int dir,
    const struct cdn_object *at)
{
	unsigned has, part;

	if (!cdn_call_makes_part(call, at->path))
		return 0;
	part = cdn_repository_part(cdn_str_of(strrchr(at->path, '/') + 1));
	has = cdn_repository_parts(dir, ".");
	call->in_repository = cdn_repository_is(has);
	if (!call->in_repository)
		atomic_store(&call->broker->family->made_part, true);
	if (!cdn_repository_forbids(has, part))
		return 0;
	return cdn_call_refuse(call, CORDON_MODIFY, at, rule, EACCES);
}

/* Under a name that no process of a run can know before. */
static void
move_aside(int dir, const char *name)
{
	char aside[CDN_NAME_BYTES + 64];
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		number = (uint64_t)(uintptr_t)&number;
	snprintf(aside, sizeof(aside), "%.*s.refused-%016llx",
	    CDN_NAME_BYTES / 2, name, (unsigned long long)number);
	/* Not every file system knows the flag. */
	if (cdn_raw(SYS_renameat2, dir, name, dir, aside, RENAME_NOREPLACE) <
	    0 && renameat(dir, name, dir, aside) != 0)
		(void)!unlinkat(dir, name, 0);
}

/*
 * Threat:    two runs in one workspace, or a run and a tool, each make a part of
 *	      one repository: neither sees that of the other before its own.
 * Invariant: after a part was made, its maker looks again.
 * Held by:   every call that makes a part comes here; a tool does the same
 *	      (gate/repository.c).  Of two parts the one that was made last is
 *	      seen by its maker together with the first.
 */
int
cdn_call_check_completed(struct cdn_call *call, int dir,
    const struct cdn_object *at)
{
	if (!cdn_call_makes_part(call, at->path) || call->in_repository ||
	    !cdn_repository_is(cdn_repository_parts(dir, ".")))
		return 0;
	move_aside(dir, strrchr(at->path, '/') + 1);
	return cdn_call_refuse(call, CORDON_MODIFY, at, rule, EACCES);
}

/*
 * Threat:    a run takes a repository apart, so that it does not count as one,
 *	      writes what git obeys in it, and the host, or a race of two runs,
 *	      puts it together again.
 * Invariant: no part of a repository is removed or renamed: git never does.
 * Held by:   unlink, rmdir and rename come here.
 */
int
cdn_call_check_kept(struct cdn_call *call, int dir,
    const struct cdn_object *at)
{
	const unsigned parts = CDN_REPOSITORY_HEAD | CDN_REPOSITORY_OBJECTS |
	    CDN_REPOSITORY_REFS | CDN_REPOSITORY_COMMONDIR;

	if (!cdn_call_makes_part(call, at->path) ||
	    (cdn_repository_part(cdn_str_of(strrchr(at->path, '/') + 1)) &
		parts) == 0 ||
	    !cdn_repository_is(cdn_repository_parts(dir, ".")))
		return 0;
	return cdn_call_refuse(call, CORDON_MODIFY, at, rule, EACCES);
}

/* Takes the last name off a path. */
static cdn_str
last_step(cdn_str *path)
{
	size_t n = path->n;
	cdn_str step;

	while (n > 0 && path->p[n - 1] != '/')
		n--;
	step = (cdn_str){ path->p + n, path->n - n };
	path->n = n > 0 ? n - 1 : 0;
	return step;
}

/* The first n bytes of a path. */
static bool
is_repository_at(const struct cdn_broker *broker, const char *path, size_t n)
{
	char dir[CDN_PATH_MAX + 3];

	snprintf(dir, sizeof(dir), ".%.*s", (int)n, path);
	return cdn_repository_is_at(broker->root_fd, dir);
}

/*
 * By the first n bytes of a path.  A directory called .git is git's, and so are
 * those of its worktrees, whatever is missing in them.
 */
static bool
is_git_directory(const struct cdn_broker *broker, const char *path, size_t n)
{
	cdn_str dir = { path, n }, worktrees;

	if (cdn_repository_is_named(last_step(&dir)))
		return true;
	worktrees = last_step(&dir);
	return (cdn_str_is(worktrees, "worktrees") &&
		   cdn_repository_is_named(last_step(&dir))) ||
	    is_repository_at(broker, path, n);
}

/* Does any of the directories above it belong to git? */
static bool
is_in_repository(const struct cdn_broker *broker, const char *path)
{
	const char *last = strrchr(path, '/');

	if (cdn_repository_is_named((cdn_str){ path, (size_t)(last - path) }))
		return true;
	for (const char *p = last; p > path; p--)
		if (*p == '/' && is_repository_at(broker, path,
			(size_t)(p - path)))
			return true;
	return false;
}

bool
cdn_call_is_index_of(const struct cdn_call *call, const struct cdn_object *at)
{
	const char *last = strrchr(at->path, '/');

	return last != NULL && is_guarded(&call->broker->spec, at->path) &&
	    is_git_directory(call->broker, at->path,
		(size_t)(last - at->path));
}

/*
 * Threat:    the host's git appends to, or replaces, what a symlink in a git
 *	      directory leads to (logs/HEAD -> ~/.bashrc).
 * Invariant: the run makes no symlink in one: git itself makes none there.
 * Held by:   symlink, rename and link come here with what would be made.
 */
int
cdn_call_check_link_text(struct cdn_call *call, const struct cdn_object *at,
    const char *text)
{
	if (!is_guarded(&call->broker->spec, at->path))
		return 0;
	if (cdn_repository_is_named(cdn_str_of(text)))
		return cdn_call_refuse(call, CORDON_MODIFY, at, rule, EACCES);
	if (is_in_repository(call->broker, at->path))
		return cdn_call_refuse(call, CORDON_MODIFY, at, link_rule,
		    EACCES);
	return cdn_call_check_led(call, at, text);
}

int
cdn_call_check_link_at(struct cdn_call *call, const struct cdn_object *at,
    int dir, const char *name)
{
	char text[CDN_PATH_MAX + 1];
	ssize_t n;

	if (!is_guarded(&call->broker->spec, at->path))
		return 0;
	n = readlinkat(dir, name, text, sizeof(text));
	if (n < 0 || (size_t)n >= sizeof(text))
		return n < 0 ? -errno : -ENAMETOOLONG;
	text[n] = '\0';
	return cdn_call_check_link_text(call, at, text);
}

bool
cdn_call_could_configure(const struct cdn_call *call, const char *path)
{
	const struct cdn_broker_spec *spec = &call->broker->spec;
	cdn_str rest = cdn_str_of(path), name;

	if (spec->guarded_count == 0 || !is_guarded(spec, path))
		return false;
	while (cdn_str_next(&rest, '/', &name))
		if ((cdn_repository_part(name) & OBEYED) != 0)
			return true;
	return false;
}

const char *
cdn_call_configures(const struct cdn_call *call, const char *path)
{
	const struct cdn_broker *broker = call->broker;
	const unsigned refused = call->replaces_index ?
	    OBEYED & ~(unsigned)CDN_REPOSITORY_CONTENT : OBEYED;
	cdn_str rest = cdn_str_of(path), name;

	if (broker->spec.guarded_count == 0 ||
	    !is_guarded(&broker->spec, path))
		return NULL;
	while (cdn_str_next(&rest, '/', &name)) {
		unsigned part = cdn_repository_part(name);

		if ((part & refused) != 0 && name.p > path &&
		    is_git_directory(broker, path,
			(size_t)(name.p - 1 - path)))
			return (part & (unsigned)CDN_REPOSITORY_CONTENT) != 0 ?
			    content_rule : rule;
	}
	return NULL;
}
