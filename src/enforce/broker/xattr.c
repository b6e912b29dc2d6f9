/*
 * Extended attributes, and the flags of an inode (chattr).
 */
#include "enforce/broker/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "enforce/broker/inside.h"

#define FSXATTR_SIZE   28U	   /* struct fsxattr */
#define FILE_ATTR_SIZE 24U	   /* struct file_attr, as it began */

/* struct xattr_args */
struct xattr_args {
	uint64_t value;
	uint32_t size;
	uint32_t flags;
};

static int
result(long r)
{
	return r < 0 ? -errno : 0;
}

/* ----- Arguments ----------------------------------------------------------------- */

/* A struct that may be longer than we know: what we do not know must be 0. */
static int
copy_struct(const struct cdn_call *call, uint64_t from, uint64_t size,
    void *to, size_t least, size_t known)
{
	unsigned char bytes[CDN_ATTR_SIZE] = { 0 };
	int r;

	if (size < least)
		return -EINVAL;
	if (size > sizeof(bytes))
		return -E2BIG;
	r = cdn_call_copy(call, from, bytes, (size_t)size);
	if (r < 0)
		return r;
	for (size_t i = known; i < size; i++)
		if (bytes[i] != 0)
			return -E2BIG;
	memcpy(to, bytes, known);
	return 0;
}

static int
read_name(const struct cdn_call *call, uint64_t from, struct cdn_change *ret)
{
	char text[CDN_PATH_MAX + 1];
	int n = cdn_call_text(call, from, text);

	if (n == -ENAMETOOLONG || n == 0 || n > CDN_XATTR_NAME)
		return -ERANGE;
	if (n < 0)
		return n;
	memcpy(ret->u.xattr.name, text, (size_t)n + 1);
	return 0;
}

static int
read_value(const struct cdn_call *call, uint64_t from, uint64_t size,
    struct cdn_change *ret)
{
	int r;

	ret->u.xattr.value = NULL;
	ret->u.xattr.size = (size_t)size;
	if (size > CDN_XATTR_VALUE)
		return -E2BIG;
	if (size == 0)
		return 0;
	ret->u.xattr.value = malloc((size_t)size);
	if (ret->u.xattr.value == NULL)
		return -ENOMEM;
	r = cdn_call_copy(call, from, ret->u.xattr.value, (size_t)size);
	if (r < 0)
		free(ret->u.xattr.value);
	return r;
}

/* ----- Extended attributes ------------------------------------------------------- */

static int
apply_xattr(const struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_change *change)
{
	const char *name = change->u.xattr.name;
	const void *value = change->u.xattr.value;
	size_t size = change->u.xattr.size;
	int flags = change->u.xattr.flags;
	char own[CDN_OWN_NAME_SIZE];

	(void)call;
	if (change->own)
		return result(fsetxattr(object->fd, name, value, size, flags));
	return result(setxattr(cdn_own_name(object->fd, own), name, value,
	    size, flags));
}

void
cdn_change_done(struct cdn_change *change)
{
	if (change->apply == apply_xattr)
		free(change->u.xattr.value);
}

/* In the order of the kernel: what is wrong first is told first. */
static int
read_set(const struct cdn_call *call, uint64_t name,
    const struct xattr_args *args, uint64_t size, struct cdn_change *ret)
{
	int r;

	ret->apply = apply_xattr;
	ret->u.xattr.flags = (int)args->flags;
	if ((args->flags & ~(unsigned)(XATTR_CREATE | XATTR_REPLACE)) != 0)
		return -EINVAL;
	r = read_name(call, name, ret);
	/* An access list may say more than the mode. */
	ret->closes = r == 0 && strncmp(ret->u.xattr.name, "system.", 7) == 0;
	return r < 0 ? r : read_value(call, args->value, size, ret);
}

int
cdn_change_read_xattr(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	struct xattr_args set = { .value = args[2], .flags = (uint32_t)args[4] };

	return read_set(call, args[1], &set, args[3], ret);
}

int
cdn_change_read_xattrat(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	struct xattr_args set;
	int r = copy_struct(call, args[4], args[5], &set, sizeof(set),
	    sizeof(set));

	return r < 0 ? r : read_set(call, args[3], &set, set.size, ret);
}

static int
apply_unxattr(const struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_change *change)
{
	char own[CDN_OWN_NAME_SIZE];

	(void)call;
	if (change->own)
		return result(fremovexattr(object->fd, change->u.xattr.name));
	return result(removexattr(cdn_own_name(object->fd, own),
	    change->u.xattr.name));
}

int
cdn_change_read_unxattr(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	ret->apply = apply_unxattr;
	return read_name(call, args[1], ret);
}

int
cdn_change_read_unxattrat(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	ret->apply = apply_unxattr;
	return read_name(call, args[3], ret);
}

/* ----- Flags of an inode --------------------------------------------------------- */

static int
apply_file_attr(const struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_change *change)
{
	char own[CDN_OWN_NAME_SIZE];

	(void)call;
	return result(syscall(SYS_file_setattr, object->fd,
	    change->own ? "" : cdn_own_name(object->fd, own),
	    change->u.attr.bytes, change->u.attr.size,
	    change->own ? AT_EMPTY_PATH : 0));
}

int
cdn_change_read_file_attr(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	ret->apply = apply_file_attr;
	if (args[3] > CDN_ATTR_SIZE)
		return -E2BIG;
	if (args[3] < FILE_ATTR_SIZE)
		return -EINVAL;
	ret->u.attr.size = (size_t)args[3];
	return cdn_call_copy(call, args[2], ret->u.attr.bytes,
	    ret->u.attr.size);
}

/* Not on what has commands of its own, which might mean anything. */
static int
apply_ioctl(const struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_change *change)
{
	(void)call;
	if ((fcntl(object->fd, F_GETFL) & O_PATH) != 0)
		return -EBADF;
	if (change->u.attr.fault < 0)
		return change->u.attr.fault;
	if (!S_ISREG(object->mode) && !S_ISDIR(object->mode))
		return -ENOTTY;
	return result(ioctl(object->fd, change->u.attr.command,
	    change->u.attr.bytes));
}

int
cdn_change_read_ioctl(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	unsigned command = (unsigned)args[1];

	ret->apply = apply_ioctl;
	ret->u.attr.command = command;
	/* An int, although its number says that it is a long. */
	ret->u.attr.size = command == CDN_IOC_SETFLAGS ? sizeof(int) : FSXATTR_SIZE;
	if (command != CDN_IOC_SETFLAGS && command != CDN_IOC_FSSETXATTR)
		return -ENOSYS; /* a trap nobody foresaw */
	memset(ret->u.attr.bytes, 0, 64);
	ret->u.attr.fault = cdn_call_copy(call, args[2], ret->u.attr.bytes,
	    ret->u.attr.size);
	return 0;
}
