/*
 * mounts - other paths to the same files.
 *
 * A bind mount shows a directory, or one file, of a file system at a second
 * place, under a path that no rule knows:
 *
 *	254:0 /	     at /	a floor entry /home/u/.ssh lies here: as
 *				(254:0, /home/u/.ssh)
 *	254:0 /home  at /srv/h	contains it: /srv/h/u/.ssh is the same
 *	254:0 /home/u/.ssh/k at /w/k	lies in it: all of /w/k is
 *
 * mountinfo tells which part of which file system is mounted where.
 */
#ifndef CDN_PATH_MOUNTS_H
#define CDN_PATH_MOUNTS_H

#include "base/arena.h"
#include "base/err.h"

struct cdn_mount {
	uint64_t dev;  /* major << 32 | minor */
	cdn_str root;  /* what of the file system is shown */
	cdn_str point; /* where */
};

/* In the order of mountinfo: what is mounted later hides what was there. */
struct cdn_mounts {
	struct cdn_mount *v;
	size_t n; /* 0 as well when no file system is mounted twice */
};

/*
 * text: as /proc/PID/mountinfo; it must outlive the mounts.  At most
 * CDN_MOUNTS_MAX lines; a line that is none is CORDON_E_INVALID.
 */
CDN_MUST_USE int cdn_mounts_parse(struct cdn_arena *arena, cdn_str text,
    struct cdn_mounts *ret, struct cordon_error *err);

/*
 * Those of this process, in the arena, at most CDN_MOUNTINFO_MAX bytes.
 * CORDON_E_NOT_FOUND where there is no /proc.
 */
CDN_MUST_USE int cdn_mounts_read(struct cdn_arena *arena,
    struct cdn_mounts *ret, struct cordon_error *err);

/*
 * Calls alias for every other path by which an absolute real path, or
 * something below it, is seen.  The string lies in the arena.
 */
typedef void cdn_alias_fn(const char *path, void *arg);
CDN_MUST_USE int cdn_mounts_aliases(struct cdn_arena *arena,
    const struct cdn_mounts *mounts, const char *path, cdn_alias_fn *alias,
    void *arg, struct cordon_error *err);

#endif
