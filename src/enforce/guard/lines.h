/*
 * lines - bytes in, whole lines out; bytes out, as the other side takes them.
 *
 * A line is given as a slice of what was read, so that it can be passed on
 * without a copy.  What does not go out at once is queued, and whoever reads
 * looks at the queue before he reads more: that is all the flow control there
 * is, and all there need be.
 */
#ifndef CDN_GUARD_LINES_H
#define CDN_GUARD_LINES_H

#include "base/buf.h"

/* ----- In ------------------------------------------------------------------- */

struct cdn_lines {
	int fd;	      /* owned; -1 = at its end */
	char *p;
	size_t room;
	size_t begin; /* of what was not given yet */
	size_t end;
	size_t seen;  /* no newline before it, from begin on */
	bool skipping; /* what is left of a line that was too long */
};

void cdn_lines_init(struct cdn_lines *lines, int fd);
void cdn_lines_done(struct cdn_lines *lines);

/* One read(2).  False when memory ran out; the end shows in fd. */
CDN_MUST_USE bool cdn_lines_fill(struct cdn_lines *lines);

enum cdn_line { CDN_LINE_NONE, CDN_LINE_WHOLE, CDN_LINE_TOO_LONG };

/*
 * The next one, its newline included, until the next call of either function.
 * TOO_LONG: its beginning; the rest is thrown away.
 */
enum cdn_line cdn_lines_next(struct cdn_lines *lines, cdn_str *ret);
/* Bytes behind the last newline. */
size_t cdn_lines_rest(const struct cdn_lines *lines);

/* ----- Out ------------------------------------------------------------------ */

struct cdn_outlet {
	int fd; /* owned; -1 = closed, and everything is thrown away */
	struct cdn_buf queue;
	size_t done; /* bytes of it that are written */
	bool failed; /* memory ran out: what follows would not fit */
};

void cdn_outlet_init(struct cdn_outlet *outlet, int fd);
void cdn_outlet_done(struct cdn_outlet *outlet);
void cdn_outlet_put(struct cdn_outlet *outlet, cdn_str bytes);
void cdn_outlet_flush(struct cdn_outlet *outlet);
bool cdn_outlet_is_empty(const struct cdn_outlet *outlet);
/* So much waits that nobody should add to it. */
bool cdn_outlet_is_full(const struct cdn_outlet *outlet);

#endif
