/*
 * gather - what a log says, put together: runs, denials, files, grants.
 *
 * One pass over all its parts.  Everything is bounded, and what went over a
 * bound is counted, so that nothing is left out silently.
 */
#ifndef CDN_REPORT_GATHER_H
#define CDN_REPORT_GATHER_H

#include "enforce/audit/log.h"
#include "enforce/report/tally.h"

/* One run, by what its events say. */
struct cdn_gathered_run {
	struct cordon_audit_run told; /* strings in the arena */
	int64_t start_ns;	      /* 0: unknown */
	const char *grants;	      /* JSON of the start, or "" */
	const char *unrecorded;	      /* JSON: where writing leaves no event */
};

/* A denial or a touched file; the key of its row is op, path and rule. */
struct cdn_gathered_count {
	const char *op;
	const char *path; /* NULL in a row by rule */
	const char *rule; /* NULL in a row by path */
	const char *source;
	int64_t line;
	const char *layer;
	bool moved; /* it, or what is there now, came by a rename */
};

struct cdn_moment {
	const char *time;
	const char *run;
	const char *kind;
	const char *story;
	bool denial;
};

/* What the run left in a repository, by its own record. */
struct cdn_gathered_left {
	const char *path;
	const char *what;
};

struct cdn_gathered {
	struct cdn_arena *arena; /* owns it all */
	struct cdn_tally runs;	 /* more: cdn_gathered_run */
	struct cdn_tally rules;	 /* denials; more: cdn_gathered_count */
	struct cdn_tally paths;	 /* denials */
	struct cdn_tally touched; /* what was modified, as far as recorded */
	struct cdn_tally used;	 /* read, executed, connected to; the same */
	struct cdn_moment *moments; /* the last CDN_REPORT_MOMENTS_MAX */
	size_t moment_count; /* in a ring: moment i is moments[i % MAX] */
	struct cdn_moment *grants;
	size_t grant_count, grant_room;
	struct cdn_gathered_left *left;
	size_t left_count, left_room;
	unsigned long events;
	unsigned long no_events; /* lines that are none */
};

struct cdn_gather_options {
	const char *run; /* all of it, or a beginning that only one has; NULL */
	bool moments;	 /* keep them, too */
};

/* CORDON_E_NOT_FOUND when there is no such run. */
CDN_MUST_USE int cdn_gather(const char *file,
    const struct cdn_gather_options *options, struct cdn_gathered **ret,
    struct cordon_error *err);
void cdn_gathered_free(struct cdn_gathered *gathered); /* NULL is fine */

/*
 * The whole name of a run, of which only the beginning is given; free() it.
 * CORDON_E_NOT_FOUND, or CORDON_E_INVALID when several begin so.
 */
CDN_MUST_USE int cdn_gather_name(const char *file, const char *beginning,
    char **ret, struct cordon_error *err);

#endif
