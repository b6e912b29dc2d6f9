/* Family 1: the same place under another spelling. */
#include "escape.h"

#include <sys/socket.h>
#include <sys/un.h>

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

static int
fifo_later(void)
{
	return mkfifo(text("%s/later", unwritable), 0644);
}

static int
link_later(void)
{
	return symlink("/nowhere", text("%s/later", unwritable));
}

static int
name_later(void)
{
	const char *path = text("%s/file", scratch);

	if (had(make(path, "mine\n")) != 0)
		return -1;
	return link(path, text("%s/later", unwritable));
}

/* A socket is a file, too. */
static int
socket_later(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/later", unwritable);
	return fd < 0 ? -1 : bind(fd, (struct sockaddr *)&un, sizeof(un));
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
	{ "15-fifo", fifo_later, WORKS },
	{ "15-link", link_later, WORKS },
	{ "15-name", name_later, WORKS },
	{ "15-socket", socket_later, WORKS },
	{ NULL, NULL, 0 },
};
