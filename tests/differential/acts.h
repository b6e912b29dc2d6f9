/*
 * acts - what a prober tries on a path, and how it is asked to.
 *
 * Shared by the prober, which is inside of a cage, and by who asks it.  It says
 * one int32_t, 0, when it is there.  A request is a head, then `count` of: one
 * byte (enum act), a path, a NUL, another path or nothing, a NUL.  The answer is
 * one int32_t for each: 0, an errno, or one of those below.  End of input ends
 * it.
 */
#ifndef CDN_DIFFERENTIAL_ACTS_H
#define CDN_DIFFERENTIAL_ACTS_H

#include <stdint.h>

enum act {
	/* Nothing is changed by these. */
	ACT_READ,
	ACT_LIST,
	ACT_EXEC,
	/* What is there stays there, changed. */
	ACT_WRITE,
	ACT_TRUNCATE,
	ACT_CHMOD,
	ACT_EXCHANGE,	/* it and the other change places, and back */
	/* Names that are new. */
	ACT_CREATE,
	ACT_MKDIR,
	ACT_SYMLINK,
	ACT_LINK,	/* the other is the new one */
	ACT_RENAME,	/* of a file, to the other */
	ACT_RENAME_DIR,
	ACT_BACK,	/* made, then read */
	ACT_BELOW,	/* the other is a directory, made first */
	ACT_LATER_READ, /* somebody outside made it during the run */
	ACT_LATER_WRITE,
	ACT_LATER_LINK, /* made outside: the other is the new one, and read */
	/* What is gone is not the same when it is made anew: these come last. */
	ACT_DELETE,
	ACT_RMDIR,
	ACT_REMAKE,	/* removed, then made again */
	ACT_RENEW,	/* the other is a directory: the same, then in it */
	ACT_REPLACE,	/* renamed over the other, which is there */
	ACTS
};

struct request_head {
	uint32_t count;
	uint32_t bytes; /* that follow */
};

#define REQUEST_MAX   (1 << 16) /* bytes, and they must fit into a pipe */
#define QUESTIONS_MAX 1024

#define RESULT_NO_SETUP	 (-1) /* what comes first was refused; as it was */
#define RESULT_HALF	 (-2) /* removed, and could not be made again */
#define RESULT_NOT_ASKED (-3)
#define RESULT_EMPTY	 4001 /* opened, and nothing to read in it */
#define RESULT_NOTHING	 4002 /* it worked, and nothing has happened */

#endif
