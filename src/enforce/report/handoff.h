/*
 * handoff - what was written that the host would later execute or obey.
 *
 * What the kernel lets a run write by itself leaves no event.  So the
 * directories it could write to are looked at when the report is made: every
 * file of the kinds that the host executes whose inode has changed since the run
 * began, by it or by anybody later.  The time of that change (ctime) cannot be
 * set by a program.  What events say was modified is looked at, too, wherever it
 * lies, and all of a directory that was moved; it is told as such.
 */
#ifndef CDN_REPORT_HANDOFF_H
#define CDN_REPORT_HANDOFF_H

#include "enforce/report/gather.h"

struct cdn_handed {
	const char *path;
	const char *what; /* "git hook", "executable" */
	int64_t changed_ns;
	bool recorded; /* an event says so */
};

struct cdn_handoff {
	struct cdn_handed *v; /* by kind, then by path */
	size_t n, room;
	const char *places[CDN_REPORT_PLACES_MAX]; /* that were looked at */
	int64_t since_ns[CDN_REPORT_PLACES_MAX];
	bool gone[CDN_REPORT_PLACES_MAX]; /* not there, or not to be opened */
	size_t place_count;
	size_t looked; /* at so many names */
	size_t left_out; /* found, but too many to tell */
	bool incomplete; /* a maximum was reached */
};

/* Everything lies in the arena of what was gathered. */
CDN_MUST_USE int cdn_handoff_find(struct cdn_gathered *g,
    struct cdn_handoff *ret, struct cordon_error *err);

#endif
