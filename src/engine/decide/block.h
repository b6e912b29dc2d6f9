/*
 * block - the block list: absolute paths only, everything else passes.
 *
 * For callers without a workspace: system directories are not written, the
 * private data of an agent daemon is neither read nor written.  Paths are
 * real (enforce/path); a relative one never gets here, it is blocked.
 */
#ifndef CDN_DECIDE_BLOCK_H
#define CDN_DECIDE_BLOCK_H

#include "base/str.h"

struct cdn_block_places {
	cdn_str data;	/* real path of DATA_DIR/data */
	cdn_str config; /* real path of DATA_DIR/config.toml */
	cdn_str extra;	/* real path of the external config; empty = none */
};

extern const char cdn_block_relative[]; /* matched_rule of a relative path */
extern const char cdn_block_inode[];	/* a second name of a private file */

/*
 * CORDON_MODIFY asks for writing, any other operation for reading.  ret is
 * filled completely; its strings are static.
 */
void cdn_block_judge(const struct cdn_block_places *places, enum cordon_op op,
    cdn_str real, struct cordon_verdict *ret);

/* A verdict of the block list: NULL rule = not blocked. */
void cdn_block_verdict(enum cordon_op op, const char *rule,
    struct cordon_verdict *ret);

#endif
