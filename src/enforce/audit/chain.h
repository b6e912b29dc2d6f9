/*
 * chain - do the file and its head agree, and where does the chain go on?
 *
 *	file	... line 6 \n line 7 \n		head	7 SHA-256(line 7)\n
 *
 * A killed writer leaves one of two things behind, both of which are mended
 * here: a whole line that its head does not know yet, or part of a line.
 * Nothing but the end of the file is read.  The caller holds the lock.
 */
#ifndef CDN_AUDIT_CHAIN_H
#define CDN_AUDIT_CHAIN_H

#include <sys/types.h>

#include "enforce/audit/line.h"

struct cdn_chain {
	int fd;		  /* the lines; borrowed */
	int headfd;	  /* borrowed */
	const char *file; /* for errors; borrowed */
	char *space;	  /* CDN_AUDIT_LINE_MAX bytes to read into; borrowed */
	struct cdn_link last; /* seq 0 and zeros before the first line */
	off_t size;	  /* of the file, when known */
	bool known;	  /* last and size were true when we looked last */
};

/*
 * Makes last and size true again.  Costs two system calls when nobody else has
 * written since.
 */
CDN_MUST_USE int cdn_chain_refresh(struct cdn_chain *chain,
    struct cordon_error *err);

/* Adds one line, newline included, and its head; both or none. */
CDN_MUST_USE int cdn_chain_append(struct cdn_chain *chain, cdn_str line,
    struct cordon_error *err);

#endif
