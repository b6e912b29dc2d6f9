#include "enforce/launch/nested.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* In halves. */
static uint64_t
form_long(struct cdn_form *form, uint64_t n)
{
	unsigned low = (unsigned)n, high = (unsigned)(n >> 32);

	cdn_form_number(form, &low, UINT32_MAX);
	cdn_form_number(form, &high, UINT32_MAX);
	return (uint64_t)high << 32 | low;
}

static void
form_place(struct cdn_form *form, struct cdn_nested_wish *wish)
{
	cdn_form_bool(form, &wish->placed);
	wish->cwd_is.dev = (dev_t)form_long(form, wish->cwd_is.dev);
	wish->cwd_is.ino = (ino_t)form_long(form, wish->cwd_is.ino);
}

void
cdn_nested_form(struct cdn_form *form, struct cdn_nested_wish *wish)
{
	const char **argv = cdn_form_strings(form, wish->argv, &wish->argc,
	    CDN_NESTED_WORDS);
	const char **env = cdn_form_strings(form, wish->env,
	    &wish->env_count, CDN_ENV_MAX);

	if (form->reading) {
		wish->argv = argv;
		wish->env = env;
	}
	cdn_form_string(form, &wish->program);
	cdn_form_string(form, &wish->cwd);
	form_place(form, wish);
	cdn_form_number(form, &wish->enforcement, CDN_ENFORCEMENT_REQUIRED);
	cdn_form_number(form, &wish->isolation, CDN_ISOLATION_NAMESPACES);
	cdn_form_bool(form, &wish->trace);
	form->bad |= wish->argc == 0 || wish->cwd == NULL ||
	    wish->program == NULL || wish->program[0] != '/';
}

int
cdn_nested_send(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

/* A socket can be told to wait in close() for somebody who never reads. */
void
cdn_nested_close(int fd)
{
	struct linger linger = { 0 };
	socklen_t size = sizeof(linger);

	if (getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &size) == 0 &&
	    linger.l_onoff != 0 && linger.l_linger > 0) {
		linger.l_onoff = 0;
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, size);
	}
	close(fd);
}

#define GIVEN_MAX 253 /* what one message can carry, SCM_MAX_FD */

static void
take_given(const struct cmsghdr *c, int *stdio)
{
	int given[GIVEN_MAX];
	size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	memcpy(given, CMSG_DATA(c), n * sizeof(int));
	if (n == 3 && stdio != NULL) {
		memcpy(stdio, given, n * sizeof(int));
		return;
	}
	for (size_t i = 0; i < n; i++)
		cdn_nested_close(given[i]);
}

ssize_t
cdn_nested_take(int fd, void *bytes, size_t size, int flags, int *stdio)
{
	/* For all that can come: what has no room is closed by the kernel. */
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(
	    GIVEN_MAX * sizeof(int))];
	struct iovec into = { bytes, size };
	struct msghdr message = { .msg_iov = &into, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control) };
	const struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(fd, &message, flags | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&message);
	if (c != NULL)
		take_given(c, stdio);
	return n;
}

int
cdn_nested_receive(int fd, void *bytes, size_t size)
{
	char *at = bytes;

	while (size > 0) {
		ssize_t n = cdn_nested_take(fd, at, size, 0, NULL);

		if (n <= 0)
			return n == 0 ? -EPIPE : (int)n;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

#define HEAD offsetof(struct cdn_nested_answer, text)

int
cdn_nested_say(int fd, enum cdn_nested_says says, int value, const char *text)
{
	struct cdn_nested_answer answer = { .says = says, .value = value };
	size_t n = strlen(text);

	if (n > sizeof(answer.text) - 1)
		n = sizeof(answer.text) - 1;
	answer.size = (uint32_t)n;
	memcpy(answer.text, text, n);
	return cdn_nested_send(fd, &answer, HEAD + n);
}

int
cdn_nested_hear(int fd, struct cdn_nested_answer *ret)
{
	int r = cdn_nested_receive(fd, ret, HEAD);

	if (r == 0 && ret->size >= sizeof(ret->text))
		r = -EBADMSG;
	if (r == 0)
		r = cdn_nested_receive(fd, ret->text, ret->size);
	if (r == 0)
		ret->text[ret->size] = '\0';
	return r;
}
