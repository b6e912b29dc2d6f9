#include "enforce/sys/forgo.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>

#define CAPABILITIES_MAX     64 /* what the kernel's sets have room for */
#define JOIN_SESSION_KEYRING 1	/* KEYCTL_... */

/* The kernel knows how many there are: EINVAL for the first that is not. */
CDN_BARE static int
empty_bounding_set(int kept)
{
	for (int i = 0; i < CAPABILITIES_MAX; i++) {
		long r = i == kept ? 0 :
		    cdn_raw(SYS_prctl, PR_CAPBSET_DROP, i, 0, 0, 0);

		if (r == -EINVAL && i > 0)
			break;
		if (r < 0)
			return (int)r;
	}
	return 0;
}

/* kept: one of the first 32, or -1. */
CDN_BARE static int
forgo(int kept)
{
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct sets[2];
	long r;

	for (int i = 0; i < 2; i++)
		sets[i].effective = sets[i].permitted = 0;
	header.version = _LINUX_CAPABILITY_VERSION_3;
	header.pid = 0;
	r = cdn_raw(SYS_capget, &header, sets);
	if (r == 0 && (sets[0].effective >> CAP_SETPCAP & 1) != 0)
		r = empty_bounding_set(kept);
	/* Ambient ones are inheritable and permitted: they go with these. */
	for (int i = 0; i < 2; i++) {
		uint32_t mask = i == 0 && kept >= 0 ? 1U << kept : 0;

		sets[i].effective &= mask;
		sets[i].permitted &= mask;
		sets[i].inheritable = 0;
	}
	return r < 0 ? (int)r : (int)cdn_raw(SYS_capset, &header, sets);
}

CDN_BARE int
cdn_sys_forgo_capabilities(void)
{
	return forgo(-1);
}

CDN_BARE int
cdn_sys_forgo_capabilities_but(int kept)
{
	return forgo(kept);
}

CDN_BARE int
cdn_sys_forgo_keyring(void)
{
	long r = cdn_raw(SYS_keyctl, JOIN_SESSION_KEYRING, 0, 0, 0, 0);

	return r < 0 && r != -ENOSYS && r != -EPERM && r != -EACCES ? (int)r : 0;
}
