/* What is refused, what is mended, and what a failed write leaves behind. */
#include "audits.h"

#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>

static char file[PATH_MAX * 2], head[PATH_MAX * 2 + 8];

static void
name_file(const char *name)
{
	snprintf(file, sizeof(file), "%s", tmp_path(name));
	snprintf(head, sizeof(head), "%s.head", file);
}

/* A file of n lines of its own. */
static void
begin(const char *name, unsigned n)
{
	name_file(name);
	for (unsigned i = 0; i < n; i++)
		tmp_need(write_once(file, "line", NULL) == 0, "audit", name);
}

/* ----- Making and refusing ---------------------------------------------- */

static bool
has_mode(const char *path, unsigned mode)
{
	struct stat st;

	return lstat(path, &st) == 0 && (st.st_mode & 07777) == mode;
}

static void
test_made(void)
{
	mode_t old = umask(0);

	name_file("deep/er/audit.jsonl");
	ok(write_once(file, "x", NULL) == 0, "what is missing is made");
	ok(has_mode(tmp_path("deep"), 0700) &&
	    has_mode(tmp_path("deep/er"), 0700), "directories 0700");
	ok(has_mode(file, 0600) && has_mode(head, 0600), "files 0600");
	umask(0777);
	name_file("masked.jsonl");
	ok(write_once(file, "x", NULL) == 0 && has_mode(file, 0600) &&
	    has_mode(head, 0600), "whatever the umask is");
	umask(old);
	ok(judge(file) == 1, "and written");
}

static void
refused(const char *name, const char *why)
{
	struct cordon_error err = { 0 };
	struct cdn_sink *sink;
	int r = cdn_audit_open(tmp_path(name), &sink, &err);

	ok_f(r == CORDON_E_INVALID && strstr(err.text, why) != NULL,
	    "%s: %s", name, err.text);
	if (r == 0)
		cdn_audit_close(sink);
}

static void
test_refused(void)
{
	tmp_file("real", "");
	tmp_mode("real", 0600);
	tmp_link("real", "link");
	refused("link", "symbolic link");
	tmp_link("nowhere", "dangling");
	refused("dangling", "symbolic link");
	ok(!tmp_there("nowhere"), "nothing is made behind a link");
	tmp_link("real", "behind.head");
	refused("behind", "symbolic link");
	tmp_need(mkfifo(tmp_path("fifo"), 0600) == 0, "mkfifo", "fifo");
	refused("fifo", "not a regular file");
	tmp_dir("directory");
	refused("directory", "not a regular file");
	tmp_file("group", "");
	tmp_mode("group", 0620);
	refused("group", "by others");
	tmp_file("other", "");
	tmp_mode("other", 0602);
	refused("other", "by others");
	tmp_mode("other", 0644);
	ok(write_once(tmp_path("other"), "x", NULL) == 0,
	    "others may read it");
	tmp_dir("open");
	tmp_mode("open", 0777);
	refused("open/audit.jsonl", "anybody could replace it");
	tmp_mode("open", 01777);
	ok(write_once(tmp_path("open/audit.jsonl"), "x", NULL) == 0,
	    "as in /tmp it is fine");
	tmp_file("foreign", "");
	tmp_mode("foreign", 0600);
	if (chown(tmp_path("foreign"), 12345, 12345) == 0)
		refused("foreign", "somebody else");
	else
		skip("only root can make a file of somebody else");
}

/* ----- Mended or not ---------------------------------------------------- */

/* What becomes of three lines and their head. */
enum damage {
	HEAD_OLD,      /* line 3 was written, its head was not */
	HEAD_VERY_OLD, /* two lines behind */
	HEAD_MANY,     /* the same, and they were announced */
	HEAD_MANY_OTHER, /* one of these does not follow */
	HEAD_NONE,     /* announced, and none was written */
	HEAD_EMPTY,
	HEAD_SHORT,
	HEAD_ODD,
	HEAD_OTHER, /* of another line 3 */
	HEAD_AHEAD, /* the last line is gone */
	HALF_LINE,
	HALF_LINE_OLD_HEAD,
	HALF_AND_AHEAD, /* half of line 4, and line 3 is gone */
	LAST_CHANGED,
	FILE_EMPTY,
	NO_EVENT,
	TOO_LONG,
	INTACT,
};

