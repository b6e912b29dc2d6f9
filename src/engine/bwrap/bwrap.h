/*
 * bwrap - a plan as mounts, and as the words that tell them to bubblewrap.
 *
 *	plan (nobody judges) ─► regions ─┐
 *	                                 ├─► mounts ─► words of the command
 *	decide + real directories ─► walk┘       └───► what they do not hold
 *
 * Mounts know a place, whether it can be seen and whether it can be changed.
 * A region that is the same everywhere is one of them; one that is mixed is
 * walked, and whatever in it differs from the directory around it is mounted
 * over.  So they hold what is there when the run begins: names that come later,
 * and what is renamed over a mask by somebody outside, are told as shortfalls,
 * and so is `exec`.  Nothing is mounted where there is nothing: a mount point
 * would have to be made, and would stay.
 *
 * What is mounted in something that can be changed cannot be moved away with
 * the directories around it: each of these is a mount of its own ("pinned"),
 * and a mount point can be neither renamed nor removed from inside.
 *
 * Pure: directories are listed by the caller.
 */
#ifndef CDN_BWRAP_BWRAP_H
#define CDN_BWRAP_BWRAP_H

#include "base/arena.h"
#include "engine/plan/plan.h"

enum cdn_mount_kind {
	CDN_MOUNT_RO,	   /* the host's, and it cannot be changed */
	CDN_MOUNT_RW,	   /* the host's */
	CDN_MOUNT_EMPTY,   /* a directory of ours, for what is mounted in it */
	CDN_MOUNT_NOTHING, /* a file that cannot be opened */
	CDN_MOUNT_DEVICE,  /* the host's, as a device */
	CDN_MOUNT_LINK,	   /* a symbolic link in an EMPTY one */
	CDN_MOUNT_DIR,	   /* a directory in an EMPTY one, on the way to more */
	CDN_MOUNT_TMP,	   /* a private directory that can be changed */
	CDN_MOUNT_DEV,	   /* the few devices that everybody needs */
	CDN_MOUNT_PROC,	   /* of the run's own processes */
	CDN_MOUNT_KIND_MAX
};

struct cdn_bwrap_mount {
	const char *path; /* absolute, real; "/" only as RO, RW or EMPTY */
	enum cdn_mount_kind kind;
	const char *from; /* LINK: where it leads.  TMP: a directory, or NULL */
	unsigned mode;	  /* EMPTY, DIR: 0555, or 0111: it may not be listed */
	bool directory;	  /* RO, RW */
	bool own;	  /* RW: of the run; perhaps not made yet */
	bool brief;	  /* RO, RW: one entry of many, which may be gone by then */
	bool pinned;	  /* RW in another one: itself it may not be changed */
	/*
	 * The place of the one around it, if that is the sandbox's alone and
	 * lacks its name; NULL: there is something to mount it on.
	 */
	const char *within;
};

struct cdn_bwrap_plan {
	/* The same plan, with what mounts hold and what they do not. */
	const struct cdn_plan *plan;
	const struct cdn_bwrap_mount *mounts; /* parents first, each path once */
	size_t count;
};

/* Symbolic links of a directory; they are no objects of a plan. */
typedef int cdn_bwrap_link_fn(const char *name, const char *target, void *arg);

struct cdn_bwrap_input {
	/* Built for a host with Landlock and without a broker. */
	const struct cdn_plan *plan;
	const struct cdn_authority *authority;
	/*
	 * What is mounted.  Inside a git directory that is less: a mount cannot
	 * allow a name that comes later, and `git commit` makes such names.
	 * NULL: the same.
	 */
	const struct cdn_authority *mounted;
	const struct cdn_authority_spec *spec;
	const struct cdn_plan_reader *reader;
	/* As reader->list; what cannot be listed has none. */
	int (*links)(void *arg, const char *dir, cdn_bwrap_link_fn *link,
	    void *link_arg, struct cordon_error *err);
	void *links_arg;
	const char *tmp; /* the run's own: also its /tmp; "" = none */
	/* The host's devices cannot be given so that nobody changes them. */
	bool unsealed;
};

/*
 * Bounded by CDN_BWRAP_MOUNTS_MAX, CDN_PLAN_ENTRIES_MAX and CDN_PLAN_DEPTH_MAX;
 * past these a directory is closed, or cannot be changed, as a whole.
 * Everything lies in the arena; what the input has is borrowed.
 */
CDN_MUST_USE int cdn_bwrap_build(struct cdn_arena *arena,
    const struct cdn_bwrap_input *input, struct cdn_bwrap_plan *ret,
    struct cordon_error *err);

/* The table behind its shortfalls, for the page about it; false past the end. */
bool cdn_bwrap_shortfall(size_t i, struct cdn_shortfall *ret);

/* ----- Words -------------------------------------------------------------- */

struct cdn_bwrap_command {
	const char *cwd;	/* absolute */
	char *const *envp;	/* of the program; nothing is added */
	bool terminal;		/* the run is given the caller's: no new session */
	/*
	 * Descriptors, or -1: the system-call filter; where bwrap tells what
	 * became of it; and one that it reads to its end when all mounts are
	 * there, before it goes on.
	 */
	int seccomp_fd, status_fd, ready_fd;
	bool helped; /* somebody else makes those that need not be told */
	/*
	 * For people: what a run would make first need not be there, and a new
	 * session is made in any case, because no filter forbids to type into
	 * the terminal of another one.
	 */
	bool alone;
};

/*
 * bwrap takes longer for each mount, the more there are, so whoever can mount in
 * another way tells it only these: the root, and /proc, which its own first
 * process has to make.  It makes an empty /dev besides, for what it reads.
 */
bool cdn_bwrap_is_told(const struct cdn_bwrap_mount *mount);
/* Is that directory there because of what is mounted? */
bool cdn_bwrap_has(const struct cdn_bwrap_plan *plan, const char *dir);

/*
 * The options, without the program in front and the command behind; ends with
 * NULL.  In the arena, strings are borrowed.  CORDON_E_INVALID: more words than
 * bwrap takes (CDN_BWRAP_WORDS_MAX).
 */
CDN_MUST_USE int cdn_bwrap_words(struct cdn_arena *arena,
    const struct cdn_bwrap_plan *plan, const struct cdn_bwrap_command *command,
    const char *const **ret, size_t *ret_count, struct cordon_error *err);

#endif
