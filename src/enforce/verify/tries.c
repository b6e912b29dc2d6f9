#include "enforce/verify/probe.h"

#include <errno.h>

#define FILES	 "landlock broker-modify"
#define METADATA "seccomp broker-metadata"
#define SOCKETS	 "seccomp broker-sockets"
#define NETWORK	 "seccomp broker-network network-names"

/* clang-format off */
const struct cdn_try_row cdn_tries[CDN_TRY_MAX] = {
	[CDN_TRY_READ] = { "open for reading", CORDON_READ,
	    .known = "landlock broker-read",
	    .covered = true },
	[CDN_TRY_LIST] = { "open the directory", CORDON_READ,
	    .known = "landlock broker-read",
	    .covered = true },
	[CDN_TRY_WRITE] = { "open for writing", CORDON_MODIFY,
	    .known = FILES,
	    .covered = true },
	/* An attribute that is not there: ENODATA tells that it was looked for. */
	[CDN_TRY_XATTR] = { "removexattr", CORDON_MODIFY, .reached = ENODATA,
	    .known = METADATA },
	[CDN_TRY_TMPFILE] = { "O_TMPFILE", CORDON_MODIFY, .known = FILES,
	    .covered = true },
	[CDN_TRY_EXEC] = { "execve", CORDON_EXEC,
	    .known = "landlock broker-read",
	    .covered = true },
	[CDN_TRY_CREATE] = { "create", CORDON_MODIFY, .makes = true,
	    .known = FILES,
	    .covered = true },
	[CDN_TRY_MKDIR] = { "mkdir", CORDON_MODIFY, .makes = true,
	    .known = FILES,
	    .covered = true },
	[CDN_TRY_SYMLINK] = { "symlink", CORDON_MODIFY, .makes = true,
	    .known = FILES,
	    .covered = true },
	[CDN_TRY_FIFO] = { "mkfifo", CORDON_MODIFY, .makes = true,
	    .known = FILES,
	    .covered = true },
	[CDN_TRY_BIND_UNIX] = { "bind", CORDON_BIND, .makes = true,
	    .known = FILES " " SOCKETS,
	    .covered = true },
	[CDN_TRY_REREAD] = { "create, open for reading", CORDON_READ,
	    .makes = true, .known = "landlock broker-read" },
	[CDN_TRY_CHMOD] = { "create, chmod", CORDON_MODIFY, .makes = true,
	    .known = METADATA },
	[CDN_TRY_TRUNCATE] = { "create, truncate", CORDON_MODIFY,
	    .makes = true, .known = FILES " landlock-abi-3" },
	[CDN_TRY_RENAME] = { "create, rename", CORDON_MODIFY, .makes = true,
	    .known = FILES " landlock-abi-2" },
	[CDN_TRY_LINK] = { "create, link", CORDON_MODIFY, .makes = true,
	    .known = FILES " landlock-abi-2" },
	[CDN_TRY_CONNECT_UNIX] = { "connect", CORDON_CONNECT,
	    .known = SOCKETS },
	[CDN_TRY_CONNECT_TCP] = { "connect (tcp)", CORDON_CONNECT,
	    .known = NETWORK },
	[CDN_TRY_CONNECT_UDP] = { "connect (udp)", CORDON_CONNECT,
	    .known = NETWORK },
	[CDN_TRY_BIND_TCP] = { "bind (tcp)", CORDON_BIND, .known = NETWORK },
	[CDN_TRY_ESCAPE] = { "escape", CORDON_OP_MAX },
};
/* clang-format on */
