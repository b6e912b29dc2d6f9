/*
 * Steps that make, remove and move names.
 */
#include "exercise.h"

#include <linux/fs.h>

static void
step_mkdir(void)
{
	struct way way;
	mode_t mode = any_mode() | (one_in(6) ? 0050 : 0);

	any_path(&way);
	TELL_NAME(way.magic, mkdir(way.path, mode), "mkdir %s %o", way.told,
	    mode);
	tell_state(AT_FDCWD, way.path);
}

static void
step_mkdirat(void)
{
	struct way way;
	mode_t mode = (mode_t)PICK(0755, 0755, 0777, 02755, 06775, 01777);

	any_way(&way);
	TELL_NAME(way.magic, mkdirat(way.dirfd, way.path, mode),
	    "mkdirat %s %o", way.told, mode);
	tell_state(way.dirfd, way.path);
}

static void
step_rmdir(void)
{
	struct way way;

	any_path(&way);
	TELL_NAME(way.magic, rmdir(way.path), "rmdir %s", way.told);
}

static void
step_unlink(void)
{
	struct way way;

	any_path(&way);
	TELL_NAME(way.magic, unlink(way.path), "unlink %s", way.told);
}

static void
step_unlinkat(void)
{
	struct way way;
	int flags = (int)PICK(0, 0, 0, AT_REMOVEDIR, AT_REMOVEDIR, 7);

	any_way(&way);
	TELL_NAME(way.magic, unlinkat(way.dirfd, way.path, flags),
	    "unlinkat %s %x", way.told, (unsigned)flags);
}

static void
step_rename(void)
{
	struct way from, to;

	any_path(&from);
	any_path(&to);
	if (from.magic && to.magic)
		return; /* of one link in /proc to itself does nothing */
	TELL_NAME(from.magic || to.magic, rename(from.path, to.path),
	    "rename %s %s", from.told, to.told);
	tell_state(AT_FDCWD, to.path);
}

static void
step_renameat2(void)
{
	struct way from, to;
	unsigned flags = (unsigned)PICK(0, 0, RENAME_NOREPLACE, RENAME_EXCHANGE,
	    RENAME_EXCHANGE, 3, 64);

	any_way(&from);
	any_way(&to);
	if (from.magic && to.magic)
		return; /* of one link in /proc to itself does nothing */
	TELL_NAME(from.magic || to.magic,
	    renameat2(from.dirfd, from.path, to.dirfd, to.path, flags),
	    "renameat2 %s %s %x", from.told, to.told, flags);
	tell_state(from.dirfd, from.path);
	tell_state(to.dirfd, to.path);
}

static void
step_link(void)
{
	struct way from, to;

	any_path(&from);
	any_path(&to);
	TELL_NAME(to.magic || from.magic, link(from.path, to.path),
	    "link %s %s", from.told, to.told);
	tell_state(AT_FDCWD, to.path);
}

static void
step_linkat(void)
{
	struct way from, to;
	int flags = (int)PICK(0, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH,
	    AT_SYMLINK_FOLLOW | AT_EMPTY_PATH, 0x100);

	any_way(&from);
	any_way(&to);
	TELL_NAME(to.magic || from.magic,
	    linkat(from.dirfd, from.path, to.dirfd, to.path, flags),
	    "linkat %s %s %x", from.told, to.told, (unsigned)flags);
	tell_state(to.dirfd, to.path);
}

/* A name for what a descriptor is, be it without one. */
static void
step_link_fd(void)
{
	struct way to;
	char from[64];
	int fd = any_fd();
	bool by_name = one_in(2);

	any_path(&to);
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	TELL_NAME(to.magic,
	    linkat(by_name ? AT_FDCWD : fd, by_name ? from : "", AT_FDCWD,
		to.path, by_name ? AT_SYMLINK_FOLLOW : AT_EMPTY_PATH),
	    "linkat fd %d %s %s", fd, by_name ? "follow" : "empty", to.told);
	tell_state(AT_FDCWD, to.path);
}

