/*
 * path_internal - the parts of this room, for each other and for its tests.
 *
 * A name is resolved in one of three ways that must give the same answer.  One
 * that leads through no link and no ".." is its own path, and the kernel says so
 * (cdn_path_plain).  For most others it says what the path is (cdn_path_fast).
 * A walk of our own (cdn_path_walk) is for what the kernel cannot answer: longer
 * missing tails, no openat2, no /proc.
 */
#ifndef CDN_PATH_PATH_INTERNAL_H
#define CDN_PATH_PATH_INTERNAL_H

#include <sys/stat.h>

#include "enforce/path/path.h"

/*
 * They take arguments that cdn_path_resolve() has checked: base absolute, no
 * NUL in raw, each at most CDN_PATH_MAX bytes.
 *
 * plain, fast: 0, or -errno for "ask the next"; *ret is written on success only.
 */
CDN_MUST_USE int cdn_path_plain(const char *base, cdn_str raw,
    struct cdn_real *ret);
CDN_MUST_USE int cdn_path_fast(const char *base, cdn_str raw,
    struct cdn_real *ret);
CDN_MUST_USE int cdn_path_walk(const char *base, cdn_str raw,
    struct cdn_real *ret, struct cordon_error *err);

/* What the object's stat tells; path, len and existing are there already. */
void cdn_path_fill(struct cdn_real *real, const struct stat *st);

/*
 * Does the directory path[0..n) ignore case in names?  n 0 is "/".  When in
 * doubt it does: comparing names too loosely only protects more.
 */
bool cdn_path_folds(const char *path, size_t n);

enum cdn_path_fold {
	CDN_FOLD_NEVER,
	CDN_FOLD_ALWAYS,
	CDN_FOLD_BY_DIRECTORY, /* an inode flag tells */
};

/* By f_type of statfs(2). */
enum cdn_path_fold cdn_path_fold_kind(uint32_t f_type);

/* The length of path's parent: 0 for "/" and for what lies in it. */
size_t cdn_path_parent(const char *path, size_t len);

/* CORDON_E_RESOLVE with the errno: "cannot resolve 'PATH': ...". */
static inline int
cdn_path_error(struct cordon_error *err, int sys_errno, cdn_str path)
{
	(void)cdn_err_sys(err, sys_errno, "cannot resolve '%.*s'",
	    CDN_STR_ARG(path));
	if (err != NULL)
		err->code = CORDON_E_RESOLVE;
	return CORDON_E_RESOLVE;
}

#endif
