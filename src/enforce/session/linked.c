#include "enforce/session/linked.h"

#include <sys/stat.h>

#include "enforce/path/names.h"
#include "engine/match/pattern.h"

/* One protected file with more than one link. */
struct file {
	const char *name;
	dev_t dev;
	ino_t ino;
	nlink_t nlink;
	nlink_t seen; /* names found so far, its own included */
};

/* A name that was found: an entry of a directory, whatever path led there. */
struct entry {
	const struct file *file;
	dev_t dev; /* of the directory */
	ino_t ino;
	const char *name;
};

struct search {
	const struct cordon_session *session;
	struct cdn_arena *arena; /* thrown away at the end */
	struct file *files;
	size_t file_count, file_room;
	struct entry *entries;
	size_t entry_count, entry_room;
	cdn_linked_fn *found;
	void *arg;
	bool failed; /* out of memory */
};

/* ----- Which files ------------------------------------------------------------ */

static bool
is_file(const struct file *file, const struct stat *st)
{
	return file->dev == st->st_dev && file->ino == st->st_ino;
}

/* Counts an entry of a directory; once, however often it is met: else false. */
static bool
count(struct search *s, struct file *file, const char *path,
    const struct stat *parent)
{
	const char *name = strrchr(path, '/') + 1;
	struct entry *v;

	for (size_t i = 0; i < s->entry_count; i++) {
		const struct entry *e = &s->entries[i];

		if (e->file == file && e->dev == parent->st_dev &&
		    e->ino == parent->st_ino && strcmp(e->name, name) == 0)
			return false;
	}
	v = cdn_arena_grow(s->arena, s->entries, s->entry_count,
	    &s->entry_room, sizeof(*v));
	name = cdn_arena_dup(s->arena, name, strlen(name));
	if (v == NULL || name == NULL) {
		s->failed = true;
		return false;
	}
	s->entries = v;
	v[s->entry_count++] = (struct entry){ file, parent->st_dev,
		parent->st_ino, name };
	file->seen++;
	return true;
}

/* One name may stand in several lists. */
static bool
is_known(const struct search *s, const char *name)
{
	for (size_t i = 0; i < s->file_count; i++)
		if (strcmp(s->files[i].name, name) == 0)
			return true;
	return false;
}

static void
add_file(struct search *s, const char *name)
{
	struct file *v;
	struct stat st;

	if (s->failed || is_known(s, name) || stat(name, &st) != 0 || S_ISDIR(st.st_mode) ||
	    st.st_nlink < 2)
		return;
	v = cdn_arena_grow(s->arena, s->files, s->file_count, &s->file_room,
	    sizeof(*v));
	name = cdn_arena_dup(s->arena, name, strlen(name));
	if (v == NULL || name == NULL) {
		s->failed = true;
		return;
	}
	s->files = v;
	v[s->file_count++] = (struct file){ .name = name, .dev = st.st_dev,
		.ino = st.st_ino, .nlink = st.st_nlink };
}

static void
add_rules(struct search *s, const struct cdn_rule_set *set)
{
	for (size_t i = 0; i < set->rules.n; i++) {
		const struct cdn_rule *rule = &set->rules.v[i];
		CDN_UNINITIALIZED char name[CDN_PATH_MAX + 1];
		int n;

		if (!rule->negated || !cdn_rule_is_exact(rule->pattern))
			continue;
		n = snprintf(name, sizeof(name), "%s/%s",
		    s->session->workspace, rule->pattern.p);
		if (n > 0 && (size_t)n < sizeof(name))
			add_file(s, name);
	}
}

static void
add_files(struct search *s)
{
	const struct cordon_session *session = s->session;
	struct cdn_builtin builtins[CDN_BUILTINS_MAX];
	size_t n;

	for (size_t i = 0; i < session->linked_count; i++)
		add_file(s, session->linked[i]);
	for (size_t i = 0; i < session->inside_count; i++)
		add_file(s, session->inside[i]);
	for (size_t i = 0; i < session->document_count; i++)
		for (size_t op = 0; op < CDN_RULE_OPS; op++)
			add_rules(s,
			    &session->documents[i].profile->sets[op]);
	n = cdn_authority_builtins(session->authority, builtins);
	for (size_t i = 0; i < n; i++)
		add_rules(s, &builtins[i].profile->sets[CORDON_MODIFY]);
}

/* ----- Which names --------------------------------------------------------------- */

static bool
wanted(const struct stat *st, void *arg)
{
	const struct search *s = arg;

	for (size_t i = 0; i < s->file_count; i++)
		if (S_ISDIR(st->st_mode) ? s->files[i].dev == st->st_dev :
					   is_file(&s->files[i], st))
			return true;
	return false;
}

