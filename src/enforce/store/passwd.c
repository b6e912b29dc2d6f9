#include "enforce/store/passwd.h"

#include <fcntl.h>
#include <unistd.h>

#define FILE_MAX   16384 /* bytes; larger databases are asked by the library */
#define FILE_SMALL 3072  /* most are: no more of the stack is touched then */

enum { FIELD_UID = 2, FIELD_HOME = 5, FIELDS = 7 };

/* All of it, or false: it does not fit, or cannot be read. */
static bool
read_all(int fd, char *out, size_t room, size_t *ret_n)
{
	size_t n = 0;

	while (n < room) {
		ssize_t got = pread(fd, out + n, room - n, (off_t)n);

		if (got < 0)
			return false;
		if (got == 0) {
			*ret_n = n;
			return true;
		}
		n += (size_t)got;
	}
	return false;
}

static bool
split(cdn_str line, cdn_str fields[FIELDS])
{
	size_t n = 0;

	while (n < FIELDS && cdn_str_next(&line, ':', &fields[n]))
		n++;
	return n == FIELDS && line.p == NULL;
}

/* A line that refers to another database: it may have been meant. */
static bool
refers(cdn_str line)
{
	return line.n > 0 && (line.p[0] == '+' || line.p[0] == '-');
}

static enum cdn_passwd
find(cdn_str text, uid_t uid, cdn_str *ret)
{
	cdn_str line;

	while (cdn_str_next(&text, '\n', &line)) {
		cdn_str fields[FIELDS];
		uint64_t number;

		if (refers(line))
			return CDN_PASSWD_UNKNOWN;
		if (!split(line, fields) || fields[0].n == 0 ||
		    !cdn_str_parse_u64(fields[FIELD_UID], &number) ||
		    number != uid)
			continue;
		*ret = fields[FIELD_HOME];
		return CDN_PASSWD_FOUND;
	}
	return CDN_PASSWD_UNKNOWN;
}

static enum cdn_passwd
find_home(struct cdn_arena *arena, cdn_str text, uid_t uid, const char **ret)
{
	enum cdn_passwd result;
	cdn_str home = { "", 0 };

	if (memchr(text.p, '\0', text.n) != NULL)
		return CDN_PASSWD_UNKNOWN;
	result = find(text, uid, &home);
	if (result != CDN_PASSWD_FOUND)
		return result;
	if (home.n == 0 || home.p[0] != '/')
		home = CDN_STR("");
	*ret = cdn_arena_dup(arena, home.p, home.n);
	return *ret == NULL ? CDN_PASSWD_NOMEM : CDN_PASSWD_FOUND;
}

/* Apart, or its text would lie on the stack of every start. */
__attribute__((noinline)) static enum cdn_passwd
find_in_large(struct cdn_arena *arena, int fd, uid_t uid, const char **ret)
{
	CDN_UNINITIALIZED char text[FILE_MAX];
	size_t n;

	return read_all(fd, text, sizeof(text), &n) ?
	    find_home(arena, (cdn_str){ text, n }, uid, ret) :
	    CDN_PASSWD_UNKNOWN;
}

enum cdn_passwd
cdn_passwd_home(struct cdn_arena *arena, const char *file, uid_t uid,
    const char **ret)
{
	cdn_cleanup_fd int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	CDN_UNINITIALIZED char text[FILE_SMALL];
	size_t n;

	if (fd < 0)
		return CDN_PASSWD_UNKNOWN;
	return read_all(fd, text, sizeof(text), &n) ?
	    find_home(arena, (cdn_str){ text, n }, uid, ret) :
	    find_in_large(arena, fd, uid, ret);
}
