/*
 * holder - the first process of the namespaces; for this room only.
 */
#ifndef CDN_SPACES_HOLDER_H
#define CDN_SPACES_HOLDER_H

#include "enforce/spaces/spaces.h"

#define CDN_HOLDER_CONTROL 0 /* its descriptors: the pair to us, */
#define CDN_HOLDER_SOCKETS 1 /* and NETLINK_SOCK_DIAG */

struct cdn_holder_mount {
	/*
	 * What is there before anything is covered.  NULL: nothing, an empty
	 * place for those that follow, which nobody can change in the end.
	 */
	const char *from;
	const char *to; /* made if it is missing, directories above as well */
	int tree;	/* its own, while it works */
};

/* Two covers, and what is kept. */
#define CDN_HOLDER_MOUNTS 128

/* All it needs, complete before the clone: it has a copy. */
struct cdn_holder_plan {
	char uid_map[32], gid_map[32];
	int control_fd;
	bool network;
	struct cdn_holder_mount mounts[CDN_HOLDER_MOUNTS]; /* in this order */
	size_t mount_count;
};

/* What it says, once. */
struct cdn_holder_report {
	uint32_t step; /* for cdn_holder_step() */
	int32_t error; /* 0: all is there */
};

int cdn_holder_main(void *arg); /* CDN_BARE; struct cdn_holder_plan */
const char *cdn_holder_step(uint32_t step);

#endif
