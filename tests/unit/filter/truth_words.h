/* The constants and answers that filter.truth may name, from the headers. */
#ifndef CDN_TESTS_FILTER_TRUTH_WORDS_H
#define CDN_TESTS_FILTER_TRUTH_WORDS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/msdos_fs.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

struct word {
	const char *name;
	uint64_t value;
};

#define WORD(name) { #name, (uint64_t)(name) }

static const struct word truth_constants[] = {
	WORD(CLONE_NEWNS), WORD(CLONE_NEWCGROUP), WORD(CLONE_NEWUTS),
	WORD(CLONE_NEWIPC), WORD(CLONE_NEWUSER), WORD(CLONE_NEWPID),
	WORD(CLONE_NEWNET), WORD(CLONE_FILES), WORD(CLONE_THREAD),
	WORD(TIOCSTI), WORD(TIOCLINUX), WORD(TIOCSETD), WORD(TIOCGPTPEER),
	WORD(F_SETOWN), WORD(FIGETBSZ), WORD(TIOCGPTN), WORD(TIOCSPTLCK),
	WORD(F_SETLEASE), WORD(FS_IOC_SETVERSION), WORD(FS_IOC_SETFLAGS),
	WORD(FS_IOC_FSSETXATTR), WORD(FS_IOC_SET_ENCRYPTION_POLICY),
	WORD(FS_IOC_REMOVE_ENCRYPTION_KEY), WORD(FS_IOC_ENABLE_VERITY),
	WORD(FAT_IOCTL_SET_ATTRIBUTES), WORD(FICLONE), WORD(FICLONERANGE),
	WORD(FIDEDUPERANGE), { "BTRFS_TYPE", BTRFS_IOCTL_MAGIC << 8 },
	WORD(PRIO_USER), WORD(PR_SET_DUMPABLE), WORD(O_WRONLY), WORD(O_RDWR),
	WORD(O_CREAT), WORD(O_TRUNC), WORD(O_APPEND),
	{ "__O_TMPFILE", O_TMPFILE & ~O_DIRECTORY }, WORD(S_IFMT), WORD(S_ISUID), WORD(S_ISGID),
	WORD(S_IFCHR), WORD(S_IFBLK), WORD(AF_UNIX), WORD(AF_INET),
	WORD(AF_INET6), WORD(AF_NETLINK), WORD(NETLINK_ROUTE),
	WORD(SOCK_STREAM), WORD(SOCK_DGRAM), WORD(SOCK_SEQPACKET),
	WORD(IPPROTO_TCP), WORD(IPPROTO_UDP), WORD(IPPROTO_ICMP),
	WORD(IPPROTO_ICMPV6), WORD(IPPROTO_MPTCP), WORD(MSG_FASTOPEN),
	WORD(TCP_REPAIR), WORD(TCP_FASTOPEN_CONNECT), WORD(TCP_ULP),
	WORD(IPPROTO_IP), WORD(IPPROTO_IPV6), WORD(IP_OPTIONS),
	WORD(IPV6_RTHDR), WORD(IPV6_2292RTHDR), WORD(IPV6_2292PKTOPTIONS),
	WORD(SOL_SOCKET), WORD(SO_BINDTODEVICE), WORD(SO_ATTACH_FILTER),
	WORD(SO_DETACH_FILTER), WORD(SO_LOCK_FILTER), WORD(SO_ATTACH_BPF),
	WORD(SO_BINDTOIFINDEX),
	WORD(SO_MARK), WORD(IP_UNICAST_IF), WORD(IP_ADD_MEMBERSHIP),
	WORD(IP_ADD_SOURCE_MEMBERSHIP), WORD(MCAST_JOIN_GROUP),
	WORD(MCAST_JOIN_SOURCE_GROUP), WORD(IPV6_PKTINFO),
	WORD(IPV6_UNICAST_IF), WORD(IPV6_ADD_MEMBERSHIP),
	WORD(IPV6_JOIN_ANYCAST),
};

#define ERRNO(name) { #name, SECCOMP_RET_ERRNO | (name) }

static const struct word truth_answers[] = {
	{ "allow", SECCOMP_RET_ALLOW },
	{ "trap", SECCOMP_RET_USER_NOTIF },
	{ "kill", SECCOMP_RET_KILL_PROCESS },
	{ "success", SECCOMP_RET_ERRNO },
	ERRNO(EPERM), ERRNO(ENOSYS), ERRNO(EINVAL), ERRNO(EOPNOTSUPP),
	ERRNO(EAFNOSUPPORT), ERRNO(ESOCKTNOSUPPORT), ERRNO(EPROTONOSUPPORT),
	ERRNO(ENOPROTOOPT), ERRNO(ENOTTY),
};

/* What may be asked of the spec; the bit is the place in this list. */
static const char *const truth_spec_words[] = { "strict", "no-modify",
	"unix-none", "unix-judged", "udp", "signals", "devices", "first" };

#endif
