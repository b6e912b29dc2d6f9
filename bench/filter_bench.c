/*
 * filter_bench - what the system-call filter costs, beside libseccomp's.
 *
 *	filter_bench [LOADS PER FIGURE]
 *
 * For each mode: instructions, time to build, time to put on, and what two
 * calls cost under it: one that the kernel knows to be allowed (getppid) and
 * one whose arguments are looked at to the end (ioctl).  The ways take turns,
 * so that a busy moment hits them all.
 *
 * libseccomp gets an easier task: each call that our filter judges by its
 * arguments is simply allowed.  It cannot say "this command and not that one"
 * of one argument, so it could not do ours at all.  It is asked twice: for its
 * list (level 1) and for its tree (level 2).
 */
#include "enforce/backend/filter.h"
#include "clock.h"

#include <err.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/backend/filter_kinds.h"

#ifdef HAVE_LIBSECCOMP
#include <seccomp.h>
#endif

#define CALLS	  20000 /* of each kind in one round */
#define CALL_ROUNDS 20	/* the best of so many */
#define BUILDS	  20
#define LOADS_MAX 10000

/* As long as the kernel takes them. */
struct program {
	size_t n;
	struct cdn_bpf code[4096];
};

/* One figure per round, written by the children. */
struct figures {
	double load_us[LOADS_MAX];
	double plain_ns[CALL_ROUNDS], judged_ns[CALL_ROUNDS];
};

struct way {
	const char *name;
	bool (*build)(const struct cdn_filter_spec *spec,
	    struct program *ret);
	struct program program;
	bool traps;
	double build_us;
	struct figures *figures;
};

/* ----- The ways ----------------------------------------------------------- */

static bool
build_none(const struct cdn_filter_spec *spec, struct program *ret)
{
	(void)spec;
	ret->n = 1;
	ret->code[0] = (struct cdn_bpf){ CDN_BPF_RET, 0, 0,
		CDN_SECCOMP_ALLOW };
	return true;
}

static bool
build_ours(const struct cdn_filter_spec *spec, struct program *ret)
{
	struct cdn_filter filter;

	if (cdn_filter_build(spec, &filter, NULL) < 0)
		return false;
	ret->n = filter.n;
	memcpy(ret->code, filter.code, filter.n * sizeof(filter.code[0]));
	return true;
}

#ifdef HAVE_LIBSECCOMP
static uint32_t
action_of(enum cdn_kind kind, const struct cdn_filter_spec *spec)
{
	uint32_t answer = cdn_kind_tests(kind) != NULL ? CDN_SECCOMP_ALLOW :
	    cdn_kind_answer(kind, spec);

	if ((answer & 0xffff0000U) == CDN_SECCOMP_ERRNO)
		return SCMP_ACT_ERRNO(answer & 0xffffU);
	return answer; /* the same words as the kernel's */
}

static bool
export(scmp_filter_ctx ctx, struct program *ret)
{
	int fd = memfd_create("bpf", MFD_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0 && seccomp_export_bpf(ctx, fd) == 0 &&
	    lseek(fd, 0, SEEK_SET) == 0)
		n = read(fd, ret->code, sizeof(ret->code));
	if (fd >= 0)
		close(fd);
	ret->n = n < 0 ? 0 : (size_t)n / sizeof(ret->code[0]);
	return ret->n > 0;
}

static bool
build_libseccomp(const struct cdn_filter_spec *spec, struct program *ret,
    uint32_t level)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(38));
	uint8_t kinds[CDN_CALLS_MAX];
	bool done;

	if (ctx == NULL)
		return false;
	(void)seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, level);
	(void)seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
	    SCMP_ACT_KILL_PROCESS);
	cdn_filter_calls(spec->arch, kinds);
	for (int nr = 0; nr < CDN_CALLS_MAX; nr++) {
		uint32_t action = action_of(kinds[nr], spec);

		if (action != SCMP_ACT_ERRNO(38))
			(void)seccomp_rule_add(ctx, action, nr, 0);
	}
	done = export(ctx, ret);
	seccomp_release(ctx);
	return done;
}

static bool
build_list(const struct cdn_filter_spec *spec, struct program *ret)
{
	return build_libseccomp(spec, ret, 1);
}