static const struct {
	enum damage damage;
	const char *name;
	const char *why; /* NULL: mended */
} damages[] = {
	{ HEAD_OLD, "a line without its head", NULL },
	{ HEAD_VERY_OLD, "two lines without a head", "as its head says" },
	{ HEAD_MANY, "two lines that were announced", NULL },
	{ HEAD_MANY_OTHER, "two, one of them changed", "as its head says" },
	{ HEAD_NONE, "half a line taken away, and not told", NULL },
	{ HEAD_EMPTY, "an empty head", "as its head says" },
	{ HEAD_SHORT, "half a head", "damaged head" },
	{ HEAD_ODD, "a head with more behind it", "damaged head" },
	{ HEAD_OTHER, "the head of another line", "as its head says" },
	{ HEAD_AHEAD, "the last line cut off", "as its head says" },
	{ HALF_LINE, "half a line at the end", NULL },
	{ HALF_LINE_OLD_HEAD, "half a line, and a line without head", NULL },
	{ HALF_AND_AHEAD, "half a line in place of one", "as its head says" },
	{ LAST_CHANGED, "one letter of the last line", "as its head says" },
	{ FILE_EMPTY, "an empty file", "shorter than" },
	{ NO_EVENT, "a line that is no event", "no event" },
	{ TOO_LONG, "a line without end", "too long" },
	{ INTACT, "nothing", NULL },
};

static char heads[4][128]; /* after 1, 2, 3 lines */
static char *lines;
static size_t lines_n, ends[4];

/* By this sink, or by one of its own for each line when it is NULL. */
static void
make_three(struct cdn_sink *sink)
{
	size_t n;
	char *text;

	for (unsigned i = 1; i <= 3; i++) {
		tmp_need((sink != NULL ? write_text(sink, "line", NULL) :
			      write_once(file, "line", NULL)) == 0, "audit", "");
		text = slurp(head, &n);
		snprintf(heads[i], sizeof(heads[i]), "%s", text);
		free(text);
		free(lines);
		lines = slurp(file, &lines_n);
		ends[i] = lines_n;
	}
}

static void
put_head(const char *text)
{
	spill(head, text, strlen(text));
}

/* As one does who goes on behind a line that the head does not know. */
static void
mark(const char *text)
{
	char marked[128];

	snprintf(marked, sizeof(marked), "%s", text);
	marked[strlen(marked) - 1] = '+';
	put_head(marked);
}

static void
add(const char *text, size_t times)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);

	for (size_t i = 0; i < times; i++)
		tmp_need(write(fd, text, strlen(text)) ==
		    (ssize_t)strlen(text), "append", file);
	close(fd);
}

