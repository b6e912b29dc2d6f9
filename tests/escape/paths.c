/* Family 1: the same place under another spelling. */
#include "escape.h"

#define UP "../../../../../../../../../../../.."

static int
read_at(const char *path)
{
	return leaks(open(path, O_RDONLY));
}

static int
dotdot(void)
{
	return read_at(text("%s/" UP "%s/secret", scratch, unreadable));
}

static int
slashes(void)
{
	return read_at(text("//%s//.//./secret", unreadable));
}

/* A directory, too, by its name with a slash behind it. */
static int
trailing(void)
{
	char entries[1024];
	int fd = open(text("%s/", unreadable), O_RDONLY | O_DIRECTORY);

	return fd < 0 ? -1 :
	    had(syscall(SYS_getdents64, fd, entries, sizeof(entries)));
}

/* "w-evil" begins as "w" does. */
static int
longer_name(void)
{
	return read_at(text("%s/4/secret", fact("neighbour")));
}

static int
from_within(void)
{
	if (chdir(unreadable) != 0)
		return -1;
	return read_at("secret");
}

static int
from_elsewhere(void)
{
	if (chdir(scratch) != 0)
		return -1;
	return read_at(text(UP "%s/secret", unreadable));
}

static int
made_later(void)
{
	return had(make(text("%s/later", unwritable), "new\n"));
}

static int
directory_later(void)
{
	return mkdir(text("%s/later", unwritable), 0755);
}

const struct probe paths_probes[] = {
	{ "1", dotdot, WORKS },
	{ "2", slashes, WORKS },
	{ "3", trailing, WORKS },
	{ "4", longer_name, 0 },
	{ "5-within", from_within, WORKS },
	{ "5-elsewhere", from_elsewhere, WORKS },
	{ "15-file", made_later, WORKS },
	{ "15-directory", directory_later, WORKS },
	{ NULL, NULL, 0 },
};
