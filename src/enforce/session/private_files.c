#include "enforce/session/private_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "engine/decide/floor.h"

#define BATCH_BYTES 16384 /* of names, read at once */
#define SPARED	    3	  /* the workspace, the run's home and tmp */

static const char source[] = "<floor>";

struct directory {
	int fd;
	unsigned closed; /* entries found in it */
	bool whole;	 /* closed altogether */
	bool shut;	 /* others may not enter it: all in it is closed */
	bool of_packages; /* see cdn_floor_of_package() */
	const char *path;
};

/* A directory that is still to be read. */
struct work {
	struct work *next;
	bool shut; /* as of struct directory */
	char path[];
};

struct finding {
	char *path;
	bool is_directory;
	nlink_t nlink;
};

struct private_scan {
	struct work *first; /* to do */
	size_t looked;	    /* entries */
	bool failed;	    /* out of memory */
	struct finding *found;
	size_t count, room;
	char *roots[CDN_FLOOR_PRIVATE]; /* real paths; NULL: missing */
	const char *spared[SPARED];	/* see begin_again() */
	size_t spared_count;
};

/* ----- Findings -------------------------------------------------------------------- */

static void
add_finding(struct private_scan *scan, const char *dir, const char *name,
    const struct stat *st)
{
	struct finding *v = scan->found;
	struct finding finding = { .is_directory = S_ISDIR(st->st_mode),
		.nlink = st->st_nlink };

	if (scan->count == scan->room) {
		size_t room = scan->room == 0 ? 64 : 2 * scan->room;

		v = reallocarray(v, room, sizeof(*v));
		if (v == NULL) {
			scan->failed = true;
			return;
		}
		scan->found = v;
		scan->room = room;
	}
	if (asprintf(&finding.path, "%s%s%s", dir, name[0] == '\0' ? "" : "/",
		name) < 0) {
		scan->failed = true;
		return;
	}
	v[scan->count++] = finding;
}

/* What cannot be looked at entry by entry is closed altogether. */
static void
close_whole(struct private_scan *scan, const char *path)
{
	const struct stat st = { .st_mode = S_IFDIR };

	add_finding(scan, path, "", &st);
}

static void
close_entry(struct private_scan *scan, struct directory *dir,
    const char *name, const struct stat *st)
{
	if (dir->whole)
		return;
	if (dir->closed++ < CDN_PRIVATE_ENTRIES_MAX) {
		add_finding(scan, dir->path, name, st);
		return;
	}
	dir->whole = true;
	close_whole(scan, dir->path);
}

/* ----- Work ------------------------------------------------------------------------ */

