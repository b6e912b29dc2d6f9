/*
 * match_peers - other engines that answer the matcher's question: which is the
 * last rule that matches this path?  For bench/match_bench.c only.
 */
#ifndef CDN_BENCH_MATCH_PEERS_H
#define CDN_BENCH_MATCH_PEERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer {
	const char *name;
	/* NULL when the engine cannot take these rules. */
	void *(*build)(const char *const *globs, size_t n);
	int (*check)(void *self, const char *path, size_t n);
	void (*free)(void *self);
};

/* Ends with a peer without a name. */
extern const struct peer match_peers[];

#ifdef __cplusplus
}
#endif

#endif
