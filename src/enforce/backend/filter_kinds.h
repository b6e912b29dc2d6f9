/*
 * filter_kinds - what the kinds of syscalls.def mean.  Private to the filter.
 *
 * A kind is one of two things.  Either it has an answer: one row of four
 * answers (no broker, modes A, B, C), or several rows of which the first one
 * whose facts hold is taken.  Or it is a list of tests of arguments, each of
 * which leads to another kind, and a last line for all the rest.
 */
#ifndef CDN_BACKEND_FILTER_KINDS_H
#define CDN_BACKEND_FILTER_KINDS_H

#include "enforce/backend/filter.h"

#define CDN_CALLS_MAX 470 /* numbers: one more than the newest known call */

enum cdn_kind {
	/* The same answer always.  UNKNOWN must be 0: no line in the table. */
	CDN_KIND_UNKNOWN, /* ENOSYS */
	CDN_KIND_ALLOW,
	CDN_KIND_REFUSE,      /* EPERM: nothing a caged program needs */
	CDN_KIND_GONE,	      /* ENOSYS: removed, or never implemented */
	CDN_KIND_OPAQUE,      /* ENOSYS: what it does stands in memory, and
			       * callers know what to do without it */
	CDN_KIND_NO_HANDLE,   /* EOPNOTSUPP: as a file system without handles */
	CDN_KIND_BAD_FLAGS,   /* EINVAL */
	CDN_KIND_NO_FAMILY,   /* EAFNOSUPPORT */
	CDN_KIND_NO_TYPE,     /* ESOCKTNOSUPPORT */
	CDN_KIND_NO_PROTOCOL, /* EPROTONOSUPPORT */
	CDN_KIND_NO_OPTION,   /* ENOPROTOOPT */
	CDN_KIND_NO_FASTOPEN, /* EOPNOTSUPP */

	/* The answer depends on the run. */
	CDN_KIND_READ,	   /* opens for reading */
	CDN_KIND_WRITE,	   /* opens for writing, makes or changes names */
	CDN_KIND_SET_ID,   /* ... with the bits that chmod may not give */
	CDN_KIND_METADATA, /* changes what stands beside the content */
	CDN_KIND_EXEC,
	CDN_KIND_PTY,	   /* opens the other end of one's own terminal */
	CDN_KIND_NO_NETWORK, /* inet sockets where there are none */
	CDN_KIND_UDP,	   /* makes a socket that could receive from anybody */
	CDN_KIND_CONNECT,
	CDN_KIND_BIND,
	CDN_KIND_LISTEN,   /* binds, if nobody did before */
	CDN_KIND_SEND,	   /* with an address, or one that cannot be seen */
	CDN_KIND_SHARE,	   /* a process with the file descriptors of another */
	CDN_KIND_RARE,	   /* EPERM, and an attempt worth a record */
	CDN_KIND_TRACE,	   /* reaches into other processes */
	CDN_KIND_ATTACH,   /* ... and begins to */
	CDN_KIND_TAKE,	   /* ... by a descriptor: whose, cannot be seen */
	CDN_KIND_LANDLOCK,
	CDN_KIND_HIDE,	   /* would blind the broker */
	CDN_KIND_SIGNAL,
	CDN_KIND_WATCH,	   /* reports what happens to a file (inotify) */
	CDN_KIND_COMMAND,  /* ioctl: maybe of a device */

	/* The arguments decide: of all from here on, and of no other. */
	CDN_KIND_OPEN,
	CDN_KIND_OPENAT,
	CDN_KIND_CREAT,
	CDN_KIND_CREATE,   /* the rest of OPEN and OPENAT */
	CDN_KIND_CREATEAT,
	CDN_KIND_MKNOD,
	CDN_KIND_MKNODAT,
	CDN_KIND_CHMOD,
	CDN_KIND_CHMODAT,
	CDN_KIND_IOCTL,
	CDN_KIND_FCNTL,
	CDN_KIND_CLONE,
	CDN_KIND_PRCTL,
	CDN_KIND_DUMPABLE,
	CDN_KIND_PTRACE,
	CDN_KIND_MEMORY,   /* of a process */
	CDN_KIND_PRLIMIT,
	CDN_KIND_SETPRIORITY,
	CDN_KIND_IOPRIO_SET,
	CDN_KIND_SOCKET,
	CDN_KIND_SOCKETPAIR,
	CDN_KIND_UNIX,
	CDN_KIND_INET,
	CDN_KIND_STREAM,
	CDN_KIND_DATAGRAM,
	CDN_KIND_NETLINK,
	CDN_KIND_SENDTO,
	CDN_KIND_SENDMSG,
	CDN_KIND_SENDMMSG,
	CDN_KIND_SETSOCKOPT,
	CDN_KIND_SOCKET_OPTION,
	CDN_KIND_TCP_OPTION,
	CDN_KIND_IP_OPTION,
	CDN_KIND_IPV6_OPTION,
	CDN_KIND_MAX
};

/* What a row or a test may depend on. */
enum cdn_filter_fact {
	CDN_FACT_INET = 1U << 0,	/* AF_INET and AF_INET6 exist */
	CDN_FACT_FULL = 1U << 1,	/* ... without any judgement */
	CDN_FACT_LISTED = 1U << 2,	/* ... addresses are judged */
	CDN_FACT_DATAGRAM = 1U << 3,	/* ... UDP too */
	CDN_FACT_UNIX = 1U << 4,	/* AF_UNIX sockets exist */
	CDN_FACT_UNIX_JUDGED = 1U << 5, /* ... and the broker judges them */
	CDN_FACT_STRICT = 1U << 6,
	CDN_FACT_NO_MODIFY = 1U << 7,
	CDN_FACT_SIGNALS = 1U << 8,	/* the broker judges signals */
	CDN_FACT_DEVICES = 1U << 9,	/* nobody else holds back their ioctls */
	CDN_FACT_ALONE = 1U << 10,	/* there is no broker to judge modes */
	CDN_FACT_NESTS = 1U << 11,	/* the broker has runs started */
	CDN_FACT_FIRST = 1U << 12,	/* the first process is not the run's */
};

/*
 * One test of one half of one argument.  The kernel looks at the lower half
 * only where the argument is an int, and so do we; what stands above it must
 * not decide anything.  Pointers and longs need both halves.
 */
enum cdn_filter_op {
	CDN_TEST_IS,   /* (half & mask) == value */
	CDN_TEST_ANY,  /* (half & mask) != 0 */
	CDN_TEST_ELSE, /* always; the last of its kind */
};

struct cdn_filter_test {
	uint16_t facts; /* all of these must hold, or the test is not there */
	uint8_t kind;
	uint8_t op;
	uint8_t arg;
	bool high; /* the upper half */
	uint8_t then; /* enum cdn_kind */
	uint32_t mask;
	uint32_t value;
};

/* The facts that follow from the spec, as bits. */
unsigned cdn_filter_facts(const struct cdn_filter_spec *spec);

/* The kinds of the calls by number, on one architecture. */
void cdn_filter_calls(enum cdn_filter_arch arch,
    uint8_t kinds[CDN_CALLS_MAX]);

/* The first test of the kind, the others follow; NULL: it has an answer. */
const struct cdn_filter_test *cdn_kind_tests(enum cdn_kind kind);

/* What the kernel is to answer.  Only for a kind without tests. */
uint32_t cdn_kind_answer(enum cdn_kind kind,
    const struct cdn_filter_spec *spec);

#endif
