/*
 * diag - everything wrong with one document, in order, bounded.
 *
 * An error (cordon_error) says why one call failed; diagnostics say all that
 * should be mended.  At most CDN_DIAGS_MAX are kept, the rest is counted.
 * The list owns its texts; it survives the document it speaks of.
 */
#ifndef CDN_BASE_DIAG_H
#define CDN_BASE_DIAG_H

#include "base/err.h"

struct cordon_diags; /* public name, see cordon.h */

/*
 * Adds one finding.  id is a stable static name ("P014").  hint may be NULL.
 * diags may be NULL (nothing is kept).  When memory runs out the finding is
 * still counted, so cordon_diags_errors() never says 0 wrongly.
 */
void cdn_diag_add(struct cordon_diags *diags, enum cordon_severity severity,
    const char *id, struct cdn_pos pos, const char *hint, const char *fmt, ...)
    CDN_PRINTF(6, 7);

#endif
