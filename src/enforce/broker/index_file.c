/*
 * index_file - git replaces the index of a repository.
 *
 *	index.lock is renamed to index: it is read -> checked -> the bytes that
 *	were checked are written to a new file -> that is renamed
 *
 * Threat:    the run writes an index whose paths lead the host's git out of the
 *	      work tree (engine/decide/git_index.h): directly, by another name,
 *	      or through an fd that it keeps after the check.
 * Invariant: an index that comes to be holds bytes that were checked, in a file
 *	      that no process of the run has opened.
 * Held by:   broker/repository.c refuses every other way to modify it;
 *	      replacement.c makes and renames a new file by one fd of its
 *	      directory, under the lock around names.
 *	      tests/live/cage/git_index.py.
 */
#include "enforce/broker/names.h"

#include <errno.h>
#include <sys/stat.h>

#include "enforce/broker/inside.h"
#include "enforce/broker/replacement.h"
#include "engine/decide/git_index.h"

#define CONFIG_MAX (1UL << 20) /* bytes of the repository's configuration */

static const char rule[] = "git-index";

/* A linked worktree has the configuration of its repository. */
static enum cdn_object_format
object_format(int dir)
{
	static const char *const names[] = { "config", "../../config" };
	enum cdn_object_format format = CDN_OBJECT_SHA1;
	struct cdn_buf text;
	struct stat st;
	int r = -ENOENT;

	cdn_buf_init(&text, CONFIG_MAX);
	for (size_t i = 0; i < CDN_LEN(names) && r == -ENOENT; i++)
		r = cdn_replacement_read(dir, names[i], &text, &st);
	if (r == 0)
		format = cdn_git_object_format((cdn_str){ text.p, text.n });
	else if (r != -ENOENT)
		format = CDN_OBJECT_UNKNOWN;
	cdn_buf_done(&text);
	return format;
}

static bool
is_harmless(int dir, const struct cdn_buf *bytes)
{
	enum cdn_object_format format = object_format(dir);

	return format != CDN_OBJECT_UNKNOWN &&
	    cdn_git_index_is_harmless((cdn_str){ bytes->p, bytes->n },
		format == CDN_OBJECT_SHA256);
}

/*
 * The time stays that of the lock file: by it git knows which files may have
 * changed since.
 */
static int
install(const struct cdn_named *from, const struct cdn_named *to,
    const struct cdn_buf *bytes, const struct stat *like)
{
	const struct timespec times[2] = { like->st_atim, like->st_mtim };

	return cdn_replacement_install(&(struct cdn_replacement_of){
	    .dir = to->in.fd, .lock = from->name, .name = to->name,
	    .bytes = { bytes->p, bytes->n }, .mode = like->st_mode & 0777,
	    .times = times });
}

static int
judge(struct cdn_call *call, const struct cdn_named *from,
    const struct cdn_named *to)
{
	int r;

	call->replaces_index = true;
	r = cdn_call_judge_pair(call, CDN_RENAME, &from->at, &to->at);
	call->replaces_index = false;
	return r;
}

static int
replace(struct cdn_call *call, const struct cdn_named *from,
    const struct cdn_named *to)
{
	struct cdn_buf bytes;
	struct stat st;
	int r = judge(call, from, to);

	cdn_buf_init(&bytes, CDN_GIT_INDEX_MAX);
	if (r == 0)
		r = cdn_replacement_read(from->in.fd, from->name, &bytes, &st);
	if (r == 0 && !is_harmless(to->in.fd, &bytes))
		r = cdn_call_refuse(call, CORDON_MODIFY, &to->at, rule, EACCES);
	if (r == 0)
		r = install(from, to, &bytes, &st);
	cdn_buf_done(&bytes);
	return r;
}

/* As git names them; both in one directory. */
static bool
is_index(const struct cdn_named *from, const struct cdn_named *to)
{
	cdn_str was = cdn_str_of(from->name), is = cdn_str_of(to->name);

	if (from->in.dev != to->in.dev || from->in.ino != to->in.ino ||
	    strcmp(from->in.path, to->in.path) != 0)
		return false;
	return (cdn_str_is(was, "index.lock") && cdn_str_is(is, "index")) ||
	    (cdn_str_starts(was, CDN_STR("sharedindex_")) &&
		cdn_str_starts(is, CDN_STR("sharedindex.")));
}

int
cdn_call_replace_index(struct cdn_call *call, const struct cdn_named *from,
    const struct cdn_named *to)
{
	if (!is_index(from, to) || !S_ISREG(from->at.mode) ||
	    (to->at.mode != 0 && !S_ISREG(to->at.mode)) ||
	    !cdn_call_is_index_of(call, &to->at))
		return CDN_REPLACE_JUDGED;
	return replace(call, from, to);
}
