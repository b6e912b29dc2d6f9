#include "musl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ----- Names of errors ------------------------------------------------------ */

#define ROW(name) [name] = #name

static const char *const names[] = {
	ROW(EPERM), ROW(ENOENT), ROW(ESRCH), ROW(EINTR), ROW(EIO), ROW(ENXIO),
	ROW(E2BIG), ROW(ENOEXEC), ROW(EBADF), ROW(ECHILD), ROW(EAGAIN),
	ROW(ENOMEM), ROW(EACCES), ROW(EFAULT), ROW(ENOTBLK), ROW(EBUSY),
	ROW(EEXIST), ROW(EXDEV), ROW(ENODEV), ROW(ENOTDIR), ROW(EISDIR),
	ROW(EINVAL), ROW(ENFILE), ROW(EMFILE), ROW(ENOTTY), ROW(ETXTBSY),
	ROW(EFBIG), ROW(ENOSPC), ROW(ESPIPE), ROW(EROFS), ROW(EMLINK),
	ROW(EPIPE), ROW(EDOM), ROW(ERANGE), ROW(EDEADLK), ROW(ENAMETOOLONG),
	ROW(ENOLCK), ROW(ENOSYS), ROW(ENOTEMPTY), ROW(ELOOP), ROW(ENODATA),
	ROW(EOVERFLOW), ROW(EBADFD), ROW(EILSEQ), ROW(EUSERS), ROW(ENOTSOCK),
	ROW(EDESTADDRREQ), ROW(EMSGSIZE), ROW(EPROTOTYPE), ROW(ENOPROTOOPT),
	ROW(EPROTONOSUPPORT), ROW(ESOCKTNOSUPPORT), ROW(EOPNOTSUPP),
	ROW(EPFNOSUPPORT), ROW(EAFNOSUPPORT), ROW(EADDRINUSE),
	ROW(EADDRNOTAVAIL), ROW(ENETDOWN), ROW(ENETUNREACH), ROW(ENETRESET),
	ROW(ECONNABORTED), ROW(ECONNRESET), ROW(ENOBUFS), ROW(EISCONN),
	ROW(ENOTCONN), ROW(ESHUTDOWN), ROW(ETIMEDOUT), ROW(ECONNREFUSED),
	ROW(EHOSTDOWN), ROW(EHOSTUNREACH), ROW(EALREADY), ROW(EINPROGRESS),
	ROW(ESTALE), ROW(EUCLEAN), ROW(EREMOTEIO), ROW(EDQUOT), ROW(ECANCELED),
	ROW(ENOKEY), ROW(EKEYEXPIRED), ROW(EKEYREVOKED), ROW(EKEYREJECTED),
};

const char *
strerrorname_np(int error)
{
	return error > 0 && (size_t)error < sizeof(names) / sizeof(*names) ?
	    names[error] : NULL;
}

/* ----- Their texts ----------------------------------------------------------- */

/* Where musl says it in other words than the rest of Linux. */
static const struct {
	int error;
	const char *text;
} texts[] = {
	{ EBUSY, "Device or resource busy" },
	{ ELOOP, "Too many levels of symbolic links" },
	{ ENAMETOOLONG, "File name too long" },
	{ ENOEXEC, "Exec format error" },
	{ ENOMEM, "Cannot allocate memory" },
	{ ENOTTY, "Inappropriate ioctl for device" },
	{ ESPIPE, "Illegal seek" },
	{ EXDEV, "Invalid cross-device link" },
	{ EIO, "Input/output error" },
	{ EMFILE, "Too many open files" },
	{ ENFILE, "Too many open files in system" },
	{ EOPNOTSUPP, "Operation not supported" },
};

const char *
strerrordesc_np(int error)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].error == error)
			return texts[i].text;
	return strerror(error);
}

char *
cdn_gnu_strerror_r(int error, char *room, size_t size)
{
	snprintf(room, size, "%s", strerrordesc_np(error));
	return room;
}

/* ----- Calls ----------------------------------------------------------------- */

/* musl's asks for O_CLOEXEC twice, for kernels older than any of ours. */
int
open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	return openat(AT_FDCWD, path, flags, mode);
}

int
cdn_gnu_renameat2(int from_fd, const char *from, int to_fd, const char *to,
    unsigned flags)
{
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

/* ----- What the archives of libyaml and libmd were compiled to call ------------ */

int __sprintf_chk(char *to, int flag, size_t size, const char *fmt, ...);
ssize_t __read_chk(int fd, void *to, size_t n, size_t size);

/* Of libmd's functions for files, which nobody here calls. */
ssize_t
__read_chk(int fd, void *to, size_t n, size_t size)
{
	if (n > size)
		abort();
	return read(fd, to, n);
}

int
__sprintf_chk(char *to, int flag, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	(void)flag;
	va_start(ap, fmt);
	n = vsnprintf(to, size, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= size)
		abort();
	return n;
}
