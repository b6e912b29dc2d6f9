/*
 * bpfsim - classic BPF as seccomp runs it, without a kernel.
 *
 * Written from the kernel's rules (seccomp_check_filter, bpf_check_classic),
 * with the machine's own headers and none of ours, so that it cannot share a
 * mistake with what it judges.
 */
#ifndef CDN_TESTS_BPFSIM_H
#define CDN_TESTS_BPFSIM_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* NULL when the kernel would take the program, else why it would not. */
const char *bpfsim_check(const struct sock_filter *code, size_t n);

/*
 * What the program answers.  Only for a program that bpfsim_check() takes.
 * *steps (may be NULL): instructions executed.
 */
uint32_t bpfsim_run(const struct sock_filter *code, size_t n,
    const struct seccomp_data *data, unsigned *steps);

#endif
