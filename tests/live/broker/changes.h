/*
 * changes - every call that changes what stands beside the content, in every
 * form, and what is there afterwards.
 *
 *	$P	the path		$F	the descriptor
 *	$G	the group of the caller
 */
#ifndef CDN_TESTS_CHANGES_H
#define CDN_TESTS_CHANGES_H

#include "cage.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat	  463
#define SYS_removexattrat 466
#endif
#ifndef SYS_file_setattr
#define SYS_file_setattr 469
#endif

#define NOFOLLOW " 0x100"
#define EMPTY	 " 0x1000"

/* Two longs each: seconds and the rest. */
#define TIMES	 "x:64000000000000000700000000000000c8000000000000000800000000000000"
#define OMIT_SET "x:0000000000000000feffff3f00000000c8000000000000000800000000000000"
#define SET_NOW	 "x:64000000000000000700000000000000c800000000000000ffffff3f00000000"
#define OMIT_ALL "x:0000000000000000feffff3f000000000000000000000000feffff3f00000000"
#define NSEC_BAD "x:640000000000000000ca9a3b00000000c8000000000000000800000000000000"
#define USEC_BAD "x:640000000000000040420f0000000000c8000000000000000800000000000000"
#define SECONDS	 "x:6400000000000000c800000000000000"
/* struct file_attr and struct fsxattr: nodump. */
#define NODUMP	 "x:800000000000000000000000000000000000000000000000"
#define NODUMP_X "x:80000000000000000000000000000000000000000000000000000000"
/* u::rwx g::r-- o::r-- with u:1:rwx and a mask. */
#define ACL                                                               \
	"x:0200000001000700ffffffff020007000100000004000400ffffffff"      \
	"10000700ffffffff20000400ffffffff"

struct change_call {
	long nr;
	const char *name;
	const char *args;
	bool plain; /* nothing is wrong with it: it works where it may */
};

#define GOOD(name, args) { SYS_##name, #name, args, true }
#define ODD(name, args)	 { SYS_##name, #name, args, false }

