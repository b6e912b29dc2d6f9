/*
 * parts - a log that has become too large for one file.
 *
 *	audit.jsonl.1		lines 1 to 48210
 *	audit.jsonl.48211	lines 48211 to 96004
 *	audit.jsonl		the rest; this one grows
 *	audit.jsonl.head	of its last line
 *
 * A part is named by the number of its first line, is never renamed again and
 * never removed by us.  The chain goes through all of them: the first line of
 * each names the hash of the last line of the one before.
 */
#ifndef CDN_AUDIT_PARTS_H
#define CDN_AUDIT_PARTS_H

#include "base/arena.h"
#include "enforce/audit/chain.h"

struct cdn_part {
	const char *name;
	uint64_t first; /* number of its first line, by its name */
};

struct cdn_parts {
	struct cdn_part *v; /* oldest first */
	size_t n;
};

/*
 * The parts beside a file, in the arena; more than CDN_AUDIT_PARTS_MAX are
 * refused.  A directory that is not there has none.
 */
CDN_MUST_USE int cdn_parts_find(struct cdn_arena *arena, const char *file,
    struct cdn_parts *ret, struct cordon_error *err);

/* Opens a file of a log to read; a negative code otherwise. */
CDN_MUST_USE int cdn_part_open(const char *name, struct cordon_error *err);

/* Is what the chain has open still what lies there under that name? */
CDN_MUST_USE bool cdn_chain_is_current(const struct cdn_chain *chain);
/* Opens what lies there now. */
CDN_MUST_USE int cdn_chain_reopen(struct cdn_chain *chain,
    struct cordon_error *err);
/*
 * From now on the file is in use, as long as it is open: who is confined, as the
 * broker is, could not open another one, so nobody puts it away.
 */
void cdn_chain_use(int fd);
/*
 * Puts the file away and begins a new one; last stays.  Nothing is done while
 * somebody else uses it, nor by who may not: then it grows for a while.
 */
CDN_MUST_USE int cdn_chain_rotate(struct cdn_chain *chain,
    struct cordon_error *err);
/*
 * The link of the last line of the newest part, for a file that is empty;
 * false when there is none to be read.
 */
CDN_MUST_USE bool cdn_chain_before(const struct cdn_chain *chain,
    struct cdn_link *ret);

#endif
