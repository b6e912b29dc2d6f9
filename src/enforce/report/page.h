/*
 * page - what a log says as one HTML file: is it intact, what to look at before
 * it is used, runs, denials by rule and by path, grants, files, the timeline.
 */
#ifndef CDN_REPORT_PAGE_H
#define CDN_REPORT_PAGE_H

#include "base/buf.h"
#include "base/err.h"

struct cdn_page_options {
	const char *run; /* a whole id; NULL: of all */
	bool needs_head; /* it is the user's own log */
	bool look;	 /* at the directories that runs could write to */
	struct timespec now; /* when the report is made */
};
CDN_MUST_USE int cdn_page_make(const char *file,
    const struct cdn_page_options *options, struct cdn_buf *out,
    struct cordon_error *err);

#endif
