/*
 * ways - every call on one place, by every name of it.
 *
 *	ways <requests		in a workspace that has links/, made/ and sub/
 *
 * A request is a line; the answers are lines, the last of them a dot.
 *
 *	try FAMILY TARGET CONTROL	what came of each call, spelled in each
 *					way: `CALL SPELLING RESULT CONTROL'S`
 *	alone FAMILY TARGET		the same without a control, and the
 *					target is as new for each
 *	make PATH TEXT			a file
 *	save PATH TEXT			as an editor does: another one, renamed
 *	rename PATH PATH
 *	peek PATH			`data TEXT`, or the error
 *	open PATH			`ok`, or the error
 *
 * FAMILY is read, modify (of a file), new (a name that is free), list, move
 * (of a directory).  The control is as new for each call; what has none (never)
 * is refused in a cage whatever the place.
 *
 * Built without sanitizers: it runs under filters.
 */
#include "ways-calls.h"

/* ----- One try --------------------------------------------------------------------- */

static void
make_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd >= 0 && write(fd, text, strlen(text)) > 0)
		(void)fsetxattr(fd, "user.a", "1", 1, 0);
	if (fd >= 0)
		close(fd);
}

static void
make_directory(const char *path)
{
	char file[2 * PATH_MAX + 8];

	snprintf(file, sizeof(file), "%s/f", path);
	(void)mkdir(path, 0755);
	make_file(file, "mine\n");
}

static bool
is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* A file, a directory with one file in it, or nothing. */
static void
remove_all(const char *path)
{
	char file[2 * PATH_MAX + 8];

	if (!is_there(path) || unlink(path) == 0)
		return;
	snprintf(file, sizeof(file), "%s/f", path);
	(void)unlink(file);
	(void)rmdir(path);
}

/* As a call finds it; what one left as it was costs no call. */
static void
mend(const char *path, bool directory)
{
	char value;

	if (directory) {
		if (!is_there(path))
			make_directory(path);
	} else if (!is_there(path) ||
	    (getxattr(path, "user.a", &value, 1) < 0 && errno == ENODATA) ||
	    had(open(path, O_RDONLY)) != 0) {
		remove_all(path);
		make_file(path, "mine\n");
	}
}

static void
prepare(const struct family *family, const char *path)
{
	remove_all(AWAY);
	mend(MINE, false);
	mend("made/dir", true);
	if (path == NULL)
		return;
	if (family->before == NOTHING_THERE)
		remove_all(path);
	else
		mend(path, family->before == DIRECTORY_THERE);
}

static const char *
one(const struct family *family, const struct call *call,
    const struct spelling *spelling, const char *path, bool anew)
{
	struct spot spot;
	long r;
	int error;

	prepare(family, anew ? path : NULL);
	spell(spelling, path, &spot);
	errno = 0;
	r = call->fn(&spot);
	error = errno;
	spell_done(&spot);
	return r == 0 ? "ok" : strerrorname_np(error);
}

static void
try_all(const struct family *family, const char *target, const char *control)
{
	const size_t n = sizeof(spellings) / sizeof(spellings[0]);

	for (const struct call *call = family->calls; call->name != NULL; call++)
		for (size_t i = 0; i < n; i++) {
			const struct spelling *s = &spellings[i];

			if ((s->last_is_link && call->nofollow) ||
			    (s->must_exist && family->before == NOTHING_THERE))
				continue;
			printf("%s %s %s ", call->name, s->name, one(family,
			    call, s, target, control == NULL));
			printf("%s\n", control == NULL ? "-" :
			    call->never ? "never" :
			    one(family, call, s, control, true));
		}
}

/* ----- Requests -------------------------------------------------------------------- */

static const char *
make(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	bool done = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return done ? "ok" : strerrorname_np(errno);
}

static const char *
save(const char *path, const char *text)
{
	char other[2 * PATH_MAX + 8];
	const char *made;

	snprintf(other, sizeof(other), "%s.tmp", path);
	made = make(other, text);
	if (strcmp(made, "ok") != 0)
		return made;
	if (rename(other, path) == 0)
		return "ok";
	made = strerrorname_np(errno);
	remove_all(other);
	return made;
}

static void
peek(const char *path, bool data)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		printf("%s\n", strerrorname_np(errno));
	else
		printf("%s%s\n", data ? "data " : "ok", data ? text : "");
	if (fd >= 0)
		close(fd);
}

static const struct family *
family_of(const char *name)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strcmp(families[i].name, name) == 0)
			return &families[i];
	printf("what is '%s'?\n", name);
	return NULL;
}

static void
request(char words[4][2 * PATH_MAX])
{
	const struct family *family;

	if (strcmp(words[0], "make") == 0)
		printf("%s\n", make(words[1], words[2]));
	else if (strcmp(words[0], "save") == 0)
		printf("%s\n", save(words[1], words[2]));
	else if (strcmp(words[0], "rename") == 0)
		printf("%s\n", rename(words[1], words[2]) == 0 ? "ok" :
		    strerrorname_np(errno));
	else if (strcmp(words[0], "peek") == 0)
		peek(words[1], true);
	else if (strcmp(words[0], "open") == 0)
		peek(words[1], false);
	else if ((family = family_of(words[1])) != NULL)
		try_all(family, words[2], words[3][0] != '\0' ? words[3] :
								NULL);
	printf(".\n");
	fflush(stdout);
}

int
main(void)
{
	static char line[8 * PATH_MAX], words[4][2 * PATH_MAX];

	umask(022);
	spell_begin();
	while (fgets(line, sizeof(line), stdin) != NULL) {
		char *rest, *word = strtok_r(line, " \n", &rest);

		memset(words, 0, sizeof(words));
		for (int n = 0; word != NULL && n < 4;
		    n++, word = strtok_r(NULL, " \n", &rest))
			snprintf(words[n], sizeof(words[n]), "%s", word);
		request(words);
	}
	return 0;
}
