#include "enforce/tool/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define PAUSE 256 /* entries between looks at whether to stop */

/* ----- Order ----------------------------------------------------------------------- */

/* As if '/' were the smallest byte: what is in a directory follows it. */
static int
compare(cdn_str a, cdn_str b)
{
	for (size_t i = 0; i < a.n && i < b.n; i++) {
		unsigned char x = (unsigned char)a.p[i];
		unsigned char y = (unsigned char)b.p[i];

		if (x == y)
			continue;
		if (x == '/' || y == '/')
			return x == '/' ? -1 : 1;
		return x < y ? -1 : 1;
	}
	return a.n == b.n ? 0 : a.n < b.n ? -1 : 1;
}

static bool
is_above(cdn_str dir, cdn_str path)
{
	return dir.n < path.n && path.p[dir.n] == '/' &&
	    memcmp(dir.p, path.p, dir.n) == 0;
}

/* ----- The names of one directory ---------------------------------------------------- */

struct names {
	struct cdn_buf bytes; /* one behind the other, NUL between */
	char **v;
	size_t n;
};

static void
names_done(struct names *names)
{
	free(names->v);
	cdn_buf_done(&names->bytes);
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* False: out of memory. */
static bool
sort(struct names *names)
{
	char *p = names->bytes.p;

	names->v = calloc(names->n + 1, sizeof(*names->v));
	if (names->v == NULL)
		return false;
	for (size_t i = 0; i < names->n; i++) {
		names->v[i] = p;
		p += strlen(p) + 1;
	}
	qsort(names->v, names->n, sizeof(*names->v), by_bytes);
	return true;
}

/* 0 or an errno. */
static int
collect(DIR *dir, struct names *names)
{
	const struct dirent *entry;

	errno = 0;
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		if (names->n++ >= CDN_TOOL_LOOKS_MAX)
			return E2BIG;
		cdn_buf_add(&names->bytes, entry->d_name,
		    strlen(entry->d_name) + 1);
		errno = 0;
	}
	return errno;
}

static int
read_names(struct cdn_tool_walk *w, int fd, const struct cdn_real *real,
    struct names *ret)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	int sys_errno;

	*ret = (struct names){ 0 };
	cdn_buf_init(&ret->bytes, CDN_TOOL_NAMES_MAX);
	if (dir == NULL) {
		sys_errno = errno;
		if (copy >= 0)
			close(copy);
		return cdn_tool_refuse_sys(w->call, sys_errno, "list",
		    cdn_str_of(real->path));
	}
	sys_errno = collect(dir, ret);
	closedir(dir);
	if (sys_errno != 0)
		return cdn_tool_refuse_sys(w->call, sys_errno, "list",
		    cdn_str_of(real->path));
	if (cdn_buf_failed(&ret->bytes) || !sort(ret))
		return cdn_tool_nomem(w->call);
	return 0;
}

/* ----- Entries ------------------------------------------------------------------------- */

/* What was refused to a walk is only left out. */
static int
left_out(struct cdn_tool_walk *w, int code)
{
	if (code == CORDON_E_NOMEM)
		return cdn_tool_nomem(w->call);
	w->unreached += code == CORDON_E_INVALID; /* the path is too long */
	w->call->refused = (struct cordon_refused){ 0 };
	return 0;
}

static int
pause_now(struct cdn_tool_walk *w)
{
	const struct cordon_tool_call *asked = w->call->asked;

	if (++w->looks % PAUSE != 0)
		return 0;
	if (asked->progress != NULL)
		asked->progress(w->looks, asked->progress_arg);
	return cdn_tool_check_cancel(w->call);
}

/* Remembers where it was, before anything is left out behind it. */
static int
stop(struct cdn_tool_walk *w, cdn_str shown)
{
	w->more = true;
	if (!cdn_arena_str(w->call->arena, shown, &w->last))
		return cdn_tool_nomem(w->call);
	return CDN_TOOL_STOP;
}

static int walk_dir(struct cdn_tool_walk *w, int fd,
    const struct cdn_real *real, unsigned depth);

