#include "vector.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void
stop(const char *what, const char *path)
{
	printf("Bail out! %s '%s': %s\n", what, path, strerror(errno));
	exit(1);
}

static char *
format(const char *a, const char *b)
{
	char *text;

	if (asprintf(&text, "%s%s", a, b) < 0)
		stop("no memory for", b);
	return text;
}

/* ----- Paths ------------------------------------------------------------ */

static char *
replaced(const char *text, const char *name, const char *value)
{
	const char *at = strstr(text, name);
	char *result;

	if (at == NULL)
		return format(text, "");
	if (asprintf(&result, "%.*s%s%s", (int)(at - text), text, value,
		at + strlen(name)) < 0)
		stop("no memory for", text);
	return result;
}

static bool
below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

char *
fixture_path(const struct fixture *f, const char *path)
{
	const struct {
		const char *name, *value;
	} names[] = {
		{ "$WS", f->ws },
		{ "$WD", f->ws },
		{ "$OUT", f->out },
		{ "$HOME", f->home },
		{ "$D", f->data },
	};
	char *text;

	if (below(path, "/home/u") || below(path, "/home/user"))
		return format(f->root, path);
	text = format(path, "");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *next = replaced(text, names[i].name, names[i].value);

		free(text);
		text = next;
	}
	return text;
}

/* As in a fixture: relative paths lie in the workspace. */
static char *
place(const struct fixture *f, const char *path)
{
	char *text = fixture_path(f, path);
	char *full;

	if (text[0] == '/')
		return text;
	if (asprintf(&full, "%s/%s", f->ws, text) < 0)
		stop("no memory for", text);
	free(text);
	return full;
}

/* ----- Making ----------------------------------------------------------- */

/* dir and everything above it that is missing */
static void
make_dirs(const char *dir)
{
	char *copy = format(dir, "/");

	for (char *p = copy + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		if (mkdir(copy, 0700) != 0 && errno != EEXIST)
			stop("cannot make", copy);
		*p = '/';
	}
	free(copy);
}

static void
make_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
		stop("cannot write", path);
}

static void
make_link(const struct fixture *f, const char *both,
    int (*make)(const char *target, const char *name))
{
	const char *arrow = strstr(both, " -> ");
	char *name, *target, *at;

	if (arrow == NULL)
		stop("no arrow in", both);
	name = format(both, "");
	name[arrow - both] = '\0';
	target = fixture_path(f, arrow + 4);
	at = place(f, name);
	if (make(target, at) != 0)
		stop("cannot link", at);
	free(name);
	free(target);
	free(at);
}

static void
make_entry(const struct fixture *f, const char *entry)
{
	const char *what = strchr(entry, ' ');
	char *path;

	if (what == NULL)
		stop("no path in", entry);
	what++;
	if (strncmp(entry, "link ", 5) == 0) {
		make_link(f, what, symlink);
		return;
	}
	if (strncmp(entry, "hardlink ", 9) == 0) {
		make_link(f, what, link);
		return;
	}
	path = place(f, what);
	if (strncmp(entry, "dir ", 4) == 0)
		make_dirs(path);
	else if (strncmp(entry, "file ", 5) == 0)
		make_file(path, "x");
	else
		stop("unknown fixture", entry);
	free(path);
}

static void
sub(char *to, const struct fixture *f, const char *name)
{
	int n = snprintf(to, PATH_MAX, "%s/%s", f->root, name);

	if (n < 0 || n >= PATH_MAX)
		stop("too long", name);
	make_dirs(to);
}

void
fixture_begin(struct fixture *f, const json_t *list)
{
	char template[] = "/tmp/cordon-vector.XXXXXX";
	char ignored[PATH_MAX];
	const char *root = mkdtemp(template);

	if (root == NULL || realpath(root, f->root) == NULL)
		stop("cannot make", template);
	sub(f->ws, f, "ws");
	sub(f->data, f, "data");
	sub(f->home, f, "home");
	sub(ignored, f, "home/u");
	sub(ignored, f, "home/user");
	snprintf(f->out, sizeof(f->out), "%.*s/out", PATH_MAX - 5, f->root);
	setenv("HOME", f->home, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("ORBIT_ACTIVITY_FS_PROFILE");
	fixture_add(f, list);
}

void
fixture_add(const struct fixture *f, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		make_entry(f, json_string_value(json_array_get(list, i)));
}

void
fixture_dir(const char *dir)
{
	make_dirs(dir);
}

char *
fixture_write(const struct fixture *f, const char *name, const char *text)
{
	char *path = format(f->root, name);

	make_file(path, text);
	return path;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
fixture_end(struct fixture *f)
{
	if (nftw(f->root, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		stop("cannot remove", f->root);
}
