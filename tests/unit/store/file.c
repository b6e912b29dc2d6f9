/* Files read once and replaced atomically: cdn_store_read, cdn_store_write. */
#include "enforce/store/store.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define MAX 100

/* ----- Reading ------------------------------------------------------------ */

static bool
reads(const char *name, bool follow, const char *want, size_t n)
{
	struct cordon_error err = { .code = 99 };
	struct cdn_buf buf;
	bool good;

	if (cdn_store_read(tmp_path(name), MAX, follow, &buf, &err) != 0) {
		printf("# %s\n", err.text);
		return false;
	}
	good = buf.n == n && (n == 0 || memcmp(buf.p, want, n) == 0) &&
	    err.code == 99;
	cdn_buf_done(&buf);
	return good;
}

/* The code, when the error is complete and *ret was left alone. */
static int
read_error(const char *path, bool follow, struct cordon_error *err)
{
	struct cdn_buf buf = { .n = 77 };
	int r;

	*err = (struct cordon_error){ 0 };
	r = cdn_store_read(path, MAX, follow, &buf, err);
	if (r == 0 || buf.n != 77 || err->code != r ||
	    strstr(err->text, path) == NULL)
		return 1;
	return r;
}

static int
body_fifo(void *arg)
{
	struct cordon_error err;

	alarm(120); /* instead of waiting for a writer for ever */
	return read_error(arg, false, &err) == CORDON_E_INVALID ? 0 : 1;
}

static int
body_unreadable(void *arg)
{
	struct cordon_error err;

	if (read_error(arg, false, &err) != CORDON_E_SYSTEM)
		return 1;
	return err.sys_errno == EACCES ? 0 : 2;
}

static void
make_socket(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", tmp_path(name));
	tmp_need(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0, "bind",
	    name);
	close(fd);
}

