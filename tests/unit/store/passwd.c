/*
 * The home of a user from the text of a password file.
 */
#include "enforce/store/passwd.h"

#include <pwd.h>

#include "support/engine.h"
#include "support/tmpdir.h"

/* clang-format off */
static const struct {
	const char *what;
	const char *text;
	enum cdn_passwd result;
	const char *home;
} rows[] = {
	{ "a line", "u:x:7:7:U:/home/u:/bin/sh\n", CDN_PASSWD_FOUND, "/home/u" },
	{ "the last, unfinished line",
	  "r:x:0:0::/root:/bin/sh\nu:x:7:7::/h:/bin/sh", CDN_PASSWD_FOUND,
	  "/h" },
	{ "the first of two", "a:x:7:7::/a:\nb:x:7:7::/b:\n",
	  CDN_PASSWD_FOUND, "/a" },
	{ "another uid", "u:x:77:7::/h:\n", CDN_PASSWD_UNKNOWN, NULL },
	{ "the group is not the user", "u:x:8:7::/h:\n", CDN_PASSWD_UNKNOWN,
	  NULL },
	{ "no number", "u:x:7x:7::/h:\nu:x: 7:7::/h:\n", CDN_PASSWD_UNKNOWN,
	  NULL },
	{ "too few fields", "u:x:7:7:/h\n", CDN_PASSWD_UNKNOWN, NULL },
	{ "too many", "u:x:7:7::/h::\n", CDN_PASSWD_UNKNOWN, NULL },
	{ "no name", ":x:7:7::/h:\n", CDN_PASSWD_UNKNOWN, NULL },
	{ "a relative home", "u:x:7:7::h:\n", CDN_PASSWD_FOUND, "" },
	{ "no home", "u:x:7:7:::\n", CDN_PASSWD_FOUND, "" },
	{ "another database before it", "+@all\nu:x:7:7::/h:\n",
	  CDN_PASSWD_UNKNOWN, NULL },
	{ "nothing", "", CDN_PASSWD_UNKNOWN, NULL },
};
/* clang-format on */

static void
test_rows(struct cdn_arena *arena)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const char *home = NULL;

		tmp_file("passwd", rows[i].text);
		ok_f(cdn_passwd_home(arena, tmp_path("passwd"), 7, &home) ==
		    rows[i].result, "%s", rows[i].what);
		ok_f(rows[i].home == NULL ? home == NULL :
		    home != NULL && strcmp(home, rows[i].home) == 0,
		    "%s: the home", rows[i].what);
	}
}

static void
test_large(struct cdn_arena *arena)
{
	static char text[20000];
	const char *home = NULL;

	memset(text, '#', sizeof(text) - 1);
	memcpy(text, "u:x:7:7::/h:\n", 13);
	tmp_file("passwd", text);
	ok(cdn_passwd_home(arena, tmp_path("passwd"), 7, &home) ==
	    CDN_PASSWD_UNKNOWN, "too large to be read here");
	memset(text, '#', 9000);
	memcpy(text + 8900, "\nu:x:7:7::/h:\n", 15);
	text[9000] = '\0';
	tmp_file("passwd", text);
	ok(cdn_passwd_home(arena, tmp_path("passwd"), 7, &home) ==
	    CDN_PASSWD_FOUND && strcmp(home, "/h") == 0,
	    "large, and the last line is the one");
	ok(cdn_passwd_home(arena, tmp_path("none"), 7, &home) ==
	    CDN_PASSWD_UNKNOWN, "no file");
}

/* What the library says of the file it reads as well. */
static void
test_real(struct cdn_arena *arena)
{
	const struct passwd *entry = getpwuid(getuid());
	const char *home = NULL;

	if (entry == NULL || cdn_passwd_home(arena, "/etc/passwd", getuid(),
		&home) != CDN_PASSWD_FOUND) {
		skip("this user is not in /etc/passwd");
		return;
	}
	ok(strcmp(home, entry->pw_dir) == 0, "the same as the library says");
}

int
main(void)
{
	struct cdn_arena *arena = cdn_arena_new();

	need(arena != NULL, "memory");
	tmp_begin();
	test_rows(arena);
	test_large(arena);
	test_real(arena);
	tmp_end();
	cdn_arena_free(arena);
	return done_testing();
}
