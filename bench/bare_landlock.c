/*
 * bare_landlock - the least a Landlock launcher can do: the yardstick.
 *
 *	bare_landlock N DIR PROGRAM [ARG...]
 *
 * Grants read and execute on /, everything on /dev, /tmp and DIR/1 to DIR/N,
 * and executes PROGRAM.  No policy, no filter, no supervision.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR_CREATE_RULESET 444
#define NR_ADD_RULE	  445
#define NR_RESTRICT_SELF  446
#define ALL_RIGHTS	  ((UINT64_C(1) << 16) - 1)
#define READ_EXECUTE	  UINT64_C(13)

struct path_beneath {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

static void
grant(int ruleset, const char *path, uint64_t rights)
{
	struct path_beneath rule = { rights,
		open(path, O_PATH | O_CLOEXEC) };

	if (rule.fd < 0 || syscall(NR_ADD_RULE, ruleset, 1, &rule, 0) != 0) {
		perror(path);
		_exit(125);
	}
	close(rule.fd);
}

int
main(int argc, char **argv)
{
	uint64_t handled = ALL_RIGHTS;
	int ruleset = (int)syscall(NR_CREATE_RULESET, &handled,
	    sizeof(handled), 0);
	char path[4096];

	if (argc < 4 || ruleset < 0)
		return 125;
	grant(ruleset, "/", READ_EXECUTE);
	grant(ruleset, "/dev", ALL_RIGHTS);
	grant(ruleset, "/tmp", ALL_RIGHTS);
	for (int i = 1; i <= atoi(argv[1]); i++) {
		snprintf(path, sizeof(path), "%s/%d", argv[2], i);
		grant(ruleset, path, ALL_RIGHTS);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(NR_RESTRICT_SELF, ruleset, 0) != 0)
		return 125;
	execv(argv[3], argv + 3);
	return 127;
}