static void
push_directory(struct private_scan *scan, const char *dir,
    const char *name, bool shut)
{
	size_t n = strlen(dir) + 1 + strlen(name) + 1;
	struct work *work = malloc(sizeof(*work) + n);

	if (work == NULL) {
		scan->failed = true;
		return;
	}
	work->shut = shut;
	snprintf(work->path, n, "%s%s%s", dir, name[0] == '\0' ? "" : "/",
	    name);
	work->next = scan->first;
	scan->first = work;
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Does a spared place lie at or below DIR/NAME? */
static bool
holds_spared(const struct private_scan *scan, const struct directory *dir,
    const char *name)
{
	size_t n = strlen(dir->path), k = strlen(name);

	for (size_t i = 0; i < scan->spared_count; i++) {
		const char *path = scan->spared[i];

		if (strncmp(path, dir->path, n) == 0 && path[n] == '/' &&
		    strncmp(path + n + 1, name, k) == 0 &&
		    (path[n + 1 + k] == '/' || path[n + 1 + k] == '\0'))
			return true;
	}
	return false;
}

/* What an entry of this mode means. */
static void
take_entry(struct private_scan *scan, struct directory *dir,
    const char *name, const struct stat *st)
{
	bool is_directory = S_ISDIR(st->st_mode);
	bool shut = dir->shut ||
	    (st->st_mode & (is_directory ? S_IXOTH : S_IROTH)) == 0;

	if (is_directory && holds_spared(scan, dir, name))
		push_directory(scan, dir->path, name, shut);
	else if (shut)
		close_entry(scan, dir, name, st);
	else if (is_directory)
		push_directory(scan, dir->path, name, false);
}

/* Where a symlink leads is not below the directory; sockets are connected to. */
static bool
is_looked_at(const struct directory *dir, const struct dirent64 *entry)
{
	if (entry->d_type == DT_LNK || entry->d_type == DT_SOCK ||
	    is_dots(entry->d_name))
		return false;
	return !dir->of_packages || dir->shut || entry->d_type != DT_REG ||
	    !cdn_floor_of_package(cdn_str_of(entry->d_name));
}

static void
look_at_entry(struct private_scan *scan, struct directory *dir,
    const char *name)
{
	struct stat st;
	int error = fstatat(dir->fd, name, &st,
	    AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 ? 0 : errno;

	if (error == ENOENT)
		return;
	if (error != 0)
		st = (struct stat){ .st_mode = S_IFDIR };
	if (error == 0 && (S_ISLNK(st.st_mode) || S_ISSOCK(st.st_mode)))
		return;
	if (error != 0)
		close_entry(scan, dir, name, &st);
	else
		take_entry(scan, dir, name, &st);
}

static void
look_at_entries(struct private_scan *scan, struct directory *dir,
    const char *entries, size_t size)
{
	for (size_t at = 0; at < size;) {
		const struct dirent64 *entry = (const void *)(entries + at);

		at += entry->d_reclen;
		scan->looked++;
		if (is_looked_at(dir, entry))
			look_at_entry(scan, dir, entry->d_name);
	}
}

/* True: all of it was read and is within the bound. */
static bool
read_entries(struct private_scan *scan, struct directory *dir)
{
	_Alignas(struct dirent64) CDN_UNINITIALIZED char room[BATCH_BYTES];
	ssize_t n;

	while ((n = getdents64(dir->fd, (void *)room, sizeof(room))) > 0) {
		look_at_entries(scan, dir, room, (size_t)n);
		if (scan->looked > CDN_PRIVATE_SCAN_MAX)
			return false;
	}
	return n == 0;
}

static void
read_directory(struct private_scan *scan, const struct work *work)
{
	struct directory dir = { .shut = work->shut, .path = work->path,
		.of_packages = strcmp(work->path, CDN_FLOOR_PACKAGES) == 0 };

	dir.fd = open(work->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		O_NONBLOCK | O_CLOEXEC);
	if (dir.fd < 0) {
		if (errno != ENOENT)
			close_whole(scan, work->path);
		return;
	}
	if (!read_entries(scan, &dir))
		close_whole(scan, work->path);
	close(dir.fd);
}

static void
work_off(struct private_scan *scan)
{
	struct work *work;

	while ((work = scan->first) != NULL) {
		scan->first = work->next;
		read_directory(scan, work);
		free(work);
	}
}

/* ----- Life ------------------------------------------------------------------------ */

static void
find_roots(struct private_scan *scan)
{
	for (size_t i = 0; i < CDN_FLOOR_PRIVATE; i++) {
		const char *path = cdn_floor_private(i)->path;

		scan->roots[i] = realpath(path, NULL);
		if (scan->roots[i] != NULL || errno == ENOENT)
			continue;
		scan->failed |= errno == ENOMEM;
		scan->roots[i] = strdup(path);
		scan->failed |= scan->roots[i] == NULL;
	}
}

static void
push_roots(struct private_scan *scan)
{
	for (size_t i = 0; i < CDN_FLOOR_PRIVATE; i++)
		if (scan->roots[i] != NULL)
			push_directory(scan, scan->roots[i], "", false);
}

static void
forget_findings(struct private_scan *scan)
{
	for (size_t i = 0; i < scan->count; i++)
		free(scan->found[i].path);
	scan->count = 0;
}

static void
end_scan(struct private_scan *scan)
{
	for (struct work *work = scan->first, *next; work != NULL; work = next) {
		next = work->next;
		free(work);
	}
	forget_findings(scan);
	free(scan->found);
	for (size_t i = 0; i < CDN_FLOOR_PRIVATE; i++)
		free(scan->roots[i]);
}

/* ----- Places ---------------------------------------------------------------------- */

/* Only a place strictly below a root is an exception; "/" and /etc are not. */
static void
spare(struct private_scan *scan, const char *path)
{
	for (size_t i = 0; i < CDN_FLOOR_PRIVATE; i++)
		if (scan->roots[i] != NULL &&
		    cdn_placelist_below(path, scan->roots[i]) &&
		    strcmp(path, scan->roots[i]) != 0) {
			scan->spared[scan->spared_count++] = path;
			return;
		}
}

static bool
closes_spared(const struct private_scan *scan, const char *path)
{
	for (size_t i = 0; i < scan->spared_count; i++)
		if (cdn_placelist_below(scan->spared[i], path))
			return true;
	return false;
}

static bool
is_inside_spared(const struct private_scan *scan, const char *path)
{
	for (size_t i = 0; i < scan->spared_count; i++)
		if (cdn_placelist_below(path, scan->spared[i]))
			return true;
	return false;
}

/*
 * Rare, so simply all of it once more, now that it is known which directories
 * must not be closed altogether.
 */
static void
begin_again(struct private_scan *scan)
{
	forget_findings(scan);
	scan->looked = 0;
	push_roots(scan);
	work_off(scan);
}

static int
order(const void *a, const void *b)
{
	return strcmp(((const struct finding *)a)->path,
	    ((const struct finding *)b)->path);
}

static void
add_place(struct cdn_placelist *closed, const struct finding *finding)
{
	struct cdn_place like = { .pos = { .source = source } };
	struct cdn_found found = { .exists = true,
		.is_directory = finding->is_directory,
		.nlink = finding->nlink,
		.path = cdn_arena_dup(closed->g->arena, finding->path,
		    strlen(finding->path)) };

	cdn_placelist_found(closed, &found, &like);
}

static void
add_places(struct cdn_placelist *closed, const struct private_scan *scan)
{
	for (size_t i = 0; i < scan->count && closed->g->code == 0; i++) {
		const struct finding *finding = &scan->found[i];

		if (is_inside_spared(scan, finding->path))
			continue;
		if (closes_spared(scan, finding->path))
			closed->g->code = cdn_err(closed->g->err,
			    CORDON_E_INVALID, "'%s' holds the workspace or the "
			    "run's home, and more files that others may not "
			    "read than can be closed one by one",
			    finding->path);
		else if (!cdn_placelist_covers(closed, finding->path))
			add_place(closed, finding);
	}
}

static void
scan_for(struct private_scan *scan, const struct cordon_session *s)
{
	bool again = false;

	find_roots(scan);
	push_roots(scan);
	work_off(scan);
	spare(scan, s->workspace);
	spare(scan, s->own.home);
	spare(scan, s->own.tmp);
	for (size_t i = 0; i < scan->count; i++)
		again |= closes_spared(scan, scan->found[i].path);
	if (again)
		begin_again(scan);
	if (scan->count > 0)
		qsort(scan->found, scan->count, sizeof(*scan->found), order);
}

void
cdn_private_files_add(struct cdn_placelist *closed)
{
	struct private_scan scan = { 0 };

	if (geteuid() != 0 || closed->g->session->only_inside)
		return;
	scan_for(&scan, closed->g->session);
	if (scan.failed && closed->g->code == 0)
		closed->g->code = cdn_err_nomem(closed->g->err);
	add_places(closed, &scan);
	end_scan(&scan);
}
