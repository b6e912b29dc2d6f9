/*
 * `cordon policy init [DIR]`: DIR/.cordon/policy.yaml from the starter.
 *
 * A reader sees no file or the whole file.  What is there is never replaced,
 * and no symbolic link is followed below DIR: the project may not choose
 * where this is written.
 */
#include "front/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLICY_DIR  ".cordon"
#define POLICY_FILE "policy.yaml"

static int
open_dir(const char *dir)
{
	cdn_cleanup_fd int fd =
	    open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int sub;

	if (fd < 0) {
		cli_error("cannot open '%s': %s", dir, strerrordesc_np(errno));
		return -1;
	}
	if (mkdirat(fd, POLICY_DIR, 0755) != 0 && errno != EEXIST) {
		cli_error("cannot make '%s/" POLICY_DIR "': %s", dir,
		    strerrordesc_np(errno));
		return -1;
	}
	sub = openat(fd, POLICY_DIR,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0)
		cli_error("'%s/" POLICY_DIR "' is not a directory: %s", dir,
		    strerrordesc_np(errno));
	return sub;
}

static bool
write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text += n;
		left -= (size_t)n;
	}
	return fsync(fd) == 0;
}

/* Gives the file its name unless the name is taken; 0 or errno. */
static int
name_it(int dir, const char *from)
{
	if (renameat2(dir, from, dir, POLICY_FILE, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	/* A file system without RENAME_NOREPLACE. */
	if (linkat(dir, from, dir, POLICY_FILE, 0) != 0)
		return errno;
	unlinkat(dir, from, 0);
	return 0;
}

static int
write_temp(int dir, const char *temp)
{
	cdn_cleanup_fd int fd = openat(dir, temp,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	return fd >= 0 && write_all(fd, cordon_policy_starter()) ? 0 : errno;
}

/* 0 or errno. */
static int
write_starter(int dir)
{
	cdn_cleanup_free char *temp =
	    cli_printf("." POLICY_FILE ".%ld", (long)getpid());
	int error;

	if (faccessat(dir, POLICY_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return EEXIST;
	error = write_temp(dir, temp);
	if (error == 0)
		error = name_it(dir, temp);
	if (error != 0)
		unlinkat(dir, temp, 0);
	else if (fsync(dir) != 0)
		error = errno;
	return error;
}

static void
next_steps(void)
{
	cli_note("next: edit it, then 'cordon policy lint'");
	cli_note("      'cordon check --op modify PATH' says what it allows");
	cli_note("      'cordon trust' lets it do more than narrow your own "
		 "policy");
}

static int
init(const char *dir)
{
	cdn_cleanup_free char *file =
	    cli_printf("%s/" POLICY_DIR "/" POLICY_FILE, dir);
	cdn_cleanup_fd int fd = open_dir(dir);
	int error;

	if (fd < 0)
		return CLI_INVALID;
	error = write_starter(fd);
	if (error == EEXIST) {
		cli_error("'%s' exists already and is left as it is", file);
		cli_hint("'cordon policy lint' says what could be better");
		return CLI_INVALID;
	}
	if (error != 0) {
		cli_error("cannot write '%s': %s", file, strerrordesc_np(error));
		return CLI_INVALID;
	}
	fputs("wrote ", stdout);
	cli_put_safe(stdout, cdn_str_of(file));
	putchar('\n');
	next_steps();
	return CLI_YES;
}

int
cli_policy_init(const struct cli_args *args)
{
	const char *dir = cli_value(args, CLI_WORKSPACE);

	if (args->operands.n > 0 && dir != NULL) {
		cli_error("'%s' or '--workspace %s'? name one directory",
		    args->operands.v[0], dir);
		return CLI_INVALID;
	}
	if (args->operands.n > 0)
		return init(args->operands.v[0]);
	if (dir != NULL)
		return init(dir);
	if (!cli_workspace_named(args))
		return CLI_INVALID;
	cli_workspace_hint(args);
	return init(".");
}
