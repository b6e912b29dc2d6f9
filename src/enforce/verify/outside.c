/*
 * What the probes inside aim at: sockets that somebody listens on, and a
 * process that may be attacked.  All of it is ours, and goes with the end.
 */
#include "enforce/verify/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "enforce/sys/forgo.h"
#include "enforce/sys/process.h"

#define BACKLOG	     128
#define VICTIM_STACK 65536UL

const char cdn_outside_canary = 'c';

/* ----- Somebody to attack ---------------------------------------------------------- */

/* No more than who is caged: otherwise the kernel would protect it by itself. */
CDN_BARE static int
victim_main(void *arg)
{
	(void)arg;
	(void)cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	(void)cdn_raw(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (cdn_sys_close_range(3, 0) != 0 ||
	    cdn_sys_forgo_capabilities() != 0)
		return 1;
	for (;;)
		(void)cdn_raw(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

/* Its memory is a copy; its end is heard by who asks for such children. */
static void
open_victim(struct cdn_outside *o)
{
	void *stack = mmap(NULL, VICTIM_STACK, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	uint64_t mask;

	if (stack == MAP_FAILED)
		return;
	o->victim_stack = stack;
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	o->victim = cdn_sys_clone(victim_main, (char *)stack + VICTIM_STACK,
	    0, NULL, NULL);
	cdn_sys_set_mask(mask, NULL);
}

static void
close_victim(struct cdn_outside *o)
{
	int status;

	if (o->victim > 0) {
		(void)kill(o->victim, SIGKILL);
		while (waitpid(o->victim, &status, __WALL) < 0 &&
		    errno == EINTR)
			;
	}
	if (o->victim_stack != NULL)
		munmap(o->victim_stack, VICTIM_STACK);
}

/* ----- Sockets --------------------------------------------------------------------- */

static int
listen_on(const void *address, socklen_t size)
{
	const struct sockaddr *any = address;
	int fd = socket(any->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (bind(fd, any, size) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	close(fd);
	return -1;
}

/* At the same place in both families. */
static unsigned
port_of(int fd)
{
	struct sockaddr_in6 address = { 0 };
	socklen_t size = sizeof(address);

	if (fd < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) != 0)
		return 0;
	return ntohs(address.sin6_port);
}

static void
open_inet(struct cdn_outside *o)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	cdn_cleanup_fd int spare = -1;

	o->tcp_fd = listen_on(&in, sizeof(in));
	o->tcp_port = port_of(o->tcp_fd);
	o->tcp6_fd = listen_on(&in6, sizeof(in6));
	o->tcp6_port = port_of(o->tcp6_fd);
	spare = listen_on(&in, sizeof(in));
	o->free_port = port_of(spare);
}

static void
open_unix(struct cdn_outside *o, struct cdn_arena *arena)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t size = sizeof(o->abstract);

	snprintf(o->dir, sizeof(o->dir), "/tmp/cordon-verify-XXXXXX");
	if (mkdtemp(o->dir) == NULL) {
		o->dir[0] = '\0';
	} else {
		snprintf(un.sun_path, sizeof(un.sun_path), "%s/socket", o->dir);
		o->unix_fd = listen_on(&un, sizeof(un));
		o->socket = cdn_arena_dup(arena, un.sun_path,
		    strlen(un.sun_path));
	}
	/* Bound to no name at all: the kernel makes an abstract one up. */
	memset(un.sun_path, 0, sizeof(un.sun_path));
	o->abstract_fd = listen_on(&un, sizeof(un.sun_family));
	if (o->abstract_fd >= 0 &&
	    getsockname(o->abstract_fd, &o->abstract.any, &size) == 0)
		o->abstract_size = size;
}

void
cdn_outside_open(struct cdn_outside *o, struct cdn_arena *arena)
{
	*o = (struct cdn_outside){ .unix_fd = -1, .abstract_fd = -1,
		.tcp_fd = -1, .tcp6_fd = -1, .victim = -1 };
	open_unix(o, arena);
	open_inet(o);
	open_victim(o);
}

void
cdn_outside_close(struct cdn_outside *o)
{
	const int fds[] = { o->unix_fd, o->abstract_fd, o->tcp_fd,
		o->tcp6_fd };
	char path[sizeof(o->dir) + sizeof("/socket")];

	close_victim(o);
	for (size_t i = 0; i < CDN_LEN(fds); i++)
		cdn_cleanup_fd_fn(&fds[i]);
	if (o->dir[0] == '\0')
		return;
	/* By its name: there may have been no memory to keep it. */
	snprintf(path, sizeof(path), "%s/socket", o->dir);
	(void)unlink(path);
	(void)rmdir(o->dir);
}
