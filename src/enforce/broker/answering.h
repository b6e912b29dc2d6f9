/*
 * answering - those who give an answer, and are as good as idle.
 *
 * Who gives a descriptor waits until the caller took it, and one that gets no
 * processor takes it late.  But who comes with his next call has taken the last
 * answer: whoever gave it will be idle in a moment, and only he.  With the
 * broker's mutex held.
 */
#ifndef CDN_BROKER_ANSWERING_H
#define CDN_BROKER_ANSWERING_H

#include <sys/types.h>

#include "base/base.h"
#include "base/limits.h"

struct cdn_answering {
	/* The callers; 0: none.  Who finds no room is not counted. */
	pid_t tids[2 * CDN_BROKER_ANSWERING];
};

/* The place, for the end; NULL: there was none. */
static inline pid_t *
cdn_answering_begin(struct cdn_answering *answering, pid_t tid)
{
	for (size_t i = 0; i < CDN_LEN(answering->tids); i++)
		if (answering->tids[i] == 0) {
			answering->tids[i] = tid;
			return &answering->tids[i];
		}
	return NULL;
}

static inline void
cdn_answering_end(pid_t *place)
{
	if (place != NULL)
		*place = 0;
}

/* This one has a call: are there enough that answered him and will be idle? */
static inline bool
cdn_answering_enough(const struct cdn_answering *answering, pid_t tid)
{
	unsigned n = 0;

	for (size_t i = 0; i < CDN_LEN(answering->tids) && tid != 0; i++)
		n += answering->tids[i] == tid;
	return n >= CDN_BROKER_ANSWERING;
}

#endif
