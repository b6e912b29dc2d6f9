/*
 * landlock - the kernel's words for it, and the three calls.
 *
 * The house rules of sys.h.  Constants are our own copies: headers on build
 * machines stop at ABI 2 while kernels answer 7 and more.
 */
#ifndef CDN_SYS_LANDLOCK_H
#define CDN_SYS_LANDLOCK_H

#include "enforce/sys/raw.h"

/* Rights on files and directories, ABI 1 unless said. */
#define CDN_LL_EXECUTE	   (UINT64_C(1) << 0)
#define CDN_LL_WRITE_FILE  (UINT64_C(1) << 1)
#define CDN_LL_READ_FILE   (UINT64_C(1) << 2)
#define CDN_LL_READ_DIR	   (UINT64_C(1) << 3)
#define CDN_LL_REMOVE_DIR  (UINT64_C(1) << 4)
#define CDN_LL_REMOVE_FILE (UINT64_C(1) << 5)
#define CDN_LL_MAKE_CHAR   (UINT64_C(1) << 6)
#define CDN_LL_MAKE_DIR	   (UINT64_C(1) << 7)
#define CDN_LL_MAKE_REG	   (UINT64_C(1) << 8)
#define CDN_LL_MAKE_SOCK   (UINT64_C(1) << 9)
#define CDN_LL_MAKE_FIFO   (UINT64_C(1) << 10)
#define CDN_LL_MAKE_BLOCK  (UINT64_C(1) << 11)
#define CDN_LL_MAKE_SYM	   (UINT64_C(1) << 12)
#define CDN_LL_REFER	   (UINT64_C(1) << 13) /* ABI 2 */
#define CDN_LL_TRUNCATE	   (UINT64_C(1) << 14) /* ABI 3 */
#define CDN_LL_IOCTL_DEV   (UINT64_C(1) << 15) /* ABI 5 */

/* ABI 4 */
#define CDN_LL_BIND_TCP	   (UINT64_C(1) << 0)
#define CDN_LL_CONNECT_TCP (UINT64_C(1) << 1)

/* ABI 6 */
#define CDN_LL_SCOPE_ABSTRACT (UINT64_C(1) << 0)
#define CDN_LL_SCOPE_SIGNAL   (UINT64_C(1) << 1)

/* struct landlock_ruleset_attr; only as much as the ABI knows is passed. */
struct cdn_landlock_ruleset {
	uint64_t fs;
	uint64_t net;	 /* ABI 4 */
	uint64_t scoped; /* ABI 6 */
};

/* The ABI, 0 when there is no Landlock or it is switched off. */
int cdn_sys_landlock_abi(void);

/* Bits of fixed mistakes; 0 before ABI 7 or when there are none. */
unsigned cdn_sys_landlock_errata(void);

/* A descriptor; what the ABI does not know must not be asked for. */
CDN_MUST_USE int cdn_sys_landlock_create(const struct cdn_landlock_ruleset *rs,
    int abi);

/* Rights below the object of fd (O_PATH will do).  0 or -errno. */
CDN_MUST_USE int cdn_sys_landlock_add(int ruleset, int fd, uint64_t rights);

/* Puts it on the calling thread, which must have no_new_privs. */
CDN_MUST_USE int cdn_sys_landlock_restrict(int ruleset);

#endif
