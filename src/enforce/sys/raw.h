/*
 * raw - system calls for code that shares its memory with somebody else.
 *
 * A process made by clone(CLONE_VM) has the thread-local storage of the thread
 * that made it: errno there is the other one's errno, and the canary of the
 * stack protector, or what a sanitizer keeps, may be gone when that thread
 * ends.  Functions marked CDN_BARE touch none of it: no instrumentation, no
 * libc but what is named here, only cdn_raw().  They may call each other only.
 */
#ifndef CDN_SYS_RAW_H
#define CDN_SYS_RAW_H

#include <sys/syscall.h>

#include "base/base.h"

#ifdef __clang__
#define CDN_BARE                                                     \
	__attribute__((no_stack_protector, no_sanitize("address",    \
	    "undefined", "memory", "thread", "coverage")))
#else
#define CDN_BARE                                                     \
	__attribute__((no_stack_protector, no_instrument_function,   \
	    no_profile_instrument_function, no_sanitize_coverage,    \
	    no_sanitize("address,undefined,thread")))
#endif

/*
 * cdn_raw(SYS_kill, pid, SIGTERM): >= 0, or -errno.  Up to six arguments,
 * numbers and pointers alike.
 */
#define cdn_raw(...) CDN_RAW_PAD_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define CDN_RAW_PAD_(nr, a, b, c, d, e, f, ...)                      \
	cdn_raw6((long)(nr), (long)(a), (long)(b), (long)(c),        \
	    (long)(d), (long)(e), (long)(f))

CDN_BARE static inline long
cdn_raw6(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
	    : "=a"(result)
	    : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	    : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
	    : "+r"(x0)
	    : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
	    : "memory");
	return x0;
#else
#error "cdn_raw6 is not written for this architecture"
#endif
}

#endif
