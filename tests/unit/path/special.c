/*
 * Where resolving is special: links the kernel makes up, permissions, no
 * openat2, no /proc or a false one, case folding, descriptors and inodes.
 */
#include "enforce/path/path_internal.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "support/tap.h"
#include "support/tmpdir.h"

/* ----- Links that the kernel makes up ------------------------------------- */

static void
test_magic(void)
{
	static const char *const refused[] = { "/proc/self/cwd",
		"/proc/self/root", "/proc/self/root/etc/passwd",
		"/proc/self/exe", "/proc/self/fd/0", "/dev/fd/0", "/dev/stdin",
		"/proc/thread-self/cwd", "/proc/self/ns/mnt",
		"/proc/self/cwd/../x", "/proc/1/root/etc" };
	static const char *const plain[] = { "/proc/self/status",
		"/proc/mounts", "/proc/net/dev", "/proc/thread-self/comm",
		"/proc/self/task", "/proc/self/fd", "/proc/version" };
	struct cdn_real real, walked;
	struct cordon_error err = { 0 };

	for (size_t i = 0; i < CDN_LEN(refused); i++) {
		cdn_str raw = cdn_str_of(refused[i]);
		int r = cdn_path_resolve("/", raw, &real, &err);

		ok_f(r == CORDON_E_RESOLVE && err.sys_errno == ELOOP,
		    "'%s' is not followed: %s", refused[i], err.text);
		ok_f(cdn_path_fast("/", raw, &real) < 0,
		    "'%s' is not followed by the kernel", refused[i]);
	}
	for (size_t i = 0; i < CDN_LEN(plain); i++) {
		cdn_str raw = cdn_str_of(plain[i]);

		ok_f(cdn_path_fast("/", raw, &real) == 0 &&
			cdn_path_walk("/", raw, &walked, &err) == 0 &&
			strcmp(real.path, walked.path) == 0,
		    "'%s' is followed: '%s'", plain[i], real.path);
	}
	tmp_link("/proc/self/cwd", "viaproc");
	ok(cdn_path_resolve(tmp_root, CDN_STR("viaproc/x"), &real, &err) ==
		    CORDON_E_RESOLVE &&
		err.sys_errno == ELOOP,
	    "nor through a link of one's own");
}

/* ----- Permissions -------------------------------------------------------- */

static int
body_permissions(void *arg)
{
	struct cdn_real real;
	struct cordon_error err = { 0 };
	int before = tmp_open_fds();

	(void)arg;
	if (geteuid() == 0)
		return 1;
	if (cdn_path_resolve(tmp_root, CDN_STR("locked/in/x"), &real, &err) !=
		CORDON_E_RESOLVE ||
	    err.sys_errno != EACCES)
		return 2;
	if (strstr(err.text, "locked/in") == NULL)
		return 3; /* names the place where it ended */
	if (cdn_path_resolve(tmp_root, CDN_STR("locked"), &real, &err) != 0 ||
	    !real.exists)
		return 4; /* the directory itself can be seen */
	if (cdn_path_resolve(tmp_root, CDN_STR("locked/../open/x"), &real,
		&err) != CORDON_E_RESOLVE ||
	    err.sys_errno != EACCES)
		return 5; /* as the kernel: '..' is looked up in it */
	if (cdn_path_resolve(tmp_root, CDN_STR("open/x"), &real, &err) != 0 ||
	    !real.exists)
		return 6;
	if (cdn_path_resolve(tmp_root, CDN_STR("passage/x"), &real, &err) ||
	    !real.exists)
		return 7; /* search is enough, reading is not needed */
	if (cdn_path_workspace(tmp_path("locked/in"), &real, &err) !=
	    CORDON_E_RESOLVE)
		return 8;
	if (tmp_open_fds() != before)
		return 9;
	return 0;
}

static void
test_permissions(void)
{
	struct cdn_real real;

	tmp_dir("locked");
	tmp_dir("locked/in");
	tmp_file("locked/in/x", "");
	tmp_dir("open");
	tmp_file("open/x", "");
	tmp_dir("passage");
	tmp_file("passage/x", "");
	ok(cdn_path_resolve(tmp_root, CDN_STR("locked/in/x"), &real, NULL) ==
		    0 &&
		real.exists,
	    "before: it can be resolved");
	tmp_mode("locked", 0);
	tmp_mode("passage", 0711);
	ok_f(tmp_child(body_permissions, NULL, true) == 0,
	    "a directory that may not be searched is an error, not missing");
	tmp_mode("locked", 0755);
	tmp_mode("passage", 0755);
}

/* ----- Without openat2, without /proc ------------------------------------- */

