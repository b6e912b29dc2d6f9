/*
 * Changes of metadata that are denied: refused in every form, and the host sees
 * nothing of them.  Beside each, the same call on something alike that is
 * allowed; and without a broker nothing would have held it back.
 */
#include "changes.h"

#include "races.h"

/* Not to be modified: by rule, by place, behind a link. */
static const char *const denied[] = { "w/ro/a", "w/ro", "w/x.env",
	"w/pub/y.env", "w/secrets/s", "w/secrets", "w/pub/../secrets/s",
	"w/to-secret", "w/to-secrets/s", "w/pub/to-out", "out/o", "out" };
static const char *const watched[] = { "w/ro/a", "w/ro", "w/ro/link",
	"w/x.env", "w/pub/y.env", "w/secrets/s", "w/secrets", "out/o", "out" };

static const char *const mode_names[] = { [CAGE_A] = "A", [CAGE_B] = "B",
	[CAGE_C] = "C" };

static void
begin(void)
{
	tmp_begin();
	cage_files();
	tmp_link("secrets/s", "w/to-secret");
	tmp_link("secrets", "w/to-secrets");
	tmp_link("../../out/o", "w/pub/to-out");
	tmp_link("../pub/a", "w/ro/link");
	tmp_link("../ro/a", "w/pub/link");
	/* To be removed again by those who may not. */
	(void)!lsetxattr(tmp_path("w/ro/a"), "user.a", "a", 1, 0);
	(void)!lsetxattr(tmp_path("out/o"), "user.a", "a", 1, 0);
}

/* All that may not change; to be freed. */
static char *
look(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < CDN_LEN(watched); i++) {
		fprintf(out, "| %s", watched[i]);
		change_state(tmp_path(watched[i]), true, out);
	}
	fclose(out);
	return text;
}

static void
check_same(const char *before, const char *what)
{
	char *after = look();

	if (!ok_f(strcmp(before, after) == 0, "%s: the host sees nothing",
		what))
		printf("# before %s\n# after  %s\n", before, after);
	free(after);
}

/* "good 5 of 6": 5; -1: there is none. */
static long
number_in(const struct cage *cage)
{
	const char *digits = strpbrk(cage->answer, "0123456789");

	return cage_says(cage, "errno") || digits == NULL ? -1 :
	    strtol(digits, NULL, 10);
}

static const char *
ask(struct cage *cage, const struct change_call *call, const char *path,
    long fd)
{
	char line[8192];

	change_line(call, path, fd, line, sizeof(line));
	return cage_ask(cage, "%s", line);
}

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static bool
is_nofollow(const struct change_call *call)
{
	return strstr(call->args, NOFOLLOW) != NULL || call->name[0] == 'l' ||
	    strstr(call->args, "$P 0x100 ") != NULL;
}

/* What is wrong with the arguments may be told first, but never a success. */
static bool
is_refused(const struct cage *cage, const struct change_call *call)
{
	return cage_says(cage, "errno") &&
	    (!call->plain || strcmp(cage->answer, "errno 13") == 0);
}

/* ----- By path --------------------------------------------------------------------- */

static void
check_path(struct cage *cage, const char *name, const char *mode)
{
	const char *path = tmp_path(name);
	char copy[PATH_MAX * 2];
	int refused = 0, wrong = 0;

	snprintf(copy, sizeof(copy), "%s", path);
	for (size_t i = 0; i < CDN_LEN(changes_by_path); i++) {
		const struct change_call *call = &changes_by_path[i];

		/* A link of the caller's own is his, and no path is none. */
		if (strstr(call->args, "$P") == NULL ||
		    strstr(call->args, OMIT_ALL) != NULL ||
		    (is_nofollow(call) && is_link(copy)))
			continue;
		(void)ask(cage, call, copy, -1);
		if (is_refused(cage, call))
			refused++;
		else if (wrong++ < 10)
			printf("# %s %s: %s\n", call->name, call->args,
			    cage->answer);
	}
	ok_f(wrong == 0 && refused > 40, "%s: %s: %d refused, %d not", mode,
	    name, refused, wrong);
}

static void
check_allowed(struct cage *cage, const char *mode)
{
	char path[PATH_MAX * 2];
	int worked = 0, wrong = 0;

	snprintf(path, sizeof(path), "%s", tmp_path("w/pub/a"));
	for (size_t i = 0; i < CDN_LEN(changes_by_path); i++) {
		const struct change_call *call = &changes_by_path[i];

		if (!call->plain)
			continue;
		(void)ask(cage, call, path, -1);
		if (strcmp(cage->answer, "value 0") == 0)
			worked++;
		else if (wrong++ < 10)
			printf("# %s %s: %s\n", call->name, call->args,
			    cage->answer);
	}
	ok_f(wrong == 0 && worked > 20, "%s: w/pub/a: %d worked, %d not", mode,
	    worked, wrong);
}

