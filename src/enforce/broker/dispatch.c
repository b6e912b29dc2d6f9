/*
 * Which handler answers which call.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "enforce/broker/metadata.h"

#define NR_PROCESS_MADVISE 440
#define NR_OPEN_TREE_ATTR  467

/* ioctl(2) is many calls. */
static const struct {
	unsigned command;
	cdn_handler_fn *handler;
} commands[] = {
	{ CDN_IOC_SETFLAGS, cdn_handle_metadata },
	{ CDN_IOC_FSSETXATTR, cdn_handle_metadata },
	{ TIOCGPTPEER, cdn_handle_pty },
	{ TIOCSTI, cdn_handle_rare },
	{ TIOCLINUX, cdn_handle_rare },
};

static void
handle_ioctl(struct cdn_call *call, struct cdn_call_answer *answer)
{
	unsigned command = (unsigned)call->notif->data.args[1];

	for (size_t i = 0; i < CDN_LEN(commands); i++)
		if (commands[i].command == command) {
			commands[i].handler(call, answer);
			return;
		}
	cdn_answer_error(answer, -ENOSYS);
}

static const struct {
	int nr;
	const char *name;
	cdn_handler_fn *handler;
} handlers[] = {
#define ROW(name, handler) { SYS_##name, #name, handler }
	ROW(execve, cdn_handle_exec),
	ROW(execveat, cdn_handle_exec),
	ROW(openat, cdn_handle_open),
	ROW(ioctl, handle_ioctl),
	ROW(fchmod, cdn_handle_metadata),
	ROW(fchmodat, cdn_handle_metadata),
	ROW(fchmodat2, cdn_handle_metadata),
	ROW(fchown, cdn_handle_metadata),
	ROW(fchownat, cdn_handle_metadata),
	ROW(utimensat, cdn_handle_metadata),
	ROW(setxattr, cdn_handle_metadata),
	ROW(lsetxattr, cdn_handle_metadata),
	ROW(fsetxattr, cdn_handle_metadata),
	ROW(setxattrat, cdn_handle_metadata),
	ROW(removexattr, cdn_handle_metadata),
	ROW(lremovexattr, cdn_handle_metadata),
	ROW(fremovexattr, cdn_handle_metadata),
	ROW(removexattrat, cdn_handle_metadata),
	ROW(file_setattr, cdn_handle_metadata),
	ROW(mkdirat, cdn_handle_mkdir),
	ROW(mknodat, cdn_handle_mknod),
	ROW(symlinkat, cdn_handle_symlink),
	ROW(unlinkat, cdn_handle_unlinkat),
	ROW(renameat2, cdn_handle_rename),
	ROW(linkat, cdn_handle_link),
	ROW(truncate, cdn_handle_truncate),
#ifdef SYS_renameat
	ROW(renameat, cdn_handle_rename),
#endif
#ifdef SYS_rename
	ROW(mkdir, cdn_handle_mkdir),
	ROW(mknod, cdn_handle_mknod),
	ROW(symlink, cdn_handle_symlink),
	ROW(unlink, cdn_handle_unlink),
	ROW(rmdir, cdn_handle_rmdir),
	ROW(rename, cdn_handle_rename),
	ROW(link, cdn_handle_link),
#endif
#ifdef SYS_open
	ROW(open, cdn_handle_open),
	ROW(creat, cdn_handle_open),
#endif
#ifdef SYS_chmod
	ROW(chmod, cdn_handle_metadata),
	ROW(chown, cdn_handle_metadata),
	ROW(lchown, cdn_handle_metadata),
	ROW(utime, cdn_handle_metadata),
	ROW(utimes, cdn_handle_metadata),
	ROW(futimesat, cdn_handle_metadata),
#endif
	ROW(socket, cdn_handle_socket),
	ROW(connect, cdn_handle_connect),
	ROW(bind, cdn_handle_bind),
	ROW(listen, cdn_handle_listen),
	ROW(sendto, cdn_handle_sendto),
	ROW(sendmsg, cdn_handle_sendmsg),
	ROW(sendmmsg, cdn_handle_sendmmsg),
	ROW(inotify_add_watch, cdn_handle_watch),
	ROW(kill, cdn_handle_kill),
	ROW(tkill, cdn_handle_tkill),
	ROW(tgkill, cdn_handle_tgkill),
	ROW(rt_sigqueueinfo, cdn_handle_sigqueue),
	ROW(rt_tgsigqueueinfo, cdn_handle_tgsigqueue),
	ROW(pidfd_send_signal, cdn_handle_pidfd_signal),
	ROW(clone, cdn_handle_clone),
	ROW(ptrace, cdn_handle_ptrace),
	ROW(process_vm_readv, cdn_handle_rare),
	ROW(process_vm_writev, cdn_handle_rare),
	ROW(kcmp, cdn_handle_rare),
	ROW(mount, cdn_handle_rare),
	ROW(umount2, cdn_handle_rare),
	ROW(pivot_root, cdn_handle_rare),
	ROW(chroot, cdn_handle_rare),
	ROW(fsopen, cdn_handle_rare),
	ROW(fsconfig, cdn_handle_rare),
	ROW(fsmount, cdn_handle_rare),
	ROW(fspick, cdn_handle_rare),
	ROW(move_mount, cdn_handle_rare),
	ROW(mount_setattr, cdn_handle_rare),
	ROW(open_tree, cdn_handle_rare),
	ROW(unshare, cdn_handle_rare),
	ROW(setns, cdn_handle_rare),
	ROW(keyctl, cdn_handle_rare),
	ROW(add_key, cdn_handle_rare),
	ROW(request_key, cdn_handle_rare),
	ROW(bpf, cdn_handle_rare),
	ROW(perf_event_open, cdn_handle_rare),
	ROW(userfaultfd, cdn_handle_rare),
	ROW(kexec_load, cdn_handle_rare),
	ROW(kexec_file_load, cdn_handle_rare),
	ROW(reboot, cdn_handle_rare),
	ROW(init_module, cdn_handle_rare),
	ROW(finit_module, cdn_handle_rare),
	ROW(delete_module, cdn_handle_rare),
	ROW(swapon, cdn_handle_rare),
	ROW(swapoff, cdn_handle_rare),
	ROW(open_by_handle_at, cdn_handle_rare),
	ROW(fanotify_init, cdn_handle_rare),
#undef ROW
	/* Newer than some headers; the same on every architecture. */
	{ NR_PROCESS_MADVISE, "process_madvise", cdn_handle_rare },
	{ NR_OPEN_TREE_ATTR, "open_tree_attr", cdn_handle_rare },
};

cdn_handler_fn *
cdn_handler_find(int nr, const char **ret_name)
{
	for (size_t i = 0; i < CDN_LEN(handlers); i++)
		if (handlers[i].nr == nr) {
			*ret_name = handlers[i].name;
			return handlers[i].handler;
		}
	return NULL;
}
