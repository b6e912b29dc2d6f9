/* The program itself: what the kernel demands of it, and what we promise. */
#include "enforce/backend/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

#include "support/bpfsim.h"
#include "support/tap.h"

/* Our copies of the kernel's words. */
_Static_assert(sizeof(struct cdn_bpf) == sizeof(struct sock_filter) &&
	offsetof(struct cdn_bpf, jt) == offsetof(struct sock_filter, jt) &&
	offsetof(struct cdn_bpf, jf) == offsetof(struct sock_filter, jf) &&
	offsetof(struct cdn_bpf, k) == offsetof(struct sock_filter, k),
    "struct sock_filter");
_Static_assert(sizeof(struct cdn_seccomp_data) ==
	    sizeof(struct seccomp_data) &&
	offsetof(struct cdn_seccomp_data, arch) ==
	    offsetof(struct seccomp_data, arch) &&
	offsetof(struct cdn_seccomp_data, args) ==
	    offsetof(struct seccomp_data, args),
    "struct seccomp_data");

static const struct {
	const char *name;
	uint32_t ours, theirs;
} words[] = {
#define WORD(ours, theirs) { #theirs, ours, theirs }
	WORD(CDN_BPF_LOAD, BPF_LD | BPF_W | BPF_ABS),
	WORD(CDN_BPF_AND, BPF_ALU | BPF_AND | BPF_K),
	WORD(CDN_BPF_JUMP, BPF_JMP | BPF_JA),
	WORD(CDN_BPF_JEQ, BPF_JMP | BPF_JEQ | BPF_K),
	WORD(CDN_BPF_JGE, BPF_JMP | BPF_JGE | BPF_K),
	WORD(CDN_BPF_JSET, BPF_JMP | BPF_JSET | BPF_K),
	WORD(CDN_BPF_RET, BPF_RET | BPF_K),
	WORD(CDN_AUDIT_ARCH_X86_64, AUDIT_ARCH_X86_64),
	WORD(CDN_AUDIT_ARCH_AARCH64, AUDIT_ARCH_AARCH64),
	WORD(CDN_SECCOMP_KILL, SECCOMP_RET_KILL_PROCESS),
	WORD(CDN_SECCOMP_ERRNO, SECCOMP_RET_ERRNO),
	WORD(CDN_SECCOMP_NOTIFY, SECCOMP_RET_USER_NOTIF),
	WORD(CDN_SECCOMP_ALLOW, SECCOMP_RET_ALLOW),
	WORD(CDN_SECCOMP_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER),
	WORD(CDN_SECCOMP_WAIT_KILLABLE,
	    SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV),
#undef WORD
};

#define STEPS_MAX 40 /* instructions on the longest way */

static const struct cdn_filter_spec contradictions[] = {
	{ .mode = CDN_MODE_C },
	{ .mode = CDN_MODE_NONE, .has_broker = true },
	{ .arch = CDN_FILTER_ARCH_MAX },
	{ .mode = CDN_MODE_MAX, .has_broker = true },
	{ .network = CDN_FILTER_NET_MAX },
	{ .unix_sockets = CDN_FILTER_UNIX_MAX },
};

static bool
make(unsigned i, struct cdn_filter_spec *spec, struct cdn_filter *ret)
{
	*spec = (struct cdn_filter_spec){ .arch = i % 2, .mode = i / 2 % 4,
		.network = i / 8 % 3, .unix_sockets = i / 24 % 3,
		.has_broker = i / 72 & 1, .strict = i / 144 & 1,
		.no_modify = i / 288 & 1, .no_udp = i / 576 & 1 };
	memset(ret, (int)i, sizeof(*ret));
	return cdn_filter_build(spec, ret, NULL) == 0;
}

#define SPECS 1152U

static void
test_words(void)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		ok_f(words[i].ours == words[i].theirs, "%s is %#x",
		    words[i].name, words[i].theirs);
}