/* ----- By descriptor --------------------------------------------------------------- */

static void
check_fd(struct cage *cage, long fd, bool allowed, const char *what)
{
	int good = 0, wrong = 0;

	for (size_t i = 0; i < CDN_LEN(changes_by_fd); i++) {
		const struct change_call *call = &changes_by_fd[i];
		bool right;

		(void)ask(cage, call, "", fd);
		right = allowed ? !call->plain || cage_says(cage, "value 0") :
		    is_refused(cage, call);
		good += right;
		if (!right && wrong++ < 10)
			printf("# %s %s: %s\n", call->name, call->args,
			    cage->answer);
	}
	ok_f(wrong == 0, "%s: %d as they should, %d not", what, good, wrong);
}

/* Also through the names that a descriptor has in /proc. */
static void
check_fds(struct cage *cage, const char *mode)
{
	char what[64];

	(void)cage_ask(cage, "keep 0 %s", tmp_path("w/ro/a"));
	ok_f(cage_says(cage, "fd 3"), "%s: may be read: %s", mode,
	    cage->answer);
	(void)cage_ask(cage, "keep 0 %s", tmp_path("w/pub/a"));
	(void)cage_ask(cage, "keep 010000000 %s", tmp_path("w/ro/a"));
	snprintf(what, sizeof(what), "%s: read-only, of ro/a", mode);
	check_fd(cage, 3, false, what);
	snprintf(what, sizeof(what), "%s: read-only, of pub/a", mode);
	check_fd(cage, 4, true, what);
	for (int fd = 3; fd <= 5; fd++) {
		(void)cage_ask(cage, "sys %d -100 s:/proc/self/fd/%d 0700",
		    SYS_fchmodat, fd);
		ok_f(cage_says(cage, fd == 4 ? "value 0" : "errno 13"),
		    "%s: /proc/self/fd/%d: %s", mode, fd, cage->answer);
		(void)cage_ask(cage, "sys %d %d s: -1 -1 0x1000", SYS_fchownat,
		    fd);
		ok_f(cage_says(cage, fd == 4 ? "value 0" : "errno 13"),
		    "%s: AT_EMPTY_PATH of %d: %s", mode, fd, cage->answer);
	}
}

/* By another thread than the first, and when the name is gone. */
static void
check_more_fds(struct cage *cage, const char *mode)
{
	static const char *const names[] = { "w/ro/gone", "w/pub/gone" };

	for (size_t i = 0; i < CDN_LEN(names); i++) {
		const char *want = i == 0 ? "errno 13" : "value 0";
		long fd;

		tmp_file(names[i], "gone\n");
		(void)cage_ask(cage, "keep 0 %s", tmp_path(names[i]));
		fd = number_in(cage);
		(void)cage_ask(cage, "threadsys %d %ld 0700", SYS_fchmod, fd);
		ok_f(cage_says(cage, want), "%s: %s by a thread: %s", mode,
		    names[i], cage->answer);
		unlink(tmp_path(names[i]));
		(void)cage_ask(cage, "sys %d %ld 0711", SYS_fchmod, fd);
		ok_f(cage_says(cage, want), "%s: %s when removed: %s", mode,
		    names[i], cage->answer);
		(void)cage_ask(cage, "modeof %ld", fd);
		ok_f(cage_says(cage, i == 0 ? "mode 100644" : "mode 100711"),
		    "%s: %s", mode, cage->answer);
	}
}

/* A link is judged by its own name, what it leads to by that one's. */
static void
check_links(struct cage *cage, const char *mode)
{
	static const struct {
		const char *name;
		int flags;
		const char *want;
	} rows[] = {
		{ "w/ro/link", 0, "value 0" },
		{ "w/ro/link", 0x100, "errno 13" },
		{ "w/pub/link", 0, "errno 13" },
		{ "w/pub/link", 0x100, "value 0" },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		(void)cage_ask(cage, "sys %d -100 s:%s " TIMES " %d",
		    SYS_utimensat, tmp_path(rows[i].name), rows[i].flags);
		ok_f(cage_says(cage, rows[i].want), "%s: %s with flags %#x: %s",
		    mode, rows[i].name, (unsigned)rows[i].flags, cage->answer);
	}
}

