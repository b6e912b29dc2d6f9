/*
 * The tests of arguments.  Constants are those of the kernel, the same on both
 * architectures; tests/unit/filter compares them with the machine's headers.
 */
#include "enforce/backend/filter_kinds.h"

#define INT UINT32_MAX

/* A test of an int, of some bits of one, and of a pointer or long. */
#define IS(kind, facts, arg, value, then)                       \
	{ facts, CDN_KIND_##kind, CDN_TEST_IS, arg, false,      \
	    CDN_KIND_##then, INT, value }
#define PART(kind, facts, arg, mask, value, then)               \
	{ facts, CDN_KIND_##kind, CDN_TEST_IS, arg, false,      \
	    CDN_KIND_##then, mask, value }
#define ANY(kind, facts, arg, mask, then)                       \
	{ facts, CDN_KIND_##kind, CDN_TEST_ANY, arg, false,     \
	    CDN_KIND_##then, mask, 0 }
#define LONG(kind, facts, arg, then)                            \
	ANY(kind, facts, arg, INT, then),                       \
	{ facts, CDN_KIND_##kind, CDN_TEST_ANY, arg, true,      \
	    CDN_KIND_##then, INT, 0 }
#define ELSE(kind, then)                                        \
	{ 0, CDN_KIND_##kind, CDN_TEST_ELSE, 0, false,          \
	    CDN_KIND_##then, 0, 0 }

/* open(2): any of these writes, or makes something to be written. */
#define O_ACCESS 3U
#define O_WRITES                                                   \
	(01U /* O_WRONLY */ | 02U /* O_RDWR */ | 0100U /* O_CREAT */ | \
	    01000U /* O_TRUNC */ | 02000U /* O_APPEND */ |         \
	    020000000U /* __O_TMPFILE */)

#define O_MAKES (0100U /* O_CREAT */ | 020000000U /* __O_TMPFILE */)

/* open(2), mknod(2) take an unsigned short: no more bits than these. */
#define MODE_SET_ID    0006000U
#define MODE_TYPE      0170000U
#define MODE_CHARACTER 0020000U
#define MODE_BLOCK     0060000U

/*
 * CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET: all in the
 * lower half.  NEWTIME is a signal number here, it needs unshare or clone3.
 */
#define CLONE_SPACES 0x7e020000U

/* Not a thread, and yet with the same file descriptor table. */
#define CLONE_THREAD_ 0x10000U
#define CLONE_FILES_  0x400U

/* ioctl(2): the command is an int, although it is passed as a long. */
#define TIOCSTI_      0x5412U /* types into a terminal */
#define TIOCSETD_     0x5423U /* another line discipline: a dead terminal */
#define TIOCLINUX_    0x541cU /* pastes into a console */
#define TIOCGPTPEER_  0x5441U
#define SETFLAGS      0x40086602U /* FS_IOC_SETFLAGS: chattr */
#define FSSETXATTR    0x401c5820U /* FS_IOC_FSSETXATTR: project, more flags */
#define SETVERSION    0x40087602U /* FS_IOC_SETVERSION */
#define EXT4_SETVER   0x40086604U /* EXT4_IOC_SETVERSION_OLD */
#define SET_POLICY    0x800c6613U /* FS_IOC_SET_ENCRYPTION_POLICY */
#define REMOVE_KEY    0xc0406618U /* FS_IOC_REMOVE_ENCRYPTION_KEY */
#define ENABLE_VERITY 0x40806685U /* FS_IOC_ENABLE_VERITY */
#define FAT_SETATTR   0x40047211U /* FAT_IOCTL_SET_ATTRIBUTES */
#define OCFS2_REFLINK 0x40186f04U /* OCFS2_IOC_REFLINK */
#define FICLONE_      0x40049409U
#define FICLONERANGE_ 0x4020940dU
#define FIDEDUPE_     0xc0189436U /* FIDEDUPERANGE */
#define IOCTL_TYPE    0xff00U
#define TYPE_BTRFS    0x9400U
#define TYPE_BCACHEFS 0xbc00U

/* Types of what is no device; a terminal's own have no size in the number. */
#define TYPE_FILE      0x6600U
#define TYPE_XFS       0x5800U
#define TYPE_NAMESPACE 0xb700U
#define TYPE_PIDFD     0xff00U
#define PLAIN_TERMINAL 0xffffff80U
#define PLAIN_SOCKET   0xffffff00U
#define FIGETBSZ_      2U
#define TCGETS2_       0x802c542aU
#define TCSETS2_       0x402c542bU
#define TCSETSW2_      0x402c542cU
#define TCSETSF2_      0x402c542dU
#define TIOCGPTN_      0x80045430U
#define TIOCSPTLCK_    0x40045431U
#define TIOCGPTLCK_    0x80045439U
#define FIOSETOWN_     0x8901U /* who gets the signals of a socket */
#define SIOCSPGRP_     0x8902U

#define F_SETOWN_      8U
#define F_SETOWN_EX_   15U
#define F_SETLEASE_ 1024U
#define F_SETDELEG_ 1040U /* a lease again, since 6.19 */

#define PR_SET_DUMPABLE_ 4U

#define FIRST_PROCESS 1U

#define PTRACE_ATTACH_ 16U
#define PTRACE_SEIZE_  0x4206U

#define PRIO_USER_	  2U
#define IOPRIO_WHO_USER_  3U

#define AF_UNIX_    1U
#define AF_INET_    2U
#define AF_INET6_   10U
#define AF_NETLINK_ 16U

/* socket(2): above the type stand SOCK_CLOEXEC and SOCK_NONBLOCK. */
#define SOCK_TYPE	0xfU
#define SOCK_STREAM_	1U
#define SOCK_DGRAM_	2U
#define SOCK_SEQPACKET_ 5U

#define PROTO_DEFAULT 0U
#define PROTO_ICMP    1U
#define PROTO_TCP     6U
#define PROTO_UDP     17U
#define PROTO_ICMPV6  58U
#define PROTO_MPTCP   262U
#define PROTO_ROUTE   0U /* NETLINK_ROUTE: the list of interfaces */

#define FASTOPEN	     0x20000000U /* MSG_FASTOPEN */
#define LEVEL_SOCKET	     1U
#define LEVEL_TCP	     6U
#define LEVEL_IP	     0U
#define LEVEL_IPV6	     41U
#define SO_BINDTODEVICE_     25U
#define SO_ATTACH_FILTER_    26U
#define SO_DETACH_FILTER_    27U
#define SO_MARK_	     36U
#define SO_LOCK_FILTER_	     44U
#define SO_ATTACH_BPF_	     50U
#define SO_BINDTOIFINDEX_    62U
#define IP_OPTIONS_	     4U
#define IP_JOIN_	     35U /* IP_ADD_MEMBERSHIP */
#define IP_JOIN_SOURCE_	     39U /* IP_ADD_SOURCE_MEMBERSHIP */
#define MCAST_JOIN_	     42U /* of both levels */
#define MCAST_JOIN_SOURCE_   46U
#define IP_UNICAST_IF_	     50U
#define IPV6_JOIN_	     20U /* IPV6_ADD_MEMBERSHIP */
#define IPV6_JOIN_ANYCAST_   27U
#define IPV6_PKTINFO_	     50U
#define IPV6_UNICAST_IF_     76U
#define IPV6_OLD_RTHDR_	     5U /* IPV6_2292RTHDR */
#define IPV6_OLD_OPTIONS_    6U /* IPV6_2292PKTOPTIONS: that, too */
#define IPV6_RTHDR_	     57U
#define TCP_REPAIR_	     19U
#define TCP_FASTOPEN_CONNECT_ 30U
#define TCP_ULP_	     31U

static const struct cdn_filter_test tests[] = {
	/* Access mode 3 needs both rights, or as Landlock sees it none, and
	 * gives a descriptor that takes ioctl, fchmod and the like. */
	PART(OPEN, 0, 1, O_ACCESS, O_ACCESS, BAD_FLAGS),
	ANY(OPEN, 0, 1, O_MAKES, CREATE),
	ANY(OPEN, 0, 1, O_WRITES, WRITE),
	ELSE(OPEN, READ),

	PART(OPENAT, 0, 2, O_ACCESS, O_ACCESS, BAD_FLAGS),
	ANY(OPENAT, 0, 2, O_MAKES, CREATEAT),
	ANY(OPENAT, 0, 2, O_WRITES, WRITE),
	ELSE(OPENAT, READ),

	PART(MKNOD, 0, 1, MODE_TYPE, MODE_CHARACTER, REFUSE),
	PART(MKNOD, 0, 1, MODE_TYPE, MODE_BLOCK, REFUSE),
	ANY(MKNOD, 0, 1, MODE_SET_ID, SET_ID),
	ELSE(MKNOD, WRITE),

	PART(MKNODAT, 0, 2, MODE_TYPE, MODE_CHARACTER, REFUSE),
	PART(MKNODAT, 0, 2, MODE_TYPE, MODE_BLOCK, REFUSE),
	ANY(MKNODAT, 0, 2, MODE_SET_ID, SET_ID),
	ELSE(MKNODAT, WRITE),

	ANY(CHMOD, CDN_FACT_ALONE, 1, MODE_SET_ID, SET_ID),
	ELSE(CHMOD, METADATA),
	ANY(CHMODAT, CDN_FACT_ALONE, 2, MODE_SET_ID, SET_ID),
	ELSE(CHMODAT, METADATA),

	/* Only what makes something has a mode. */
	ANY(CREAT, 0, 1, MODE_SET_ID, SET_ID),
	ELSE(CREAT, WRITE),
	ANY(CREATE, 0, 2, MODE_SET_ID, SET_ID),
	ELSE(CREATE, WRITE),
	ANY(CREATEAT, 0, 3, MODE_SET_ID, SET_ID),
	ELSE(CREATEAT, WRITE),

	/*
	 * File systems take some commands on descriptors that are open for
	 * reading only, and Landlock does not see them.  The common ones can
	 * be performed; the others are for administrators.  btrfs, bcachefs
	 * and ocfs2 make snapshots, which are old files under new names.
	 */
	IS(IOCTL, 0, 1, TIOCSTI_, RARE),
	IS(IOCTL, 0, 1, TIOCLINUX_, RARE),
	IS(IOCTL, 0, 1, TIOCSETD_, REFUSE),
	IS(IOCTL, 0, 1, TIOCGPTPEER_, PTY),
	IS(IOCTL, 0, 1, SETFLAGS, METADATA),
	IS(IOCTL, 0, 1, FSSETXATTR, METADATA),
	IS(IOCTL, 0, 1, SETVERSION, REFUSE),
	IS(IOCTL, 0, 1, EXT4_SETVER, REFUSE),
	IS(IOCTL, 0, 1, SET_POLICY, REFUSE),
	IS(IOCTL, 0, 1, REMOVE_KEY, REFUSE),
	IS(IOCTL, 0, 1, ENABLE_VERITY, REFUSE),
	IS(IOCTL, 0, 1, FAT_SETATTR, REFUSE),
	IS(IOCTL, 0, 1, OCFS2_REFLINK, REFUSE),
	IS(IOCTL, 0, 1, FICLONE_, ALLOW),
	IS(IOCTL, 0, 1, FICLONERANGE_, ALLOW),
	IS(IOCTL, 0, 1, FIDEDUPE_, ALLOW),
	PART(IOCTL, 0, 1, IOCTL_TYPE, TYPE_BTRFS, REFUSE),
	PART(IOCTL, 0, 1, IOCTL_TYPE, TYPE_BCACHEFS, REFUSE),
	IS(IOCTL, CDN_FACT_SIGNALS, 1, FIOSETOWN_, REFUSE),
	IS(IOCTL, CDN_FACT_SIGNALS, 1, SIOCSPGRP_, REFUSE),

	/*
	 * What is left, where Landlock knows nothing of ioctls: those whose
	 * number says that they are no device's but a terminal's.
	 */
	PART(IOCTL, CDN_FACT_DEVICES, 1, PLAIN_TERMINAL, 0x5400U, ALLOW),
	PART(IOCTL, CDN_FACT_DEVICES, 1, PLAIN_SOCKET, 0x8900U, ALLOW),
	PART(IOCTL, CDN_FACT_DEVICES, 1, IOCTL_TYPE, TYPE_FILE, ALLOW),
	PART(IOCTL, CDN_FACT_DEVICES, 1, IOCTL_TYPE, TYPE_XFS, ALLOW),
	PART(IOCTL, CDN_FACT_DEVICES, 1, IOCTL_TYPE, TYPE_NAMESPACE, ALLOW),
	PART(IOCTL, CDN_FACT_DEVICES, 1, IOCTL_TYPE, TYPE_PIDFD, ALLOW),
	IS(IOCTL, CDN_FACT_DEVICES, 1, FIGETBSZ_, ALLOW),
	IS(IOCTL, CDN_FACT_DEVICES, 1, TCGETS2_, ALLOW),
	IS(IOCTL, CDN_FACT_DEVICES, 1, TCSETS2_, ALLOW),
	IS(IOCTL, CDN_FACT_DEVICES, 1, TCSETSW2_, ALLOW),
	IS(IOCTL, CDN_FACT_DEVICES, 1, TCSETSF2_, ALLOW),
	IS(IOCTL, CDN_FACT_DEVICES, 1, TIOCGPTN_, ALLOW),
	IS(IOCTL, CDN_FACT_DEVICES, 1, TIOCSPTLCK_, ALLOW),
	IS(IOCTL, CDN_FACT_DEVICES, 1, TIOCGPTLCK_, ALLOW),
	ELSE(IOCTL, COMMAND),

	/* A lease makes others wait who open the file. */
	IS(FCNTL, 0, 1, F_SETLEASE_, REFUSE),
	IS(FCNTL, 0, 1, F_SETDELEG_, REFUSE),
	IS(FCNTL, CDN_FACT_SIGNALS, 1, F_SETOWN_, REFUSE),
	IS(FCNTL, CDN_FACT_SIGNALS, 1, F_SETOWN_EX_, REFUSE),
	ELSE(FCNTL, ALLOW),

	ANY(CLONE, 0, 0, CLONE_SPACES, RARE),
	PART(CLONE, 0, 0, CLONE_FILES_ | CLONE_THREAD_, CLONE_FILES_, SHARE),
	ELSE(CLONE, ALLOW),

	IS(PRCTL, 0, 0, PR_SET_DUMPABLE_, DUMPABLE),
	ELSE(PRCTL, ALLOW),
	LONG(DUMPABLE, 0, 1, ALLOW),
	ELSE(DUMPABLE, HIDE),

	IS(PTRACE, CDN_FACT_FIRST, 1, FIRST_PROCESS, RARE),
	IS(PTRACE, 0, 0, PTRACE_ATTACH_, ATTACH),
	IS(PTRACE, 0, 0, PTRACE_SEIZE_, ATTACH),
	ELSE(PTRACE, TRACE),
	IS(MEMORY, CDN_FACT_FIRST, 0, FIRST_PROCESS, RARE),
	ELSE(MEMORY, TRACE),

	/*
	 * The limits and priorities of others.  A CPU limit is a signal to
	 * whoever has the same user, and no scope of Landlock holds it back.
	 * sched_*() stay: thread libraries name threads there by number, and
	 * the worst is a slow neighbour.
	 */
	IS(PRLIMIT, 0, 0, 0, ALLOW),
	LONG(PRLIMIT, 0, 2, REFUSE),
	ELSE(PRLIMIT, ALLOW),
	IS(SETPRIORITY, 0, 0, PRIO_USER_, REFUSE),
	ANY(SETPRIORITY, 0, 1, INT, REFUSE),
	ELSE(SETPRIORITY, ALLOW),
	IS(IOPRIO_SET, 0, 0, IOPRIO_WHO_USER_, REFUSE),
	ANY(IOPRIO_SET, 0, 1, INT, REFUSE),
	ELSE(IOPRIO_SET, ALLOW),

	IS(SOCKET, CDN_FACT_UNIX, 0, AF_UNIX_, UNIX),
	IS(SOCKET, CDN_FACT_INET, 0, AF_INET_, INET),
	IS(SOCKET, CDN_FACT_INET, 0, AF_INET6_, INET),
	IS(SOCKET, 0, 0, AF_INET_, NO_NETWORK),
	IS(SOCKET, 0, 0, AF_INET6_, NO_NETWORK),
	IS(SOCKET, 0, 0, AF_NETLINK_, NETLINK),
	ELSE(SOCKET, NO_FAMILY),

	IS(SOCKETPAIR, 0, 0, AF_UNIX_, UNIX),
	ELSE(SOCKETPAIR, NO_FAMILY),

	/* Datagrams (SOCK_RAW is another word for them here) reach any named
	 * socket, even from one end of a pair. */
	PART(UNIX, 0, 1, SOCK_TYPE, SOCK_STREAM_, ALLOW),
	PART(UNIX, 0, 1, SOCK_TYPE, SOCK_SEQPACKET_, ALLOW),
	ELSE(UNIX, NO_TYPE),

	/* Type 10 of AF_INET is AF_PACKET. */
	PART(INET, 0, 1, SOCK_TYPE, SOCK_STREAM_, STREAM),
	PART(INET, CDN_FACT_DATAGRAM, 1, SOCK_TYPE, SOCK_DGRAM_, DATAGRAM),
	ELSE(INET, NO_TYPE),

	/* Landlock does not know MPTCP. */
	IS(STREAM, 0, 2, PROTO_DEFAULT, ALLOW),
	IS(STREAM, 0, 2, PROTO_TCP, ALLOW),
	IS(STREAM, CDN_FACT_FULL, 2, PROTO_MPTCP, ALLOW),
	ELSE(STREAM, NO_PROTOCOL),

	IS(DATAGRAM, 0, 2, PROTO_DEFAULT, UDP),
	IS(DATAGRAM, 0, 2, PROTO_UDP, UDP),
	IS(DATAGRAM, CDN_FACT_FULL, 2, PROTO_ICMP, ALLOW),
	IS(DATAGRAM, CDN_FACT_FULL, 2, PROTO_ICMPV6, ALLOW),
	ELSE(DATAGRAM, NO_PROTOCOL),

	IS(NETLINK, 0, 2, PROTO_ROUTE, ALLOW),
	ELSE(NETLINK, NO_PROTOCOL),

	/* Fast open connects while sending; nobody would be asked. */
	ANY(SENDTO, CDN_FACT_LISTED, 3, FASTOPEN, NO_FASTOPEN),
	LONG(SENDTO, 0, 4, SEND),
	ELSE(SENDTO, ALLOW),
	ANY(SENDMSG, CDN_FACT_LISTED, 2, FASTOPEN, NO_FASTOPEN),
	ELSE(SENDMSG, SEND),
	ANY(SENDMMSG, CDN_FACT_LISTED, 3, FASTOPEN, NO_FASTOPEN),
	ELSE(SENDMMSG, SEND),

	/* TCP_ULP can make another protocol of a connection, or SMC of TCP. */
	IS(SETSOCKOPT, CDN_FACT_LISTED, 1, LEVEL_SOCKET, SOCKET_OPTION),
	IS(SETSOCKOPT, CDN_FACT_LISTED, 1, LEVEL_TCP, TCP_OPTION),
	IS(SETSOCKOPT, CDN_FACT_LISTED, 1, LEVEL_IP, IP_OPTION),
	IS(SETSOCKOPT, CDN_FACT_LISTED, 1, LEVEL_IPV6, IPV6_OPTION),
	ELSE(SETSOCKOPT, ALLOW),
	IS(TCP_OPTION, 0, 2, TCP_REPAIR_, NO_OPTION),
	IS(TCP_OPTION, 0, 2, TCP_FASTOPEN_CONNECT_, NO_OPTION),
	IS(TCP_OPTION, 0, 2, TCP_ULP_, NO_OPTION),
	ELSE(TCP_OPTION, ALLOW),

	/*
	 * Whoever names an interface sends there even what is addressed to
	 * loopback.  These wanted a capability once, so callers know EPERM.
	 */
	IS(SOCKET_OPTION, 0, 2, SO_BINDTODEVICE_, REFUSE),
	IS(SOCKET_OPTION, 0, 2, SO_BINDTOIFINDEX_, REFUSE),
	IS(SOCKET_OPTION, 0, 2, SO_MARK_, REFUSE),
	/* Which datagrams a socket receives: broker/sources.c. */
	IS(SOCKET_OPTION, 0, 2, SO_ATTACH_FILTER_, NO_OPTION),
	IS(SOCKET_OPTION, 0, 2, SO_DETACH_FILTER_, NO_OPTION),
	IS(SOCKET_OPTION, 0, 2, SO_LOCK_FILTER_, NO_OPTION),
	IS(SOCKET_OPTION, 0, 2, SO_ATTACH_BPF_, NO_OPTION),
	ELSE(SOCKET_OPTION, ALLOW),

	/*
	 * A source route goes to somebody else than the address says first;
	 * not every kernel wants a capability for it.  Joining a group tells
	 * the network which one, and that is 28 bits each time.
	 */
	IS(IP_OPTION, 0, 2, IP_OPTIONS_, NO_OPTION),
	IS(IP_OPTION, 0, 2, IP_UNICAST_IF_, NO_OPTION),
	IS(IP_OPTION, 0, 2, IP_JOIN_, NO_OPTION),
	IS(IP_OPTION, 0, 2, IP_JOIN_SOURCE_, NO_OPTION),
	IS(IP_OPTION, 0, 2, MCAST_JOIN_, NO_OPTION),
	IS(IP_OPTION, 0, 2, MCAST_JOIN_SOURCE_, NO_OPTION),
	ELSE(IP_OPTION, ALLOW),
	IS(IPV6_OPTION, 0, 2, IPV6_OLD_RTHDR_, NO_OPTION),
	IS(IPV6_OPTION, 0, 2, IPV6_OLD_OPTIONS_, NO_OPTION),
	IS(IPV6_OPTION, 0, 2, IPV6_RTHDR_, NO_OPTION),
	IS(IPV6_OPTION, 0, 2, IPV6_PKTINFO_, NO_OPTION),
	IS(IPV6_OPTION, 0, 2, IPV6_UNICAST_IF_, NO_OPTION),
	IS(IPV6_OPTION, 0, 2, IPV6_JOIN_, NO_OPTION),
	IS(IPV6_OPTION, 0, 2, IPV6_JOIN_ANYCAST_, NO_OPTION),
	IS(IPV6_OPTION, 0, 2, MCAST_JOIN_, NO_OPTION),
	IS(IPV6_OPTION, 0, 2, MCAST_JOIN_SOURCE_, NO_OPTION),
	ELSE(IPV6_OPTION, ALLOW),
};

const struct cdn_filter_test *
cdn_kind_tests(enum cdn_kind kind)
{
	if (kind < CDN_KIND_OPEN) /* the first of those that have any */
		return NULL;
	for (size_t i = 0; i < CDN_LEN(tests); i++)
		if (tests[i].kind == kind)
			return &tests[i];
	return NULL;
}
