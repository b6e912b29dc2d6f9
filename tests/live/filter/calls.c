/*
 * Calls whose arguments decide, on the real kernel.  Each refusal stands beside
 * the same call without the filter, which is answered differently, and beside a
 * neighbour that the filter lets pass.
 *
 *	calls root|nobody|userns
 */
#include "try.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/tap.h"

enum which { ALONE, STRICT, MODE_A, MODE_B, MODE_C, LISTED, FULL, SPECS };

#define HERE .arch = CDN_FILTER_ARCH_HERE

static const struct cdn_filter_spec specs[SPECS] = {
	[ALONE] = { HERE },
	[STRICT] = { HERE, .strict = true, .no_modify = true },
	[MODE_A] = { HERE, .mode = CDN_MODE_A, .has_broker = true },
	[MODE_B] = { HERE, .mode = CDN_MODE_B, .has_broker = true },
	[MODE_C] = { HERE, .mode = CDN_MODE_C, .has_broker = true },
	[LISTED] = { HERE, .mode = CDN_MODE_A, .has_broker = true,
	    .network = CDN_FILTER_NET_LISTED },
	[FULL] = { HERE, .mode = CDN_MODE_A, .has_broker = true,
	    .network = CDN_FILTER_NET_FULL,
	    .unix_sockets = CDN_FILTER_UNIX_OPEN },
};

/* Numbers in a request are those of this machine: %openat is SYS_openat. */
static const struct {
	const char *name;
	long nr;
} names[] = {
#define NAME(name) { #name, SYS_##name }
	NAME(openat), NAME(socket), NAME(socketpair), NAME(clone), NAME(prctl),
	NAME(fcntl), NAME(mknodat), NAME(ioctl), NAME(prlimit64),
	NAME(setpriority), NAME(ioprio_set), NAME(ptrace), NAME(connect),
	NAME(bind), NAME(listen), NAME(sendto), NAME(sendmsg),
	NAME(setsockopt), NAME(landlock_create_ruleset), NAME(unlinkat),
	NAME(fchmod), NAME(fchmodat), NAME(unshare), NAME(getpid),
	NAME(execve), NAME(renameat2), NAME(utimensat), NAME(readlinkat),
	NAME(faccessat), NAME(statx), NAME(shmget), NAME(keyctl),
#undef NAME
};

/* What is wanted: any value, this one, an errno ..., or just no refusal. */
enum want { VALUE, EXACTLY, ERRNO, TRAP, SIGNAL, PASSES };

#define ROOT_ONLY 1U /* the control needs privileges to be different */
#define MAY_LACK  2U /* ... or a kernel that has it at all */

/* sockaddr_in of 127.0.0.1, port 1; "$D" is a directory of the identity's own. */
#define LOOPBACK "x:02000001" "7f0000010000000000000000"