static void
check_mode(enum cage_mode mode)
{
	const char *name = mode_names[mode];
	struct cage cage = { 0 };
	char *before;

	begin();
	before = look();
	cage_start(&cage, mode);
	for (size_t i = 0; i < CDN_LEN(denied); i++)
		check_path(&cage, denied[i], name);
	check_fds(&cage, name);
	check_links(&cage, name);
	check_same(before, name);
	check_allowed(&cage, name);
	check_more_fds(&cage, name);
	(void)cage_stop(&cage);
	free(before);
	tmp_end();
}

/* ----- Without a broker ------------------------------------------------------------ */

static void
check_bare(void)
{
	struct cage cage = { 0 };
	char path[PATH_MAX * 2];
	int worked = 0, all = 0;

	begin();
	snprintf(path, sizeof(path), "%s", tmp_path("out/o"));
	cage_start(&cage, CAGE_BARE);
	for (size_t i = 0; i < CDN_LEN(changes_by_path); i++)
		if (changes_by_path[i].plain) {
			(void)ask(&cage, &changes_by_path[i], path, -1);
			worked += cage_says(&cage, "value 0");
			all++;
		}
	(void)cage_ask(&cage, "keep 0 %s", path);
	check_fd(&cage, 3, true, "without a broker, by descriptor");
	ok_f(worked == all, "without a broker, by path: %d of %d", worked,
	    all);
	(void)cage_stop(&cage);
	tmp_end();
}

/* ----- What a name does not tell --------------------------------------------------- */

static void
check_floor(enum cage_mode mode)
{
	static const struct {
		const char *request; /* path and mode */
		const char *want, *rule; /* NULL: whichever */
	} rows[] = {
		{ "w/pub/a 04755", "errno 1", "a set-ID bit" },
		{ "w/pub/a 02755", "errno 1", "a set-ID bit" },
		{ "w/pub/a 06000", "errno 1", "a set-ID bit" },
		{ "w/pub/a 01755", "value 0", "" },
		{ "w/pub/a 0755", "value 0", "" },
		{ "w/pub/sub 02775", "value 0", "" },
		{ "/dev/null 0666", "errno 1", "a device" },
		{ "/dev/tty 0666", "errno 1", "a device" },
		{ "/proc/self/ns/net 0444", "errno 1", "not a file" },
		{ "/proc/self/environ 0400", "errno 13", NULL },
		{ "/proc/self/fd/0 0600", "value 0", "" },
	};
	struct cage cage = { 0 };
	struct stat st;

	begin();
	cage_start(&cage, mode);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const char *request = rows[i].request;

		cage.rule[0] = '\0';
		(void)cage_ask(&cage, "sys %d -100 s:%s", SYS_fchmodat,
		    request[0] == '/' ? request : tmp_path(request));
		ok_f(cage_says(&cage, rows[i].want) && (rows[i].rule == NULL ||
			strcmp(cage.rule, rows[i].rule) == 0),
		    "%s: chmod %s: %s by '%s'", mode_names[mode],
		    rows[i].request, cage.answer, cage.rule);
	}
	ok(stat("/dev/null", &st) == 0 && (st.st_mode & 07777) == 0666,
	    "/dev/null is as it was");
	(void)cage_stop(&cage);
	tmp_end();
}

/* What chmod may not do, nobody does by making it so. */
static void
check_set_id(enum cage_mode mode)
{
	static const struct {
		const char *request, *want;
	} rows[] = {
		{ "open 0101 04755 $W/pub/n1", "errno 1" },
		{ "open 0101 02755 $W/open/n2", "errno 1" },
		{ "creat 06755 $W/open/n3", "errno 1" },
		{ "creat 04755 $W/pub/n3", "errno 1" },
		{ "open 020200002 04700 $W/pub", "errno 1" },
		{ "open 020200002 04700 $W/open", "errno 1" },
		{ "mknod 0104755 $W/open/n4", "errno 1" },
		{ "mknod 0012755 $W/pub/n4", "errno 1" },
		/* what is there has its mode, and O_CREAT alone has one */
		{ "open 0101 06755 $W/open/a", "mode 100644" },
		{ "open 2 06755 $W/open/a", "mode 100644" },
		{ "open 0101 01755 $W/open/n5", "mode 101755" },
		{ "creat 0755 $W/open/n6", "mode 100755" },
		{ "mkdir 02755 $W/open/n7", "done 0" },
	};
	struct cage cage = { 0 };

	begin();
	cage_start(&cage, mode);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const char *at = strchr(rows[i].request, '$');

		/* In mode A what is outside of open/ is the kernel's no. */
		if (mode == CAGE_A && strstr(at, "/open") == NULL)
			continue;
		cage.rule[0] = '\0';
		(void)cage_ask(&cage, "%.*s%s%s", (int)(at - rows[i].request),
		    rows[i].request, tmp_path("w"), at + 2);
		ok_f(cage_says(&cage, rows[i].want) &&
		    (strcmp(rows[i].want, "errno 1") != 0 ||
			strcmp(cage.rule, "a set-ID bit") == 0),
		    "%s: %s: %s", mode_names[mode], rows[i].request,
		    cage.answer);
	}
	(void)cage_stop(&cage);
	tmp_end();
}