static void
step_symlink(void)
{
	static const char *const texts[] = { "a", "b", "c", "a/b", "d/e",
		"none", "e/", "f", "../a", "../b/c", "$", "",
		"/proc/self/cwd/d", "c//a", "a/../b" };
	const char *told = texts[below(LEN(texts))];
	char text[PATH_ROOM + 8];
	struct way way;
	bool at = one_in(2);

	snprintf(text, sizeof(text), "%s", told);
	if (told[0] == '$')
		snprintf(text, sizeof(text), "%s/d", root);
	if (at)
		any_way(&way);
	else
		any_path(&way);
	TELL_NAME(way.magic,
	    at ? symlinkat(text, way.dirfd, way.path) : symlink(text, way.path),
	    "symlink%s %s %s", at ? "at" : "", told, way.told);
	tell_state(way.dirfd, way.path);
}

static void
step_mknod(void)
{
	struct way way;
	mode_t mode = (mode_t)PICK(S_IFIFO, S_IFIFO, S_IFIFO, S_IFREG, 0,
			  S_IFSOCK, S_IFDIR, S_IFLNK, 0110000) |
	    any_mode();
	bool at = one_in(2);

	if (at)
		any_way(&way);
	else
		any_path(&way);
	TELL_NAME(way.magic,
	    at ? syscall(SYS_mknodat, way.dirfd, way.path, mode, 0) :
		 mknod(way.path, mode, 0),
	    "mknod%s %s %o", at ? "at" : "", way.told, mode);
	tell_state(way.dirfd, way.path);
}

static void
step_chdir(void)
{
	struct way way;

	any_path(&way);
	tell(chdir(way.path), "chdir %s", way.told);
}

static void
step_fchdir(void)
{
	int fd = any_fd();

	tell(fchdir(fd), "fchdir %d", fd);
}

static void
step_umask(void)
{
	mode_t mask = (mode_t)PICK(022, 022, 022, 077, 0, 027, 0777, 0125);

	tell((long)umask(mask), "umask %o", mask);
}

static void
step_readlink(void)
{
	char text[PATH_ROOM] = "";
	size_t n = strlen(root);
	struct way way;
	ssize_t r;

	any_way(&way);
	r = readlinkat(way.dirfd, way.path, text, sizeof(text) - 1);
	/* What depends on where it is, or on who asks, is not told. */
	text[strcspn(text, "#")] = '\0';
	if (r > 0 && strncmp(text, root, n) == 0)
		tell(0, "readlink %s $R%s", way.told, text + n);
	else
		tell(r < 0 ? r : 0, "readlink %s %s", way.told,
		    text[0] == '/' || strchr(text, '[') != NULL ? "" : text);
}

struct step name_steps[] = {
	{ .name = "mkdir", .weight = 60, .run = step_mkdir },
	{ .name = "mkdirat", .weight = 20, .run = step_mkdirat },
	{ .name = "rmdir", .weight = 10, .run = step_rmdir },
	{ .name = "unlink", .weight = 12, .run = step_unlink },
	{ .name = "unlinkat", .weight = 15, .run = step_unlinkat },
	{ .name = "rename", .weight = 25, .run = step_rename },
	{ .name = "renameat2", .weight = 30, .run = step_renameat2 },
	{ .name = "link", .weight = 15, .run = step_link },
	{ .name = "linkat", .weight = 20, .run = step_linkat },
	{ .name = "link_fd", .weight = 25, .run = step_link_fd },
	{ .name = "symlink", .weight = 25, .run = step_symlink },
	{ .name = "mknod", .weight = 20, .run = step_mknod },
	{ .name = "chdir", .weight = 15, .run = step_chdir },
	{ .name = "fchdir", .weight = 6, .run = step_fchdir },
	{ .name = "umask", .weight = 8, .run = step_umask },
	{ .name = "readlink", .weight = 8, .run = step_readlink },
	{ .name = NULL },
};