static void
do_damage(enum damage damage)
{
	char text[160];

	switch (damage) {
	case HEAD_OLD:
		put_head(heads[2]);
		break;
	case HEAD_VERY_OLD:
		put_head(heads[1]);
		break;
	case HEAD_MANY:
		mark(heads[1]);
		break;
	case HEAD_MANY_OTHER:
		lines[ends[2] - 4] = 'X';
		spill(file, lines, lines_n);
		mark(heads[1]);
		break;
	case HEAD_NONE:
		mark(heads[3]);
		break;
	case HEAD_EMPTY:
		put_head("");
		break;
	case HEAD_SHORT:
		spill(head, heads[3], 20);
		break;
	case HEAD_ODD:
		snprintf(text, sizeof(text), "%sx", heads[3]);
		put_head(text);
		break;
	case HEAD_OTHER:
		snprintf(text, sizeof(text), "%s", heads[3]);
		text[2] = text[2] == 'a' ? 'b' : 'a';
		put_head(text);
		break;
	case HEAD_AHEAD:
		spill(file, lines, ends[2]);
		break;
	case HALF_LINE_OLD_HEAD:
		put_head(heads[2]);
		add("{\"schema\":1,\"seq\":4", 1);
		break;
	case HALF_LINE:
		add("{\"schema\":1,\"seq\":4", 1);
		break;
	case HALF_AND_AHEAD:
		spill(file, lines, ends[3] - 7);
		break;
	case LAST_CHANGED:
		lines[ends[3] - 4] = 'X';
		spill(file, lines, lines_n);
		break;
	case FILE_EMPTY:
		spill(file, "", 0);
		break;
	case NO_EVENT:
		add("{\"seq\":4}\n", 1);
		break;
	case TOO_LONG:
		add("xxxxxxxxxxxxxxxx", CDN_AUDIT_LINE_MAX / 16 + 1);
		break;
	case INTACT:
		break;
	}
}

/* A refusal leaves everything as it is. */
static bool
left_alone(const char *bytes, size_t n)
{
	size_t now_n;
	char *now = slurp(file, &now_n);
	bool same = now_n == n && memcmp(now, bytes, n) == 0;

	free(now);
	return same;
}

/*
 * What is left of an event; NULL: there was none.  A mark without lines is left
 * by one who has taken half a line away, and was killed before he told of it.
 */
static const char *
half_of(enum damage damage)
{
	if (damage == HEAD_NONE)
		return "";
	return damage == HALF_LINE || damage == HALF_LINE_OLD_HEAD ?
	    "{\"schema\":1,\"seq\":4" : NULL;
}

/* The line before the last says what is left of an event. */
static bool
told_of(const char *half)
{
	size_t n;
	char *text = slurp(file, &n);
	unsigned count = 0;
	json_t *line;
	bool good;

	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		count++;
	free(text);
	line = line_json(file, count - 1);
	good = json_integer_value(json_object_get(line, "bytes")) ==
		(json_int_t)strlen(half) &&
	    strcmp(json_string_value(json_object_get(line, "kind")),
		"audit.torn") == 0 &&
	    strcmp(json_string_value(json_object_get(line, "text")), half) == 0;
	json_decref(line);
	return good;
}

/* How many lines the writer says he found; 0: he says nothing. */
static long
adopted(void)
{
	json_t *line = line_json(file, 4);
	long n = 0;

	if (strcmp(json_string_value(json_object_get(line, "kind")),
		"audit.adopted") == 0 &&
	    json_integer_value(json_object_get(line, "first")) +
		json_integer_value(json_object_get(line, "lines")) == 4)
		n = (long)json_integer_value(json_object_get(line, "lines"));
	json_decref(line);
	return n;
}

static long
ahead_of(enum damage damage)
{
	return damage == HEAD_MANY ? 2 :
	    damage == HEAD_OLD || damage == HALF_LINE_OLD_HEAD;
}

/*
 * With a sink that has written the lines itself and one that has not.  The
 * first does not read again what it wrote, so a change of the same length goes
 * unnoticed by it; the chain shows it all the same.
 */