static const struct sock_filter *
as_kernel(const struct cdn_filter *filter)
{
	return (const struct sock_filter *)filter->code;
}

static unsigned
longest(const struct cdn_filter_spec *spec, const struct cdn_filter *filter,
    uint64_t arg)
{
	unsigned most = 0, steps;

	for (int nr = 0; nr < 480; nr++) {
		struct seccomp_data data = { .nr = nr,
			.arch = spec->arch == CDN_FILTER_X86_64 ?
			    AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64,
			.args = { arg, arg, arg, arg, arg, arg } };

		(void)bpfsim_run(as_kernel(filter), filter->n, &data, &steps);
		most = steps > most ? steps : most;
	}
	return most;
}

static void
test_programs(void)
{
	struct cdn_filter_spec spec;
	struct cdn_filter filter;
	size_t built = 0, invalid = 0, trapping = 0, fewest = SIZE_MAX, most = 0;
	unsigned steps = 0;

	for (unsigned i = 0; i < SPECS; i++) {
		if (!make(i, &spec, &filter))
			continue;
		built++;
		invalid += bpfsim_check(as_kernel(&filter), filter.n) != NULL;
		trapping += cdn_filter_traps(&filter) != spec.has_broker;
		fewest = filter.n < fewest ? filter.n : fewest;
		most = filter.n > most ? filter.n : most;
		for (int bit = -1; bit < 32; bit++) {
			unsigned n = longest(&spec, &filter,
			    bit < 0 ? 0 : UINT64_C(1) << bit);

			steps = n > steps ? n : steps;
		}
	}
	ok_f(built == 864, "%zu specs make sense", built);
	ok(invalid == 0, "the kernel would take each program");
	ok(trapping == 0, "there are traps if and only if there is a broker");
	ok_f(most <= CDN_FILTER_MAX && fewest > 100,
	    "%zu to %zu instructions, at most %d", fewest, most,
	    CDN_FILTER_MAX);
	ok_f(steps <= STEPS_MAX, "at most %u steps", steps);
}

/* Without a broker modes A and B are none at all; all is repeatable. */
static void
test_sameness(void)
{
	struct cdn_filter_spec spec;
	struct cdn_filter filter, other;
	size_t differ = 0, alone = 0;

	for (unsigned i = 0; i < SPECS; i++) {
		if (!make(i, &spec, &filter))
			continue;
		memset(&other, 0x5a, sizeof(other));
		if (!spec.has_broker && spec.mode != CDN_MODE_NONE)
			alone++;
		if (!spec.has_broker)
			spec.mode = CDN_MODE_NONE;
		if (cdn_filter_build(&spec, &other, NULL) < 0 ||
		    filter.n != other.n || memcmp(filter.code, other.code,
			filter.n * sizeof(filter.code[0])) != 0)
			differ++;
	}
	ok(differ == 0, "the same spec gives the same program");
	ok_f(alone == 288, "and %zu of them have a mode but no broker", alone);
}

static void
test_contradictions(void)
{
	for (size_t i = 0; i < sizeof(contradictions) / sizeof(contradictions[0]);
	    i++) {
		struct cdn_filter filter;
		struct cordon_error error = { 0 };
		int r;

		memset(&filter, 0x5a, sizeof(filter));
		r = cdn_filter_build(&contradictions[i], &filter, &error);
		ok_f(r == CORDON_E_INVALID && error.code == r &&
			error.text[0] != '\0', "refused: %s", error.text);
		ok(filter.n == (size_t)0x5a5a5a5a5a5a5a5aU,
		    "and nothing was written");
	}
}

static void
test_load_limits(void)
{
	static const struct cdn_bpf nothing;

	ok(cdn_sys_seccomp(&nothing, UINT16_MAX + 1UL, 0) == -EINVAL,
	    "a program longer than its length can say is refused");
}

int
main(void)
{
	test_words();
	test_programs();
	test_sameness();
	test_contradictions();
	test_load_limits();
	return done_testing();
}
