/*
 * walk - what lies below a directory, entry by entry, always in the same order.
 *
 * Only what may be read is shown, and only directories that may be read are
 * entered; links are shown and never followed.  The order is that of the bytes
 * of names, directory by directory, so that a later call can go on behind the
 * last path of an earlier one.
 */
#ifndef CDN_TOOL_WALK_H
#define CDN_TOOL_WALK_H

#include "enforce/tool/tool.h"

#define CDN_TOOL_STOP 2 /* from each(): enough */

struct cdn_tool_entry {
	int dir; /* of the directory it lies in, and its path */
	const struct cdn_real *dir_real;
	const char *name;
	const struct cdn_child *child;
	cdn_str shown;	  /* the path in results */
	cdn_str relative; /* the path that patterns are about */
};

struct cdn_tool_walk {
	struct cdn_tool_call *call;
	cdn_str path;	/* where to begin; */
	bool has_path;	/* else: everywhere that is open to the worker */
	cdn_str after;	/* shown path to go on behind; empty: the beginning */
	bool recursive;
	/* 0, CDN_TOOL_STOP, or what functions of tools return. */
	int (*each)(struct cdn_tool_walk *walk,
	    const struct cdn_tool_entry *entry);
	void *arg;
	/* Results */
	unsigned long looks;
	unsigned long unreached; /* paths that are too long or too deep */
	bool more; /* it was stopped: go on behind `last` */
	cdn_str last; /* in the arena of the call */
	/* Its own */
	size_t skip; /* bytes of a path before the relative part */
};

CDN_MUST_USE int cdn_tool_walk_run(struct cdn_tool_walk *walk);

/* Opens a regular file that each() was given; the caller closes *ret_fd. */
CDN_MUST_USE int cdn_tool_entry_open(struct cdn_tool_walk *walk,
    const struct cdn_tool_entry *entry, int *ret_fd, struct cdn_child *ret);

/* "next": the cursor, or null; and "unreached" where there are such. */
void cdn_tool_walk_put_next(const struct cdn_tool_walk *walk);

/* list.c: a pattern of an argument, relative, as in policies. */
struct cdn_pattern;
CDN_MUST_USE int cdn_tool_pattern(struct cdn_tool_call *call,
    const char *argument, cdn_str text, struct cdn_pattern *ret);

#endif
