/*
 * endpoint - HOST[:PORT], one spelling for rules and for questions.
 *
 * The normal form is "host:port", so that the path matcher can judge it:
 * names lower case without a trailing dot; IPv4 dotted; IPv6 in brackets in
 * its shortest form; an IPv4 address mapped into IPv6 becomes IPv4.  In a rule
 * a missing port is "*", and '*' may stand for a leading label ("*.x.org").
 * A question needs a port.  A host whose last label is a number but which is
 * not a dotted IPv4 address ("127.1", "0x7f.1") is refused: resolvers would
 * read it as an address.
 */
#ifndef CDN_MATCH_ENDPOINT_H
#define CDN_MATCH_ENDPOINT_H

#include "base/err.h"

#define CDN_ENDPOINT_MAX 300 /* bytes of a normal form, NUL included */

enum cdn_endpoint_use { CDN_ENDPOINT_RULE, CDN_ENDPOINT_QUESTION };

CDN_MUST_USE int cdn_endpoint_normalize(cdn_str in, enum cdn_endpoint_use use,
    char *out, size_t size, size_t *ret_len, struct cordon_error *err);

/* Is the host of this normal form a literal address? */
bool cdn_endpoint_is_address(cdn_str normal);

#endif