/* A terminal of the run's own is a device that it may change. */
static void
check_terminals(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), number = -1;
	struct cage cage = { 0 };
	char name[64];

	if (master < 0 || ptsname_r(master, name, sizeof(name)) != 0 ||
	    access(name, F_OK) != 0) {
		skip("no terminals here");
		return;
	}
	begin();
	cage_start(&cage, CAGE_A);
	(void)cage_ask(&cage, "sys %d -100 s:%s 0600", SYS_fchmodat, name);
	ok_f(cage_says(&cage, "errno 13"), "a terminal of others: %s",
	    cage.answer);
	(void)cage_ask(&cage, "keep 2 /dev/ptmx");
	(void)cage_ask(&cage, "pts 3");
	(void)sscanf(cage.answer, "pts %d", &number);
	(void)cage_ask(&cage, "sys %d 3 %d %d", SYS_ioctl, TIOCGPTPEER,
	    O_RDWR | O_NOCTTY);
	(void)cage_ask(&cage, "sys %d -100 s:/dev/pts/%d 0600", SYS_fchmodat,
	    number);
	ok_f(cage_says(&cage, "value 0"), "a terminal of its own: %s",
	    cage.answer);
	close(master);
	(void)cage_stop(&cage);
	tmp_end();
}

/* ----- Second names ---------------------------------------------------------------- */

static ino_t denied_ino;

static void
other_names(const struct cdn_question *question, dev_t dev, ino_t ino,
    struct cordon_verdict *verdict, void *arg)
{
	(void)question;
	(void)dev;
	(void)arg;
	if (ino != denied_ino)
		return;
	verdict->allowed = false;
	verdict->decision = CORDON_DENY;
	verdict->matched_rule = "another name";
}

static void
check_second_name(void)
{
	struct cage cage = { .other_names = other_names };
	struct stat st;

	begin();
	tmp_hardlink("w/secrets/s", "w/pub/second");
	tmp_hardlink("w/pub/a", "w/pub/b");
	stat(tmp_path("w/secrets/s"), &st);
	denied_ino = st.st_ino;
	cage_start(&cage, CAGE_C);
	(void)cage_ask(&cage, "sys %d -100 s:%s 0777", SYS_fchmodat,
	    tmp_path("w/pub/second"));
	ok_f(cage_says(&cage, "errno 13"), "a second name: %s", cage.answer);
	(void)cage_ask(&cage, "sys %d -100 s:%s 0777", SYS_fchmodat,
	    tmp_path("w/pub/b"));
	ok_f(cage_says(&cage, "value 0"), "of what is allowed: %s",
	    cage.answer);
	(void)cage_stop(&cage);
	tmp_end();
}

/* ----- Races ----------------------------------------------------------------------- */

/* The path in the caller's memory, and links that others turn. */
static void
check_races(enum cage_mode mode)
{
	struct cage cage = { 0 };
	char *before;
	unsigned long n = tries(20000);
	long good;
	pid_t turner;

	begin();
	tmp_link("pub/a", "w/turn");
	before = look();
	cage_start(&cage, mode);
	/* Of one length. */
	(void)cage_ask(&cage, "flipchange %lu %s %s", n, tmp_path("w/pub/a"),
	    tmp_path("w/ro//a"));
	good = number_in(&cage);
	check_same(before, "a path that is changed");
	ok_f(good > 0, "and %ld of %lu changed the right one", good, n);
	turner = race_turn_link(tmp_path("w/turn"), "pub/a", "secrets/s");
	(void)cage_ask(&cage, "flipchange %lu %s %s", n, tmp_path("w/turn"),
	    tmp_path("w/turn"));
	race_end(turner);
	good = number_in(&cage);
	check_same(before, "a link that is changed");
	ok_f(good > 0, "and %ld of %lu changed the right one", good, n);
	ok_f(cage.denials > 0, "%u were refused", cage.denials);
	(void)cage_stop(&cage);
	free(before);
	tmp_end();
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_bare();
	for (int mode = CAGE_A; mode <= CAGE_C; mode++) {
		check_mode((enum cage_mode)mode);
		check_floor((enum cage_mode)mode);
		check_set_id((enum cage_mode)mode);
	}
	check_terminals();
	check_second_name();
	check_races(CAGE_A);
	check_races(CAGE_C);
	return done_testing();
}