static bool
build_tree(const struct cdn_filter_spec *spec, struct program *ret)
{
	return build_libseccomp(spec, ret, 2);
}
#endif

static struct way ways[] = {
	{ .name = "one return", .build = build_none },
	{ .name = "cordon", .build = build_ours },
#ifdef HAVE_LIBSECCOMP
	{ .name = "libseccomp list", .build = build_list },
	{ .name = "libseccomp tree", .build = build_tree },
#endif
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* ----- Measuring ---------------------------------------------------------- */

static void
build(struct way *way, const struct cdn_filter_spec *spec)
{
	double start = now_us();

	for (int i = 0; i < BUILDS; i++)
		if (!way->build(spec, &way->program))
			errx(1, "%s has no such filter", way->name);
	way->traps = spec->has_broker;
	way->build_us = (now_us() - start) / BUILDS;
}

_Noreturn static void
child(struct way *way, int round)
{
	double start, loaded, plain, judged;
	int r = cdn_sys_no_new_privs();

	start = now_us();
	r = r < 0 ? r : cdn_sys_seccomp(way->program.code, way->program.n,
	    way->traps ? CDN_SECCOMP_NEW_LISTENER : 0);
	loaded = now_us();
	for (int i = 0; round < CALL_ROUNDS && i < CALLS; i++)
		(void)syscall(SYS_getppid);
	plain = now_us();
	for (int i = 0; round < CALL_ROUNDS && i < CALLS; i++)
		(void)ioctl(-1, FIONREAD, NULL);
	judged = now_us();
	way->figures->load_us[round] = loaded - start;
	if (round < CALL_ROUNDS) {
		way->figures->plain_ns[round] = (plain - loaded) / CALLS * 1e3;
		way->figures->judged_ns[round] = (judged - plain) / CALLS * 1e3;
	}
	_exit(r < 0);
}

static void
load(struct way *way, int round)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		child(way, round);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "%s: status %#x", way->name, (unsigned)status);
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void
measure(const char *title, const struct cdn_filter_spec *spec, int loads)
{
	printf("%s\n%-18s%8s%10s%10s%10s%12s%12s\n", title, "", "insns",
	    "build us", "load p10", "load p50", "getppid ns", "ioctl ns");
	for (size_t i = 0; i < WAYS; i++)
		build(&ways[i], spec);
	for (int round = 0; round < loads; round++)
		for (size_t i = 0; i < WAYS; i++)
			load(&ways[i], round);
	for (size_t i = 0; i < WAYS; i++) {
		struct figures *f = ways[i].figures;

		qsort(f->load_us, (size_t)loads, sizeof(double), by_size);
		qsort(f->plain_ns, CALL_ROUNDS, sizeof(double), by_size);
		qsort(f->judged_ns, CALL_ROUNDS, sizeof(double), by_size);
		printf("%-18s%8zu%10.1f%10.1f%10.1f%12.0f%12.0f\n",
		    ways[i].name, ways[i].program.n, ways[i].build_us,
		    f->load_us[loads / 10], f->load_us[loads / 2], f->plain_ns[0],
		    f->judged_ns[0]);
	}
	printf("\n");
}

int
main(int argc, char **argv)
{
	static const char *const titles[CDN_MODE_MAX] = { "no broker",
		"mode A", "mode B", "mode C" };
	long loads = argc > 1 ? strtol(argv[1], NULL, 10) : 300;

	if (loads < CALL_ROUNDS || loads > LOADS_MAX)
		errx(1, "usage: filter_bench [LOADS, %d to %d]",
		    CALL_ROUNDS, LOADS_MAX);
	for (size_t i = 0; i < WAYS; i++) {
		ways[i].figures = mmap(NULL, sizeof(struct figures),
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (ways[i].figures == MAP_FAILED)
			err(1, "memory");
	}
	for (unsigned mode = 0; mode < CDN_MODE_MAX; mode++) {
		struct cdn_filter_spec spec = { .arch = CDN_FILTER_ARCH_HERE,
			.mode = mode, .has_broker = mode != CDN_MODE_NONE };

		measure(titles[mode], &spec, (int)loads);
	}
	return 0;
}
