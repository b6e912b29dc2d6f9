/*
 * sbpl - shapes as filters of the language that Seatbelt reads.
 *
 *	a path and all below it		(subpath "/w/src")
 *	a path alone			(literal "/w/a")
 *	any other pattern		(regex "^/[Ww]/[^/]*\\.[Cc]$")
 *
 * Volumes of macOS mostly do not tell upper from lower case, and its regular
 * expressions know no flag for that: letters become classes.
 */
#ifndef CDN_SEATBELT_SBPL_H
#define CDN_SEATBELT_SBPL_H

#include "base/buf.h"
#include "engine/decide/shape.h"

void cdn_sbpl_filter(struct cdn_buf *out, const struct cdn_shape *shape);

/* "(deny OPERATION FILTER)" and a newline. */
void cdn_sbpl_rule(struct cdn_buf *out, const char *action,
    const char *operation, const struct cdn_shape *shape);
/* The same of a place. */
void cdn_sbpl_place(struct cdn_buf *out, const char *action,
    const char *operation, const struct cdn_place *place);

#endif
