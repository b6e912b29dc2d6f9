/*
 * fds - descriptors that bwrap is given by their numbers.
 */
#ifndef CDN_BUBBLE_FDS_H
#define CDN_BUBBLE_FDS_H

#include <fcntl.h>
#include <unistd.h>

/* Never one of the first three: they are the run's.  Takes fd; -1 stays it. */
static inline int
cdn_fds_high(int fd)
{
	int high;

	if (fd < 0 || fd > 2)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return high;
}

/* If it is one; it is none then. */
static inline void
cdn_fds_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

#endif