static int
enter(struct cdn_tool_walk *w, int dir, const struct cdn_real *dir_real,
    const char *name, struct cdn_child *child, unsigned depth)
{
	int fd = -1;
	int code;

	if (!w->recursive || !S_ISDIR(child->mode))
		return 0;
	if (depth >= CDN_TOOL_DEPTH_MAX) {
		w->unreached++;
		return 0;
	}
	code = cdn_gate_child_open(&w->call->tools->policy, dir, dir_real,
	    name, &fd, child, &w->call->refused, &w->call->err);
	if (code != 0)
		return left_out(w, code);
	code = S_ISDIR(child->mode) ?
	    walk_dir(w, fd, &child->real, depth + 1) : 0;
	close(fd);
	return code;
}

static int
visit(struct cdn_tool_walk *w, int dir, const struct cdn_real *dir_real,
    const char *name, struct cdn_child *child, unsigned depth)
{
	cdn_str shown;
	int code = cdn_gate_child(&w->call->tools->policy, dir, dir_real, name,
	    child, &w->call->refused, &w->call->err);

	if (code != 0)
		return left_out(w, code);
	shown = cdn_tool_shown(w->call, &child->real);
	if (compare(shown, w->after) > 0) {
		struct cdn_tool_entry entry = { dir, dir_real, name, child,
			shown, cdn_str_from((cdn_str){ child->real.path,
			    child->real.len }, w->skip) };

		code = w->each(w, &entry);
		if (code == CDN_TOOL_STOP || (code == 0 &&
		    w->looks >= CDN_TOOL_LOOKS_MAX))
			return stop(w, shown);
		if (code != 0)
			return code;
	} else if (compare(shown, w->after) < 0 && !is_above(shown, w->after)) {
		return 0;
	}
	return enter(w, dir, dir_real, name, child, depth);
}

static int
walk_dir(struct cdn_tool_walk *w, int fd, const struct cdn_real *real,
    unsigned depth)
{
	struct cdn_child *child = malloc(sizeof(*child));
	struct names names;
	int code;

	if (child == NULL)
		return cdn_tool_nomem(w->call);
	code = read_names(w, fd, real, &names);
	for (size_t i = 0; i < names.n && code == 0; i++) {
		code = pause_now(w);
		if (code == 0)
			code = visit(w, fd, real, names.v[i], child, depth);
	}
	names_done(&names);
	free(child);
	return code;
}

/* ----- All of it ------------------------------------------------------------------------- */

static int
walk_from(struct cdn_tool_walk *w, cdn_str path)
{
	struct cdn_tool_file file;
	int code = cdn_tool_open(w->call, path, O_RDONLY, &file);
	const char *top;
	size_t n;

	if (code != 0)
		return code;
	top = w->has_path ? file.real.path :
			    w->call->tools->policy.session->workspace;
	n = strlen(top);
	if (strncmp(file.real.path, top, n) != 0)
		n = file.real.len;
	w->skip = n > 1 ? n + 1 : 1;
	if (file.is_directory)
		code = walk_dir(w, file.fd, &file.real, 0);
	else
		code = cdn_tool_refuse(w->call, CORDON_REFUSAL_INVALID,
		    "'%s' is no directory", file.real.path);
	close(file.fd);
	return code;
}

int
cdn_tool_walk_run(struct cdn_tool_walk *w)
{
	const struct cordon_tools *tools = w->call->tools;
	int code = 0;

	if (w->has_path || tools->root_count == 0)
		code = walk_from(w, w->path);
	else
		for (size_t i = 0; i < tools->root_count && code == 0; i++)
			code = walk_from(w, cdn_str_of(tools->roots[i]));
	return code == CDN_TOOL_STOP ? 0 : code;
}

int
cdn_tool_entry_open(struct cdn_tool_walk *w,
    const struct cdn_tool_entry *entry, int *ret_fd, struct cdn_child *ret)
{
	int code = cdn_gate_child_open(&w->call->tools->policy, entry->dir,
	    entry->dir_real, entry->name, ret_fd, ret, &w->call->refused,
	    &w->call->err);

	*ret_fd = code == 0 ? *ret_fd : -1;
	return code == 0 ? 0 : left_out(w, code);
}

void
cdn_tool_walk_put_next(const struct cdn_tool_walk *w)
{
	cdn_json_put_key(w->call->result, "next");
	if (w->more)
		cdn_json_put_string(w->call->result, w->last);
	else
		cdn_json_put_null(w->call->result);
	if (w->unreached == 0)
		return;
	cdn_json_put_key(w->call->result, "unreached");
	cdn_json_put_uint(w->call->result, w->unreached);
}
