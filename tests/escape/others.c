/* Families 9, 11 and 12: environment, audit, limits, and what came later. */
#include "escape.h"

#include <linux/landlock.h>
#include <sys/prctl.h>

/* The runner sets them all. */
static int
variables(const char *const *names)
{
	errno = ENODATA;
	for (; *names != NULL; names++)
		if (getenv(*names) != NULL)
			return 0;
	return -1;
}

static int
loaded_code(void)
{
	static const char *const names[] = { "LD_PRELOAD", "LD_AUDIT",
		"LD_LIBRARY_PATH", "NODE_OPTIONS", "PYTHONSTARTUP",
		"PYTHONPATH", "PERL5OPT", "RUBYOPT", "BASH_ENV", "ENV",
		"GIT_DIR", "GIT_SSH_COMMAND", "JAVA_TOOL_OPTIONS",
		"GCONV_PATH", "PROMPT_COMMAND", NULL };

	return variables(names);
}

static int
secret_variables(void)
{
	static const char *const names[] = { "ESCAPE_TOKEN", "GITHUB_TOKEN",
		"AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", NULL };

	return variables(names);
}

static int
read_audit(void)
{
	return had(open(fact("audit"), O_RDONLY));
}

static int
write_audit(void)
{
	return had(open(fact("audit"), O_WRONLY | O_APPEND));
}

static int
cut_audit(void)
{
	struct stat st;

	/* To the length it has: that is refused as well, and harms nobody. */
	if (stat(fact("audit"), &st) != 0)
		return -1;
	return truncate(fact("audit"), st.st_size);
}

/* A megabyte; nobody counts them. */
static int
fill(void)
{
	int fd = make(text("%s/large", scratch), "");

	return fd < 0 ? -1 : posix_fallocate(fd, 0, 1 << 20) == 0 ? 0 : -1;
}

/*
 * A program that confines itself: what another process performs for it would
 * not be held.  So either it is told that it cannot, or it is held.
 */
static int
inner_landlock(void)
{
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE |
		    LANDLOCK_ACCESS_FS_WRITE_FILE };
	const char *path = text("%s/file", scratch);
	int fd;

	close(make(path, "x"));
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_landlock_restrict_self, fd, 0) != 0)
		return -1;
	return had(open(path, O_RDWR));
}

/* Neither reading nor writing, and yet a descriptor. */
static int
access_mode(void)
{
	return had(open(text("%s/secret", unwritable), O_ACCMODE));
}

const struct probe others_probes[] = {
	{ "125", loaded_code, 0 },
	{ "126", secret_variables, 0 },
	{ "135-read", read_audit, 0 },
	{ "135-write", write_audit, 0 },
	{ "135-truncate", cut_audit, 0 },
	{ "155", fill, 0 },
	{ "156", inner_landlock, 0 },
	{ "161", access_mode, 0 },
	{ NULL, NULL, 0 },
};
