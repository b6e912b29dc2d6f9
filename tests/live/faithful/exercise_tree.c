/*
 * A whole tree: as text, or gone.
 */
#include "exercise.h"

#include <dirent.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>

#define INODES_MAX 4096

/* Which of the files are the same one: by the order they were met. */
static int
number_of(ino_t ino)
{
	static ino_t inodes[INODES_MAX];
	static int count;

	for (int i = 0; i < count; i++)
		if (inodes[i] == ino)
			return i;
	if (count == INODES_MAX)
		return -1;
	inodes[count] = ino;
	return count++;
}

static void
print_content(const char *path)
{
	unsigned char bytes[65536];
	uint64_t sum = 14695981039346656037U;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int flags = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum = (sum ^ bytes[i]) * 1099511628211U;
	if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		flags = -1;
	printf(" %s %016lx %x", fd < 0 ? "unreadable" : "has",
	    (unsigned long)sum, (unsigned)flags);
	if (fd >= 0)
		close(fd);
}

static void
print_attributes(const char *path)
{
	char names[8192], value[4096];
	ssize_t n = llistxattr(path, names, sizeof(names)), size;

	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
		size = lgetxattr(path, names + i, value, sizeof(value));
		printf(" %s=%.*s", names + i, (int)(size < 0 ? 0 : size),
		    value);
	}
}

static void
print_one(const char *path, const char *name)
{
	char text[PATH_ROOM] = "";
	struct stat st;

	if (lstat(path, &st) != 0)
		return;
	printf("%s %o %d:%d", name, st.st_mode, (int)st.st_uid, (int)st.st_gid);
	if (st.st_mtim.tv_sec < 1000000)
		printf(" %ld.%ld", (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	if (!S_ISDIR(st.st_mode))
		printf(" n%ld i%d", (long)st.st_nlink, number_of(st.st_ino));
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		(void)chmod(path, 0700);
	if (S_ISREG(st.st_mode)) {
		printf(" s%ld", (long)st.st_size);
		print_content(path);
	}
	if (S_ISLNK(st.st_mode) && readlink(path, text, sizeof(text) - 1) > 0 &&
	    text[0] != '/')
		printf(" -> %s", text);
	print_attributes(path);
	putchar('\n');
}

/* Calls itself for each directory, after what is in it was told. */
static void
for_each(const char *directory, const char *name,
    void (*tell_one)(const char *path, const char *name), bool remove)
{
	struct dirent **entries;
	int n;

	(void)chmod(directory, 0700);
	n = scandir(directory, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX], below_it[PATH_MAX];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", directory,
		    entries[i]->d_name);
		snprintf(below_it, sizeof(below_it), "%s/%s", name,
		    entries[i]->d_name);
		if (strcmp(entries[i]->d_name, ".") != 0 &&
		    strcmp(entries[i]->d_name, "..") != 0 &&
		    lstat(path, &st) == 0) {
			if (tell_one != NULL)
				tell_one(path, below_it);
			if (S_ISDIR(st.st_mode))
				for_each(path, below_it, tell_one, remove);
			if (remove)
				(void)unlinkat(AT_FDCWD, path,
				    S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

void
print_tree(const char *directory)
{
	for_each(directory, ".", print_one, false);
}

void
remove_tree(const char *directory)
{
	for_each(directory, ".", NULL, true);
}
