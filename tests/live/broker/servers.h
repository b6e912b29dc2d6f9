/*
 * servers - of the test, outside of the cage; and rows of requests.
 */
#ifndef CDN_TESTS_SERVERS_H
#define CDN_TESTS_SERVERS_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cage.h"

#define SERVER_MS 60000 /* for what certainly comes */

/* Port 0: any.  -1: there is no such address here. */
static inline int
server_inet(const char *host, int type, int *port)
{
	bool six = strchr(host, ':') != NULL;
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)*port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)*port) };
	struct sockaddr *any = six ? (void *)&in6 : (void *)&in;
	socklen_t size = six ? sizeof(in6) : sizeof(in);
	int fd = socket(six ? AF_INET6 : AF_INET,
	    type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	inet_pton(AF_INET, host, &in.sin_addr);
	inet_pton(AF_INET6, host, &in6.sin6_addr);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, any, size) != 0 ||
	    (type == SOCK_STREAM && listen(fd, 128) != 0)) {
		close(fd);
		return -1;
	}
	getsockname(fd, any, &size);
	*port = ntohs(six ? in6.sin6_port : in.sin_port);
	return fd;
}

/* abstract: the path is a name. */
static inline int
server_unix(const char *path, bool abstract)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(un.sun_path + abstract, sizeof(un.sun_path) - 1, "%s", path);
	tmp_need(bind(fd, (void *)&un, (socklen_t)(offsetof(struct sockaddr_un,
			 sun_path) + strlen(path) + 1)) == 0 &&
	    listen(fd, 128) == 0, "server", path);
	return fd;
}

/* How many came. */
static inline int
server_reached(int fd)
{
	int n = 0, one;

	while ((one = accept(fd, NULL, NULL)) >= 0) {
		close(one);
		n++;
	}
	return n;
}

/* So many, who may be on their way; more, if there are more. */
static inline int
server_awaits(int fd, int want)
{
	struct pollfd ready = { fd, POLLIN, 0 };
	int n = server_reached(fd);

	while (n < want && poll(&ready, 1, SERVER_MS) == 1)
		n += server_reached(fd);
	return n;
}

/* Takes whoever comes, until the end: a full queue would make them wait. */
struct drain {
	pthread_t thread;
	int fd;
	volatile bool stop;
	int count;
};

static inline void *
drain_main(void *arg)
{
	struct drain *drain = arg;
	struct pollfd fd = { drain->fd, POLLIN, 0 };

	while (!drain->stop)
		if (poll(&fd, 1, 20) == 1)
			drain->count += server_reached(drain->fd);
	return NULL;
}

static inline void
drain_start(struct drain *drain, int fd)
{
	*drain = (struct drain){ .fd = fd };
	tmp_need(pthread_create(&drain->thread, NULL, drain_main, drain) == 0,
	    "thread", "");
}

static inline int
drain_stop(struct drain *drain)
{
	drain->stop = true;
	pthread_join(drain->thread, NULL);
	drain->count += server_reached(drain->fd);
	return drain->count;
}

/* The datagram that came, or "". */
static inline const char *
server_got(int fd)
{
	static char data[256];
	ssize_t n = recv(fd, data, sizeof(data) - 1, MSG_DONTWAIT);

	data[n < 0 ? 0 : n] = '\0';
	return data;
}

/* The one that certainly comes. */
static inline const char *
server_gets(int fd)
{
	struct pollfd ready = { fd, POLLIN, 0 };

	(void)poll(&ready, 1, SERVER_MS);
	return server_got(fd);
}

/* How often an address is flipped. */
static inline unsigned long
server_flips(void)
{
	unsigned long n = tries(1000);

	return n < 20000 ? 20000 : n;
}

/* ----- Rows ---------------------------------------------------------------------- */

struct row {
	const char *request; /* $W the workspace, $P and $Q ports, $O outside,
			      * $A a number of the test's own */
	const char *want;
};

struct words {
	int p, q;
};

static inline void
row_expand(const char *from, const struct words *words, char *to, size_t size)
{
	size_t n = 0;

	for (; *from != '\0' && n + 1 < size; from++) {
		char number[16];
		const char *word = NULL;

		if (from[0] == '$' && from[1] == 'W')
			word = tmp_path("w");
		else if (from[0] == '$' && from[1] == 'O')
			word = tmp_path("out");
		else if (from[0] == '$' && strchr("PQA", from[1]) != NULL)
			word = number;
		snprintf(number, sizeof(number), "%d",
		    from[1] == 'P' ? words->p :
		    from[1] == 'Q' ? words->q : getpid());
		if (word == NULL) {
			to[n++] = *from;
			continue;
		}
		n += (size_t)snprintf(to + n, size - n, "%s", word);
		from++;
	}
	to[n < size ? n : size - 1] = '\0';
}

static inline void
rows_run(struct cage *cage, const char *title, const struct words *words,
    const struct row *rows, size_t count)
{
	char request[1024], want[1024];

	for (size_t i = 0; i < count; i++) {
		row_expand(rows[i].request, words, request, sizeof(request));
		row_expand(rows[i].want, words, want, sizeof(want));
		(void)cage_ask(cage, "%s", request);
		ok_f(cage_says(cage, want), "%s: %s: %s", title, request,
		    cage->answer);
	}
}

#endif
