/*
 * Trees at random: directories, files, links, and files with several names.
 */
#include "differential.h"

static const char *const dirs[] = { "a", "b", "c", "secrets", ".git", "B" };
static const char *const files[] = { "x", "y.env", ".env", "z.lock", "run.sh",
	"k.c", "X.ENV", "n[1]", "\xc3\xa9" };

static void
grow_file(struct tree *tree, const char *path)
{
	char text[PATH_SIZE + 32];

	/* Whatever is executed does nothing. */
	snprintf(text, sizeof(text), "#!/bin/true\n# %s\n", path);
	tree_put(tree, KIND_FILE, path, text)->mode =
	    chance(3) == 0 ? 0755 : 0644;
}

static void
grow_below(struct tree *tree, const char *dir, size_t depth)
{
	char path[PATH_SIZE];

	for (size_t i = 0; i < CDN_LEN(files); i++)
		if (chance(depth + 3) == 0) {
			snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
			grow_file(tree, path);
		}
	for (size_t i = 0; i < CDN_LEN(dirs) && depth < 3; i++)
		if (chance(2 * depth + 2) == 0 && tree->n < 70) {
			snprintf(path, sizeof(path), "%s/%s", dir, dirs[i]);
			tree_put(tree, KIND_DIR, path, "");
			grow_below(tree, path, depth + 1);
		}
}

static void
grow_links(struct tree *tree)
{
	static const struct {
		const char *name, *to;
	} links[] = { { "link", "x" }, { "link.env", "a/x" },
		{ "a/link", "../secrets" }, { "secrets/link", "../a/x" },
		{ "b/link", "../../in/x" }, { "out", "../else/x" },
		{ "gone", "a/nowhere" } };
	char path[PATH_SIZE], dir[PATH_SIZE];

	for (size_t i = 0; i < CDN_LEN(links); i++) {
		char *slash;

		snprintf(path, sizeof(path), "w/%s", links[i].name);
		snprintf(dir, sizeof(dir), "%s", path);
		slash = strrchr(dir, '/');
		*slash = '\0';
		if (chance(2) == 0 && tree_find(tree, dir) != NULL)
			tree_put(tree, KIND_LINK, path, links[i].to);
	}
}

void
tree_grow(struct tree *tree)
{
	tree->n = tree->files = 0;
	for (size_t i = 0; i < TOPS; i++) {
		tree_remove(tops[i]);
		tree_put(tree, KIND_DIR, tops[i], "");
	}
	grow_below(tree, "w", 0);
	grow_links(tree);
	for (size_t i = 1; i < 4; i++) { /* in, out, else */
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), "%s/x", tops[i]);
		grow_file(tree, path);
		snprintf(path, sizeof(path), "%s/d", tops[i]);
		tree_put(tree, KIND_DIR, path, "");
	}
	tree_put(tree, KIND_DIR, "home/.ssh", "");
	grow_file(tree, "home/.ssh/id");
	tree_put(tree, KIND_DIR, "home/pub", "");
	grow_file(tree, "home/pub/x");
}


/* ----- Several names ------------------------------------------------------ */

static struct node *
any_node(struct tree *tree, enum kind kind)
{
	for (;;) {
		struct node *node = &tree->v[chance(tree->n)];

		if (node->kind == kind)
			return node;
	}
}

/*
 * Rules deny some of these names and allow others; some lie in a root that is
 * declared, some where nothing is granted.  What the floor protects has another
 * name now and then only: no plan without the broker holds that, and says so.
 */
void
tree_grow_names(struct tree *tree)
{
	for (size_t n = chance(6); n > 0 && tree->n < NODES_MAX - 8; n--) {
		struct node *of = any_node(tree, KIND_FILE);
		const char *dir = any_node(tree, KIND_DIR)->path;
		char path[PATH_SIZE];

		if (strcmp(of->path, "home/.ssh/id") == 0 && chance(4) > 0)
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir,
			files[chance(CDN_LEN(files))]) < sizeof(path) &&
		    tree_find(tree, path) == NULL)
			tree_put_name(tree, of, path);
	}
}
