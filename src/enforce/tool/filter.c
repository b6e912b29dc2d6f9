/*
 * filter - what a worker's document says about files, on top of the policy.
 *
 * Suffixes and sizes are a matter of the tools alone: a command that the worker
 * runs is not held by them.
 */
#include "enforce/tool/tool.h"

#include "enforce/session/workers.h"

/* ----- Roots --------------------------------------------------------------------- */

static bool
lies_in(const char *path, const char *root)
{
	size_t n = strlen(root);

	return n == 1 || (strncmp(path, root, n) == 0 &&
	    (path[n] == '/' || path[n] == '\0'));
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Those of the worker that was called last, without those inside others. */
static size_t
take_roots(const struct cdn_seat *seat, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < seat->place_count; i++) {
		bool inner = seat->places[i].entry == NULL;

		for (size_t k = 0; k < n && !inner; k++)
			inner = lies_in(seat->places[i].path, ret[k]);
		if (!inner)
			ret[n++] = seat->places[i].path;
	}
	return n;
}

int
cdn_tool_roots(struct cordon_tools *tools, struct cordon_error *err)
{
	const struct cordon_session *session = tools->options.session;
	const struct cdn_seat *seat;

	if (session->worker_count == 0)
		return 0;
	seat = &session->workers[session->worker_count - 1];
	tools->roots = cdn_arena_array(tools->arena, seat->place_count + 1,
	    sizeof(*tools->roots));
	if (tools->roots == NULL)
		return cdn_err_nomem(err);
	tools->root_count = take_roots(seat, tools->roots);
	qsort(tools->roots, tools->root_count, sizeof(*tools->roots), by_path);
	return 0;
}

/* ----- Files ----------------------------------------------------------------------- */

static enum cordon_refusal
judge(const struct cdn_tool_call *call, const struct cdn_real *real,
    uint64_t size, struct cordon_filter *ret)
{
	cdn_workers_filter(call->tools->options.session,
	    (cdn_str){ real->path, real->len }, ret);
	if (!ret->suffix_fits)
		return CORDON_REFUSAL_SUFFIX;
	return size > ret->max_file_bytes ? CORDON_REFUSAL_SIZE :
					    CORDON_REFUSAL_NONE;
}

bool
cdn_tool_filter_takes(const struct cdn_tool_call *call,
    const struct cdn_real *real, uint64_t size)
{
	struct cordon_filter filter;

	return judge(call, real, size, &filter) == CORDON_REFUSAL_NONE;
}

/* What refused it stands in the worker's document. */
static int
name_rule(struct cdn_tool_call *call, const struct cordon_filter *filter,
    const char *rule, int code)
{
	call->refused.has_verdict = true;
	call->refused.verdict = (struct cordon_verdict){
		.decision = CORDON_DENY,
		.as = CORDON_AS_AGENT,
		.operation = CORDON_READ,
		.layer = CORDON_LAYER_WORKER,
		.profile = call->tools->options.session->profile,
		.matched_rule = rule,
		.source = filter->source,
		.line = filter->line,
	};
	return code;
}

int
cdn_tool_filter(struct cdn_tool_call *call, const struct cdn_real *real,
    uint64_t size)
{
	struct cordon_filter filter;
	enum cordon_refusal why = judge(call, real, size, &filter);

	if (why == CORDON_REFUSAL_NONE)
		return 0;
	if (why == CORDON_REFUSAL_SUFFIX)
		return name_rule(call, &filter, "suffixes",
		    cdn_tool_refuse(call, why,
			"'%s' has none of the suffixes that the worker takes "
			"in '%s' (%s:%u)", real->path, filter.id,
			filter.source, filter.line));
	return name_rule(call, &filter, "max_file_bytes",
	    cdn_tool_refuse(call, why,
		"'%s' has %llu bytes, and the worker takes %llu in '%s' "
		"(%s:%u)", real->path, (unsigned long long)size,
		filter.max_file_bytes, filter.id, filter.source, filter.line));
}
