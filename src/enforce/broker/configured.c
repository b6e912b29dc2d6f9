/*
 * configured - git replaces the configuration of a repository.
 *
 *	config.lock is renamed to config: both are read -> compared -> the bytes
 *	that were compared are written to a file of ours -> that is renamed
 *
 * Threat:    the run puts a program into the configuration that the host's git
 *	      obeys: in the file itself, after it was looked at, by another name
 *	      of it, by a link, or by moving a directory meanwhile.
 * Invariant: a configuration that comes to be differs from the one that was in
 *	      the same directory only in what engine/decide/git_config.h allows.
 * Held by:   nothing of the caller's is given the name: a new file has the bytes
 *	      that were compared, under a name that no rule allows; no process has
 *	      opened it.  All of it happens in one directory, by its descriptor,
 *	      under the lock around names.
 */
#include "enforce/broker/names.h"

#include <sys/stat.h>
#include <unistd.h>

#include "enforce/broker/inside.h"
#include "enforce/broker/replacement.h"
#include "engine/decide/git_config.h"

static const char lock_name[] = "config.lock", config_name[] = "config";

/* A file of the caller's own, without another name. */
static bool
read_file(int dir, const char *name, struct cdn_buf *text, struct stat *ret_st)
{
	return cdn_replacement_read(dir, name, text, ret_st) == 0 &&
	    ret_st->st_uid == geteuid() && ret_st->st_nlink == 1;
}

static int
install(int dir, cdn_str text, mode_t mode)
{
	return cdn_replacement_install(&(struct cdn_replacement_of){
	    .dir = dir, .lock = lock_name, .name = config_name, .bytes = text,
	    .mode = mode & 0666 });
}

static bool
may_replace(const struct cdn_buf *old, const struct cdn_buf *now)
{
	struct cdn_arena *arena = cdn_arena_new();
	bool may = arena != NULL && cdn_git_config_may_replace(arena,
	    (cdn_str){ old->p, old->n }, (cdn_str){ now->p, now->n });

	cdn_arena_free(arena);
	return may;
}

static int
replace(struct cdn_call *call, const struct cdn_named *from,
    const struct cdn_named *to)
{
	struct cdn_buf old, now;
	struct stat is, was;
	int r = CDN_REPLACE_JUDGED;

	cdn_buf_init(&old, CDN_GIT_CONFIG_MAX);
	cdn_buf_init(&now, CDN_GIT_CONFIG_MAX);
	if (read_file(to->in.fd, config_name, &old, &was) &&
	    read_file(to->in.fd, lock_name, &now, &is) &&
	    may_replace(&old, &now) &&
	    cdn_call_may_configure(call, &from->at, &to->at))
		r = install(to->in.fd, (cdn_str){ now.p, now.n },
		    was.st_mode);
	cdn_buf_done(&old);
	cdn_buf_done(&now);
	return r;
}

/* Exactly DIR/.git/config.lock to DIR/.git/config, in one directory. */
int
cdn_call_replace_config(struct cdn_call *call, const struct cdn_named *from,
    const struct cdn_named *to)
{
	if (call->broker->spec.configuring == NULL ||
	    strcmp(from->name, lock_name) != 0 ||
	    strcmp(to->name, config_name) != 0 ||
	    from->in.dev != to->in.dev || from->in.ino != to->in.ino ||
	    strcmp(from->in.path, to->in.path) != 0 ||
	    !cdn_str_ends(cdn_str_of(to->in.path), CDN_STR("/.git")) ||
	    !S_ISREG(from->at.mode) || !S_ISREG(to->at.mode) ||
	    to->in.may_fold)
		return CDN_REPLACE_JUDGED;
	return replace(call, from, to);
}
