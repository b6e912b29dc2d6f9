/*
 * chain - do the file and its head agree, and where does the chain go on?
 *
 *	file	... line 6 \n line 7 \n		head	7 SHA-256(line 7)\n
 *
 * Who finds a line that the head does not know adds one that tells of it.  Before
 * that the newline of the head becomes a plus: he may be killed as well.  So it
 * does before half a line is taken away, of which he will tell.
 *
 * A killed writer leaves one of three things behind, which are mended here:
 * whole lines that the head does not know yet (one, or several with a plus),
 * part of a line, or a file that was put away as full and has no successor yet
 * (parts.h).  Nothing but the end of the file is read.  The caller holds the
 * lock, which is on the head.
 */
#ifndef CDN_AUDIT_CHAIN_H
#define CDN_AUDIT_CHAIN_H

#include <sys/types.h>

#include "enforce/audit/line.h"

#define CDN_TORN_KEPT 512 /* bytes of half a line that are kept */

/* Half a line that a killed writer left behind, and that is gone now. */
struct cdn_torn {
	bool found;   /* whoever found it before was killed: bytes may be 0 */
	size_t bytes; /* 0: there was none, or it was taken away already */
	size_t kept;  /* of them, in text */
	char text[CDN_TORN_KEPT];
};

/*
 * Whole lines behind the one that the head speaks of: of a killed writer, or of
 * somebody who may write the file and not its head.  Nobody can tell.
 */
struct cdn_adopted {
	uint64_t lines; /* 0: there were none */
	uint64_t first; /* number of the first of them */
};

struct cdn_chain {
	int fd;		  /* the lines; owned, replaced when the file is full */
	int headfd;	  /* borrowed */
	const char *file; /* borrowed */
	char *space;	  /* CDN_AUDIT_LINE_MAX bytes to read into; borrowed */
	off_t max;	  /* a file does not grow beyond this */
	struct cdn_link last; /* seq 0 and zeros before the first line */
	off_t size;	  /* of the file, when known */
	bool known;	  /* last and size were true when we looked last */
	/* Found by a refresh; the caller tells of them. */
	struct cdn_torn torn;
	struct cdn_adopted adopted; /* until that the head stays as it is */
};

extern const struct cdn_link cdn_link_before_first;

void cdn_link_hash(cdn_str line, char ret[CDN_HASH_SIZE]);

/*
 * Makes last and size true again.  Costs two system calls when nobody else has
 * written since.
 */
CDN_MUST_USE int cdn_chain_refresh(struct cdn_chain *chain,
    struct cordon_error *err);

/*
 * Adds a line, newline included, and its head; all or nothing.  A file that would
 * become too large is put away first.
 */
CDN_MUST_USE int cdn_chain_append(struct cdn_chain *chain, cdn_str line,
    const struct cdn_link *link, struct cordon_error *err);

/*
 * The bytes of a head; an empty one is that of an empty file.  many: several
 * lines may stand behind the one it speaks of.
 */
CDN_MUST_USE bool cdn_head_parse(cdn_str text, struct cdn_link *ret,
    bool *ret_many);
#define CDN_HEAD_SIZE 96 /* "18446744073709551615 64 hex\n" and some more */

#endif
