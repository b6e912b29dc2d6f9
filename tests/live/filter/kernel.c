/*
 * The kernel against the simulator: whatever the simulator says is refused,
 * trapped or killed, is so on the real kernel, number by number.  And as a
 * control, the same call without the filter is answered differently.
 *
 *	kernel root|nobody|userns
 */
#include "try.h"

#include <err.h>
#include <errno.h>
#include <linux/audit.h>
#include <signal.h>
#include <sys/syscall.h>

#include "support/bpfsim.h"
#include "support/tap.h"

#define NUMBERS 480
#define CHANCES 50

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

static const struct {
	const char *name;
	struct cdn_filter_spec spec;
} specs[] = {
	{ "no broker", { .arch = CDN_FILTER_ARCH_HERE } },
	{ "no broker, strict, nothing modified", { .arch = CDN_FILTER_ARCH_HERE,
	    .strict = true, .no_modify = true,
	    .unix_sockets = CDN_FILTER_UNIX_NONE } },
	{ "mode A, listed", { .arch = CDN_FILTER_ARCH_HERE, .mode = CDN_MODE_A,
	    .has_broker = true, .network = CDN_FILTER_NET_LISTED } },
	{ "mode B", { .arch = CDN_FILTER_ARCH_HERE, .mode = CDN_MODE_B,
	    .has_broker = true } },
	{ "mode C, full", { .arch = CDN_FILTER_ARCH_HERE, .mode = CDN_MODE_C,
	    .has_broker = true, .network = CDN_FILTER_NET_FULL } },
};

/* Nothing of this can be meant: bad pointers, bad descriptors. */
static const uint64_t patterns[] = { UINT64_MAX, 0 };

static uint32_t
simulate(const struct cdn_filter *filter, uint32_t nr, uint64_t arg)
{
	struct seccomp_data data = { .nr = (int)nr, .arch = ARCH,
		.args = { arg, arg, arg, arg, arg, arg } };

	return bpfsim_run((const struct sock_filter *)filter->code, filter->n,
	    &data, NULL);
}

static bool
agrees(uint32_t answer, long nr, const struct try_result *got)
{
	if (answer == SECCOMP_RET_USER_NOTIF)
		return got->kind == TRY_TRAPPED && got->n == nr;
	if (answer == SECCOMP_RET_KILL_PROCESS)
		return got->kind == TRY_SIGNAL && got->n == SIGSYS;
	if ((answer & SECCOMP_RET_DATA) == 0)
		return got->kind == TRY_VALUE && got->n == 0;
	return got->kind == TRY_ERRNO &&
	    got->n == (long)(answer & SECCOMP_RET_DATA);
}

static struct try_result
ask(struct try *try, uint32_t nr, uint64_t arg)
{
	char request[200];
	int a = arg == 0 ? 0 : -1;

	snprintf(request, sizeof(request), "%u %d %d %d %d %d %d", nr, a, a, a,
	    a, a, a);
	return try_ask(try, request);
}

static void
compare(struct try *try, const struct cdn_filter *filter, const char *name)
{
	int asked = 0, wrong = 0;

	for (uint32_t nr = 0; nr < 2 * NUMBERS; nr++)
		for (size_t i = 0; i < 2; i++) {
			uint32_t real = nr < NUMBERS ? nr :
			    (nr - NUMBERS) | 0x40000000;
			uint32_t answer = simulate(filter, real, patterns[i]);
			struct try_result got;

			if (answer == SECCOMP_RET_ALLOW)
				continue;
			asked++;
			got = ask(try, real, patterns[i]);
			if (agrees(answer, real, &got))
				continue;
			wrong++;
			printf("# call %#x (%#llx...): the simulator says %#x, "
			    "the kernel '%s'\n", real,
			    (unsigned long long)patterns[i], answer, got.text);
		}
	ok_f(wrong == 0 && asked > 100, "%s: the kernel agrees %d times", name,
	    asked);
}

/* What would show if a call had done something after all. */
static void
read_state(char *text, size_t size)
{
	static const char *const files[] = { "/proc/sysvipc/msg",
		"/proc/sysvipc/sem", "/proc/swaps", "/proc/mounts",
		"/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname" };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *file = fopen(files[i], "r");

		if (file == NULL)
			continue;
		n += fread(text + n, 1, size - 1 - n, file);
		fclose(file);
	}
	text[n] = '\0';
}

/* Arguments that no call can use; but these would find a use for -1. */
static struct try_result
ask_bare(struct try *bare, uint32_t nr)
{
	char request[64];

	if (nr == SYS_msgget) {
		snprintf(request, sizeof(request), "%u 0x7abcdef 0", nr);
		return try_ask(bare, request);
	}
	return ask(bare, nr, nr == SYS_init_module ? 0 : UINT64_MAX);
}

/*
 * Without the filter: what is refused whatever the arguments are.  True when
 * the host is what it was.
 */
static bool
try_bare(const char *identity, const struct cdn_filter *filter,
    int *ret_differ, int *ret_same)
{
	bool root = strcmp(identity, "root") == 0;
	int differ = 0, same = 0;
	static char before[65536], after[65536];
	struct try bare;

	read_state(before, sizeof(before));
	if (!try_start(&bare, identity, NULL))
		err(1, "trysys");
	for (uint32_t nr = 0; nr < NUMBERS; nr++) {
		uint32_t answer = simulate(filter, nr, UINT64_MAX);
		struct try_result got;

		/* vhangup has no argument that could be wrong. */
		if (answer == SECCOMP_RET_ALLOW || nr == SYS_vhangup ||
		    answer != simulate(filter, nr, 0) ||
		    answer != simulate(filter, nr, 1))
			continue;
		got = ask_bare(&bare, nr);
		if (!agrees(answer, nr, &got))
			differ++;
		else if (got.n != ENOSYS && (root || got.n != EPERM)) {
			printf("# call %u: '%s' with and without\n", nr,
			    got.text);
			same++;
		}
	}
	try_stop(&bare);
	read_state(after, sizeof(after));
	*ret_differ = differ;
	*ret_same = same;
	return strcmp(before, after) == 0;
}

/* Others of this machine change it as well: not each time, as we would. */
static void
control(const char *identity, const struct cdn_filter *filter)
{
	bool unchanged = false;
	int differ = 0, same = 0;

	for (int i = 0; i < CHANCES && !unchanged; i++)
		unchanged = try_bare(identity, filter, &differ, &same);
	ok(unchanged, "and the host is what it was");
	ok_f(same == 0 && differ > 50,
	    "without the filter %d calls are answered differently", differ);
}

int
main(int argc, char **argv)
{
	const char *identity = argc == 2 ? argv[1] : "root", *why;
	struct cdn_filter filter;
	struct cordon_error error;

	if ((why = try_obstacle(identity)) != NULL) {
		skip(why);
		return done_testing();
	}
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct try try;

		if (cdn_filter_build(&specs[i].spec, &filter, &error) < 0)
			errx(1, "%s", error.text);
		if (!try_start(&try, identity, &filter))
			err(1, "trysys");
		compare(&try, &filter, specs[i].name);
		try_stop(&try);
		if (i == 0)
			control(identity, &filter);
	}
	return done_testing();
}
