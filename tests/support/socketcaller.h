/*
 * socketcaller - what its parts have in common: the words of a request.
 */
#ifndef CDN_TESTS_SOCKETCALLER_H
#define CDN_TESTS_SOCKETCALLER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#define WORDS 24

extern char words[WORDS][512];

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
		struct sockaddr_storage room;
	} u;
	socklen_t size;
};

long number(int i);
bool word(int i, const char *what);
/* `errno N`, or `WHAT RESULT`. */
void tell(long result, const char *what);
/* The address that begins with this word. */
struct address parse(int i);
struct msghdr header(struct address *a, struct iovec *v, char *text, size_t n);
/* Of a socket: stream, dgram, packet. */
int type(const char *name);

/* ----- socketcaller_swaps.c ------------------------------------------------------ */

void do_swap(void);
void do_credentials(void);

#endif
