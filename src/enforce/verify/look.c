#include "enforce/verify/sample.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"

#define GROUPS_MAX 256 /* kinds of verdicts that are told apart */
#define OF_A_GROUP 4   /* kept of each */
#define DEPTH_MAX  32
#define BELOW_MAX  512 /* names of one directory, for one of them */

/* ----- What was asked about ----------------------------------------------------------- */

static uint64_t
hash(const char *path)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *path != '\0'; path++)
		h = (h ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
	return h | 1; /* 0 is an empty slot */
}

/* Two paths with the same number of 64 bits: one of them is not tried. */
bool
cdn_sample_is_new(struct cdn_sample *s, const char *path)
{
	uint64_t h = hash(path);

	if (s->seen == NULL)
		s->seen = cdn_arena_array(s->arena, CDN_VERIFY_SEEN,
		    sizeof(*s->seen));
	if (s->seen == NULL) {
		s->nomem = true;
		return false;
	}
	for (size_t i = 0; i < CDN_VERIFY_SEEN; i++) {
		uint64_t *slot = &s->seen[(h + i) % CDN_VERIFY_SEEN];

		if (*slot == h)
			return false;
		if (*slot == 0) {
			*slot = h;
			return true;
		}
	}
	return false;
}

/* ----- Verdicts that are alike --------------------------------------------------------- */

struct reason {
	bool allowed;
	enum cordon_layer layer;
	unsigned line, column;
	const char *rule;
};

struct group {
	struct reason reasons[CDN_RULE_OPS];
	size_t met;
	size_t kept[OF_A_GROUP]; /* places among the paths */
	size_t kept_count;
};

struct walk {
	struct cdn_sample *s;
	struct cdn_looked *looked;
	struct group *groups;
	size_t group_count;
	size_t looks, dirs;
	char path[CDN_PATH_MAX + 1];
};

static struct reason
ask(const struct walk *w, enum cordon_op op)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(w->path) };
	struct cordon_verdict verdict;

	cdn_decide(w->s->session->authority, &question, &verdict);
	return (struct reason){ verdict.allowed, verdict.layer, verdict.line,
		verdict.column, verdict.matched_rule };
}

static bool
is_same(const struct reason *a, const struct reason *b)
{
	return a->allowed == b->allowed && a->layer == b->layer &&
	    a->line == b->line && a->column == b->column &&
	    strcmp(a->rule, b->rule) == 0;
}

static struct group *
group_of(struct walk *w)
{
	struct reason reasons[CDN_RULE_OPS];
	struct group *g;

	for (unsigned op = 0; op < CDN_RULE_OPS; op++)
		reasons[op] = ask(w, (enum cordon_op)op);
	for (size_t i = 0; i < w->group_count; i++) {
		bool same = true;

		g = &w->groups[i];
		for (size_t op = 0; op < CDN_RULE_OPS; op++)
			same = same && is_same(&g->reasons[op], &reasons[op]);
		if (same)
			return g;
	}
	if (w->group_count == GROUPS_MAX)
		return NULL;
	g = &w->groups[w->group_count++];
	memcpy(g->reasons, reasons, sizeof(reasons));
	return g;
}

static void
keep(struct walk *w, struct group *g)
{
	struct cdn_looked *looked = w->looked;
	size_t at = looked->count;
	char *copy;

	g->met++;
	if (g->kept_count == OF_A_GROUP) {
		at = cdn_sample_chance(w->s, g->met);
		if (at >= OF_A_GROUP)
			return;
		at = g->kept[at];
	} else if (at == CDN_LOOKED_PATHS) {
		return;
	}
	copy = cdn_arena_dup(w->s->arena, w->path, strlen(w->path));
	if (copy == NULL) {
		w->s->nomem = true;
		return;
	}
	if (at == looked->count) {
		looked->count++;
		g->kept[g->kept_count++] = at;
	}
	looked->paths[at] = copy;
}

