/*
 * base - words everyone uses.
 *
 * Every source file includes this first.  It pulls in the few libc headers
 * that declare banned functions, then bans them (banned.h), so that a later
 * include cannot bring them back.
 */
#ifndef CDN_BASE_BASE_H
#define CDN_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cordon/cordon.h>

#include "base/banned.h"
#include "base/limits.h"

#define CDN_MUST_USE	  __attribute__((warn_unused_result))
#define CDN_PRINTF(f, a)  __attribute__((format(printf, f, a)))
#define CDN_LEN(array)	  (sizeof(array) / sizeof((array)[0]))
#define CDN_LIKELY(x)	  __builtin_expect(!!(x), 1)
#define CDN_UNLIKELY(x)	  __builtin_expect(!!(x), 0)

/* For large locals of which little is used: do not zero them all the same. */
#if defined(__has_attribute)
#if __has_attribute(uninitialized)
#define CDN_UNINITIALIZED __attribute__((uninitialized))
#endif
#endif
#ifndef CDN_UNINITIALIZED
#define CDN_UNINITIALIZED
#endif

/* A broken invariant of our own, never bad input: stop here, loudly. */
#define cdn_bug(what) cdn_bug_at((what), __FILE__, __LINE__)
_Noreturn void cdn_bug_at(const char *what, const char *file, int line);

/* Ownership leaves the variable: `return cdn_steal(&x);` */
#define cdn_steal(pp)                             \
	__extension__({                           \
		__typeof__(*(pp)) stolen_ = *(pp); \
		*(pp) = NULL;                     \
		stolen_;                          \
	})

/* Frees or closes the variable when its scope ends. */
#define cdn_cleanup_free __attribute__((cleanup(cdn_cleanup_free_fn)))
#define cdn_cleanup_fd	 __attribute__((cleanup(cdn_cleanup_fd_fn)))
void cdn_cleanup_free_fn(void *pointer_to_pointer);
/* A negative one is nothing to close; errno stays. */
void cdn_cleanup_fd_fn(const int *fd);

#endif
