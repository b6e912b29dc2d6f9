/*
 * Whatever is done to a log is seen.  The log is small, so everything is tried:
 * every byte, every line, every pair of lines, every length.
 */
#include "audits.h"

#include "enforce/audit/verify.h"

#define LINES 7

static char file[PATH_MAX * 2], head[PATH_MAX * 2 + 8], part[PATH_MAX * 2 + 8];

/* The log as it was written: a part, the file, the head. */
struct bytes {
	char *p;
	size_t n;
};
static struct bytes in_part, in_file, in_head;

static void
make(void)
{
	struct cdn_sink *sink;

	snprintf(file, sizeof(file), "%s", tmp_path("log"));
	snprintf(head, sizeof(head), "%s.head", file);
	snprintf(part, sizeof(part), "%s.1", file);
	tmp_need(cdn_audit_open(file, &sink, NULL) == 0, "open", file);
	cdn_audit_part_size(sink, 400);
	for (unsigned i = 0; i < LINES; i++) {
		if (i == 3)
			cdn_audit_part_size(sink, 100000);
		tmp_need(write_text(sink, "x", NULL) == 0, "write", file);
	}
	cdn_audit_close(sink);
	in_part.p = slurp(part, &in_part.n);
	in_file.p = slurp(file, &in_file.n);
	in_head.p = slurp(head, &in_head.n);
}

static void
restore(void)
{
	spill(part, in_part.p, in_part.n);
	spill(file, in_file.p, in_file.n);
	spill(head, in_head.p, in_head.n);
}

static struct cordon_audit_verified result;
static char ids[256], first_text[512];

/* ids: of all findings, in order, errors only unless there are none. */
static bool
intact(bool needs_head)
{
	struct cordon_diags *diags = cordon_diags_new();
	int r = cdn_verify(file, needs_head, diags, &result, NULL);

	ids[0] = first_text[0] = '\0';
	for (size_t i = 0; i < cordon_diags_count(diags); i++) {
		const struct cordon_diag *d = cordon_diags_get(diags, i);
		size_t n = strlen(ids);

		snprintf(ids + n, sizeof(ids) - n, "%s%s",
		    d->severity == CORDON_ERROR ? "" : "~", d->id);
		if (i == 0)
			snprintf(first_text, sizeof(first_text), "%s:%u: %s",
			    strrchr(d->source, '/') + 1, d->line, d->text);
	}
	tmp_need(r == 0 && result.intact == (result.findings == 0) &&
	    result.findings == cordon_diags_errors(diags), "verify", ids);
	cordon_diags_free(diags);
	return result.intact;
}

static void
test_as_written(void)
{
	ok(intact(true) && ids[0] == '\0', "as it was written");
	ok(result.lines == LINES && result.first == 1 &&
	    result.last == LINES && result.files == 2 && result.has_head,
	    "all of it was looked at");
}

static void
test_bytes(const struct bytes *bytes, const char *name, const char *what)
{
	size_t unseen = 0, tried = 0;
	char *copy = malloc(bytes->n);

	tmp_need(copy != NULL, "memory", what);
	for (size_t i = 0; i < bytes->n; i++) {
		static const char other[] = { 1, 0x20, (char)0x80 };

		memcpy(copy, bytes->p, bytes->n);
		copy[i] ^= other[i % sizeof(other)];
		spill(name, copy, bytes->n);
		if (intact(true))
			unseen++;
		tried++;
	}
	restore();
	free(copy);
	ok_f(unseen == 0 && tried > 0, "any changed byte of %s (%zu tried)",
	    what, tried);
}

static void
test_lengths(const struct bytes *bytes, const char *name, const char *what)
{
	size_t unseen = 0;

	for (size_t n = 0; n < bytes->n; n++) {
		spill(name, bytes->p, n);
		if (intact(true)) {
			printf("# %zu of %zu bytes: %s\n", n, bytes->n, ids);
			unseen++;
		}
	}
	restore();
	ok_f(unseen == 0, "any cut of %s", what);
}

/* Lines of the file, with their newlines. */
static struct bytes lines[LINES];
static size_t line_count;

static void
split(const struct bytes *bytes)
{
	char *at = bytes->p;

	line_count = 0;
	while (at < bytes->p + bytes->n) {
		char *end = memchr(at, '\n', (size_t)(bytes->p + bytes->n - at));

		lines[line_count++] = (struct bytes){ at,
			(size_t)(end + 1 - at) };
		at = end + 1;
	}
}

static void
put_lines(const size_t *order, size_t n)
{
	char *copy = malloc(64 * 1024);
	size_t used = 0;

	tmp_need(copy != NULL, "memory", "lines");
	for (size_t i = 0; i < n; i++) {
		memcpy(copy + used, lines[order[i]].p, lines[order[i]].n);
		used += lines[order[i]].n;
	}
	spill(file, copy, used);
	free(copy);
}

static void
test_lines(void)
{
	size_t order[LINES + 1], unseen = 0, tried = 0;

	split(&in_file);
	for (size_t i = 0; i < line_count; i++) { /* one removed */
		for (size_t k = 0; k + 1 < line_count; k++)
			order[k] = k < i ? k : k + 1;
		put_lines(order, line_count - 1);
		unseen += intact(true);
		tried++;
	}
	ok_f(unseen == 0 && tried > 2, "any removed line (%zu)", tried);
	for (size_t i = 0; i < line_count; i++) /* two in the other's place */
		for (size_t j = i + 1; j < line_count; j++, tried++) {
			for (size_t k = 0; k < line_count; k++)
				order[k] = k == i ? j : k == j ? i : k;
			put_lines(order, line_count);
			unseen += intact(true);
		}
	ok(unseen == 0, "any two lines that change places");
	for (size_t i = 0; i < line_count; i++) { /* one twice */
		for (size_t k = 0; k <= line_count; k++)
			order[k] = k <= i ? k : k - 1;
		put_lines(order, line_count + 1);
		unseen += intact(true);
	}
	ok(unseen == 0, "any line that is there twice");
	restore();
}

