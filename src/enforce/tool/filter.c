/*
 * filter - what a worker's document says about files, on top of the policy.
 *
 * Suffixes and sizes are a matter of the tools alone: a command that the worker
 * runs is not held by them.
 */
#include "enforce/tool/tool.h"

/* ----- Roots --------------------------------------------------------------------- */

/* "~" is the caller's home: documents may say so, agents may not. */
static const char *
expanded(const struct cordon_tools *tools, cdn_str root)
{
	if (root.n == 0 || root.p[0] != '~' ||
	    (root.n > 1 && root.p[1] != '/'))
		return root.p;
	return cdn_arena_join(tools->arena,
	    cdn_str_of(tools->options.session->places.home),
	    cdn_str_from(root, 1));
}

static int
find_root(const struct cordon_tools *tools, const struct cdn_worker_path *path,
    struct cdn_tool_root *ret, struct cordon_error *err)
{
	const char *text = expanded(tools, path->root);
	struct cdn_real real;
	int code = text == NULL ? cdn_err_nomem(err) :
	    cdn_session_find(tools->options.session,
		tools->options.session->workspace, cdn_str_of(text), &real,
		err);

	if (code != 0)
		return code;
	*ret = (struct cdn_tool_root){ path,
		cdn_arena_dup(tools->arena, real.path, real.len), real.len,
		false };
	return ret->real == NULL ? cdn_err_nomem(err) : 0;
}

static bool
holds(const struct cdn_tool_root *root, const char *path, size_t len)
{
	return root->len == 1 || (len >= root->len &&
	    memcmp(path, root->real, root->len) == 0 &&
	    (path[root->len] == '/' || path[root->len] == '\0'));
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct cdn_tool_root *)a)->real,
	    ((const struct cdn_tool_root *)b)->real);
}

int
cdn_tool_roots(struct cordon_tools *tools, struct cordon_error *err)
{
	const struct cordon_worker *worker = tools->options.worker;
	struct cdn_tool_root *roots;
	int code = 0;

	if (worker == NULL || worker->path_count == 0)
		return 0;
	roots = cdn_arena_array(tools->arena, worker->path_count,
	    sizeof(*roots));
	if (roots == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < worker->path_count && code == 0; i++)
		code = find_root(tools, &worker->paths[i], &roots[i], err);
	if (code != 0)
		return code;
	qsort(roots, worker->path_count, sizeof(*roots), by_path);
	for (size_t i = 1; i < worker->path_count; i++)
		for (size_t j = 0; j < i; j++)
			roots[i].inner |= !roots[j].inner &&
			    holds(&roots[j], roots[i].real, roots[i].len);
	tools->roots = roots;
	tools->root_count = worker->path_count;
	return 0;
}

/* ----- Files ----------------------------------------------------------------------- */

/* The innermost root that holds it. */
static const struct cdn_worker_path *
path_of(const struct cordon_tools *tools, const struct cdn_real *real)
{
	const struct cdn_tool_root *best = NULL;

	for (size_t i = 0; i < tools->root_count; i++)
		if (holds(&tools->roots[i], real->path, real->len) &&
		    (best == NULL || best->len <= tools->roots[i].len))
			best = &tools->roots[i];
	return best != NULL ? best->path : NULL;
}

static bool
has_suffix(const struct cdn_worker_path *path, const struct cdn_real *real)
{
	if (!path->suffixes.given)
		return true;
	for (size_t i = 0; i < path->suffixes.n; i++)
		if (cdn_str_ends((cdn_str){ real->path, real->len },
			path->suffixes.v[i]))
			return true;
	return false;
}

static enum cordon_refusal
judge(const struct cdn_worker_path *path, const struct cdn_real *real,
    uint64_t size)
{
	if (path == NULL)
		return CORDON_REFUSAL_NONE;
	if (!has_suffix(path, real))
		return CORDON_REFUSAL_SUFFIX;
	if (path->max_file_bytes.given && size > path->max_file_bytes.value)
		return CORDON_REFUSAL_SIZE;
	return CORDON_REFUSAL_NONE;
}

bool
cdn_tool_filter_takes(const struct cdn_tool_call *call,
    const struct cdn_real *real, uint64_t size)
{
	return judge(path_of(call->tools, real), real, size) ==
	    CORDON_REFUSAL_NONE;
}

int
cdn_tool_filter(struct cdn_tool_call *call, const struct cdn_real *real,
    uint64_t size)
{
	const struct cdn_worker_path *path = path_of(call->tools, real);
	enum cordon_refusal why = judge(path, real, size);

	switch (why) {
	case CORDON_REFUSAL_NONE:
		return 0;
	case CORDON_REFUSAL_SUFFIX:
		return cdn_tool_refuse(call, why,
		    "'%s' has none of the suffixes that the worker takes in "
		    "'%.*s'", real->path, CDN_STR_ARG(path->id));
	default:
		return cdn_tool_refuse(call, why,
		    "'%s' has %llu bytes, and the worker takes %llu in "
		    "'%.*s'", real->path, (unsigned long long)size,
		    (unsigned long long)path->max_file_bytes.value,
		    CDN_STR_ARG(path->id));
	}
}