static struct cordon_verdict
judge(const struct cordon_session *s, enum cordon_op op, const char *path)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(path) };
	struct cordon_verdict verdict;

	cdn_decide(s->authority, &question, &verdict);
	return verdict;
}

static bool
is_protected(const struct cordon_session *s, enum cordon_op op,
    const char *name)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(name) };
	struct cordon_verdict verdict;

	return cdn_decide_protects(s->authority, &question, &verdict);
}

/* What the name takes away and the path gives back. */
static void
tell(const struct search *s, const struct file *file, const char *path)
{
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++) {
		const struct cdn_linked linked = { path, file->name, op };

		if (is_protected(s->session, op, file->name) &&
		    judge(s->session, op, path).allowed) {
			s->found(&linked, s->arg);
			return;
		}
	}
}

static bool
all_seen(const struct search *s)
{
	for (size_t i = 0; i < s->file_count; i++)
		if (s->files[i].seen < s->files[i].nlink)
			return false;
	return true;
}

/* Every protected file that this is; false when all names are known. */
static bool
found(const char *path, const struct stat *st, const struct stat *parent,
    void *arg)
{
	struct search *s = arg;

	for (size_t i = 0; i < s->file_count; i++)
		if (is_file(&s->files[i], st) &&
		    count(s, &s->files[i], path, parent))
			tell(s, &s->files[i], path);
	return !s->failed && !all_seen(s);
}

/* ----- Where --------------------------------------------------------------------- */

static void
scan_places(struct cdn_names *names, const struct cdn_place_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *path = list->v[i].path;
		char dir[CDN_PATH_MAX + 1];

		/* Of names that go on: the directory that holds them. */
		if (list->v[i].glob) {
			snprintf(dir, sizeof(dir), "%.*s",
			    (int)(strrchr(path, '/') - path), path);
			path = dir[0] == '\0' ? "/" : dir;
		}
		cdn_names_scan(names, path);
	}
}

/*
 * First where most is written, last where most entries are: usually the search
 * is over before.
 */
static void
scan_roots(struct search *s, struct cdn_names *names)
{
	const struct cordon_session *session = s->session;
	const struct cdn_authority_spec *spec = &session->spec;

	cdn_names_scan(names, session->workspace);
	scan_places(names, &spec->command_write);
	scan_places(names, &spec->runtime_write_roots);
	scan_places(names, &spec->command_read);
	for (size_t i = 0; i < session->document_count; i++) {
		scan_places(names, &session->documents[i].host_modify);
		scan_places(names, &session->documents[i].host_read);
	}
	scan_places(names, &spec->runtime_write);
	scan_places(names, &spec->runtime_read);
}

/*
 * The name of one of them is a name of all that are the same file; what is
 * denied there may be less than is denied of another.
 */
static void
count_name(struct search *s, const struct file *named, const char *path,
    const struct cdn_real *dir)
{
	const struct stat parent = { .st_dev = dir->dev, .st_ino = dir->ino };

	for (size_t i = 0; i < s->file_count; i++)
		if (s->files[i].dev == named->dev &&
		    s->files[i].ino == named->ino &&
		    count(s, &s->files[i], path, &parent))
			tell(s, &s->files[i], path);
}

/* The names we know already; a real path's last step is an entry. */
static void
count_own(struct search *s)
{
	for (size_t i = 0; i < s->file_count; i++) {
		struct cdn_real real, dir;
		size_t n;

		if (cdn_path_resolve("/", cdn_str_of(s->files[i].name), &real,
			NULL) != 0)
			continue;
		n = (size_t)(strrchr(real.path, '/') - real.path);
		if (cdn_path_resolve("/", (cdn_str){ real.path, n > 0 ? n : 1 },
			&dir, NULL) == 0 && dir.exists)
			count_name(s, &s->files[i], real.path, &dir);
	}
}

int
cdn_session_linked(const struct cordon_session *session, cdn_linked_fn *fn,
    void *arg, bool *ret_complete, struct cordon_error *err)
{
	struct search s = { .session = session, .arena = cdn_arena_new(),
		.found = fn, .arg = arg };
	struct cdn_names names = { .wanted = wanted, .found = found,
		.arg = &s, .left = CDN_LINK_SCAN_MAX };

	if (s.arena == NULL)
		return cdn_err_nomem(err);
	add_files(&s);
	count_own(&s);
	if (!s.failed && s.file_count > 0 && !all_seen(&s))
		scan_roots(&s, &names);
	cdn_arena_free(s.arena);
	if (s.failed)
		return cdn_err_nomem(err);
	*ret_complete = !names.incomplete || names.stopped;
	return 0;
}
