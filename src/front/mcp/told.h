/*
 * told - to wait until somebody says something, or it is too late.
 *
 * On the clock of mcp_now_ms(): whoever sets the time of day makes no question
 * older or younger by it.
 */
#ifndef CDN_MCP_TOLD_H
#define CDN_MCP_TOLD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* pthread_cond_destroy() ends it. */
void mcp_told_init(pthread_cond_t *told);
/* With the lock; may return for no reason.  False: it is until_ms or later. */
bool mcp_told_wait(pthread_cond_t *told, pthread_mutex_t *lock,
    uint64_t until_ms);

#endif
