/*
 * Files on a disk, as a description says; and what was otherwise.
 *
 * What has moved is moved back, what was changed is changed in place: rules of
 * Landlock and mounts hold on to objects, not to names.
 */
#include "differential.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <unistd.h>

char stage[64];

const char *const tops[TOPS] = { "w", "in", "out", "else", "home" };

const char *
at(const char *fmt, ...)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % CDN_LEN(paths)];
	size_t n = (size_t)snprintf(path, PATH_MAX, "%s/", stage);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + n, PATH_MAX - n, fmt, ap);
	va_end(ap);
	return path;
}

void
file_write(const char *path, const char *text)
{
	size_t n = strlen(text);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || close(fd) != 0)
		err(2, "%s", path);
}

void
dir_make(const char *path)
{
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		err(2, "%s", path);
}

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

void
tree_remove(const char *path)
{
	if (nftw(at("%s", path), remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0 &&
	    errno != ENOENT)
		err(2, "remove %s", path);
}

/* ----- The description ---------------------------------------------------- */

struct node *
tree_find(struct tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->n; i++)
		if (strcmp(tree->v[i].path, path) == 0)
			return &tree->v[i];
	return NULL;
}

struct node *
tree_put(struct tree *tree, enum kind kind, const char *path, const char *text)
{
	struct node *node = tree_find(tree, path);

	if (node == NULL && tree->n == NODES_MAX)
		errx(2, "too many files");
	if (node == NULL)
		node = &tree->v[tree->n++];
	*node = (struct node){ .kind = kind,
		.mode = kind == KIND_FILE ? 0644 : 0755 };
	snprintf(node->path, sizeof(node->path), "%s", path);
	snprintf(node->text, sizeof(node->text), "%s", text);
	return node;
}

static bool
is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

bool
tree_has_below(const struct tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->n; i++)
		if (is_below(tree->v[i].path, path))
			return true;
	return false;
}

struct node *
tree_put_name(struct tree *tree, struct node *of, const char *path)
{
	struct node *node;

	if (of->file == 0)
		of->file = ++tree->files;
	node = tree_put(tree, KIND_FILE, path, of->text);
	node->mode = of->mode;
	node->file = of->file;
	return node;
}

static bool
is_same(const struct node *a, const struct node *b)
{
	return a == b || (a->file != 0 && a->file == b->file);
}

bool
tree_is_same(struct tree *tree, const char *path, const char *other)
{
	const struct node *a = tree_find(tree, path);
	const struct node *b = tree_find(tree, other);

	return a != NULL && b != NULL && is_same(a, b);
}

void
tree_cut(struct tree *tree, const char *which)
{
	char path[PATH_SIZE]; /* it may lie in the tree */
	size_t n = 0;

	snprintf(path, sizeof(path), "%s", which);
	for (size_t i = 0; i < tree->n; i++)
		if (strcmp(tree->v[i].path, path) != 0 &&
		    !is_below(tree->v[i].path, path))
			tree->v[n++] = tree->v[i];
	tree->n = n;
}

/* ----- What was found ----------------------------------------------------- */

void
changes_add(struct changes *changes, char sign, const char *path)
{
	if (changes == NULL)
		return;
	if (changes->n == CHANGES_MAX)
		errx(2, "too many changes");
	snprintf(changes->v[changes->n++], sizeof(changes->v[0]), "%c%s", sign,
	    path);
}

void
changes_add_file(struct changes *changes, struct tree *tree, const char *path)
{
	changes_add(changes, '~', path);
	for (size_t i = 0; i < tree->n; i++)
		if (tree_is_same(tree, path, tree->v[i].path))
			changes_add(changes, '~', tree->v[i].path);
}

static bool
changes_have(const struct changes *changes, const char *change)
{
	for (size_t i = 0; i < changes->n; i++)
		if (strcmp(changes->v[i], change) == 0)
			return true;
	return false;
}

const char *
changes_differ(const struct changes *a, const struct changes *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (!changes_have(b, a->v[i]))
			return a->v[i];
	for (size_t i = 0; i < b->n; i++)
		if (!changes_have(a, b->v[i]))
			return b->v[i];
	return NULL;
}

/* ----- The disk ----------------------------------------------------------- */

struct walk {
	struct tree *tree;
	struct changes *changes;
	bool seen[NODES_MAX];
	bool replaced[NODES_MAX]; /* another file had the name */
	struct {
		char path[PATH_SIZE];
		ino_t ino;
	} strange[CHANGES_MAX]; /* what no node says */
	size_t strange_count;
};

static bool
is_kind(const struct node *node, const struct stat *st)
{
	switch (node->kind) {
	case KIND_DIR:
		return S_ISDIR(st->st_mode);
	case KIND_FILE:
		return S_ISREG(st->st_mode);
	default:
		return S_ISLNK(st->st_mode);
	}
}

static bool
is_as_told(const struct node *node, const struct stat *st)
{
	char text[TEXT_SIZE];
	ssize_t n = 0;
	int fd;

	if (node->kind != KIND_LINK && (st->st_mode & 07777) != node->mode)
		return false;
	if (node->kind == KIND_DIR)
		return true;
	if (node->kind == KIND_LINK) {
		n = readlink(at("%s", node->path), text, sizeof(text));
	} else {
		fd = open(at("%s", node->path), O_RDONLY | O_CLOEXEC);
		n = read(fd, text, sizeof(text));
		close(fd);
	}
	return n == (ssize_t)strlen(node->text) &&
	    memcmp(text, node->text, (size_t)n) == 0;
}

