#include "enforce/host/hook.h"

#ifdef CDN_TEST_HOOKS

#define FACT(name, type) { #name, type, offsetof(struct cdn_host, name) }

static const struct fact {
	const char *name;
	enum { FACT_BOOL, FACT_INT, FACT_BWRAP } type;
	size_t offset;
} facts[] = {
	FACT(landlock_abi, FACT_INT),
	FACT(landlock_errata, FACT_INT),
	FACT(landlock_error, FACT_INT),
	FACT(landlock_layers, FACT_INT),
	FACT(seccomp_filter, FACT_BOOL),
	FACT(seccomp_filtered, FACT_BOOL),
	FACT(seccomp_notify, FACT_BOOL),
	FACT(notify_wait_killable, FACT_BOOL),
	FACT(notify_taken, FACT_BOOL),
	FACT(userns, FACT_BOOL),
	FACT(userns_error, FACT_INT),
	FACT(userns_restricted, FACT_BOOL),
	FACT(yama_scope, FACT_INT),
	FACT(cgroup_delegated, FACT_BOOL),
	FACT(bwrap, FACT_BWRAP),
	FACT(kernel_major, FACT_INT),
	FACT(kernel_minor, FACT_INT),
	FACT(privileged, FACT_BOOL),
	FACT(container, FACT_BOOL),
};

static const struct fact *
find_fact(cdn_str name)
{
	for (size_t i = 0; i < CDN_LEN(facts); i++)
		if (cdn_str_is(name, facts[i].name))
			return &facts[i];
	cdn_bug("CORDON_TEST_HOST names a fact that is none");
}

static void
set_fact(struct cdn_host *host, const struct fact *fact, uint64_t value)
{
	static const uint64_t most[] = { 1, INT32_MAX, CDN_BWRAP_USABLE };
	char *at = (char *)host + fact->offset;
	bool flag = value != 0;
	int number = (int)value;

	if (value > most[fact->type])
		cdn_bug("CORDON_TEST_HOST has a value out of range");
	if (fact->type == FACT_BOOL)
		memcpy(at, &flag, sizeof(flag));
	else
		memcpy(at, &number, sizeof(number));
}

_Static_assert(sizeof(enum cdn_bwrap) == sizeof(int), "copied as an int");

void
cdn_hook_host(struct cdn_host *host)
{
	cdn_str rest = cdn_str_of(getenv("CORDON_TEST_HOST")), part, name;
	uint64_t value;

	if (rest.n == 0)
		return;
	while (cdn_str_next(&rest, ',', &part)) {
		if (!cdn_str_next(&part, '=', &name) || part.p == NULL ||
		    !cdn_str_parse_u64(part, &value))
			cdn_bug("CORDON_TEST_HOST is not name=number,...");
		set_fact(host, find_fact(name), value);
	}
}

#else

void
cdn_hook_host(struct cdn_host *host)
{
	(void)host;
}

#endif