static const struct row {
	enum which spec;
	const char *request;
	enum want want;
	long n;
	unsigned flags;
} rows[] = {
	/* access mode 3 */
	{ ALONE, "%openat -100 s:$D/file 3", ERRNO, EINVAL },
	{ ALONE, "%openat -100 s:$D/file 0xdead00000003", ERRNO, EINVAL },
	{ ALONE, "%openat -100 s:$D/file 0", VALUE },
	{ ALONE, "%openat -100 s:$D/file 2", VALUE },

	/* sockets: families, and bits above the int */
	{ ALONE, "%socket 2 1 0", ERRNO, EAFNOSUPPORT },
	{ ALONE, "%socket 0x100000002 1 0", ERRNO, EAFNOSUPPORT },
	{ ALONE, "%socket 2 2 0", ERRNO, EAFNOSUPPORT },
	{ ALONE, "%socket 10 1 0", ERRNO, EAFNOSUPPORT },
	{ ALONE, "%socket 17 3 0", ERRNO, EAFNOSUPPORT, ROOT_ONLY | MAY_LACK },
	{ ALONE, "%socket 2 10 0x300", ERRNO, EAFNOSUPPORT },
	{ ALONE, "%socket 16 3 9", ERRNO, EPROTONOSUPPORT, MAY_LACK },
	{ ALONE, "%socket 16 3 0", VALUE },
	{ ALONE, "%socket 1 2 0", ERRNO, ESOCKTNOSUPPORT },
	{ ALONE, "%socket 1 3 0", ERRNO, ESOCKTNOSUPPORT },
	{ ALONE, "%socket 1 0x80802 0", ERRNO, ESOCKTNOSUPPORT },
	{ ALONE, "%socket 1 1 0", VALUE },
	{ ALONE, "%socket 1 0x80801 0", VALUE },
	{ ALONE, "%socket 1 5 0", VALUE },
	{ ALONE, "%socketpair 1 2 0 z:8", ERRNO, ESOCKTNOSUPPORT },
	{ ALONE, "%socketpair 1 3 0 z:8", ERRNO, ESOCKTNOSUPPORT },
	{ ALONE, "%socketpair 1 1 0 z:8", VALUE },

	/* namespaces */
	{ ALONE, "%clone 0x10000011", ERRNO, EPERM },
	{ ALONE, "%clone 0xffff000010000011", ERRNO, EPERM },
	{ ALONE, "%clone 0x11", VALUE },
	{ ALONE, "%unshare 0x10000000", ERRNO, EPERM },

	/* terminals */
	{ ALONE, "%ioctl pty 0x5412 s:x", ERRNO, EPERM },
	{ ALONE, "%ioctl pty 0xffffffff00005412 s:x", ERRNO, EPERM },
	{ ALONE, "%ioctl pty 0x541c s:x", ERRNO, EPERM },
	{ ALONE, "%ioctl pty 0x5413 z:8", VALUE },
	{ ALONE, "%ioctl master 0x5441 2", VALUE },
	{ MODE_A, "%ioctl master 0x5441 2", TRAP, SYS_ioctl },

	/* leases, devices, limits of others */
	{ ALONE, "%fcntl open:$D/file 1024 0", ERRNO, EPERM },
	{ ALONE, "%fcntl open:$D/file 0x900000400 0", ERRNO, EPERM },
	{ ALONE, "%fcntl open:$D/file 3", VALUE },
	{ ALONE, "%mknodat -100 s:$D/null 020600 0x103", ERRNO, EPERM,
	    ROOT_ONLY },
	{ ALONE, "%mknodat -100 s:$D/disk 0x7f6180 0x800", ERRNO, EPERM,
	    ROOT_ONLY },
	{ ALONE, "%mknodat -100 s:$D/fifo 010600 0", VALUE },
	{ ALONE, "%prlimit64 parent 4 z:16 0", ERRNO, EPERM },
	{ ALONE, "%prlimit64 parent 4 0 z:16", VALUE },
	{ ALONE, "%prlimit64 0 4 z:16 z:16", VALUE },
	{ ALONE, "%setpriority 0 parent 19", ERRNO, EPERM },
	{ ALONE, "%setpriority 0 0 19", VALUE },
	{ ALONE, "%ioprio_set 1 parent 0x6007", ERRNO, EPERM },
	{ ALONE, "%ioprio_set 1 0 0x6007", VALUE },

	/* what file systems do by ioctl; none of it is meant here */
	{ ALONE, "%ioctl open:$D/file 0x5000940e z:4096", ERRNO, EPERM },
	{ ALONE, "%ioctl open:$D/file 0x40087602 -1", ERRNO, EPERM },
	{ ALONE, "%ioctl open:$D/file 0x40806685 z:128", ERRNO, EPERM },
	{ ALONE, "%ioctl open:$D/file 0x80086601 z:8", PASSES },
	{ ALONE, "%ioctl open:$D/file 0x40049409 -1", PASSES },

	/* reaching into others, under strict */
	{ ALONE, "%ptrace 0", VALUE },
	{ STRICT, "%ptrace 0", ERRNO, EPERM },
	{ STRICT, "%fchmod open:$D/file 0644", ERRNO, EPERM },
	{ ALONE, "%fchmod open:$D/file 0644", VALUE },

	/* a broker that cannot be blinded */
	{ MODE_A, "%prctl 4 0 then %prctl 3", EXACTLY, 1 },
	{ ALONE, "%prctl 4 0 then %prctl 3", EXACTLY, 0 },

	/* the modes */
	{ MODE_A, "%openat -100 s:$D/file 2", VALUE },
	{ MODE_A, "%openat -100 s:$D/file 0102 0755", VALUE },
	{ MODE_A, "%openat -100 s:$D/file 0102 04755", TRAP, SYS_openat },
	{ MODE_A, "%openat -100 s:$D/file 2 04755", VALUE },
	{ ALONE, "%openat -100 s:$D/file 0102 04755", ERRNO, EPERM },
	{ ALONE, "%openat -100 s:$D/file 0102 0755", VALUE },
	{ MODE_A, "%unlinkat -100 s:$D/none 0", PASSES },
	{ MODE_A, "%fchmod open:$D/file 0600", TRAP, SYS_fchmod },
	{ MODE_A, "%fchmodat -100 s:$D/file 0600", TRAP, SYS_fchmodat },
	{ MODE_A, "%ioctl open:$D/file 0x40086602 z:8", TRAP, SYS_ioctl },
	{ MODE_A, "%connect sock:1,1 x:01002f00 4", TRAP, SYS_connect },
	{ MODE_A, "%bind sock:1,1 x:0100 2", TRAP, SYS_bind },
	{ MODE_A, "%socket 2 1 0", TRAP, SYS_socket },
	{ MODE_A, "%socket 10 2 0", TRAP, SYS_socket },
	{ MODE_A, "%landlock_create_ruleset 0 0 1", PASSES },
	{ MODE_B, "%openat -100 s:$D/file 0", VALUE },
	{ MODE_B, "%openat -100 s:$D/file 0x7f00000000", VALUE },
	{ MODE_B, "%openat -100 s:$D/file 1", TRAP, SYS_openat },
	{ MODE_B, "%openat -100 s:$D/file 01000", TRAP, SYS_openat },
	{ MODE_B, "%openat -100 s:$D 020200002", TRAP, SYS_openat },
	{ MODE_B, "%unlinkat -100 s:$D/none 0", TRAP, SYS_unlinkat },
	{ MODE_B, "%renameat2 -100 s:$D/a -100 s:$D/b 0", TRAP, SYS_renameat2 },
	{ MODE_B, "%bind sock:1,1 x:0100 2", TRAP, SYS_bind },
	{ MODE_B, "%execve s:$D/none 0 0", ERRNO, ENOENT, ROOT_ONLY },
	{ MODE_B, "%landlock_create_ruleset 0 0 1", ERRNO, EOPNOTSUPP, MAY_LACK },
	{ MODE_C, "%openat -100 s:$D/file 0", TRAP, SYS_openat },
	{ MODE_C, "%openat -100 s:$D/file 3", ERRNO, EINVAL },
	{ MODE_C, "%execve s:$D/none 0 0", TRAP, SYS_execve },
	{ MODE_C, "%readlinkat -100 s:$D/file z:64 64", PASSES },
	{ MODE_C, "%faccessat -100 s:$D/file 4", VALUE },
	{ MODE_C, "%statx -100 s:$D/file 0 0 z:256", VALUE },

	/* addresses */
	{ LISTED, "%socket 2 1 0", VALUE },
	{ LISTED, "%socket 10 2 17", TRAP, SYS_socket },
	{ LISTED, "%socket 2 1 262", ERRNO, EPROTONOSUPPORT, MAY_LACK },
	{ LISTED, "%socket 2 3 1", ERRNO, ESOCKTNOSUPPORT },
	{ LISTED, "%socket 2 2 136", ERRNO, EPROTONOSUPPORT, MAY_LACK },
	{ LISTED, "%connect sock:2,1 " LOOPBACK " 16", TRAP, SYS_connect },
	{ LISTED, "%bind sock:2,1 " LOOPBACK " 16", TRAP, SYS_bind },
	{ LISTED, "%listen sock:2,1 1", TRAP, SYS_listen },
	{ LISTED, "%sendto sock:2,2 s:x 1 0 " LOOPBACK " 16", TRAP,
	    SYS_sendto },
	{ LISTED, "%sendto sock:2,2 s:x 1 0 0x100000000 16", TRAP, SYS_sendto },
	{ LISTED, "%sendto sock:2,2 s:x 1 0 0 0", PASSES },
	{ LISTED, "%sendmsg sock:2,2 z:64 0", TRAP, SYS_sendmsg },
	{ LISTED, "%sendto sock:2,1 s:x 1 0x20000000 " LOOPBACK " 16", ERRNO,
	    EOPNOTSUPP },
	{ LISTED, "%sendmsg sock:2,1 z:64 0xf20000000", ERRNO, EOPNOTSUPP },
	{ LISTED, "%setsockopt sock:2,1 6 30 x:01000000 4", ERRNO,
	    ENOPROTOOPT },
	{ LISTED, "%setsockopt sock:2,1 6 1 x:01000000 4", VALUE },
	{ FULL, "%socket 2 2 0", VALUE },
	{ FULL, "%socket 2 1 262", PASSES },
	{ FULL, "%connect sock:2,1 " LOOPBACK " 16", PASSES },
	{ FULL, "%listen sock:2,1 1", VALUE },
	{ FULL, "%setsockopt sock:2,1 6 30 x:01000000 4", PASSES },
	{ FULL, "%socket 40 1 0", ERRNO, EAFNOSUPPORT, MAY_LACK },

#ifdef __x86_64__
	/* other doors */
	{ ALONE, "int80:20", SIGNAL, SIGSYS },
	{ ALONE, "0x40000027", SIGNAL, SIGSYS },
	{ ALONE, "%getpid", VALUE },
#endif
};

