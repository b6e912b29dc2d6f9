/*
 * lines - bytes in, whole lines out; bytes out, as the other side takes them.
 *
 * A line is given as a slice of what was read, so that it can be passed on
 * without a copy.  What does not go out at once is queued, and whoever reads
 * looks at the queue before he reads more: that is all the flow control there
 * is, and all there need be.
 */
#ifndef CDN_BASE_LINES_H
#define CDN_BASE_LINES_H

#include <signal.h>

#include "base/buf.h"
#include "base/err.h"

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
	uint64_t taken; /* bytes that the other side took, ever */
	bool failed; /* memory ran out: what follows would not fit */
};

/* Whoever writes has SIGPIPE off: once, not around each write. */
void cdn_outlet_init(struct cdn_outlet *outlet, int fd);
void cdn_outlet_done(struct cdn_outlet *outlet);
void cdn_outlet_put(struct cdn_outlet *outlet, cdn_str bytes);
void cdn_outlet_flush(struct cdn_outlet *outlet);
bool cdn_outlet_is_empty(const struct cdn_outlet *outlet);
/* So much waits that nobody should add to it. */
bool cdn_outlet_is_full(const struct cdn_outlet *outlet);

/* ----- Around both ---------------------------------------------------------- */

/*
 * Blocks SIGPIPE in this thread until cdn_pipe_signal_back(), which takes back
 * what came of it meanwhile.
 */
struct cdn_pipe_signal {
	sigset_t old;
	bool pending; /* before */
};
void cdn_pipe_signal_off(struct cdn_pipe_signal *ret);
void cdn_pipe_signal_back(const struct cdn_pipe_signal *signal);

/*
 * One end of a conversation, which somebody else gave us, as a descriptor of
 * our own that does not block.  Nothing changes for others who have it: a pipe
 * is opened anew.  Elsewhere *ret_flags are its flags before, to be put back;
 * -1: they are as they were.  mode: O_RDONLY or O_WRONLY.
 */
CDN_MUST_USE int cdn_end_open(int fd, int mode, int *ret_flags, int *ret,
    struct cordon_error *err);

#endif
