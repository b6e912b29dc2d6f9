/*
 * gate - the paths that an agent may name, and the one way to open them.
 *
 *	raw ─► find (session) ─► judge ─► open ─► is it what was judged? ─► fd
 *
 * Tools, the MCP guard and hooks come through here; a tool cannot open a path
 * by itself because it is given descriptors only.  Asked is always "as agent"
 * of the one decision function, and what is judged is the real path of the
 * object that is then used.
 *
 * A path policy is immutable; threads may share it.
 */
#ifndef CDN_GATE_GATE_H
#define CDN_GATE_GATE_H

#include <sys/stat.h>

#include "enforce/session/session.h"

struct cordon_path_policy {
	const struct cordon_session *session;
	const char *base; /* real path that relative names start at */
};

/* Does either contain the other?  Both absolute; missing tails are fine. */
CDN_MUST_USE int cdn_gate_apart(const struct cordon_session *session,
    const char *const *private_dirs, size_t n, struct cordon_error *err);

/*
 * Finds and judges.  *real is what was judged.  Otherwise a code of cordon.h,
 * err and *refused say why.  base: see cdn_session_find().
 */
CDN_MUST_USE int cdn_gate_enforce(const struct cordon_path_policy *policy,
    const char *base, enum cordon_op op, cdn_str raw, struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err);

/* The same for an object that was found already. */
CDN_MUST_USE int cdn_gate_judge(const struct cordon_path_policy *policy,
    enum cordon_op op, const struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err);

/* See cordon_path_open(). */
CDN_MUST_USE int cdn_gate_open(const struct cordon_path_policy *policy,
    cdn_str raw, int flags, unsigned mode, int *ret_fd, struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err);

/* ----- A file in place of another (replace.c) -------------------------------- */

/*
 * New contents beside the old ones, which take their place in one step: who
 * reads sees the one or the other.  The name is judged as for modifying, links
 * are followed before that and never afterwards.
 */
struct cdn_replacement {
	struct cdn_real real; /* what will be replaced, or made */
	int fd;		      /* to be written to; of begin() until done() */
	bool existed;
	const struct cordon_session *session;
	int dir;	 /* O_PATH of its directory */
	bool nameless;	 /* has no name yet */
	char temp[32];	 /* its name, once it has one */
	unsigned mode;	 /* of the old one, or 0 */
	struct timespec changed; /* the old one's */
};

/* ret needs cdn_gate_replace_done() whatever happens; 0 when it is ready. */
CDN_MUST_USE int cdn_gate_replace_begin(
    const struct cordon_path_policy *policy, cdn_str raw,
    struct cdn_replacement *ret, struct cordon_refused *refused,
    struct cordon_error *err);
/*
 * Puts it in place.  Nothing is replaced that is not what was seen at the
 * beginning, neither another file nor one that was written to since.
 */
CDN_MUST_USE int cdn_gate_replace_commit(struct cdn_replacement *replacement,
    struct cordon_refused *refused, struct cordon_error *err);
void cdn_gate_replace_done(struct cdn_replacement *replacement);

/* ----- What lies in a directory (child.c) -------------------------------------- */

struct cdn_child {
	struct cdn_real real; /* is_directory is set, too */
	mode_t mode;
	uint64_t size;
};

/*
 * An entry of a directory that was opened through here and has that path; READ
 * is judged.  CORDON_E_NOT_FOUND when it is gone.
 */
CDN_MUST_USE int cdn_gate_child(const struct cordon_path_policy *policy,
    int dir, const struct cdn_real *dir_real, const char *name,
    struct cdn_child *ret, struct cordon_refused *refused,
    struct cordon_error *err);
/* The same, and a descriptor to read from; regular files and directories. */
CDN_MUST_USE int cdn_gate_child_open(const struct cordon_path_policy *policy,
    int dir, const struct cdn_real *dir_real, const char *name, int *ret_fd,
    struct cdn_child *ret, struct cordon_refused *refused,
    struct cordon_error *err);

CDN_MUST_USE int cdn_gate_join(const struct cordon_path_policy *policy,
    const char *dir, cdn_str name, struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err);

/* Fills *refused (may be NULL) for a failure that no verdict gave. */
void cdn_gate_refuse(struct cordon_refused *refused, enum cordon_refusal why);

CDN_MUST_USE int cdn_gate_shell(const struct cordon_path_policy *policy,
    const struct cordon_shell_query *query, struct cordon_shell_verdict *ret,
    struct cordon_error *err);
/*
 * Does a command in it change the directory of the shell that reads it?  Not
 * when it cannot be read: cdn_gate_shell() refuses that.
 */
CDN_MUST_USE int cdn_gate_shell_moves(cdn_str text, struct cdn_arena *arena,
    bool *ret, struct cordon_error *err);

#endif
