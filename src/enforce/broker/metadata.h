/*
 * metadata - what stands beside the content: modes, owners, times, attributes.
 *
 *	a form says where the object is named among the arguments
 *	a change is the rest of them, copied once, and who carries it out
 *
 * For this room only.
 */
#ifndef CDN_BROKER_METADATA_H
#define CDN_BROKER_METADATA_H

#include <sys/stat.h>
#include <time.h>

#include "enforce/broker/call.h"

/* Newer than some headers; the same on every architecture. */
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

#define CDN_IOC_SETFLAGS   0x40086602U /* FS_IOC_SETFLAGS */
#define CDN_IOC_FSSETXATTR 0x401c5820U /* FS_IOC_FSSETXATTR */

#define CDN_XATTR_NAME	255   /* XATTR_NAME_MAX */
#define CDN_XATTR_VALUE 65536 /* XATTR_SIZE_MAX */
#define CDN_ATTR_SIZE	4096  /* of struct file_attr, as the kernel has it */

struct cdn_change;

/* On object->fd, which is O_PATH, or his own if change->own.  0 or -errno. */
typedef int cdn_change_fn(const struct cdn_call *call,
    const struct cdn_object *object, const struct cdn_change *change);

struct cdn_change {
	cdn_change_fn *apply;
	bool own;     /* set by the handler */
	bool nothing; /* there is nothing to do, not even to look */
	bool closes;  /* a directory may be out of our sight then */
	union {
		mode_t mode;
		struct {
			uid_t uid;
			gid_t gid;
		} owner;
		struct {
			bool now; /* without times */
			struct timespec at[2];
		} times;
		struct {
			char name[CDN_XATTR_NAME + 1];
			void *value; /* freed by done() */
			size_t size;
			int flags;
		} xattr;
		struct {
			unsigned command; /* of ioctl */
			int fault;	  /* told after EBADF, by ioctl */
			size_t size;
			_Alignas(8) unsigned char bytes[CDN_ATTR_SIZE];
		} attr;
	} u;
};

/* args: the whole six.  0 or -errno; on failure there is nothing to free. */
typedef int cdn_change_read_fn(const struct cdn_call *call,
    const uint64_t *args, struct cdn_change *ret);

/* xattr.c */
cdn_change_read_fn cdn_change_read_xattr;	 /* path or fd, name, ... */
cdn_change_read_fn cdn_change_read_xattrat;
cdn_change_read_fn cdn_change_read_unxattr;
cdn_change_read_fn cdn_change_read_unxattrat;
cdn_change_read_fn cdn_change_read_file_attr;
cdn_change_read_fn cdn_change_read_ioctl;
void cdn_change_done(struct cdn_change *change);

/* A name of ours for an O_PATH object, for calls that take only paths. */
#define CDN_OWN_NAME_SIZE 32
static inline const char *
cdn_own_name(int fd, char to[CDN_OWN_NAME_SIZE])
{
	snprintf(to, CDN_OWN_NAME_SIZE, "/proc/self/fd/%d", fd);
	return to;
}

#endif
