#include "exercise.h"

#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/xattr.h>

#define FEW	6
#define RESTART 100 /* steps, then the tree is begun anew */

char root[PATH_ROOM];
int slots[SLOTS];
bool step_worked;

static unsigned long step_number;
static bool printed; /* something of this step */
static bool muted;

size_t
below(size_t n)
{
	return random_below(n);
}

bool
one_in(size_t n)
{
	return random_below(n) == 0;
}

long
pick_number(const long *from, size_t n)
{
	return from[random_below(n)];
}

/* ----- The log ------------------------------------------------------------------- */

static void
print_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '\n' || *text == '\\' || *text < ' ')
			printf("\\%03o", (unsigned char)*text);
		else
			putchar(*text);
}

void
mute_error(bool mute)
{
	muted = mute;
}

void
tell(long result, const char *fmt, ...)
{
	int error = errno;
	char text[3 * PATH_ROOM];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printf("%lu ", step_number);
	print_plain(text);
	if (result < 0)
		printf(" = %s", muted ? "refused" : strerrorname_np(error));
	else
		printf(" = %ld", result);
	muted = false;
	step_worked = step_worked || result >= 0;
	printed = true;
	errno = error;
}

/* Times of today are "now". */
static void
print_time(const struct timespec *at)
{
	if (at->tv_sec > 1000000)
		printf(" now");
	else
		printf(" %ld.%ld", (long)at->tv_sec, at->tv_nsec);
}

static void
print_stat(const struct stat *st)
{
	printf(" [%o %d:%d", st->st_mode, (int)st->st_uid, (int)st->st_gid);
	if (!S_ISDIR(st->st_mode))
		printf(" n%ld", (long)st->st_nlink);
	if (S_ISREG(st->st_mode)) {
		printf(" s%ld", (long)st->st_size);
		print_time(&st->st_atim);
	}
	print_time(&st->st_mtim);
	putchar(']');
}

void
tell_state(int dirfd, const char *path)
{
	struct stat st;

	if (fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		printf(" [%s]", strerrorname_np(errno));
	else
		print_stat(&st);
}

void
tell_fd(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return;
	print_stat(&st);
	/* O_NOFOLLOW says how it was found, and is told by nothing else. */
	printf(" fl%x cl%d at%ld", (unsigned)(fcntl(fd, F_GETFL) & ~O_NOFOLLOW),
	    fcntl(fd, F_GETFD), (long)lseek(fd, 0, SEEK_CUR));
}

/* ----- Slots --------------------------------------------------------------------- */

void
keep(int fd)
{
	int *slot = &slots[below(SLOTS)];

	if (fd < 0)
		return;
	if (*slot >= 0)
		close(*slot);
	*slot = fd;
}

int
any_fd(void)
{
	size_t first = below(SLOTS);

	if (one_in(40))
		return (int)PICK(-1, NO_FD, AT_FDCWD);
	for (size_t i = 0; i < SLOTS; i++)
		if (slots[(first + i) % SLOTS] >= 0)
			return slots[(first + i) % SLOTS];
	return NO_FD;
}

bool
is_fifo(int dirfd, const char *path)
{
	struct stat st;

	return fstatat(dirfd, path, &st, 0) == 0 && S_ISFIFO(st.st_mode);
}

bool
is_regular(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* ----- Ways ---------------------------------------------------------------------- */

/* As printf, to both. */
__attribute__((format(printf, 2, 3))) static void
append(struct way *way, const char *fmt, ...)
{
	size_t n = strlen(way->path), m = strlen(way->told);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(way->path + n, sizeof(way->path) - n, fmt, ap);
	va_end(ap);
	snprintf(way->told + m, sizeof(way->told) - m, "%s", way->path + n);
}

static void
append_root(struct way *way)
{
	snprintf(way->path, sizeof(way->path), "%s", root);
	snprintf(way->told, sizeof(way->told), "$R");
}

/*
 * A few names, that meet again.  No ".." stands in front, and no link leads to
 * "." or "..", so that nothing above the root is ever meant: this runs as root
 * without a cage, too.
 */
static void
append_names(struct way *way)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g",
		"h" };
	static const char *const joins[] = { "/", "/", "/", "/", "/", "/./",
		"//", "/../", "/", "/" };
	static const char *const ends[] = { "", "", "", "", "", "", "", "", "",
		"", "/", "//", "/.", "/..", "/" };
	static const char *const made[] = { "c", "a/c", "a/d", "d/b", "d/c",
		"a/b/a", "d/a", "d/f", "a/b", "b", "e", "a/f", "g", "h", "f",
		"a/g", "a/h", "d/g", "d/h", "a/b/g", "d/f/h", "b/g", "d/a/h" };
	size_t depth = 1 + below(1 + below(3));

	if (!one_in(3)) { /* what make_some() made, or what nobody did */
		append(way, "%s", made[below(LEN(made))]);
		return;
	}
	for (size_t i = 0; i < depth; i++)
		append(way, "%s%s", i == 0 ? "" : joins[below(LEN(joins))],
		    names[below(LEN(names))]);
	append(way, "%s", ends[below(LEN(ends))]);
}