/* What is said. */
static void
says(const char *want_ids, const char *want, const char *name)
{
	bool good;

	intact(true);
	good = strcmp(ids, want_ids) == 0 && strstr(first_text, want) != NULL;
	if (!good)
		printf("# %s '%s'\n", ids, first_text);
	ok(good, name);
	restore();
}

static void
test_said(void)
{
	size_t order[] = { 0, 1, 2, 3 };
	char *copy = malloc(in_file.n);

	tmp_need(copy != NULL, "memory", "");
	split(&in_file);
	memcpy(copy, in_file.p, in_file.n);
	copy[lines[0].n - 4] = 'Y'; /* the path of its first line */
	spill(file, copy, in_file.n);
	says("A001", "log:2: the line before this one is not what it was",
	    "a changed line: where, and how");
	free(copy);
	order[1] = 2;
	put_lines(order, 2);
	says("A002A005", "are missing", "a line in the middle and the end");
	put_lines(order, 1);
	says("A005", "the end was cut off: lines", "the end");
	unlink(part);
	says("A002", "lines 1 to", "a part is gone");
	unlink(file);
	says("A005", "the end was cut off", "the file itself is gone");
	unlink(head);
	says("A006", "its head is missing", "the user's own without its head");
}

static void
test_copies(void)
{
	unlink(head);
	ok(intact(false) && strcmp(ids, "~A006") == 0 && !result.has_head,
	    "a copy without its head: from the inside only, and it says so");
	unlink(part);
	ok(intact(false) && strcmp(ids, "~A010~A006") == 0 &&
	    result.first > 1, "a copy of the newest part");
	restore();
}

/* What a killed writer leaves is no forgery. */
static void
test_killed(void)
{
	char *copy;
	int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);

	tmp_need(fd >= 0 && write(fd, "{\"sch", 5) == 5, "append", file);
	close(fd);
	ok(intact(true) && strcmp(ids, "~A008") == 0 &&
	    result.unfinished == 5, "half a line is told, and no break");
	restore();
	tmp_need(write_once(file, "one more", NULL) == 0, "write", file);
	spill(head, in_head.p, in_head.n);
	ok(intact(true) && strcmp(ids, "~A009") == 0,
	    "so is a line that the head does not know");
	tmp_need(write_once(file, "mended", NULL) == 0, "write", file);
	ok(intact(true) && strcmp(ids, "~A011") == 0 &&
	    strstr(first_text, "1 line from line") != NULL,
	    "the next writer goes on behind it, and it stays told");
	spill(head, in_head.p, in_head.n);
	ok(!intact(true) && strcmp(ids, "~A011A007") == 0,
	    "several such lines are not what a killed writer leaves");
	copy = strndup(in_head.p, in_head.n);
	copy[in_head.n - 1] = '+';
	spill(head, copy, in_head.n);
	ok(intact(true) && strcmp(ids, "~A011~A009") == 0,
	    "unless he had said that there would be one more");
	copy[in_head.n - 2] = copy[in_head.n - 2] == 'a' ? 'b' : 'a';
	spill(head, copy, in_head.n);
	ok(!intact(true) && strcmp(ids, "~A011A007") == 0,
	    "behind a line that is there");
	free(copy);
	restore();
	copy = strndup(in_head.p, in_head.n);
	copy[in_head.n - 1] = '+';
	spill(head, copy, in_head.n);
	ok(intact(true) && ids[0] == '\0', "or none of them");
	free(copy);
	restore();
}

static void
test_rubbish(void)
{
	static char rubbish[3 * CDN_AUDIT_LINE_MAX];

	memset(rubbish, 'x', sizeof(rubbish));
	spill(file, rubbish, sizeof(rubbish));
	ok(!intact(true), "a line without end");
	rubbish[sizeof(rubbish) - 1] = '\n';
	spill(file, rubbish, sizeof(rubbish));
	ok(!intact(true) && result.lines == 3, "a line that is too long");
	memset(rubbish, '\n', sizeof(rubbish));
	spill(file, rubbish, 5000);
	ok(!intact(true) && result.findings >= 5000, "nothing but newlines");
	restore();
	ok(cdn_verify(tmp_path("absent"), false, NULL, &result, NULL) ==
	    CORDON_E_NOT_FOUND, "no such file");
	tmp_dir("directory");
	ok(cdn_verify(tmp_path("directory"), false, NULL, &result, NULL) ==
	    CORDON_E_INVALID, "a directory");
	tmp_need(mkfifo(tmp_path("fifo"), 0600) == 0, "mkfifo", "fifo");
	ok(cdn_verify(tmp_path("fifo"), false, NULL, &result, NULL) ==
	    CORDON_E_INVALID, "nor does it wait for a pipe");
}

int
main(void)
{
	tmp_begin();
	make();
	test_as_written();
	test_bytes(&in_file, file, "the file");
	test_bytes(&in_part, part, "an earlier part");
	test_bytes(&in_head, head, "the head");
	test_lengths(&in_file, file, "the file");
	test_lengths(&in_part, part, "an earlier part");
	test_lengths(&in_head, head, "the head");
	test_lines();
	test_said();
	test_copies();
	test_killed();
	test_rubbish();
	free(in_part.p);
	free(in_file.p);
	free(in_head.p);
	tmp_end();
	return done_testing();
}
