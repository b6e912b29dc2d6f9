/*
 * store - documents on disk: named policies, trust, files read once.
 *
 * Names are checked (cdn_name_check) before any path is built from them.
 * Nothing here follows a symbolic link in the last step; files are read in one
 * go, bounded, so the bytes hashed are the bytes parsed.  Writes are atomic:
 * a temporary file in the same directory, fsync, rename, fsync of the
 * directory; a reader sees the old or the new bytes, never a mixture.
 */
#ifndef CDN_STORE_STORE_H
#define CDN_STORE_STORE_H

#include "base/buf.h"
#include "engine/policy/policy.h"

/*
 * Reads a regular file of at most `max` bytes.  CORDON_E_NOT_FOUND when it is
 * not there; anything else that is wrong (a directory, a FIFO, too large,
 * unreadable, a link that leads nowhere) is an error that names the file.
 * Never blocks on a FIFO.  follow: whether the last step may be a symbolic
 * link (files a person names on the command line: yes).  *ret need not be
 * initialised; the caller gives it back with cdn_buf_done().
 */
CDN_MUST_USE int cdn_store_read(const char *file, size_t max, bool follow,
    struct cdn_buf *ret, struct cordon_error *err);

/*
 * Replaces file atomically, mode `mode` whatever the umask.  What is there and
 * is no regular file (a symbolic link, say) is left alone: an error.
 */
CDN_MUST_USE int cdn_store_write(const char *file, cdn_str bytes,
    unsigned mode, struct cordon_error *err);

/* cdn_store_read + cdn_policy_parse; source is the file name as given. */
CDN_MUST_USE int cdn_store_load(const char *file, bool follow,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);

/* Likewise with cdn_policy_parse_part(). */
CDN_MUST_USE int cdn_store_load_part(const char *file, bool follow,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);

/*
 * One directory of named policies: NAME.yaml or NAME.yml, not both, the stem
 * equal to metadata.name ("file stem 'x' does not match metadata.name 'y'").
 * Symbolic links are refused; hidden files are no policies.
 *
 * list: sorted by the bytes of the names, at most CDN_STORE_MAX; no directory
 * is an empty list.  Every document is loaded first, and when one is invalid
 * there is no callback at all.  The strings live during the callback.
 */
typedef void cdn_store_entry_fn(const char *name, const char *file, void *arg);
CDN_MUST_USE int cdn_store_list(const char *dir, cdn_store_entry_fn *entry,
    void *arg, struct cordon_diags *diags, struct cordon_error *err);
/*
 * CORDON_E_NOT_FOUND when there is none of that name.  part: it will be merged
 * over another one (cdn_policy_parse_part()).
 */
CDN_MUST_USE int cdn_store_get(const char *dir, const char *name, bool part,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);
/*
 * text must be a valid policy of that name; written as NAME.yaml, 0600.  The
 * directory must be there.
 */
CDN_MUST_USE int cdn_store_put(const char *dir, const char *name, cdn_str text,
    struct cordon_diags *diags, struct cordon_error *err);

#endif
