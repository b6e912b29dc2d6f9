#include "enforce/sys/mounts.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same on every architecture. */
#ifndef SYS_statmount
#define SYS_statmount 457
#endif
#ifndef SYS_listmount
#define SYS_listmount 458
#endif

#define FROM_ROOT UINT64_MAX /* LSMT_ROOT */
#define SB_BASIC  1U	     /* STATMOUNT_SB_BASIC */

/* struct mnt_id_req, its first version. */
struct request {
	uint32_t size;
	uint32_t spare;
	uint64_t id;
	uint64_t param;
};

/* The beginning of struct statmount; the kernel writes no more than asked. */
struct answer {
	uint32_t size;
	uint32_t options;
	uint64_t mask;
	uint32_t major;
	uint32_t minor;
	uint64_t rest[61];
};

long
cdn_sys_listmount(uint64_t *ids, size_t n)
{
	struct request request = { .size = sizeof(request), .id = FROM_ROOT };
	long r = syscall(SYS_listmount, &request, ids, n, 0);

	return r < 0 ? -(long)errno : r;
}

int
cdn_sys_mount_dev(uint64_t id, uint64_t *ret)
{
	struct request request = { .size = sizeof(request), .id = id,
		.param = SB_BASIC };
	CDN_UNINITIALIZED struct answer answer;

	if (syscall(SYS_statmount, &request, &answer, sizeof(answer), 0) < 0)
		return -errno;
	if ((answer.mask & SB_BASIC) == 0)
		return -ENOSYS;
	*ret = (uint64_t)answer.major << 32 | answer.minor;
	return 0;
}
