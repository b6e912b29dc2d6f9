/* Family 2: links, renames, and other ways to give a place another name. */
#include "escape.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

#define HOPS 20

static const char *
hidden(void)
{
	return text("%s/secret", unreadable);
}

static const char *
guarded(void)
{
	return text("%s/secret", unwritable);
}

static const char *
mine(const char *name)
{
	return text("%s/%s", scratch, name);
}

static int
symlink_out(void)
{
	if (symlink(hidden(), mine("link")) != 0)
		return -1;
	return leaks(open(mine("link"), O_RDONLY));
}

static int
symlink_parent(void)
{
	if (symlink(unwritable, mine("dir")) != 0)
		return -1;
	return had(make(mine("dir/new"), "new\n"));
}

static int
symlink_dangling(void)
{
	if (symlink(text("%s/new", unwritable), mine("link")) != 0)
		return -1;
	return had(make(mine("link"), "new\n"));
}

static int
symlink_chain(void)
{
	for (int i = 0; i < HOPS; i++)
		if (symlink(i == 0 ? hidden() : text("link%d", i - 1),
			mine(text("link%d", i))) != 0)
			return -1;
	return leaks(open(mine(text("link%d", HOPS - 1)), O_RDONLY));
}

static int
hard_link(void)
{
	if (link(hidden(), mine("second")) != 0)
		return -1;
	return leaks(open(mine("second"), O_RDONLY));
}

/* Writing through it is enough; it need not be readable. */
static int
hard_link_write(void)
{
	int fd;

	if (link(guarded(), mine("second")) != 0)
		return -1;
	fd = open(mine("second"), O_WRONLY);
	return fd < 0 ? -1 : had(write(fd, "x", 1));
}

static int
rename_out(void)
{
	if (rename(hidden(), mine("moved")) != 0)
		return -1;
	return leaks(open(mine("moved"), O_RDONLY));
}

static int
rename_over(void)
{
	if (had(make(mine("new"), "new\n")) != 0)
		return -1;
	return rename(mine("new"), guarded());
}

/* With its directory moved away the place has no rule any more. */
static int
rename_ancestor(void)
{
	int r;

	if (rename(unwritable, mine("moved")) != 0)
		return -1;
	r = had(make(mine("moved/new"), "new\n"));
	(void)rename(mine("moved"), unwritable);
	return r;
}

static int
exchange(void)
{
	if (mkdir(mine("dir"), 0755) != 0)
		return -1;
	return renameat2(AT_FDCWD, mine("dir"), AT_FDCWD, unwritable,
	    RENAME_EXCHANGE);
}

static int
whiteout(void)
{
	return renameat2(AT_FDCWD, guarded(), AT_FDCWD, mine("moved"),
	    RENAME_WHITEOUT);
}

static int
directory_for_link(void)
{
	if (mkdir(mine("sub"), 0755) != 0 || rmdir(mine("sub")) != 0 ||
	    symlink(unreadable, mine("sub")) != 0)
		return -1;
	return leaks(open(mine("sub/secret"), O_RDONLY));
}

static int
unnamed_file(void)
{
	int fd = open(scratch, O_TMPFILE | O_RDWR, 0600);

	if (fd < 0)
		return -1;
	return linkat(AT_FDCWD, text("/proc/self/fd/%d", fd), AT_FDCWD,
	    text("%s/new", unwritable), AT_SYMLINK_FOLLOW);
}

static int
made_anew(void)
{
	if (unlink(guarded()) != 0)
		return -1;
	return had(make(guarded(), "mine\n"));
}

static int
cut_off(void)
{
	return truncate(guarded(), 0);
}

/* What only has a name must not be opened for what copies it. */
static int
copied(void)
{
	int from = open(hidden(), O_RDONLY);
	int to = make(mine("copy"), "");
	int r;

	if (from < 0 || to < 0)
		return -1;
	r = ioctl(to, FICLONE, from);
	if (r != 0)
		r = had(copy_file_range(from, NULL, to, NULL, 64, 0));
	return r == 0 ? leaks(open(mine("copy"), O_RDONLY)) : -1;
}

const struct probe links_probes[] = {
	{ "19", symlink_out, WORKS },
	{ "20", symlink_parent, WORKS },
	{ "21", symlink_dangling, WORKS },
	{ "22", symlink_chain, WORKS },
	{ "25-read", hard_link, WORKS },
	{ "25-write", hard_link_write, WORKS },
	{ "27-out", rename_out, WORKS },
	{ "27-over", rename_over, WORKS },
	{ "28", rename_ancestor, WORKS },
	{ "29-exchange", exchange, WORKS },
	{ "29-whiteout", whiteout, 0 },
	{ "30", directory_for_link, WORKS },
	{ "31", unnamed_file, WORKS },
	{ "34", made_anew, WORKS },
	{ "35", cut_off, WORKS },
	{ "36", copied, WORKS },
	{ NULL, NULL, 0 },
};
