/*
 * tally - how often something occurred, most often first.
 *
 * Keys are bytes of a log, so there is a maximum of different ones; what comes
 * after that is counted together.
 */
#ifndef CDN_REPORT_TALLY_H
#define CDN_REPORT_TALLY_H

#include "base/arena.h"
#include "base/err.h"

struct cdn_tally_row {
	cdn_str key;
	unsigned long count;
	void *more; /* of the caller; NULL at first */
	size_t turn; /* which came first */
};

struct cdn_tally {
	struct cdn_arena *arena; /* borrowed */
	struct cdn_tally_row **v; /* in the order they came */
	size_t n, room;
	struct cdn_tally_row **slots; /* by hash; a power of two */
	size_t slot_count;
	size_t max;
	unsigned long others; /* that found no place */
};

void cdn_tally_init(struct cdn_tally *tally, struct cdn_arena *arena,
    size_t max);

/*
 * Counts the key once more (by = 0: looks it up) and gives its row; NULL when
 * there is no place for it.  The key is copied.
 */
CDN_MUST_USE int cdn_tally_add(struct cdn_tally *tally, cdn_str key,
    unsigned long by, struct cdn_tally_row **ret, struct cordon_error *err);

/* The row, or NULL. */
struct cdn_tally_row *cdn_tally_find(const struct cdn_tally *tally,
    cdn_str key);

void cdn_tally_sort(struct cdn_tally *tally); /* nothing is added after this */

#endif
