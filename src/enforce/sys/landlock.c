#include "enforce/sys/landlock.h"

/* The same numbers on every architecture, since 5.13. */
#define NR_CREATE_RULESET 444
#define NR_ADD_RULE	  445
#define NR_RESTRICT_SELF  446

#define CREATE_VERSION	  1UL
#define CREATE_ERRATA	  2UL
#define RULE_PATH_BENEATH 1

/* struct landlock_path_beneath_attr is packed in the kernel's header too. */
struct path_beneath {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

CDN_BARE int
cdn_sys_landlock_abi(void)
{
	long abi = cdn_raw(NR_CREATE_RULESET, NULL, 0, CREATE_VERSION);

	return abi > 0 ? (int)abi : 0;
}

CDN_BARE unsigned
cdn_sys_landlock_errata(void)
{
	long bits = cdn_raw(NR_CREATE_RULESET, NULL, 0, CREATE_ERRATA);

	return bits > 0 ? (unsigned)bits : 0;
}

CDN_BARE int
cdn_sys_landlock_create(const struct cdn_landlock_ruleset *rs, int abi)
{
	size_t size = offsetof(struct cdn_landlock_ruleset, net);

	if (abi >= 4)
		size = offsetof(struct cdn_landlock_ruleset, scoped);
	if (abi >= 6)
		size = sizeof(*rs);
	return (int)cdn_raw(NR_CREATE_RULESET, rs, size, 0);
}

CDN_BARE int
cdn_sys_landlock_add(int ruleset, int fd, uint64_t rights)
{
	struct path_beneath rule;

	rule.rights = rights;
	rule.fd = fd;
	return (int)cdn_raw(NR_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
}

CDN_BARE int
cdn_sys_landlock_restrict(int ruleset)
{
	return (int)cdn_raw(NR_RESTRICT_SELF, ruleset, 0);
}
