/*
 * mounts - listmount(2) and statmount(2), since 6.8: what is mounted, without
 * text that somebody has to print and somebody else to read.
 */
#ifndef CDN_SYS_MOUNTS_H
#define CDN_SYS_MOUNTS_H

#include "base/base.h"

/* Ids of the mounts that are seen from "/", at most n.  How many, or -errno. */
CDN_MUST_USE long cdn_sys_listmount(uint64_t *ids, size_t n);

/* The device of one: major << 32 | minor.  0 or -errno. */
CDN_MUST_USE int cdn_sys_mount_dev(uint64_t id, uint64_t *ret);

#endif