static void
keep_directory(struct walk *w)
{
	struct cdn_looked *looked = w->looked;
	size_t at = looked->dir_count;
	char *copy;

	w->dirs++;
	if (at == CDN_LOOKED_DIRS) {
		at = cdn_sample_chance(w->s, w->dirs);
		if (at >= CDN_LOOKED_DIRS)
			return;
	}
	copy = cdn_arena_dup(w->s->arena, w->path, strlen(w->path));
	if (copy == NULL) {
		w->s->nomem = true;
		return;
	}
	if (at == looked->dir_count)
		looked->dir_count++;
	looked->dirs[at] = copy;
}

/* What the kernel makes up changes, and may do something when it is opened. */
static bool
is_made_up(const char *dir)
{
	static const char *const tops[] = { "/proc", "/sys", "/dev" };

	for (size_t i = 0; i < CDN_LEN(tops); i++) {
		size_t n = strlen(tops[i]);

		if (strncmp(dir, tops[i], n) == 0 &&
		    (dir[n] == '\0' || dir[n] == '/'))
			return true;
	}
	return false;
}

/* ----- The walk ------------------------------------------------------------------------ */

static bool
is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	    strcmp(entry->d_name, "..") != 0;
}

static void walk(struct walk *w, size_t n, unsigned depth);

static void
meet(struct walk *w, size_t n, unsigned depth)
{
	struct group *g;
	struct stat st;

	w->looks++;
	if (is_made_up(w->path))
		return;
	g = group_of(w);
	if (g != NULL)
		keep(w, g);
	if (lstat(w->path, &st) != 0 || !S_ISDIR(st.st_mode))
		return;
	keep_directory(w);
	if (depth < DEPTH_MAX)
		walk(w, n, depth + 1);
}

/* path[0..n) is the directory.  Links are met, not followed. */
/* NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX */
static void
walk(struct walk *w, size_t n, unsigned depth)
{
	int fd = open(w->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (dir == NULL) {
		cdn_cleanup_fd_fn(&fd);
		return;
	}
	while (w->looks < CDN_VERIFY_LOOKS_MAX && !w->s->nomem &&
	    (entry = readdir(dir)) != NULL) {
		size_t name = strlen(entry->d_name);

		if (!is_entry(entry) || n + 1 + name > CDN_PATH_MAX)
			continue;
		w->path[n] = '/';
		memcpy(w->path + n + 1, entry->d_name, name + 1);
		meet(w, n + 1 + name, depth);
		w->path[n] = '\0';
	}
	closedir(dir);
}

void
cdn_sample_look(struct cdn_sample *s, struct cdn_looked *ret)
{
	CDN_UNINITIALIZED struct walk w;
	size_t n = strlen(s->session->workspace);

	ret->count = ret->dir_count = 0;
	w.s = s;
	w.looked = ret;
	w.group_count = w.looks = w.dirs = 0;
	w.groups = cdn_arena_array(s->arena, GROUPS_MAX, sizeof(*w.groups));
	if (w.groups == NULL) {
		s->nomem = true;
		return;
	}
	memcpy(w.path, s->session->workspace, n + 1);
	walk(&w, n == 1 ? 0 : n, 0);
}

/* ----- One name of a directory ---------------------------------------------------------- */

bool
cdn_sample_below(struct cdn_sample *s, const char *path,
    char ret[CDN_PATH_MAX + 1])
{
	DIR *dir = is_made_up(path) ? NULL : opendir(path);
	const struct dirent *entry;
	size_t met = 0, looks = 0;

	while (dir != NULL && looks++ < BELOW_MAX &&
	    (entry = readdir(dir)) != NULL) {
		if (!is_entry(entry) ||
		    (entry->d_type != DT_REG && entry->d_type != DT_DIR) ||
		    strlen(path) + 1 + strlen(entry->d_name) > CDN_PATH_MAX ||
		    cdn_sample_chance(s, ++met) > 0)
			continue;
		snprintf(ret, CDN_PATH_MAX + 1, "%s/%s",
		    path[1] == '\0' ? "" : path, entry->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	return met > 0;
}