static void
test_damage(size_t i, bool remembers)
{
	const char *why = damages[i].why;
	const char *half = half_of(damages[i].damage);
	struct cordon_error err = { 0 };
	struct cdn_sink *sink;
	char name[32], *bytes;
	size_t n;
	int r;

	snprintf(name, sizeof(name), "damage%zu%d", i, remembers);
	name_file(name);
	tmp_need(cdn_audit_open(file, &sink, &err) == 0, "open", name);
	make_three(remembers ? sink : NULL);
	do_damage(damages[i].damage);
	bytes = slurp(file, &n);
	r = write_text(sink, "next", &err);
	snprintf(name, sizeof(name), "%s", remembers ? "by its writer: " : "");
	if (remembers && damages[i].damage == LAST_CHANGED)
		ok_f(r == 0 && judge(file) == -1, "seen by the chain: %s",
		    damages[i].name);
	else if (why == NULL)
		ok_f(r == 0 && adopted() == ahead_of(damages[i].damage) &&
		    (half == NULL || told_of(half)) &&
		    judge(file) == 4 + (adopted() > 0) + (half != NULL),
		    "mended %s%s %s", name, damages[i].name, err.text);
	else
		ok_f(r == CORDON_E_INVALID && strstr(err.text, why) != NULL &&
		    strstr(err.text, "cordon audit verify") != NULL &&
		    left_alone(bytes, n) && write_text(sink, "x", NULL) != 0,
		    "refused %s%s: %s", name, damages[i].name, err.text);
	free(bytes);
	cdn_audit_close(sink);
}

static void
test_first_line(void)
{
	begin("first.jsonl", 1);
	put_head("");
	ok(write_once(file, "x", NULL) == 0 && judge(file) == 3,
	    "the first line without its head");
	name_file("first-half.jsonl");
	spill(file, "{\"sch", 5);
	ok(write_once(file, "x", NULL) == 0 && judge(file) == 2 &&
	    told_of("{\"sch"), "half of the first line");
}

/* ----- Failing writes --------------------------------------------------- */

static int
fill_limit(void *arg)
{
	struct rlimit limit = { 2000, 2000 };
	struct cordon_error err = { 0 };
	unsigned n = 0;
	size_t size;

	(void)arg;
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 1;
	while (n < 100 && write_once(file, "some text", &err) == 0)
		n++;
	if (n == 0 || n == 100 || err.sys_errno != EFBIG)
		return 2;
	free(slurp(file, &size));
	return size <= 2000 && judge(file) == (long)n ? 0 : 3;
}

static int
fill_disk(void *arg)
{
	static char text[9000];
	struct cordon_error err = { 0 };
	unsigned n = 0;

	(void)arg;
	memset(text, 'x', sizeof(text) - 1);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tiny", tmp_path("tiny"), "tmpfs", 0,
		"size=64k,mode=0700") != 0)
		return 50;
	while (n < 100 && write_once(file, text, &err) == 0)
		n++;
	if (n == 0 || n == 100 || err.sys_errno != ENOSPC)
		return 2;
	if (judge(file) != (long)n)
		return 3;
	/* A short one still fits where the long one was taken back. */
	if (write_once(file, "short", &err) != 0)
		return 4;
	return judge(file) == (long)n + 1 ? 0 : 5;
}

/* No room for the first head: then there is no line either. */
static int
fill_head(void *arg)
{
	struct cordon_error err = { 0 };
	char rest[4096] = { 0 };
	size_t n;
	int fd;

	(void)arg;
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tiny", tmp_path("tiny"), "tmpfs", 0,
		"size=8k,mode=0700") != 0)
		return 50;
	fd = open(tmp_path("tiny/rest"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, rest, sizeof(rest)) != sizeof(rest))
		return 51;
	close(fd);
	if (write_once(file, "x", &err) == 0 || err.sys_errno != ENOSPC)
		return 2;
	free(slurp(file, &n));
	if (n != 0 || unlink(tmp_path("tiny/rest")) != 0)
		return 3;
	return write_once(file, "x", &err) == 0 && judge(file) == 1 ? 0 : 4;
}

static void
test_full(void)
{
	int r;

	name_file("limit.jsonl");
	r = tmp_child(fill_limit, NULL, false);
	ok_f(r == 0, "a limit of file sizes (%d)", r);
	tmp_dir("tiny");
	name_file("tiny/audit.jsonl");
	r = tmp_child(fill_disk, NULL, false);
	if (r == 50) {
		skip("needs a tmpfs of its own");
		return;
	}
	ok_f(r == 0, "a full disk (%d)", r);
	r = tmp_child(fill_head, NULL, false);
	ok_f(r == 0, "a disk too full for the head (%d)", r);
}

