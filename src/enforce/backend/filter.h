/*
 * filter - the system-call filter of the native backend.
 *
 * A spec says what kind of run it is; the filter is the program for the kernel
 * that follows from it and from three tables:
 *
 *	syscalls.def	 every call of both architectures and its kind
 *	filter_kinds.c	 what a kind means without a broker and in each mode
 *	filter_tests.c	 which arguments decide where the kind does not
 *
 *	number -> [tree] -> kind -> [tests of arguments] -> answer
 *
 * The list is one of what is allowed: a call that is not in the table does not
 * exist (ENOSYS), a foreign architecture or x32 is killed.  What the filter
 * cannot judge by numbers alone goes to the broker (CDN_SECCOMP_NOTIFY).
 *
 * Everything here is pure: the same spec gives the same instructions, nothing
 * is allocated, and threads do not meet.
 */
#ifndef CDN_BACKEND_FILTER_H
#define CDN_BACKEND_FILTER_H

#include "base/err.h"
#include "enforce/sys/seccomp.h"

#define CDN_FILTER_MAX 400 /* instructions; 130 to 240 are used */

enum cdn_filter_arch {
	CDN_FILTER_X86_64,
	CDN_FILTER_AARCH64,
	CDN_FILTER_ARCH_MAX,
#if defined(__x86_64__)
	CDN_FILTER_ARCH_HERE = CDN_FILTER_X86_64
#elif defined(__aarch64__)
	CDN_FILTER_ARCH_HERE = CDN_FILTER_AARCH64
#endif
};

/* How much the broker has to see.  The plan chooses by what the policy needs. */
enum cdn_filter_mode {
	CDN_MODE_NONE, /* no listener at all */
	CDN_MODE_A,    /* what Landlock does not cover: metadata, sockets, ptys */
	CDN_MODE_B,    /* and whatever changes names or opens for writing */
	CDN_MODE_C,    /* and every open, and exec */
	CDN_MODE_MAX
};

enum cdn_filter_network {
	CDN_FILTER_NET_NONE,   /* no AF_INET, no AF_INET6 */
	CDN_FILTER_NET_FULL,   /* both, whatever the address */
	CDN_FILTER_NET_LISTED, /* both; the broker judges addresses */
	CDN_FILTER_NET_MAX
};

/* Sockets with a name in the file system; a socketpair is always there. */
enum cdn_filter_unix {
	CDN_FILTER_UNIX_JUDGED, /* the broker judges where they connect to */
	CDN_FILTER_UNIX_NONE,	/* there are none */
	CDN_FILTER_UNIX_OPEN,	/* they connect to whatever they like */
	CDN_FILTER_UNIX_MAX
};

/*
 * Without a broker nothing is trapped, and what would have been is
 *
 *   - left to Landlock, where it covers it: opens, names, bind to a path, ptys
 *   - allowed, where nobody covers it, and the plan reports it as a shortfall:
 *     metadata (unless no_modify), unix connect (unless CDN_FILTER_UNIX_NONE)
 *   - refused, where allowing it would open more than was asked for: under
 *     CDN_FILTER_NET_LISTED there is no inet at all, and nobody gives a file
 *     the bits by which others who execute it become its owner
 *
 * so modes A and B are the same as NONE then.  Mode C is an error: its reads
 * rest on the traps alone.  So is a broker in CDN_MODE_NONE.
 *
 * strict: without Landlock, always set it; it is what keeps ptrace and its
 * like inside the cage.
 */
struct cdn_filter_spec {
	enum cdn_filter_arch arch;
	enum cdn_filter_mode mode;
	enum cdn_filter_network network;
	enum cdn_filter_unix unix_sockets;
	bool has_broker; /* somebody answers the listener */
	bool strict;	 /* no ptrace, no memory of other processes */
	bool no_modify;	 /* nothing may be modified, so no metadata either;
			  * looked at only when there is no broker to ask */
	bool no_udp;	 /* under LISTED: no datagrams, and in return send*()
			  * need not be trapped */
	bool signals;	 /* Landlock does not keep them in the cage: the
			  * broker judges them, if there is one */
	bool devices;	 /* Landlock does not know their ioctls: only those
			  * of terminals, files and sockets are let through */
	bool nests;	 /* who asks has runs started beside this one */
	bool first;	 /* process 1 has more than the run, at least for a
			  * while: nobody reaches into that one */
};

struct cdn_filter {
	size_t n;
	struct cdn_bpf code[CDN_FILTER_MAX]; /* for cdn_sys_seccomp() */
};

/* CORDON_E_INVALID when the spec contradicts itself (see above). */
CDN_MUST_USE int cdn_filter_build(const struct cdn_filter_spec *spec,
    struct cdn_filter *ret, struct cordon_error *err);

/* Does anything in it go to a listener?  If not, it needs none. */
bool cdn_filter_traps(const struct cdn_filter *filter);

#endif