/* A name of the same file that is on the disk, or NULL. */
static const char *
made_name(const struct walk *walk, const struct node *node)
{
	for (size_t i = 0; i < walk->tree->n; i++)
		if (walk->seen[i] && &walk->tree->v[i] != node &&
		    is_same(&walk->tree->v[i], node))
			return at("%s", walk->tree->v[i].path);
	return NULL;
}

/* Where it is there, it becomes what it was. */
static void
make_node(const struct node *node)
{
	const char *path = at("%s", node->path);

	if (node->kind == KIND_DIR)
		dir_make(path);
	else if (node->kind == KIND_FILE)
		file_write(path, node->text);
	else if (symlink(node->text, path) != 0)
		err(2, "%s", path);
	if (node->kind != KIND_LINK && chmod(path, node->mode) != 0)
		err(2, "%s", path);
}

static void walk_dir(struct walk *walk, const char *dir);

static void
meet_stranger(struct walk *walk, const char *path, const struct stat *st)
{
	size_t i = walk->strange_count++;

	if (i == CHANGES_MAX)
		errx(2, "too many new files");
	snprintf(walk->strange[i].path, PATH_SIZE, "%s", path);
	walk->strange[i].ino = st->st_ino;
}

/*
 * Not to be changed in place: it may be another's, and what has several names
 * must have them again.
 */
static bool
is_replaced(const struct node *node, const struct stat *st)
{
	return node->kind == KIND_FILE && node->ino != 0 &&
	    node->ino != st->st_ino && (node->file != 0 || st->st_nlink > 1);
}

static void
meet_node(struct walk *walk, struct node *node, const struct stat *st)
{
	walk->seen[node - walk->tree->v] = true;
	node->ino = st->st_ino;
	if (!is_as_told(node, st)) {
		changes_add_file(walk->changes, walk->tree, node->path);
		if (node->kind == KIND_LINK)
			tree_remove(node->path);
		make_node(node);
	}
	if (node->kind == KIND_DIR)
		walk_dir(walk, node->path);
}

static void
meet(struct walk *walk, const char *path)
{
	struct node *node = tree_find(walk->tree, path);
	struct stat st;

	if (lstat(at("%s", path), &st) != 0)
		err(2, "%s", path);
	if (node == NULL || !is_kind(node, &st)) {
		meet_stranger(walk, path, &st);
	} else if (is_replaced(node, &st)) {
		changes_add(walk->changes, '~', path);
		walk->replaced[node - walk->tree->v] = true;
		tree_remove(path);
	} else {
		meet_node(walk, node, &st);
	}
}

static void
walk_dir(struct walk *walk, const char *dir)
{
	DIR *handle = opendir(at("%s", dir));
	const struct dirent *entry;

	if (handle == NULL)
		err(2, "%s", dir);
	while ((entry = readdir(handle)) != NULL) {
		char path[PATH_SIZE];

		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir,
			entry->d_name) >= sizeof(path))
			errx(2, "%s/%s: too long", dir, entry->d_name);
		meet(walk, path);
	}
	closedir(handle);
}

/* Something that has another name now: true if it has its own again. */
static bool
move_back(struct walk *walk, size_t i)
{
	for (size_t k = 0; k < walk->tree->n; k++) {
		const struct node *node = &walk->tree->v[k];

		if (walk->seen[k] || node->ino == 0 ||
		    node->ino != walk->strange[i].ino)
			continue;
		if (rename(at("%s", walk->strange[i].path),
			at("%s", node->path)) != 0) {
			if (errno == ENOENT)
				continue; /* a number that was given again */
			err(2, "%s", node->path);
		}
		walk->seen[k] = true;
		changes_add(walk->changes, '+', walk->strange[i].path);
		changes_add(walk->changes, '-', node->path);
		return true;
	}
	return false;
}

static bool
settle_once(struct walk *walk)
{
	bool moved = false;

	memset(walk->seen, 0, sizeof(walk->seen));
	walk->strange_count = 0;
	for (size_t i = 0; i < CDN_LEN(tops); i++) {
		dir_make(at("%s", tops[i]));
		meet(walk, tops[i]);
	}
	for (size_t i = 0; i < walk->strange_count; i++)
		moved |= move_back(walk, i);
	return moved;
}

static void
make_missing(struct walk *walk, size_t i)
{
	struct node *node = &walk->tree->v[i];
	const char *name = made_name(walk, node);
	struct stat st;

	if (!walk->replaced[i])
		changes_add(walk->changes, '-', node->path);
	if (name == NULL)
		make_node(node);
	else if (link(name, at("%s", node->path)) != 0)
		err(2, "%s", node->path);
	if (lstat(at("%s", node->path), &st) != 0)
		err(2, "%s", node->path);
	node->ino = st.st_ino;
	walk->seen[i] = true;
}

void
tree_settle(struct tree *tree, struct changes *changes)
{
	static struct walk walk;

	walk.tree = tree;
	walk.changes = changes;
	memset(walk.replaced, 0, sizeof(walk.replaced));
	while (settle_once(&walk))
		;
	for (size_t i = 0; i < walk.strange_count; i++) {
		changes_add(changes, '+', walk.strange[i].path);
		tree_remove(walk.strange[i].path);
	}
	for (size_t i = 0; i < tree->n; i++)
		if (!walk.seen[i])
			make_missing(&walk, i);
}
