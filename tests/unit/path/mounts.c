/*
 * mountinfo, and by which other paths a path is seen.
 */
#include "enforce/path/mounts.h"

#include "support/engine.h"

#define ROOT  "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
#define PROC  "22 27 0:21 / /proc rw,relatime shared:3 - proc proc rw\n"

/* clang-format off */
static const struct {
	const char *what;
	const char *mounts; /* besides the root */
	const char *path;
	const char *want;   /* separated by blanks */
} rows[] = {
	{ "nothing is mounted twice", PROC, "/home/u/.ssh", "" },
	{ "a mount that contains it",
	  "30 27 254:0 /home /srv/h rw - ext4 /dev/vda rw\n", "/home/u/.ssh",
	  "/srv/h/u/.ssh" },
	{ "the whole file system again",
	  "30 27 254:0 / /mnt rw - ext4 /dev/vda rw\n", "/home/u/.ssh",
	  "/mnt/home/u/.ssh" },
	{ "the entry itself",
	  "30 27 254:0 /home/u/.ssh /w/x rw - ext4 /dev/vda rw\n",
	  "/home/u/.ssh", "/w/x" },
	{ "something in it",
	  "30 27 254:0 /home/u/.ssh/id /w/id rw - ext4 /dev/vda rw\n",
	  "/home/u/.ssh", "/w/id" },
	{ "a neighbour with a similar name",
	  "30 27 254:0 /home/u/.sshd /w/x rw - ext4 /dev/vda rw\n",
	  "/home/u/.ssh", "" },
	{ "another file system",
	  "30 27 254:1 /home /srv/h rw - ext4 /dev/vdb rw\n"
	  "31 27 254:1 / /srv/i rw - ext4 /dev/vdb rw\n", "/home/u/.ssh", "" },
	{ "the entry is mounted from elsewhere",
	  "30 27 254:0 /keep/ssh /home/u/.ssh rw - ext4 /dev/vda rw\n",
	  "/home/u/.ssh", "/keep/ssh" },
	{ "below a mount of its own",
	  "30 27 254:1 / /home rw - ext4 /dev/vdb rw\n"
	  "31 27 254:1 /u /w/u rw - ext4 /dev/vdb rw\n", "/home/u/.ssh",
	  "/w/u/.ssh" },
	{ "hidden by a later mount",
	  "30 27 254:0 /home /srv/h rw - ext4 /dev/vda rw\n"
	  "31 30 0:50 / /srv/h/u rw - tmpfs none rw\n", "/home/u/.ssh", "" },
	{ "hidden at the same place",
	  "30 27 254:0 /home /srv/h rw - ext4 /dev/vda rw\n"
	  "31 30 0:50 / /srv/h rw - tmpfs none rw\n", "/home/u/.ssh", "" },
	{ "blanks and backslashes",
	  "30 27 254:0 /home /srv/a\\040b\\134 rw - ext4 /dev/vda rw\n",
	  "/home/u", "/srv/a b\\/u" },
	{ "two at once",
	  "30 27 254:0 /home /a rw - ext4 /dev/vda rw\n"
	  "31 27 254:0 /home/u /b rw - ext4 /dev/vda rw\n", "/home/u/.ssh",
	  "/a/u/.ssh /b/.ssh" },
	{ "the root of everything",
	  "30 27 254:0 / /mnt rw - ext4 /dev/vda rw\n", "/", "/mnt" },
};

static const char *const broken[] = {
	"30\n", "30 27\n", "30 27 254:0 /\n", "30 27 254 / /x rw\n",
	"30 27 a:b / /x rw - ext4 x rw\n", "30 27 1:2:3 / /x rw - x x rw\n",
	"30 27 254:0 / x rw - ext4 x rw\n", "30 27 254:0  /x rw\n",
	"30 27 4294967296:0 / /x rw - ext4 x rw\n",
};
/* clang-format on */

static void
collect(const char *path, void *arg)
{
	char *all = arg;
	size_t n = strlen(all);

	snprintf(all + n, 1024 - n, "%s%s", n > 0 ? " " : "", path);
}

static void
test_rows(struct cdn_arena *arena)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_mounts mounts = { 0 };
		char text[2048], all[1024] = "";

		snprintf(text, sizeof(text), ROOT "%s", rows[i].mounts);
		need(cdn_mounts_parse(arena, cdn_str_of(text), &mounts,
			 NULL) == 0, rows[i].what);
		need(cdn_mounts_aliases(arena, &mounts, rows[i].path, collect,
			 all, NULL) == 0, rows[i].what);
		ok_f(strcmp(all, rows[i].want) == 0, "%s: '%s'", rows[i].what,
		    all);
	}
}

static void
test_broken(struct cdn_arena *arena)
{
	for (size_t i = 0; i < CDN_LEN(broken); i++) {
		struct cdn_mounts mounts = { 0 };

		ok_f(cdn_mounts_parse(arena, cdn_str_of(broken[i]), &mounts,
			 NULL) == CORDON_E_INVALID, "refused: %s", broken[i]);
	}
}

static void
test_many(struct cdn_arena *arena)
{
	static const char line[] = "30 27 254:0 / /x rw - ext4 x rw\n";
	size_t n = sizeof(line) - 1, lines = CDN_MOUNTS_MAX + 1;
	char *text = malloc(n * lines + 1);
	struct cdn_mounts mounts = { 0 };

	need(text != NULL, "memory");
	for (size_t i = 0; i < lines; i++)
		memcpy(text + i * n, line, n + 1);
	ok(cdn_mounts_parse(arena, (cdn_str){ text, n * lines }, &mounts,
	       NULL) == CORDON_E_INVALID, "one mount too many");
	ok(cdn_mounts_parse(arena, (cdn_str){ text, n * (lines - 1) }, &mounts,
	       NULL) == 0 && mounts.n == CDN_MOUNTS_MAX, "as many as may be");
	free(text);
}

int
main(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_mounts mounts;
	struct cordon_error err;

	need(arena != NULL, "memory");
	test_rows(arena);
	test_broken(arena);
	test_many(arena);
	ok(cdn_mounts_read(arena, &mounts, &err) == 0, "those of this process");
	cdn_arena_free(arena);
	return done_testing();
}