static const struct change_call changes_by_path[] = {
	GOOD(fchmodat, "-100 $P 0751"),
	ODD(fchmodat, "-100 $P 01700"),
	ODD(fchmodat, "-100 0 0700"),
	ODD(fchmodat, "77 $P 0755"),
	GOOD(fchmodat2, "-100 $P 0705 0"),
	ODD(fchmodat2, "-100 $P 0715" NOFOLLOW),
	GOOD(fchmodat2, "-100 $P 0725" EMPTY),
	ODD(fchmodat2, "-100 $P 0735 0x400"),
	GOOD(fchownat, "-100 $P -1 $G 0"),
	GOOD(fchownat, "-100 $P -1 $G" NOFOLLOW),
	GOOD(fchownat, "-100 $P -1 $G" EMPTY),
	ODD(fchownat, "-100 $P 12345 -1 0"),
	ODD(fchownat, "-100 $P -1 12345" NOFOLLOW),
	ODD(fchownat, "-100 $P -1 -1 0x400"),
	GOOD(utimensat, "-100 $P " TIMES " 0"),
	GOOD(utimensat, "-100 $P 0 0"),
	GOOD(utimensat, "-100 $P " OMIT_SET " 0"),
	GOOD(utimensat, "-100 $P " SET_NOW " 0"),
	GOOD(utimensat, "-100 $P " TIMES NOFOLLOW),
	GOOD(utimensat, "-100 $P " TIMES EMPTY),
	ODD(utimensat, "-100 $P " OMIT_ALL " 0"),
	ODD(utimensat, "-100 $P " NSEC_BAD " 0"),
	ODD(utimensat, "-100 $P " TIMES " 0x400"),
	ODD(utimensat, "-100 $P 1 0"),
	ODD(utimensat, "-100 0 " TIMES " 0"),
	GOOD(setxattr, "$P s:user.a s:value 5 0"),
	ODD(setxattr, "$P s:user.a s:value 3 1"),
	ODD(setxattr, "$P s:user.a s:other 5 2"),
	ODD(setxattr, "$P s:user.none s:other 5 2"),
	ODD(setxattr, "$P s:user.a s:value 5 3"),
	ODD(setxattr, "$P s:user.a s:value 5 4"),
	ODD(setxattr, "$P s: s:value 5 0"),
	ODD(setxattr, "$P 1 s:value 5 0"),
	ODD(setxattr, "$P s:user.empty 0 0 0"),
	ODD(setxattr, "$P s:user.a 1 5 0"),
	ODD(setxattr, "$P s:user.a s:value 65537 0"),
	ODD(setxattr, "$P s:user.$L s:value 5 0"),
	ODD(setxattr, "$P s:nothing s:value 5 0"),
	ODD(setxattr, "$P s:trusted.a s:value 5 0"),
	ODD(setxattr, "$P s:security.a s:value 5 0"),
	ODD(setxattr, "$P s:security.capability "
	    "x:0100000200200000000000000000000000000000 20 0"),
	ODD(setxattr, "$P s:system.posix_acl_access " ACL " 44 0"),
	ODD(setxattr, "$P s:system.posix_acl_access s:bad 3 0"),
	ODD(removexattr, "$P s:system.posix_acl_access"),
	ODD(lsetxattr, "$P s:user.l s:value 5 0"),
	ODD(lremovexattr, "$P s:user.l"),
	GOOD(removexattr, "$P s:user.a"),
	ODD(removexattr, "$P s:user.a"),
	ODD(removexattr, "$P s:"),
	GOOD(setxattrat, "-100 $P 0 s:user.at a:value 16"),
	ODD(setxattrat, "-100 $P 0x100 s:user.at a:value 16"),
	ODD(setxattrat, "-100 $P 0x1000 s:user.at a:value 16"),
	ODD(setxattrat, "-100 $P 0 s:user.at a:value 15"),
	ODD(setxattrat, "-100 $P 0 s:user.at a:value 17"),
	ODD(setxattrat, "-100 $P 0 s:user.at a:value 5000"),
	ODD(setxattrat, "-100 $P 0x400 s:user.at a:value 16"),
	GOOD(removexattrat, "-100 $P 0 s:user.at"),
	ODD(removexattrat, "-100 $P 0x100 s:user.at"),
	ODD(file_setattr, "-100 $P " NODUMP " 24 0"),
	ODD(file_setattr, "-100 $P x:00 24 0"),
	ODD(file_setattr, "-100 $P " NODUMP " 24" NOFOLLOW),
	ODD(file_setattr, "-100 $P " NODUMP " 32 0"),
	ODD(file_setattr, "-100 $P " NODUMP " 23 0"),
	ODD(file_setattr, "-100 $P " NODUMP " 5000 0"),
	ODD(file_setattr, "-100 $P " NODUMP " 24 0x400"),
#ifdef SYS_chmod
	GOOD(chmod, "$P 0741"),
	GOOD(chown, "$P -1 $G"),
	GOOD(lchown, "$P -1 $G"),
	ODD(chown, "$P 0 12345"),
	GOOD(utime, "$P " SECONDS),
	GOOD(utime, "$P 0"),
	ODD(utime, "$P 1"),
	GOOD(utimes, "$P " TIMES),
	GOOD(utimes, "$P 0"),
	ODD(utimes, "$P " USEC_BAD),
	GOOD(futimesat, "-100 $P " TIMES),
	ODD(futimesat, "77 $P " TIMES),
#endif
};

