/*
 * pending - requests in flight, of one side: ids belong to who chose them, and
 * both sides choose alike.
 */
#ifndef CDN_GUARD_PENDING_H
#define CDN_GUARD_PENDING_H

#include "engine/rpc/message.h"

struct cdn_pending {
	struct cdn_pending_entry **buckets;
	size_t bucket_count; /* a power of two, or 0 */
	size_t count;
};

void cdn_pending_done(struct cdn_pending *pending);

enum cdn_pending_result {
	CDN_PENDING_ADDED,
	CDN_PENDING_TWICE, /* it is in flight already */
	CDN_PENDING_FULL,  /* CDN_RPC_PENDING_MAX, or no memory */
};
CDN_MUST_USE enum cdn_pending_result cdn_pending_add(
    struct cdn_pending *pending, const struct cdn_rpc_id *id,
    enum cdn_rpc_method method);

/* Takes it out; false when it is not there.  ret may be NULL. */
bool cdn_pending_take(struct cdn_pending *pending, const struct cdn_rpc_id *id,
    enum cdn_rpc_method *ret);
bool cdn_pending_has(const struct cdn_pending *pending,
    const struct cdn_rpc_id *id);

#endif
