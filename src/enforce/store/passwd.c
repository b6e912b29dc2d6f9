#include "enforce/store/passwd.h"

#include <fcntl.h>
#include <unistd.h>

#define FILE_MAX 16384 /* bytes; larger databases are asked by the library */

enum { FIELD_UID = 2, FIELD_HOME = 5, FIELDS = 7 };

/* All of it, or false. */
static bool
read_all(const char *file, char out[FILE_MAX], size_t *ret_n)
{
	cdn_cleanup_fd int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t n = 0;

	while (fd >= 0 && n < FILE_MAX) {
		ssize_t got = read(fd, out + n, FILE_MAX - n);

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

enum cdn_passwd
cdn_passwd_home(struct cdn_arena *arena, const char *file, uid_t uid,
    const char **ret)
{
	CDN_UNINITIALIZED char text[FILE_MAX];
	enum cdn_passwd result;
	cdn_str home = { "", 0 };
	size_t n;

	if (!read_all(file, text, &n) || memchr(text, '\0', n) != NULL)
		return CDN_PASSWD_UNKNOWN;
	result = find((cdn_str){ text, n }, uid, &home);
	if (result != CDN_PASSWD_FOUND)
		return result;
	if (home.n == 0 || home.p[0] != '/')
		home = CDN_STR("");
	*ret = cdn_arena_dup(arena, home.p, home.n);
	return *ret == NULL ? CDN_PASSWD_NOMEM : CDN_PASSWD_FOUND;
}
