/*
 * names - where in a tree certain files have their names.
 *
 * Hard links are found only by looking at every entry.  Links are not
 * followed, and directories of other file systems than those of the wanted
 * files are not entered: a hard link never leaves its own.
 */
#ifndef CDN_PATH_NAMES_H
#define CDN_PATH_NAMES_H

#include <sys/stat.h>

#include "base/base.h"

struct cdn_names {
	/* Is it a wanted file, or, for a directory, one worth entering? */
	bool (*wanted)(const struct stat *st, void *arg);
	/*
	 * Of a directory that is: could any name below it matter?  If not,
	 * nothing is missed by not looking.  NULL: all could.
	 */
	bool (*matters)(const char *path, void *arg);
	/* One of its names; parent: the directory's.  False: stop here. */
	bool (*found)(const char *path, const struct stat *st,
	    const struct stat *parent, void *arg);
	/* A directory that is ours and cannot be listed.  NULL: not told. */
	void (*unreadable)(const char *path, void *arg);
	void *arg;
	size_t left;	 /* entries that may still be looked at */
	bool incomplete; /* the bound was hit, or something is unreadable */
	bool stopped;	 /* found() said so */
};

/* root: absolute, real; a file is looked at as well.  May be called again. */
void cdn_names_scan(struct cdn_names *names, const char *root);

#endif
