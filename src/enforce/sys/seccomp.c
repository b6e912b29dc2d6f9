#include "enforce/sys/seccomp.h"

#include <errno.h>

#define SET_MODE_FILTER	 1U
#define SET_NO_NEW_PRIVS 38

/* struct sock_fprog */
struct program {
	uint16_t n;
	const struct cdn_bpf *code;
};

CDN_BARE int
cdn_sys_no_new_privs(void)
{
	return (int)cdn_raw(SYS_prctl, SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

CDN_BARE int
cdn_sys_seccomp(const struct cdn_bpf *code, size_t n, unsigned flags)
{
	struct program program = { (uint16_t)n, code };

	if (n > UINT16_MAX)
		return -EINVAL;
	return (int)cdn_raw(SYS_seccomp, SET_MODE_FILTER, flags, &program);
}
