/*
 * Calls of tools: whatever the arguments are, there is an answer, it is JSON,
 * and nothing was written.  The first byte says which tool; all are dry runs.
 */
#include <assert.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cordon_tools *tools;
static char workspace[] = "/tmp/cordon-fuzz-tool-XXXXXX";

static void
leave(void)
{
	rmdir(workspace);
}

/* An empty directory: what is not there cannot differ from run to run. */
static void
begin(void)
{
	static const struct cordon_run_options quiet = { .size = sizeof(quiet),
		.audit = "" };
	static struct cordon_session_options made = { .size = sizeof(made),
		.workspace = workspace };
	struct cordon_session *session = NULL;
	struct cordon_tools_options options = { .size = sizeof(options),
		.session_options = &made, .run = &quiet };

	assert(mkdtemp(workspace) != NULL);
	atexit(leave);
	assert(cordon_session_new(&made, NULL, &session, NULL) == 0);
	options.session = session;
	assert(cordon_tools_new(&options, &tools, NULL) == 0);
}

static bool
is_empty(void)
{
	DIR *dir = opendir(workspace);
	size_t n = 0;

	assert(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n == 2; /* "." and ".." */
}

static void
check_answer(const struct cordon_tool_result *result)
{
	static const struct cdn_json_options options = {
		.max_bytes = CDN_TOOL_RESULT_MAX, .max_depth = 64 };
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_json json;

	assert(arena != NULL);
	assert(cdn_json_parse((cdn_str){ result->json, result->json_len },
	    &options, arena, &json, NULL) == 0);
	assert(cdn_json_find(&json, json.nodes, "schema") != NULL);
	assert(result->code < CORDON_REFUSAL_MAX);
	cdn_arena_free(arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cordon_tool_call call = { .size = sizeof(call),
		.dry_run = true };
	struct cordon_tool_result result = { 0 };
	struct cordon_tool_info info;
	char *arguments;

	if (tools == NULL)
		begin();
	if (size < 1 || !cordon_tool_info((size_t)(data[0] - '0'), &info))
		return 0;
	arguments = malloc(size);
	assert(arguments != NULL);
	memcpy(arguments, data + 1, size - 1);
	call.name = info.name;
	call.arguments = arguments;
	call.arguments_len = size - 1;
	if (cordon_tools_call(tools, &call, &result, NULL) == 0)
		check_answer(&result);
	cordon_tool_result_done(&result);
	free(arguments);
	assert(is_empty());
	return 0;
}