/* ----- Requests -------------------------------------------------------------------- */

static char directory[64];

/* %name becomes its number, $D the directory. */
static void
expand(const char *from, char *to, size_t size)
{
	size_t n = 0;

	while (*from != '\0' && n + 80 < size) {
		if (strncmp(from, "$D", 2) == 0) {
			n += (size_t)snprintf(to + n, size - n, "%s",
			    directory);
			from += 2;
		} else if (*from == '%') {
			size_t len = strcspn(++from, " "), i = 0;

			while (strlen(names[i].name) != len ||
			    memcmp(names[i].name, from, len) != 0)
				i++;
			n += (size_t)snprintf(to + n, size - n, "%ld",
			    names[i].nr);
			from += len;
		} else {
			to[n++] = *from++;
		}
	}
	to[n] = '\0';
}

static bool
satisfied(const struct row *row, const struct try_result *got)
{
	switch (row->want) {
	case VALUE: return got->kind == TRY_VALUE;
	case EXACTLY: return got->kind == TRY_VALUE && got->n == row->n;
	case ERRNO: return got->kind == TRY_ERRNO && got->n == row->n;
	case TRAP: return got->kind == TRY_TRAPPED && got->n == row->n;
	case SIGNAL: return got->kind == TRY_SIGNAL && got->n == row->n;
	default:
		return got->kind == TRY_VALUE ||
		    (got->kind == TRY_ERRNO && got->n != EPERM &&
			got->n != ENOSYS);
	}
}