static const struct change_call changes_by_fd[] = {
	GOOD(fchmod, "$F 0751"),
	GOOD(fchown, "$F -1 $G"),
	ODD(fchown, "$F 12345 -1"),
	GOOD(utimensat, "$F 0 " TIMES " 0"),
	GOOD(utimensat, "$F 0 0 0"),
	ODD(utimensat, "$F 0 " TIMES NOFOLLOW),
	ODD(utimensat, "$F s: " TIMES " 0"),
	GOOD(fsetxattr, "$F s:user.f s:value 5 0"),
	GOOD(fremovexattr, "$F s:user.f"),
	ODD(ioctl, "$F 0x40086602 x:4000080000000000"),
	ODD(ioctl, "$F 0x40086602 x:0000080000000000"),
	ODD(ioctl, "$F 0x40086602 1"),
	ODD(ioctl, "$F 0x401c5820 " NODUMP_X),
	ODD(ioctl, "$F 0x40086602 x:1000080000000000"), /* immutable */
	ODD(fchmodat2, "$F s: 0761 0x1000"),
	ODD(fchmodat2, "$F s: 0761 0"),
	ODD(fchownat, "$F s: -1 $G 0x1000"),
	ODD(utimensat, "$F s: " TIMES EMPTY),
	ODD(setxattrat, "$F s: 0x1000 s:user.e a:value 16"),
	ODD(setxattrat, "$F 0 0x1000 s:user.e a:other 16"),
	ODD(setxattrat, "$F 0 0 s:user.e a:other 16"),
	ODD(removexattrat, "$F s: 0x1000 s:user.e"),
	ODD(file_setattr, "$F s: " NODUMP " 24" EMPTY),
	ODD(file_setattr, "$F 0 x:00 24" EMPTY),
#ifdef SYS_futimesat
	GOOD(futimesat, "$F 0 " TIMES),
#endif
};

#undef GOOD
#undef ODD

/* The line for the caller; path with "s:" in front. */
static inline void
change_line(const struct change_call *call, const char *path, long fd,
    char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size, "sys %ld ", call->nr);

	for (const char *at = call->args; *at != '\0' && n < size - 1; at++) {
		if (*at != '$') {
			out[n++] = *at;
			out[n] = '\0';
			continue;
		}
		at++;
		if (*at == 'P')
			n += (size_t)snprintf(out + n, size - n, "s:%s", path);
		else if (*at == 'F')
			n += (size_t)snprintf(out + n, size - n, "%ld", fd);
		else if (*at == 'G')
			n += (size_t)snprintf(out + n, size - n, "%d",
			    (int)getegid());
		else
			n += (size_t)snprintf(out + n, size - n, "%0255d", 0);
	}
}

/* ----- What is there --------------------------------------------------------------- */

static inline void
change_xattrs(const char *path, FILE *out)
{
	char names[4096], value[256];
	ssize_t n = llistxattr(path, names, sizeof(names)), size;

	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
		size = lgetxattr(path, names + i, value, sizeof(value));
		fprintf(out, " %s=", names + i);
		for (ssize_t k = 0; k < size; k++)
			fprintf(out, "%02x", (unsigned char)value[k]);
	}
}

static inline void
change_flags(const char *path, mode_t mode, FILE *out)
{
	int fd, flags = 0;

	if (!S_ISREG(mode) && !S_ISDIR(mode))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0)
		fprintf(out, " flags %x", (unsigned)flags);
	if (fd >= 0)
		close(fd);
}

/* Times of today are "now": no two runs see the same. */
static inline void
change_time(const struct timespec *at, FILE *out)
{
	if (at->tv_sec > 1000000)
		fprintf(out, " now");
	else
		fprintf(out, " %ld.%ld", (long)at->tv_sec, at->tv_nsec);
}

/* exact: in one run, to see that nothing changed; with the times as they are. */
static inline void
change_state(const char *path, bool exact, FILE *out)
{
	struct stat st;

	if (lstat(path, &st) != 0) {
		fprintf(out, " gone");
		return;
	}
	fprintf(out, " %o %d:%d", st.st_mode, (int)st.st_uid, (int)st.st_gid);
	if (exact) {
		fprintf(out, " %ld.%ld %ld.%ld", (long)st.st_mtim.tv_sec,
		    st.st_mtim.tv_nsec, (long)st.st_ctim.tv_sec,
		    st.st_ctim.tv_nsec);
	} else {
		/* Reading a directory or a link is not what is tested. */
		if (S_ISREG(st.st_mode))
			change_time(&st.st_atim, out);
		change_time(&st.st_mtim, out);
	}
	change_xattrs(path, out);
	change_flags(path, st.st_mode, out);
}

#endif
