/*
 * names - where a name is, or would be: its directory, opened, and the name.
 * For this room only.
 *
 * A verdict about such a place outlives a rename of the directory: the broker
 * renames none unless every path below keeps its verdicts, Landlock lets the
 * callers rename them only inside of open regions, and whoever else does it is
 * met by cdn_named_moved().
 */
#ifndef CDN_BROKER_NAMES_H
#define CDN_BROKER_NAMES_H

#include "enforce/broker/call.h"

#define CDN_NAME_BYTES 255

struct cdn_named {
	struct cdn_object in; /* the directory */
	/* What is there, never opened; mode 0: nothing.  parent is that of in. */
	struct cdn_object at;
	char name[CDN_NAME_BYTES + 3]; /* for the kernel, with its slash; what
					* is too long for it is cut there */
	bool slash;
	bool normal; /* not ".", "..", "/", which every call refuses */
};

/* What a handler has done. */
enum cdn_named_result { CDN_NAMED_DONE, CDN_NAMED_CONTINUE };

/* Finds the directory; 0 or -errno, then there is nothing to be done(). */
CDN_MUST_USE int cdn_named_find(struct cdn_call *call, int dirfd,
    const char *path, struct cdn_named *ret);
void cdn_named_done(struct cdn_named *named);
/* Looks what is there, or that there is nothing; -errno. */
CDN_MUST_USE int cdn_named_look(struct cdn_named *named);
/* For what is to be made: what the real call finds wrong first. */
CDN_MUST_USE int cdn_named_check_new(const struct cdn_named *named,
    bool directory);
/* The directory was moved meanwhile: 1, and at.path is what it is now. */
CDN_MUST_USE int cdn_named_moved(const struct cdn_call *call,
    struct cdn_named *named);
/* Directory and name lie in native regions. */
bool cdn_named_is_native(const struct cdn_call *call,
    const struct cdn_named *named);
/*
 * passing.c: may the caller do it himself?  False: that is not known, and
 * nothing was told.  reads: what is made is opened for reading, too.
 */
bool cdn_passes_made(const struct cdn_call *call, int dirfd, const char *path,
    bool reads);
/* A symbolic link. */
bool cdn_passes_linked(const struct cdn_call *call, int dirfd,
    const char *path);
bool cdn_passes_removed(const struct cdn_call *call, int dirfd,
    const char *path);
/* Moved, and perhaps over something; not exchanged. */
bool cdn_passes_renamed(const struct cdn_call *call, const int dirfds[2],
    char *const paths[2]);
/*
 * Files of a repository that git replaces, and that are replaced by a copy which
 * was checked instead: configured.c, index_file.c.  Of a rename under the lock,
 * both looked at.  0: performed; CDN_REPLACE_JUDGED: it is a rename like any
 * other; or -errno.
 */
#define CDN_REPLACE_JUDGED 1
CDN_MUST_USE int cdn_call_replace_config(struct cdn_call *call,
    const struct cdn_named *from, const struct cdn_named *to);
CDN_MUST_USE int cdn_call_replace_index(struct cdn_call *call,
    const struct cdn_named *from, const struct cdn_named *to);
/* An enum cdn_named_result or -errno. */
void cdn_named_answer(struct cdn_call_answer *answer, int result);

#endif
