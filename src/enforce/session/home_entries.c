#include "enforce/session/home_entries.h"

#include <dirent.h>
#include <sys/stat.h>

#include "enforce/path/path.h"
#include "enforce/session/links.h"
#include "enforce/session/placelist.h"
#include "engine/decide/home_rules.h"

#define LINK_DEPTH_MAX 4 /* directories below an entry */

struct homes {
	struct cdn_arena *arena;
	const char *workspace;
	struct cdn_found_executed *v;
	size_t n, room;
	size_t looks;	/* directory entries looked at */
	bool failed;	/* out of memory */
	bool too_many;	/* of them */
};

/* One entry in one home. */
struct place {
	const struct cdn_home_entry *entry;
	const char *tail; /* behind the literal part: "", "/" and two stars */
	bool link;	  /* on the way, by itself: its end has rules of its own */
};

/* ----- Patterns --------------------------------------------------------------- */

/* path: absolute and real; what is not in the workspace is not ours. */
static void
push(struct homes *h, const char *path, const struct place *place)
{
	size_t skip = strlen(h->workspace) + (h->workspace[1] != '\0');
	struct cdn_found_executed *v;
	char *pattern;

	if (!cdn_placelist_below(path, h->workspace) || strlen(path) <= skip)
		return;
	pattern = cdn_arena_join(h->arena, cdn_str_of(path + skip),
	    cdn_str_of(place->tail));
	v = cdn_arena_grow(h->arena, h->v, h->n, &h->room, sizeof(*v));
	if (pattern == NULL || v == NULL) {
		h->failed = true;
		return;
	}
	h->v = v;
	v[h->n++] = (struct cdn_found_executed){ pattern, CDN_GROUP_HOME,
		place->entry->name, place->link };
}

struct way {
	struct homes *homes;
	const struct cdn_home_entry *entry;
	const char *tail;
};

/* The symlink itself, and the name that is behind it. */
static void
push_hop(const char *link, const char *rest, void *arg)
{
	const struct way *way = arg;
	const struct place alone = { way->entry, "", true };
	const struct place behind = { way->entry, way->tail, true };
	char path[2 * CDN_PATH_MAX + 2];
	int n;

	push(way->homes, link, &alone);
	if (rest[0] == '\0' || strstr(rest, "..") != NULL)
		return;
	n = snprintf(path, sizeof(path), "%s/%s", link, rest);
	if (n > 0 && (size_t)n < sizeof(path))
		push(way->homes, path, &behind);
}

/* Where a name leads to, if that is not the name itself, and each hop. */
static void
push_target(struct homes *h, const char *path, const struct cdn_home_entry *entry)
{
	struct cdn_real real;
	struct place place = { entry, "", false };
	struct way way = { h, entry, "" };

	if (cdn_path_resolve("/", cdn_str_of(path), &real, NULL) != 0 ||
	    strcmp(real.path, path) == 0)
		return;
	if (real.exists && real.is_directory)
		way.tail = place.tail = "/**";
	push(h, real.path, &place);
	cdn_links_walk("", cdn_str_of(path), push_hop, &way);
}

/* ----- Symlinks --------------------------------------------------------------- */

static unsigned char
type_of(const char *path, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN || lstat(path, &st) != 0)
		return entry->d_type;
	return S_ISLNK(st.st_mode) ? DT_LNK : S_ISDIR(st.st_mode) ? DT_DIR :
								    DT_REG;
}

static void look_for_links(struct homes *h, const char *dir,
    const struct cdn_home_entry *entry, unsigned depth);

static void
look_at(struct homes *h, const char *path, unsigned char type,
    const struct cdn_home_entry *entry, unsigned depth)
{
	if (++h->looks > CDN_HOME_LOOKS_MAX)
		h->too_many = true;
	else if (type == DT_LNK)
		push_target(h, path, entry);
	else if (type == DT_DIR && depth < LINK_DEPTH_MAX)
		look_for_links(h, path, entry, depth + 1);
}

static void
look_for_links(struct homes *h, const char *dir,
    const struct cdn_home_entry *entry, unsigned depth)
{
	char path[CDN_PATH_MAX + 1];
	const struct dirent *found;
	DIR *open = opendir(dir);

	while (open != NULL && !h->failed && !h->too_many &&
	    (found = readdir(open)) != NULL) {
		int n = snprintf(path, sizeof(path), "%s/%s", dir,
		    found->d_name);

		if (strcmp(found->d_name, ".") == 0 ||
		    strcmp(found->d_name, "..") == 0 || n < 0 ||
		    (size_t)n >= sizeof(path))
			continue;
		look_at(h, path, type_of(path, found), entry, depth);
	}
	if (open != NULL)
		closedir(open);
}

/* ----- Homes ------------------------------------------------------------------- */