static void
odd_path(struct way *way)
{
	static const char *const odd[] = { "", ".", "./", "\xc3\xa4", "a\nb",
		"-", "a (deleted)", "\xff", "...", "/proc/self/cwd",
		"/proc/self/fd/77", "/dev/fd/77", "/proc/thread-self/cwd/a",
		"/proc/self/none", "/proc/self/task/1/cwd/a" };

	if (one_in(8)) {
		append(way, "%0*d", (int)PICK(255, 256, 254), 0);
		snprintf(way->told, sizeof(way->told), "<%zu>",
		    strlen(way->path));
	} else {
		append(way, "%s", odd[below(LEN(odd))]);
	}
	way->magic = strstr(way->path, "/self") != NULL ||
	    strstr(way->path, "/dev/") != NULL;
}

/* What a descriptor of ours leads to. */
static void
path_by_fd(struct way *way)
{
	static const char *const places[] = { "/proc/self/fd/", "/dev/fd/",
		"/proc/thread-self/fd/" };

	append(way, "%s%d", places[below(LEN(places))], any_fd());
	way->magic = !one_in(3);
	if (!way->magic) {
		append(way, "/");
		append_names(way);
	}
}

void
any_path(struct way *ret)
{
	ret->dirfd = AT_FDCWD;
	ret->path[0] = ret->told[0] = '\0';
	ret->magic = false;
	if (one_in(25)) {
		odd_path(ret);
		return;
	}
	if (one_in(12)) {
		path_by_fd(ret);
		return;
	}
	if (one_in(8)) {
		append_root(ret);
		append(ret, "/");
	} else if (one_in(15)) {
		append(ret, "/proc/self/cwd/");
	}
	append_names(ret);
}

/* Mostly one that is a directory. */
static int
any_dirfd(void)
{
	size_t first = below(SLOTS);
	struct stat st;

	for (size_t i = 0; i < SLOTS && !one_in(20); i++) {
		int fd = slots[(first + i) % SLOTS];

		if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
			return fd;
	}
	return any_fd();
}

void
any_way(struct way *ret)
{
	any_path(ret);
	if (one_in(3)) {
		ret->dirfd = any_dirfd();
		snprintf(ret->told + strlen(ret->told),
		    sizeof(ret->told) - strlen(ret->told), "@%d", ret->dirfd);
	}
}

/* None that makes all that follows fail for long. */
mode_t
any_mode(void)
{
	return (mode_t)PICK(0755, 0755, 0644, 0777, 0700, 01777, 0775, 0664,
	    0755, 0711, 0755, 0666, 0755, 0750, 0640, 0444, 0200, 0555, 0);
}

/* ----- The work ------------------------------------------------------------------ */

void
make_root(void)
{
	if (chdir(root) == 0)
		return;
	(void)mkdir(root, 0755);
	(void)chmod(root, 0755);
	if (chdir(root) != 0)
		exit(3);
}

