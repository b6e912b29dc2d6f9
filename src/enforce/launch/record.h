/*
 * record - of a run, while it is open; for record.c and events.c only.
 */
#ifndef CDN_LAUNCH_RECORD_H
#define CDN_LAUNCH_RECORD_H

#include "enforce/audit/repeats.h"
#include "enforce/launch/launch.h"

struct cdn_record {
	struct cdn_arena *arena; /* owns this struct too */
	struct cdn_sink *sink;
	const char *run;
	const char *file;
	const char *outer; /* the run that it lies in, or NULL */
	bool itself; /* the process that records is the one in the cage */
	struct cdn_journal *journal; /* NULL: nobody watches */
	struct cdn_repeats *repeats; /* NULL: every denial is told */
};

CDN_MUST_USE int cdn_record_put(struct cdn_record *record,
    enum cdn_event_kind kind, const struct cdn_event_field *fields, size_t n,
    struct cordon_error *err);

#endif