/* ----- The others ------------------------------------------------------- */

static struct cdn_sink *shared_sink;

static int
write_inherited(void *arg)
{
	struct cordon_error err = { 0 };

	(void)arg;
	return write_text(shared_sink, "child", &err) == CORDON_E_INVALID &&
	    strstr(err.text, "another process") != NULL ? 0 : 1;
}

static void
test_others(void)
{
	struct flock range = { .l_type = F_WRLCK };
	struct cordon_error err = { 0 };
	int fd;

	begin("others.jsonl", 2);
	ok(cdn_audit_open(file, &shared_sink, NULL) == 0, "open");
	ok(tmp_child(write_inherited, NULL, false) == 0,
	    "a child may not write to an inherited sink");
	ok(write_text(shared_sink, "x", &err) == 0 && judge(file) == 3,
	    "the parent may");
	fd = open(head, O_RDWR | O_CLOEXEC);
	tmp_need(fcntl(fd, F_OFD_SETLK, &range) == 0, "lock", head);
	ok(write_text(shared_sink, "x", &err) == CORDON_E_SYSTEM &&
	    err.sys_errno == ETIMEDOUT, "nobody waits for ever");
	close(fd);
	ok(write_text(shared_sink, "x", &err) == 0 && judge(file) == 4,
	    "once the other is gone it goes on");
	(void)unlink(file);
	ok(write_text(shared_sink, "x", &err) == CORDON_E_INVALID &&
	    strstr(err.text, "was removed") != NULL, "a removed file is seen");
	cdn_audit_close(shared_sink);
}

/* ----- Killed twice ------------------------------------------------------- */

/* Not a byte more finds room: as far as one comes who is killed there. */
static int
write_nothing(void *arg)
{
	struct rlimit limit;
	size_t n;

	(void)arg;
	free(slurp(file, &n));
	limit.rlim_cur = limit.rlim_max = n;
	return setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
	    write_once(file, "no", NULL) == 0;
}

/*
 * A line without its head, and the line that tells of it without its head: the
 * second was announced, so that a third writer goes on.
 */
static void
test_twice(unsigned n, const char *old_head)
{
	size_t announced_n, size;
	char *announced, *text, *end;

	put_head(old_head);
	ok_f(tmp_child(write_nothing, NULL, false) == 0, "%u lines, the last "
	    "without its head, and a writer that fails", n);
	announced = slurp(head, &announced_n);
	ok(announced_n > 0 && announced[announced_n - 1] == '+',
	    "who goes on behind them says so first");
	ok(write_once(file, "goes on", NULL) == 0 && judge(file) == n + 2,
	    "the next one mends it");
	text = slurp(file, &size);
	end = text;
	for (unsigned i = 0; i <= n; i++)
		end = strchr(end, '\n') + 1;
	spill(file, text, (size_t)(end - text));
	spill(head, announced, announced_n);
	ok(write_once(file, "goes on", NULL) == 0 && judge(file) == n + 3,
	    "also when he was killed before he could tell the head");
	free(text);
	free(announced);
}

static void
test_killed_twice(void)
{
	begin("twice.jsonl", 0);
	make_three(NULL);
	test_twice(3, heads[2]);
	begin("twice_first.jsonl", 1);
	test_twice(1, "");
}

int
main(void)
{
	int before;

	tmp_begin();
	before = tmp_open_fds();
	test_made();
	test_refused();
	for (size_t i = 0; i < CDN_LEN(damages); i++) {
		test_damage(i, false);
		test_damage(i, true);
	}
	test_first_line();
	test_killed_twice();
	test_full();
	test_others();
	ok(tmp_open_fds() == before, "no descriptor is left");
	free(lines);
	tmp_end();
	return done_testing();
}