/* Whatever ".." did: back, before anything is done outside. */
static void
stay_below(void)
{
	char cwd[PATH_ROOM];
	size_t n = strlen(root);

	if (getcwd(cwd, sizeof(cwd)) != NULL && strncmp(cwd, root, n) == 0 &&
	    (cwd[n] == '/' || cwd[n] == '\0') && !one_in(8))
		return;
	umask(022);
	make_root();
}

/* So that most paths lead somewhere. */
static void
make_some(void)
{
	static const char *const directories[] = { "a", "a/b", "a/b/c", "d",
		"d/a", "d/f" };
	static const char *const files[] = { "c", "a/c", "a/d", "d/b",
		"a/b/a" };

	for (size_t i = 0; i < LEN(directories); i++)
		(void)mkdir(directories[i], 0755);
	for (size_t i = 0; i < LEN(files); i++) {
		int fd = open(files[i], O_CREAT | O_WRONLY, 0644);

		(void)!write(fd, files[i], strlen(files[i]));
		(void)fsetxattr(fd, "user.a", "first", 5, 0);
		close(fd);
	}
	(void)!symlink("a/b", "b");
	(void)!symlink("../c", "d/c");
	(void)!symlink("none", "e");
	(void)mknod("a/f", S_IFIFO | 0644, 0);
}

static void
begin_anew(void)
{
	for (size_t i = 0; i < SLOTS; i++) {
		if (slots[i] >= 0)
			close(slots[i]);
		slots[i] = -1;
	}
	umask(022);
	make_root();
	remove_tree(root);
	make_root();
	make_some();
}

static struct step *const tables[] = { name_steps, file_steps, beside_steps };

static size_t
weigh_steps(void)
{
	size_t sum = 0;

	for (size_t t = 0; t < LEN(tables); t++)
		for (const struct step *s = tables[t]; s->name != NULL; s++)
			sum += s->weight;
	return sum;
}

static struct step *
any_step(void)
{
	size_t at = below(weigh_steps());

	for (size_t t = 0; t < LEN(tables); t++)
		for (struct step *s = tables[t]; s->name != NULL; s++) {
			if (at < s->weight)
				return s;
			at -= s->weight;
		}
	return NULL;
}

static void
work(unsigned long steps, unsigned long lie)
{
	for (step_number = 1; step_number <= steps; step_number++) {
		struct step *step;

		if (step_number % RESTART == 1)
			begin_anew();
		stay_below();
		step = any_step();
		step_worked = printed = false;
		step->run();
		if (printed)
			putchar('\n');
		step->tried++;
		step->worked += step_worked;
		if (step_number == lie) {
			begin_anew();
			(void)close(open("lie", O_CREAT | O_WRONLY, 0600));
		}
	}
}

/* Every kind of step has come to something, given time; few have not. */
static int
summary(unsigned long steps)
{
	int bad = steps < 20000 ? -FEW : 0;

	for (size_t t = 0; t < LEN(tables); t++)
		for (const struct step *s = tables[t]; s->name != NULL; s++) {
			printf("%s: %lu of %lu\n", s->name, s->worked,
			    s->tried);
			bad += s->worked == 0;
		}
	return bad > 0;
}

/* As in the cage: root without capabilities is anybody who is called root. */
static void
forgo_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2];

	memset(none, 0, sizeof(none));
	if (syscall(SYS_capset, &head, none) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		exit(3);
}

int
main(int argc, char **argv)
{
	unsigned long lie = 0, steps;
	int bad;

	if (argc == 3 && strcmp(argv[1], "-t") == 0) {
		print_tree(argv[2]);
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "-l") == 0) {
		lie = strtoul(argv[2], NULL, 10);
		argv += 2;
		argc -= 2;
	}
	if (argc != 4)
		return 2;
	forgo_capabilities();
	close_range(3, ~0U, 0);
	signal(SIGPIPE, SIG_IGN);
	random_state = strtoull(argv[1], NULL, 10);
	steps = strtoul(argv[2], NULL, 10);
	snprintf(root, sizeof(root), "%s", argv[3]);
	if (strncmp(root, "/tmp/", 5) != 0)
		return 2;
	memset(slots, -1, sizeof(slots));
	work(steps, lie);
	bad = summary(steps);
	return ferror(stdout) || fflush(stdout) != 0 ? 3 : bad;
}