static int
take_away_openat2(int answer)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 437, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
		    SECCOMP_RET_ERRNO | ((unsigned)answer & 0xffffU)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { CDN_LEN(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int
body_no_openat2(void *arg)
{
	const struct cdn_real *want = arg;
	struct cdn_real real;

	for (int i = 0; i < 2; i++) {
		int answer = i == 0 ? EPERM : ENOSYS;

		if (take_away_openat2(answer) != 0)
			return 1;
		if (cdn_path_fast(tmp_root, CDN_STR("open/x"), &real) !=
		    -answer)
			return 2;
		if (cdn_path_resolve(tmp_root, CDN_STR("o/../open/x"), &real,
			NULL) != 0)
			return 3;
		if (strcmp(real.path, want->path) != 0 ||
		    real.ino != want->ino || !real.exists)
			return 4;
	}
	return 0;
}

static int
body_chroot(void *arg)
{
	struct cdn_real real;

	(void)arg;
	if (geteuid() != 0 && unshare(CLONE_NEWUSER) != 0)
		return 99;
	if (chroot(tmp_path("jail")) != 0 || chdir("/") != 0)
		return 99;
	if (cdn_path_fast("/", CDN_STR("/d/f"), &real) != -ENOENT)
		return 1;
	if (cdn_path_resolve("/", CDN_STR("/up/d/l"), &real, NULL) != 0 ||
	    strcmp(real.path, "/d/f") != 0 || !real.exists)
		return 2;
	if (cdn_path_resolve("/", CDN_STR("../../../d/new"), &real, NULL) ||
	    strcmp(real.path, "/d/new") != 0 || real.exists)
		return 3;
	return 0;
}

/* A directory called /proc whose links name whatever somebody likes. */
static int
body_false_proc(void *arg)
{
	struct cdn_real real;
	int fd;

	(void)arg;
	if (geteuid() != 0 && unshare(CLONE_NEWUSER) != 0)
		return 99;
	if (chroot(tmp_path("liar")) != 0 || chdir("/") != 0)
		return 99;
	if (cdn_path_resolve("/", CDN_STR("secret"), &real, NULL) != 0 ||
	    strcmp(real.path, "/secret") != 0)
		return 1;
	fd = open("/secret", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 2;
	if (cdn_path_of_fd(fd, &real, NULL) != CORDON_E_RESOLVE)
		return 3;
	return 0;
}

static void
test_child(int (*body)(void *), void *arg, const char *what)
{
	int r = tmp_child(body, arg, false);

	if (r == 99)
		skip("neither root nor user namespaces");
	else
		ok_f(r == 0, "%s (%d)", what, r);
}

static void
test_without(void)
{
	struct cdn_real want;
	char name[64];

	ok(cdn_path_fast(tmp_root, CDN_STR("open/x"), &want) == 0,
	    "with openat2 the kernel answers");
	tmp_link("open", "o");
	test_child(body_no_openat2, &want, "the same without openat2");

	tmp_dir("jail");
	tmp_dir("jail/d");
	tmp_file("jail/d/f", "");
	tmp_link("/d/f", "jail/d/l");
	tmp_link("..", "jail/up");
	test_child(body_chroot, NULL, "the same without /proc");

	tmp_dir("liar");
	tmp_dir("liar/proc");
	tmp_dir("liar/proc/thread-self");
	tmp_dir("liar/proc/thread-self/fd");
	tmp_file("liar/secret", "");
	tmp_file("liar/harmless", "");
	for (int fd = 0; fd < 32; fd++) {
		snprintf(name, sizeof(name), "liar/proc/thread-self/fd/%d", fd);
		tmp_link("/harmless", name);
	}
	test_child(body_false_proc, NULL, "a false /proc is not believed");
}

/* ----- Case --------------------------------------------------------------- */

static int
body_in_doubt(void *arg)
{
	struct cdn_real real;
	bool want = *(bool *)arg;

	if (cdn_path_resolve(tmp_root, CDN_STR("passage/x"), &real, NULL) != 0)
		return 1;
	if (cdn_path_folds_case(&real) != want)
		return 2;
	if (cdn_path_resolve(tmp_root, CDN_STR("open/x"), &real, NULL) != 0 ||
	    cdn_path_folds_case(&real))
		return 3;
	if (cdn_path_resolve(tmp_root, CDN_STR("passage"), &real, NULL) != 0 ||
	    cdn_path_folds_case(&real))
		return 4; /* its own name lies in the directory above */
	if (cdn_path_walk(tmp_root, CDN_STR("passage"), &real, NULL) != 0 ||
	    cdn_path_folds_case(&real))
		return 5;
	if (cdn_path_resolve(tmp_root, CDN_STR("passage/new/n"), &real, NULL) ||
	    cdn_path_folds_case(&real) != want)
		return 6; /* a new directory will do as the one it is in */
	return 0;
}

static void
test_folding(void)
{
	static const struct {
		uint32_t f_type;
		enum cdn_path_fold want;
		const char *name;
	} kinds[] = {
		{ 0x4d44, CDN_FOLD_ALWAYS, "vfat" },
		{ 0x2011bab0, CDN_FOLD_ALWAYS, "exfat" },
		{ 0x5346544e, CDN_FOLD_ALWAYS, "ntfs" },
		{ 0x7366746e, CDN_FOLD_ALWAYS, "ntfs3" },
		{ 0xef53, CDN_FOLD_BY_DIRECTORY, "ext4" },
		{ 0xf2f52010, CDN_FOLD_BY_DIRECTORY, "f2fs" },
		{ 0x01021994, CDN_FOLD_BY_DIRECTORY, "tmpfs" },
		{ 0x9fa0, CDN_FOLD_NEVER, "proc" },
		{ 0x58465342, CDN_FOLD_NEVER, "xfs" },
		{ 0x9123683e, CDN_FOLD_NEVER, "btrfs" },
	};
	struct statfs fs;
	bool asks;

	for (size_t i = 0; i < CDN_LEN(kinds); i++)
		ok_f(cdn_path_fold_kind(kinds[i].f_type) == kinds[i].want,
		    "case on %s", kinds[i].name);
	ok(!cdn_path_folds("/proc/self", 5), "/proc does not fold");
	ok(cdn_path_folds("/no/such/directory", 18), "in doubt it folds");
	ok(!cdn_path_folds_somewhere("/proc/self/status", 17),
	    "nothing on the way there does");
	ok(cdn_path_folds_somewhere("/no/such/directory", 18),
	    "in doubt something does");
	ok(cdn_path_may_fold(0x4d44) && !cdn_path_may_fold(0x9fa0),
	    "what may and what may not by its kind");
	tmp_need(statfs(tmp_root, &fs) == 0, "statfs", tmp_root);
	/* Where this kernel folds nothing there is nothing to ask. */
	asks = cdn_path_fold_kind((uint32_t)fs.f_type) ==
		CDN_FOLD_BY_DIRECTORY &&
	    cdn_path_may_fold((uint32_t)fs.f_type);
	tmp_mode("passage", 0311);
	ok(tmp_child(body_in_doubt, &asks, true) == 0,
	    "a directory that cannot be asked folds, one that can does not");
	tmp_mode("passage", 0755);
}

/* ----- Descriptors -------------------------------------------------------- */

static bool
fd_is(int fd, const char *want)
{
	struct cdn_real real = { .len = 77 };
	struct cordon_error err = { 0 };
	int r = cdn_path_of_fd(fd, &real, &err);

	if (want == NULL)
		return r == CORDON_E_RESOLVE && err.sys_errno != 0 &&
		    real.len == 77;
	return r == 0 && strcmp(real.path, tmp_path(want)) == 0 &&
	    real.exists && real.existing == real.len;
}

static int
open_at(const char *name, int flags)
{
	int fd = open(tmp_path(name), flags | O_CLOEXEC);

	tmp_need(fd >= 0, "open", name);
	return fd;
}

static void
test_named_fds(void)
{
	int fd;

	tmp_file("fd file", "");
	tmp_link("fd file", "fdlink");
	fd = open_at("fdlink", O_RDONLY);
	ok(fd_is(fd, "fd file"), "a descriptor has the real path");
	tmp_need(rename(tmp_path("fd file"), tmp_path("fd new")) == 0, "rename",
	    "fd file");
	ok(fd_is(fd, "fd new"), "and keeps it when the file is renamed");
	close(fd);
	ok(fd_is(fd, NULL), "a closed descriptor has none");
	fd = open_at("open", O_PATH | O_DIRECTORY);
	ok(fd_is(fd, "open"), "a directory");
	close(fd);
	fd = open_at("fdlink", O_PATH | O_NOFOLLOW);
	ok(fd_is(fd, "fdlink"), "a link itself");
	close(fd);
}

static void
test_deleted(void)
{
	int fd;

	tmp_file("t (deleted)", "");
	fd = open_at("t (deleted)", O_RDONLY);
	ok(fd_is(fd, "t (deleted)"), "a file may be called 't (deleted)'");
	close(fd);

	tmp_file("t", "");
	fd = open_at("t", O_RDONLY);
	ok(fd_is(fd, "t"), "control: 't' is there");
	tmp_need(unlink(tmp_path("t")) == 0, "unlink", "t");
	ok(fd_is(fd, NULL), "a removed 't' is not 't (deleted)'");
	close(fd);

	tmp_file("u", "");
	fd = open_at("u", O_RDONLY);
	tmp_hardlink("u", "u (deleted)");
	tmp_need(unlink(tmp_path("u")) == 0, "unlink", "u");
	ok(fd_is(fd, "u (deleted)"), "unless it is the same file");
	close(fd);

	tmp_dir("rd");
	fd = open_at("rd", O_RDONLY | O_DIRECTORY);
	tmp_need(rmdir(tmp_path("rd")) == 0, "rmdir", "rd");
	ok(fd_is(fd, NULL), "a removed directory has no path");
	close(fd);
}

static void
test_nameless_fds(void)
{
	int fds[2], fd;

	tmp_need(pipe2(fds, O_CLOEXEC) == 0, "pipe", "");
	ok(fd_is(fds[0], NULL), "a pipe has no path");
	close(fds[0]);
	close(fds[1]);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ok(fd >= 0 && fd_is(fd, NULL), "a socket has no path");
	close(fd);
	fd = memfd_create("etc", MFD_CLOEXEC);
	ok(fd >= 0 && fd_is(fd, NULL), "a memfd has no path");
	close(fd);
	ok(fd_is(-1, NULL), "nor has -1");
}

/* ----- Inodes ------------------------------------------------------------- */

static bool
holds(const char *entry, const char *file)
{
	struct stat st;

	tmp_need(lstat(tmp_path(file), &st) == 0, "lstat", file);
	return cdn_path_holds_inode(tmp_path(entry), st.st_dev, st.st_ino) !=
	    CDN_HELD_NOT;
}

static int
body_unreadable(void *arg)
{
	(void)arg;
	return holds("vault", "free") ? 0 : 1;
}

static void
test_inodes(void)
{
	tmp_dir("vault");
	tmp_dir("vault/sub");
	tmp_dir("vault/sub/sub");
	tmp_file("vault/sub/sub/key", "");
	tmp_file("vault/top", "");
	tmp_file("free", "");
	tmp_link("../free", "vault/l");
	tmp_link("..", "vault/up");
	tmp_hardlink("vault/sub/sub/key", "key2");
	tmp_hardlink("free", "free2");
	ok(holds("vault", "key2"), "a hard link of a file far below");
	ok(holds("vault", "vault/top"), "a file in it");
	ok(holds("vault", "vault"), "the directory itself");
	ok(holds("vault/top", "vault/top"), "a file is itself");
	ok(holds("free2", "free"), "under either name");
	ok(!holds("vault", "free"), "not what a link in it points to");
	ok(!holds("vault/top", "free"), "not another file");
	ok(!holds("vault/l", "free"), "an entry that is a link is only that");
	ok(!holds("none", "free"), "what is not there holds nothing");
	ok(!holds("vault", "vault/sub"), "only regular files below");
	tmp_mode("vault/sub", 0);
	if (geteuid() == 0) {
		ok(tmp_child(body_unreadable, NULL, true) == 1,
		    "what another user keeps closed is his to keep");
		tmp_need(chown(tmp_path("vault/sub"), 65534, 65534) == 0,
		    "chown", "vault/sub");
	}
	ok(tmp_child(body_unreadable, NULL, true) == 0,
	    "what is one's own and cannot be read counts as a hit");
	tmp_mode("vault/sub", 0755);
}

static void
test_inode_bounds(void)
{
	char name[PATH_MAX] = "deep";
	char old[PATH_MAX];
	int fd;

	tmp_dir(name);
	for (int i = 0; i < 70; i++) {
		memcpy(name + strlen(name), "/d", 3);
		tmp_dir(name);
	}
	ok(holds("deep", "free"), "too deep to look at: a hit");
	ok(!holds("deep/d/d/d/d/d/d/d/d/d/d", "free"), "less deep: none");

	/* Short relative names: 65537 of them take long enough. */
	tmp_dir("many");
	tmp_need(getcwd(old, sizeof(old)) && chdir(tmp_path("many")) == 0,
	    "chdir", "many");
	for (unsigned i = 0; i < CDN_INODE_SCAN_MAX; i++) {
		snprintf(name, sizeof(name), "%x", i);
		tmp_need(symlink("x", name) == 0, "symlink", name);
	}
	tmp_need(chdir(old) == 0, "chdir", old);
	ok(!holds("many", "free"), "as many entries as the bound: none");
	fd = open(tmp_path("many/more"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	tmp_need(fd >= 0, "open", "many/more");
	close(fd);
	ok(holds("many", "free"), "one more: a hit");
}

int
main(void)
{
	int before;

	tmp_begin_below(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL);
	before = tmp_open_fds();
	test_magic();
	test_permissions();
	test_without();
	test_folding();
	test_named_fds();
	test_deleted();
	test_nameless_fds();
	test_inodes();
	test_inode_bounds();
	ok(tmp_open_fds() == before, "no descriptor is left open");
	tmp_end();
	return done_testing();
}
