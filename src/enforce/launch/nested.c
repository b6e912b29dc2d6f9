#include "enforce/launch/nested.h"

#include <errno.h>
#include <sys/socket.h>

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
	cdn_form_string(form, &wish->cwd);
	cdn_form_number(form, &wish->enforcement, CDN_ENFORCEMENT_REQUIRED);
	cdn_form_number(form, &wish->isolation, CDN_ISOLATION_NAMESPACES);
	cdn_form_bool(form, &wish->trace);
	form->bad |= wish->argc == 0 || wish->cwd == NULL;
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

int
cdn_nested_receive(int fd, void *bytes, size_t size)
{
	char *at = bytes;

	while (size > 0) {
		ssize_t n = recv(fd, at, size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 ? -EPIPE : -errno;
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
