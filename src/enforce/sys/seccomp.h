/*
 * seccomp - system-call filters: the kernel's words, and how to put one on.
 *
 * The house rules of sys.h; besides, all of it is CDN_BARE (raw.h), because a
 * filter is put on between clone and exec.  The constants are our own copies,
 * checked against the headers of the machine by tests/unit/filter.
 */
#ifndef CDN_SYS_SECCOMP_H
#define CDN_SYS_SECCOMP_H

#include "enforce/sys/raw.h"

/* ----- Classic BPF, as much of it as we write ------------------------------ */

/* struct sock_filter */
struct cdn_bpf {
	uint16_t code;
	uint8_t jt; /* instructions skipped when the test holds */
	uint8_t jf; /* and when it does not */
	uint32_t k;
};

#define CDN_BPF_LOAD 0x20U /* A = the word at offset k of the data below */
#define CDN_BPF_AND  0x54U /* A &= k */
#define CDN_BPF_JUMP 0x05U /* skip k instructions */
#define CDN_BPF_JEQ  0x15U /* A == k? */
#define CDN_BPF_JGE  0x35U /* A >= k? */
#define CDN_BPF_JSET 0x45U /* A & k? */
#define CDN_BPF_RET  0x06U

/* ----- What a filter sees and answers --------------------------------------- */

/* struct seccomp_data */
struct cdn_seccomp_data {
	int32_t nr;
	uint32_t arch;
	uint64_t ip;
	uint64_t args[6];
};

#define CDN_AUDIT_ARCH_X86_64  0xc000003eU
#define CDN_AUDIT_ARCH_AARCH64 0xc00000b7U
#define CDN_X32_BIT	       0x40000000U

#define CDN_SECCOMP_KILL  0x80000000U /* the whole process, since 4.14 */
#define CDN_SECCOMP_ERRNO 0x00050000U /* | errno; 0: success without effect */
#define CDN_SECCOMP_NOTIFY 0x7fc00000U /* to the listener, since 5.0 */
#define CDN_SECCOMP_ALLOW 0x7fff0000U

/* ----- Putting it on --------------------------------------------------------- */

#define CDN_SECCOMP_NEW_LISTENER  (1U << 3) /* since 5.0 */
#define CDN_SECCOMP_WAIT_KILLABLE (1U << 5) /* _RECV, since 5.19 */

/* For this thread and what it becomes; never undone.  0 or -errno. */
CDN_MUST_USE int cdn_sys_no_new_privs(void);

/*
 * Puts the n instructions on the calling thread, which must have no_new_privs.
 * 0, or with CDN_SECCOMP_NEW_LISTENER the listener (close-on-exec).  -EBUSY:
 * a filter from outside has a listener already, and there can be only one.
 * -EINVAL also means that the kernel does not know a flag.
 */
CDN_MUST_USE int cdn_sys_seccomp(const struct cdn_bpf *code, size_t n,
    unsigned flags);

#endif
