/*
 * names-races - somebody changes what was judged before it is renamed or linked:
 * the text of a path, a link on the way, what stands at the end of it.  For the
 * broker (names-races.c) and for one that does it wrong (control.c).
 */
#ifndef CDN_TESTS_NAMES_RACES_H
#define CDN_TESTS_NAMES_RACES_H

#include "races.h"

static const char name_rules[] =
    "  denyRead: [\"secrets/**\"]\n"
    "  denyModify: [\"secrets/**\", \".git/hooks/**\", \".cfg/hooks/**\"]\n"
    "  fsProfiles:\n"
    "    dev: {read: [\"**\"], modify: [\"**\"]}\n";

static inline void
name_files(void)
{
	cage_files();
	tmp_dir("w/.git");
	tmp_dir("w/.git/hooks");
	tmp_file("w/.git/hooks/h", "hook\n");
	tmp_dir("w/pub/hooks");
	tmp_file("w/pub/hooks/h2", "mine\n");
	tmp_file("w/pub/hooks1x", "file\n");
	tmp_dir("w/open/dir");
	tmp_file("w/open/dir/h2", "open\n");
	tmp_link("pub", "w/turn-dir");
	tmp_dir("w/pub/tree");
	tmp_dir("w/pub/tree/hooks");
	tmp_file("w/pub/tree/hooks/h", "evil\n");
	tmp_file("w/pub/turn", "file\n");
}

static int
count_entries(const char *name)
{
	DIR *dir = opendir(tmp_path(name));
	int n = 0;

	while (dir != NULL && readdir(dir) != NULL)
		n++;
	if (dir != NULL)
		closedir(dir);
	return n - 2;
}

static bool
begins(const char *name, const char *text)
{
	char data[8] = "";
	int fd = open(tmp_path(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof(data) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && strncmp(data, text, strlen(text)) == 0;
}

/* The same before and after. */
static bool
is_untouched(void)
{
	return begins("w/.git/hooks/h", "hook") &&
	    count_entries("w/.git/hooks") == 1 &&
	    begins("w/secrets/s", "SECRET") &&
	    count_entries("w/secrets") == 2;
}

static const struct name_row {
	const char *what;
	const char *word;
	const char *from, *other, *to; /* from and other are equally long */
	bool harmless; /* either is allowed */
} name_rows[] = {
	{ "the text of the source", "flip-from", "pub/hooks/h2",
	    ".git/hooks/h", "pub/x", false },
	{ "the text of the target", "flip-to", "pub/hooks/h2", ".git/hooks/h",
	    "pub/a", false },
	{ "the text of a new target", "flip-to", "pub/hooks/n2",
	    ".git/hooks/n", "pub/a", false },
	{ "the text of a link's source", "flip-link", "pub/hooks/h2",
	    ".git/hooks/h", "pub/x", false },
	{ "the text of a source that is not read", "flip-from", "pub/hooks/h2",
	    "secrets/.//s", "pub/x", false },
	/* These go on by themselves, and Landlock holds them. */
	{ "the text of a native source", "flip-from", "open/dir/h2",
	    "secrets/./s", "open/x", false },
	{ "the text of a native target", "flip-to", "open/dir/n2",
	    "secrets/./n", "open/a", false },
	{ "the text of a native link", "flip-link", "open/dir/h2",
	    "secrets/./s", "open/x", false },
	{ "the text, native or not", "flip-from", "open/dir/h2",
	    "pub/hooks1x", "open/x", true },
};

struct name_race_result {
	bool leaked;
	long good;
	unsigned denied;
	char text[256];
	char answer[256];
};
typedef void name_race_fn(const struct name_race_result *result);

static inline void
name_begin(struct cage *cage, enum cage_mode mode, bool loose)
{
	*cage = (struct cage){ .rules = name_rules, .loose = loose };
	tmp_begin();
	name_files();
	cage_start(cage, mode);
	(void)cage_ask(cage, "chdir %s", tmp_path("w"));
}

/*
 * What leaks may be put back by the same race: it is seen only if it stays.  So
 * who is to leak has several chances.
 */
static int name_chances;

/* False: once more. */
CDN_PRINTF(3, 4) static inline bool
name_end(struct cage *cage, name_race_fn *check, const char *fmt, ...)
{
	bool told;
	struct name_race_result result = { .denied = cage->denials };
	struct stat st;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(result.text, sizeof(result.text), fmt, ap);
	va_end(ap);
	snprintf(result.answer, sizeof(result.answer), "%.200s", cage->answer);
	(void)sscanf(cage->answer, "done %ld", &result.good);
	result.leaked = strstr(cage->answer, "wrong") != NULL ||
	    !is_untouched() ||
	    (stat(tmp_path("w/.cfg"), &st) == 0 && S_ISDIR(st.st_mode));
	told = !cage->loose || result.leaked || name_chances == 0;
	if (told)
		check(&result);
	(void)cage_stop(cage);
	tmp_end();
	return told;
}

static inline bool
name_text(enum cage_mode mode, const struct name_row *row, unsigned long n,
    bool loose, name_race_fn *check)
{
	struct cage cage;

	name_begin(&cage, mode, loose);
	(void)cage_ask(&cage, "%s %lu %s %s %s", row->word, n, row->from,
	    row->other, row->to);
	return name_end(&cage, check, "%s", row->what);
}

static inline bool
name_link(const char *bad, unsigned long n, bool loose, name_race_fn *check)
{
	struct cage cage;
	pid_t turner;

	name_begin(&cage, CAGE_B, loose);
	turner = race_turn_link(tmp_path("w/turn-dir"), "pub", bad);
	(void)cage_ask(&cage, "shuttle %lu pub/a turn-dir/x pub/x", n);
	race_end(turner);
	return name_end(&cage, check,
	    "a link to the target's directory, or %s", bad);
}

/* A file may become .cfg, a directory not: one in it is hooks. */
static inline bool
name_kind(bool outside, unsigned long n, bool loose, name_race_fn *check)
{
	struct cage cage;
	pid_t turner = -1;
	char a[PATH_MAX], b[PATH_MAX];

	name_begin(&cage, CAGE_B, loose);
	snprintf(a, sizeof(a), "%s", tmp_path("w/pub/turn"));
	snprintf(b, sizeof(b), "%s", tmp_path("w/pub/tree"));
	if (outside)
		turner = race_outside(race_outside_exchange,
		    &(struct race_turn){ a, b, NULL });
	(void)cage_ask(&cage, "settle %lu pub/turn %s .cfg", n,
	    outside ? "-" : "pub/tree");
	if (outside)
		race_end(turner);
	return name_end(&cage, check, "a file or a directory, by %s",
	    outside ? "others" : "himself");
}

/* With a mode that lets it go on (B), and where it is always performed (C). */
static inline void
name_race_each(unsigned long n, bool loose, name_race_fn *check)
{
#define CHANCES(race) \
	for (name_chances = loose ? RACE_CHANCES : 0; !(race); name_chances--)
	for (size_t i = 0; i < CDN_LEN(name_rows); i++)
		if (!loose || !name_rows[i].harmless)
			CHANCES(name_text(CAGE_B, &name_rows[i], n, loose,
			    check));
	for (size_t i = 0; i < 5; i++)
		CHANCES(name_text(CAGE_C, &name_rows[i], n, loose, check));
	CHANCES(name_link(".git/hooks", n, loose, check));
	CHANCES(name_link("secrets", n, loose, check));
	CHANCES(name_kind(true, n, loose, check));
	CHANCES(name_kind(false, n, loose, check));
#undef CHANCES
}

#endif