/* The name below the directory, up to its first wildcard or all of it. */
static void
add_entry(struct homes *h, const char *dir, const char *below,
    const struct cdn_home_entry *entry)
{
	size_t n = strlen(below);
	bool whole = n > 3 && strcmp(below + n - 3, "/**") == 0;
	const struct place place = { entry, whole ? "/**" : "", false };
	char path[CDN_PATH_MAX + 1];
	int len = snprintf(path, sizeof(path), "%s/%.*s",
	    strcmp(dir, "/") == 0 ? "" : dir, (int)(whole ? n - 3 : n), below);

	if (len < 0 || (size_t)len >= sizeof(path))
		return; /* longer than any name */
	push(h, path, &place);
	if (strpbrk(path, "*?") != NULL)
		return;
	push_target(h, path, entry);
	if (entry->links)
		look_for_links(h, path, entry, 0);
}

/* The shells of the host look for programs there. */
static void
add_path(struct homes *h, const char *home)
{
	static const struct cdn_home_entry on_path = { "~/**", "shells", true };
	const struct place place = { &on_path, "/**", false };
	cdn_str rest = cdn_str_of(getenv("PATH"));
	struct way way = { h, &on_path, "/**" };
	struct cdn_real real;
	cdn_str part;

	while (cdn_str_next(&rest, ':', &part)) {
		if (part.n == 0 || part.p[0] != '/')
			continue;
		cdn_links_walk("", part, push_hop, &way);
		if (cdn_path_resolve("/", part, &real, NULL) != 0 ||
		    !cdn_placelist_below(real.path, home) ||
		    strcmp(real.path, home) == 0)
			continue;
		push(h, real.path, &place);
		look_for_links(h, real.path, &on_path, LINK_DEPTH_MAX);
	}
}

/* "" and what is not absolute name nothing; false: it is not in the workspace. */
static bool
find_inside(const struct homes *h, const char *dir, struct cdn_real *ret)
{
	return dir[0] == '/' &&
	    cdn_path_resolve("/", cdn_str_of(dir), ret, NULL) == 0 &&
	    cdn_placelist_below(ret->path, h->workspace);
}

static void
add_home(struct homes *h, const char *home)
{
	const struct cdn_home_entry *entry;
	struct cdn_real real;

	if (!find_inside(h, home, &real))
		return;
	for (size_t i = 0; (entry = cdn_home_entry(i)) != NULL; i++)
		add_entry(h, real.path, entry->name + CDN_HOME_TILDE, entry);
	add_path(h, real.path);
}

/* $XDG_CONFIG_HOME, which places->config is a directory of. */
static void
add_config(struct homes *h, const char *config)
{
	static const char usual[] = "~/.config/";
	const struct cdn_home_entry *entry;
	const char *last = strrchr(config, '/');
	char dir[CDN_PATH_MAX + 1];
	struct cdn_real real;

	if (last == NULL || (size_t)(last - config) >= sizeof(dir))
		return;
	snprintf(dir, sizeof(dir), "%.*s", (int)(last - config), config);
	if (!find_inside(h, dir, &real))
		return;
	for (size_t i = 0; (entry = cdn_home_entry(i)) != NULL; i++)
		if (strncmp(entry->name, usual, sizeof(usual) - 1) == 0)
			add_entry(h, real.path,
			    entry->name + sizeof(usual) - 1, entry);
}

static bool
contains_home(const struct homes *h, const struct cdn_places *places)
{
	struct cdn_real real;

	return find_inside(h, places->home, &real) ||
	    find_inside(h, places->passwd_home, &real);
}

int
cdn_home_entries_add(struct cdn_arena *arena, const char *workspace,
    const struct cdn_places *places, const struct cdn_found_executed **v,
    size_t *n, struct cordon_error *err)
{
	struct homes h = { .arena = arena, .workspace = workspace };

	if (!contains_home(&h, places))
		return 0;
	for (size_t i = 0; i < *n; i++) {
		struct cdn_found_executed *grown = cdn_arena_grow(arena, h.v,
		    h.n, &h.room, sizeof(*grown));

		if (grown == NULL)
			return cdn_err_nomem(err);
		h.v = grown;
		grown[h.n++] = (*v)[i];
	}
	add_home(&h, places->home);
	if (strcmp(places->home, places->passwd_home) != 0)
		add_home(&h, places->passwd_home);
	add_config(&h, places->config);
	if (h.failed)
		return cdn_err_nomem(err);
	if (h.too_many)
		return cdn_err(err, CORDON_E_INVALID, "the workspace contains "
		    "your home, where shells and the desktop read more than "
		    "%d files: what they execute is not known (name a "
		    "directory inside the home as the workspace)",
		    CDN_HOME_LOOKS_MAX);
	*v = h.v;
	*n = h.n;
	return 0;
}