static void
test_read(void)
{
	char path[PATH_MAX];
	int fd;

	tmp_file("plain", "hello\n");
	ok(reads("plain", false, "hello\n", 6), "a file is read");
	tmp_file("empty", "");
	ok(reads("empty", false, "", 0), "an empty file");
	fd = open(tmp_path("bytes"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	tmp_need(write(fd, "a\0b\xff", 4) == 4, "write", "bytes");
	close(fd);
	ok(reads("bytes", false, "a\0b\xff", 4), "any bytes");
	tmp_link("plain", "link");
	ok(reads("link", true, "hello\n", 6), "a link, if it may be");
	tmp_dir("d");
	tmp_link("d", "dl");
	tmp_file("d/in", "x");
	ok(reads("dl/in", false, "x", 1), "a link on the way is followed");
	tmp_file("secret", "x");
	tmp_mode("secret", 0);
	snprintf(path, sizeof(path), "%s", tmp_path("secret"));
	ok(tmp_child(body_unreadable, path, true) == 0, "an unreadable file");
	tmp_need(mkfifo(tmp_path("fifo"), 0666) == 0, "mkfifo", "fifo");
	snprintf(path, sizeof(path), "%s", tmp_path("fifo"));
	ok(tmp_child(body_fifo, path, false) == 0,
	    "a FIFO is refused without waiting");
}

static void
test_read_sizes(void)
{
	char text[MAX + 2];
	struct cordon_error err;

	memset(text, 'x', sizeof(text));
	text[MAX] = '\0';
	tmp_file("full", text);
	ok(reads("full", false, text, MAX), "as large as the limit");
	text[MAX] = 'x';
	text[MAX + 1] = '\0';
	tmp_file("over", text);
	ok(read_error(tmp_path("over"), false, &err) == CORDON_E_INVALID &&
		strstr(err.text, "100 bytes"),
	    "one byte more: too large");
	/* Says it has 0 bytes, and has more. */
	ok(read_error("/proc/self/status", true, &err) == CORDON_E_INVALID &&
		strstr(err.text, "100 bytes"),
	    "a size that lies is noticed");
}

static void
test_read_refused(void)
{
	static const struct {
		const char *name;
		bool follow;
		int code;
		int sys_errno;
	} refused[] = {
		{ "none", false, CORDON_E_NOT_FOUND, 0 },
		{ "none", true, CORDON_E_NOT_FOUND, 0 },
		{ "no/such/dir", false, CORDON_E_NOT_FOUND, 0 },
		{ "plain/below", false, CORDON_E_NOT_FOUND, 0 },
		{ "dl/none", true, CORDON_E_NOT_FOUND, 0 },
		{ "d", false, CORDON_E_INVALID, 0 },
		{ "link", false, CORDON_E_INVALID, 0 },
		{ "dangling", false, CORDON_E_INVALID, 0 },
		{ "dangling", true, CORDON_E_SYSTEM, ENOENT },
		{ "dangling/x/y", true, CORDON_E_SYSTEM, ENOENT },
		{ "loop", true, CORDON_E_INVALID, 0 },
		{ "loop/x", false, CORDON_E_SYSTEM, ELOOP },
		{ "socket", false, CORDON_E_SYSTEM, ENXIO },
	};
	struct cordon_error err;

	tmp_link("nowhere", "dangling");
	tmp_link("loop", "loop");
	make_socket("socket");
	for (size_t i = 0; i < CDN_LEN(refused); i++) {
		int r = read_error(tmp_path(refused[i].name), refused[i].follow,
		    &err);

		ok_f(r == refused[i].code &&
			err.sys_errno == refused[i].sys_errno,
		    "'%s'%s: %s", refused[i].name,
		    refused[i].follow ? " (follow)" : "", err.text);
	}
	ok(read_error("/dev/zero", true, &err) == CORDON_E_INVALID,
	    "a device is refused");
}

/* ----- Writing ------------------------------------------------------------ */

static bool
holds(const char *name, const char *text, unsigned mode)
{
	struct stat st;

	return reads(name, false, text, strlen(text)) &&
	    lstat(tmp_path(name), &st) == 0 && (st.st_mode & 07777) == mode;
}

static int
writes(const char *name, const char *text, unsigned mode)
{
	struct cordon_error err = { 0 };
	int r = cdn_store_write(tmp_path(name), cdn_str_of(text), mode, &err);

	return r == err.code ? r : 1;
}

static int
entries(const char *name)
{
	DIR *dir = opendir(tmp_path(name));
	int n = 0;

	tmp_need(dir != NULL, "opendir", name);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n - 2;
}

static void
test_write(void)
{
	mode_t old = umask(0);

	tmp_dir("w");
	ok(writes("w/a", "one", 0600) == 0 && holds("w/a", "one", 0600),
	    "a new file, 0600 under umask 0");
	umask(0777);
	ok(writes("w/b", "two", 0644) == 0 && holds("w/b", "two", 0644),
	    "0644 under umask 0777");
	umask(old);
	tmp_hardlink("w/a", "keep");
	ok(writes("w/a", "", 0600) == 0 && holds("w/a", "", 0600),
	    "replaced by nothing");
	ok(holds("keep", "one", 0600), "the old file itself is not changed");
	ok(entries("w") == 2, "nothing else is left in the directory");
}

static void
test_write_refused(void)
{
	static const struct {
		const char *name;
		int code;
	} refused[] = {
		{ "w/l", CORDON_E_INVALID },
		{ "w/dang", CORDON_E_INVALID },
		{ "w/sub", CORDON_E_INVALID },
		{ "w/", CORDON_E_INVALID },
		{ "w/.", CORDON_E_INVALID },
		{ "w/..", CORDON_E_INVALID },
		{ "nodir/x", CORDON_E_NOT_FOUND },
		{ "plain/x", CORDON_E_SYSTEM },
	};

	tmp_link("../plain", "w/l");
	tmp_link("../made", "w/dang");
	tmp_dir("w/sub");
	for (size_t i = 0; i < CDN_LEN(refused); i++)
		ok_f(writes(refused[i].name, "evil", 0600) == refused[i].code,
		    "'%s' is not written", refused[i].name);
	ok(holds("plain", "hello\n", 0644) && !tmp_there("made") &&
		!tmp_there("nodir"),
	    "what the links point to is untouched");
	ok(entries("w") == 5 && entries("w/sub") == 0,
	    "nothing is left behind");
}

static int
body_relative(void *arg)
{
	(void)arg;
	if (chdir(tmp_path("w")) != 0)
		return 1;
	if (cdn_store_write("rel", CDN_STR("r"), 0600, NULL) != 0)
		return 2;
	return holds("w/rel", "r", 0600) ? 0 : 3;
}

static int
body_no_permission(void *arg)
{
	(void)arg;
	if (writes("ro/x", "evil", 0600) != CORDON_E_SYSTEM)
		return 1;
	return writes("open/x", "fine", 0600) == 0 ? 0 : 2;
}

static void
test_write_places(void)
{
	ok(tmp_child(body_relative, NULL, false) == 0, "a name without slash");
	tmp_dir("ro");
	tmp_file("ro/x", "old");
	tmp_mode("ro", 0555);
	tmp_dir("open");
	tmp_mode("open", 0777);
	ok(tmp_child(body_no_permission, NULL, true) == 0,
	    "a directory that may not be written");
	ok(holds("ro/x", "old", 0644) && entries("ro") == 1,
	    "and nothing changed there");
}

/* ----- No room ------------------------------------------------------------ */

static char big[256 * 1024];

static int
body_file_limit(void *arg)
{
	struct rlimit limit = { 4096, 4096 };
	struct cordon_error err;

	(void)arg;
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 1;
	if (writes("lim/f", "small", 0600) != 0)
		return 2;
	if (cdn_store_write(tmp_path("lim/f"), (cdn_str){ big, sizeof(big) },
		0600, &err) != CORDON_E_SYSTEM ||
	    err.sys_errno != EFBIG)
		return 3;
	if (!holds("lim/f", "small", 0600) || entries("lim") != 1)
		return 4;
	return 0;
}

static int
body_full_disk(void *arg)
{
	struct cordon_error err;

	(void)arg;
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", tmp_path("disk"), "tmpfs", 0, "size=64k") != 0)
		return 99;
	if (writes("disk/f", "small", 0600) != 0)
		return 2;
	if (cdn_store_write(tmp_path("disk/f"), (cdn_str){ big, sizeof(big) },
		0600, &err) != CORDON_E_SYSTEM ||
	    err.sys_errno != ENOSPC)
		return 3;
	if (!holds("disk/f", "small", 0600) || entries("disk") != 1)
		return 4;
	if (writes("disk/f", "again", 0600) != 0)
		return 5; /* the room is free again */
	return 0;
}

static void
test_no_room(void)
{
	int r;

	memset(big, 'x', sizeof(big));
	tmp_dir("lim");
	r = tmp_child(body_file_limit, NULL, false);
	ok_f(r == 0, "a file size limit: the old file stays, alone (%d)", r);
	tmp_dir("disk");
	r = tmp_child(body_full_disk, NULL, false);
	if (r == 99)
		skip("mounting a small tmpfs needs root");
	else
		ok_f(r == 0, "a full disk: the old file stays, alone (%d)", r);
}

/* ----- Readers and a writer at the same time ------------------------------ */

#define ROUNDS	    300
#define LEAST_READS 100
#define MOST_ROUNDS (1000 * ROUNDS) /* until the reader had its turn */

static volatile unsigned *reads_done; /* shared with the writer */

static int
body_writer(void *arg)
{
	char *text = arg;

	for (int i = 0; i < ROUNDS ||
	     (*reads_done < LEAST_READS && i < MOST_ROUNDS); i++) {
		memset(text, 'a' + i % 26, 50000);
		if (cdn_store_write(tmp_path("w/shared"),
			(cdn_str){ text, 1000 + 100U * (unsigned)(i % 400) },
			0600, NULL) != 0)
			return 1;
	}
	return 0;
}

static void
test_atomic(void)
{
	static char text[50000];
	unsigned mixed = 0;
	int status = 0;
	pid_t pid;

	reads_done = mmap(NULL, sizeof(*reads_done), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	tmp_need(reads_done != MAP_FAILED, "mmap", "");
	tmp_need(writes("w/shared", "a", 0600) == 0, "write", "shared");
	pid = fork();
	tmp_need(pid >= 0, "fork", "writer");
	if (pid == 0)
		_exit(body_writer(text));
	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct cdn_buf buf;
		int r = cdn_store_read(tmp_path("w/shared"), sizeof(text),
		    false, &buf, NULL);

		++*reads_done;
		if (r != 0) {
			mixed++;
			continue;
		}
		for (size_t i = 1; i < buf.n; i++)
			if (buf.p[i] != buf.p[0]) {
				mixed++;
				break;
			}
		cdn_buf_done(&buf);
	}
	ok_f(WIFEXITED(status) && WEXITSTATUS(status) == 0 && mixed == 0 &&
		*reads_done >= LEAST_READS,
	    "%u reads while it was replaced, %u mixed", *reads_done, mixed);
}

int
main(void)
{
	int before;

	tmp_begin_below(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL);
	before = tmp_open_fds();
	test_read();
	test_read_sizes();
	test_read_refused();
	test_write();
	test_write_refused();
	test_write_places();
	test_no_room();
	test_atomic();
	ok(tmp_open_fds() == before, "no descriptor is left open");
	tmp_end();
	return done_testing();
}
