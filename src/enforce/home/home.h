/*
 * home - what a run finds around it: its own HOME, a private tmp.
 *
 *	BASE/homes/ID	kept, one per workspace and class of authority
 *			(session/home_class.c); caches and dotfiles live there
 *	BASE/tmp/ID	fresh, one per session; locked as long as it lives,
 *			removed at its end
 *	BASE/next	empty: the tmp of a session to come
 *	BASE/last	empty: that of one that ended, to be removed
 *
 * BASE is cordon's state directory, or a fresh directory in /tmp when that one
 * cannot be made.  The cage can write both, so nothing here is ever written,
 * read or followed through what it finds: every entry is reached with openat2
 * (BENEATH, NO_SYMLINKS) from a descriptor of the directory, and replaced by
 * rename.  What is granted to the cage comes from tables, never from links
 * found here.
 */
#ifndef CDN_HOME_HOME_H
#define CDN_HOME_HOME_H

#include "base/err.h"
#include "enforce/store/places.h"

/* A name of the home that shows one of the real home, read-only. */
struct cdn_home_link {
	const char *inside; /* below the home */
	const char *target; /* absolute */
};

/* A file of the real home that the home has a copy of: sync.h. */
struct cdn_home_file {
	const char *inside; /* below the home */
	const char *real;   /* absolute */
	bool returned;	    /* what the run makes of it goes back */
	bool typed;	    /* only as cdn_agent_login says */
};

struct cdn_home_spec {
	const struct cdn_places *places; /* the real homes */
	/* Absolute and without links; made 0700, its parents too, when it is
	 * missing. */
	const char *base;
	/* base was invented for this session: it must not be there yet, and
	 * goes with it, home included. */
	bool substitute;
	const char *home;	/* absolute, below base; "" = the real one stays */
	const char *tmp;	/* absolute, below base; "" = the host's */
	/* Something is granted to this session alone.  Others write the home,
	 * too, so the files that programs obey lie in tmp as well, and the
	 * environment names those (env.h). */
	bool granted;
	const char *path;	/* the composed PATH, for .profile; "" = none */
	/* Declared roots: those below the real home get a link at the same
	 * relative place.  Absolute. */
	const char *const *roots;
	size_t root_count;
	/* An agent's state: directories of the home, links and copies in
	 * them.  They must live as long as the home. */
	const char *const *states; /* below the home */
	size_t state_count;
	const struct cdn_home_link *links;
	size_t link_count;
	const struct cdn_home_file *files;
	size_t file_count;
	/* What goes into the home is left to cdn_home_furnish(). */
	bool later;
};

struct cdn_home; /* holds the lock that says "in use" */

/*
 * Makes what is missing, writes .gitconfig and its like anew (only when they
 * differ), and removes tmp directories of sessions that are gone (their lock
 * is free; at most CDN_HOME_CLEAN_MAX of them, CDN_HOME_CLEAN_ENTRIES in all).
 * CORDON_E_SYSTEM when base, home or tmp cannot be made, is a link, or belongs
 * to somebody else; CORDON_E_INVALID when home or tmp is not below base.  What
 * goes into the home is a convenience: an entry that cannot be made is left
 * out (out of memory excepted).  Several sessions may use one home.
 */
CDN_MUST_USE int cdn_home_open(const struct cdn_home_spec *spec,
    struct cdn_home **ret, struct cordon_error *err);

/*
 * What a spec with `later` left to do, by the same spec; once, and by one thread.
 * Nothing may run in the home before.
 */
CDN_MUST_USE int cdn_home_furnish(struct cdn_home *home,
    const struct cdn_home_spec *spec, struct cordon_error *err);

/*
 * Makes a directory of the real home, 0700, its parents too, where it is
 * missing: what is not there cannot be granted.
 */
CDN_MUST_USE int cdn_home_make(const char *path, struct cordon_error *err);

/*
 * The same for one in a directory where everybody may make names: one that is
 * there must be no link and belong to the user.  Where it may not be made it
 * stays missing, and that is no error.
 */
CDN_MUST_USE int cdn_home_make_shared(const char *path,
    struct cordon_error *err);

/*
 * For whoever has nothing else to do: makes the tmp of the next session, which
 * then need not wait for the disk, and removes that of the last one.  Nor does
 * the end of this one wait then: its tmp, if it is empty, is left to the next.
 */
void cdn_home_ahead(struct cdn_home *home);

/*
 * Removes tmp and all below it (a substitute base as a whole), without
 * following anything.  At most CDN_HOME_WIPE_ENTRIES names; what is left is
 * removed by the next session.  Nobody may be running in it any more.  NULL is
 * fine.
 */
void cdn_home_close(struct cdn_home *home);

#endif
