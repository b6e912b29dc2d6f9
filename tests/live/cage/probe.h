/* probe - what its files share.  Each returns 0, or -1 with errno. */
#ifndef CDN_TEST_PROBE_H
#define CDN_TEST_PROBE_H

typedef int try_fn(char **arg);

/* probe_metadata.c: of the file at arg[0]. */
try_fn probe_chmod, probe_fchmod, probe_fchmodat2, probe_chown, probe_lchown,
    probe_fchown, probe_utimes, probe_futimes, probe_setxattr, probe_fsetxattr,
    probe_removexattr, probe_setflags;

#endif
