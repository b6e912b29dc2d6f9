/*
 * path - from a name to an object: the symlink contract.
 *
 * What is judged is the real path of the object that will be used: symbolic
 * links are followed first (dangling ones and missing tails too, at most
 * CDN_LINKS_MAX), ".." physically; below the last existing directory ".." is
 * lexical, and what comes back from there is among real things again.  "/" and
 * "/." behind a file name the file.  Links that the kernel makes up
 * (/proc/PID/{cwd,root,exe,fd/N}) are not followed: their target depends on
 * who asks.
 *
 * Errors: CORDON_E_LINKS (too many, or a loop), CORDON_E_RESOLVE with the
 * errno (EACCES, ENAMETOOLONG, ELOOP for a magic link, EAGAIN when things were
 * moved about all the time), CORDON_E_WORKSPACE, CORDON_E_INVALID.
 * ENOENT and ENOTDIR are no errors: the tail is missing.
 */
#ifndef CDN_PATH_PATH_H
#define CDN_PATH_PATH_H

#include <sys/types.h>

#include "base/err.h"

struct cdn_real {
	char path[CDN_PATH_MAX + 1]; /* absolute, canonical, NUL-terminated */
	size_t len;
	size_t existing;   /* path[0..existing) names the deepest object there */
	bool exists;	   /* the whole path does */
	bool is_directory; /* of the object, when it exists */
	dev_t dev;	   /* of the object, when it exists */
	ino_t ino;
	nlink_t nlink;
};

/*
 * raw: any bytes but NUL, at most CDN_PATH_MAX; empty is base.  base: absolute
 * path that a relative raw is taken from (itself resolved too).  Uses openat2
 * for the common case and a walk of its own where the path, or openat2, is
 * missing.  Allocates nothing (about 48 KiB of stack); opens descriptors only
 * for its own duration.
 */
CDN_MUST_USE int cdn_path_resolve(const char *base, cdn_str raw,
    struct cdn_real *ret, struct cordon_error *err);

/*
 * The real path of a workspace: must exist and be a directory, otherwise
 * CORDON_E_WORKSPACE.  Relative: from the current directory.
 */
CDN_MUST_USE int cdn_path_workspace(const char *dir, struct cdn_real *ret,
    struct cordon_error *err);

/*
 * Does the directory that holds the name (or, when the tail is missing, the
 * deepest one there is) ignore case?  In doubt it does: comparing too loosely
 * only protects more.  Asked apart because few callers need it.
 */
bool cdn_path_folds_case(const struct cdn_real *real);
/* Does any directory on the way to it? */
bool cdn_path_folds_somewhere(const char *path, size_t n);
/* Can it at all, on a file system of that f_type (statfs(2))? */
bool cdn_path_may_fold(uint32_t f_type);
/* Does this one?  fd: of a directory, to be read. */
bool cdn_path_folds_fd(int fd);

/*
 * The real path of an open descriptor; what was judged is what was opened.
 * CORDON_E_RESOLVE when it has none (removed, a pipe) or /proc is not there.
 */
CDN_MUST_USE int cdn_path_of_fd(int fd, struct cdn_real *ret,
    struct cordon_error *err);

/*
 * Is (dev, ino) the inode of `entry` or, when entry is a directory, of a
 * regular file below it?  Bounded walk (CDN_INODE_SCAN_MAX entries); one that
 * hits the bound, or a directory of one's own that is shut, leaves a doubt, and
 * in doubt it is protected.  For objects with more than one link only: the
 * caller looks at nlink first.
 */
enum cdn_held {
	CDN_HELD_NOT,
	CDN_HELD_PERHAPS,
	CDN_HELD,
};
enum cdn_held cdn_path_holds_inode(const char *entry, dev_t dev, ino_t ino);

#endif
