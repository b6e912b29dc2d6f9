#include "base/base.h"

#include <errno.h>
#include <unistd.h>

void
cdn_bug_at(const char *what, const char *file, int line)
{
	fprintf(stderr, "cordon: bug: %s (%s:%d)\n", what, file, line);
	abort();
}

void
cdn_cleanup_free_fn(void *pointer_to_pointer)
{
	void *p;

	memcpy(&p, pointer_to_pointer, sizeof(p));
	free(p);
}

void
cdn_cleanup_fd_fn(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}