/* What must be answered differently when there is no filter. */
static bool
needs_control(const struct row *row, bool root)
{
	if (row->want == ERRNO && row->n == ENOENT)
		return false; /* the kernel's own answer */
	return (row->want == ERRNO || row->want == TRAP ||
		   row->want == SIGNAL) &&
	    (root || (row->flags & ROOT_ONLY) == 0);
}

static void
try_row(struct try *with, struct try *without, const struct row *row, bool root)
{
	char request[512];
	struct try_result got, bare;

	expand(row->request, request, sizeof(request));
	got = try_ask(with, request);
	ok_f(satisfied(row, &got), "spec %d: %s: %s", row->spec, row->request,
	    got.text);
	if (!needs_control(row, root))
		return;
	bare = try_ask(without, request);
	if ((row->flags & MAY_LACK) != 0 && bare.kind == got.kind &&
	    bare.n == got.n) {
		printf("# this kernel does not have it: %s\n", row->request);
		return;
	}
	ok_f(bare.kind != TRY_BROKEN && bare.kind != TRY_TRAPPED &&
		(bare.kind != got.kind || bare.n != got.n),
	    "and without the filter: %s", bare.text);
}

/* Made and removed by the identity itself: it must be able to. */
static bool
make_directory(const char *identity)
{
	char script[256];
	char out[16];

	snprintf(directory, sizeof(directory), "/tmp/cordon-live-%s-%d",
	    identity, (int)getpid());
	snprintf(script, sizeof(script), "mkdir %s && echo x >%s/file",
	    directory, directory);
	return try_script(identity, NULL, script, out, sizeof(out)) == 0;
}

int
main(int argc, char **argv)
{
	const char *identity = argc == 2 ? argv[1] : "root", *why;
	char script[128], out[16];
	struct cdn_filter filter;
	struct cordon_error error;
	struct try with, without;

	if ((why = try_obstacle(identity)) != NULL) {
		skip(why);
		return done_testing();
	}
	if (!make_directory(identity) || !try_start(&without, identity, NULL))
		errx(1, "%s", directory);
	for (unsigned spec = 0; spec < SPECS; spec++) {
		if (cdn_filter_build(&specs[spec], &filter, &error) < 0 ||
		    !try_start(&with, identity, &filter))
			errx(1, "%s", error.text);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (rows[i].spec == spec)
				try_row(&with, &without, &rows[i],
				    strcmp(identity, "root") == 0);
		try_stop(&with);
	}
	try_stop(&without);
	snprintf(script, sizeof(script), "rm -r %s", directory);
	ok(try_script(identity, NULL, script, out, sizeof(out)) == 0,
	    "nothing is left behind");
	return done_testing();
}
