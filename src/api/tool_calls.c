/*
 * The tools of an agent.
 */
#include "api/api.h"

#include "enforce/tool/tool.h"

bool
cordon_tool_info(size_t i, struct cordon_tool_info *ret)
{
	const struct cdn_tool *tool = cdn_tool_get(i);

	if (tool == NULL || ret == NULL)
		return false;
	*ret = tool->info;
	return true;
}

int
cordon_tool_schema(size_t i, enum cordon_tool_schema which, char **ret,
    struct cordon_error *err)
{
	const struct cdn_tool *tool = cdn_tool_get(i);
	struct cdn_buf buf;
	int code;

	CDN_NEED(ret, err);
	if (tool == NULL || (unsigned)which > CORDON_TOOL_OUTPUT)
		return cdn_err(err, CORDON_E_INVALID, "there is no such tool");
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	code = cdn_tool_schema(tool, which, &buf, err);
	return cdn_api_give(code, &buf, ret, err);
}

int
cordon_tools_new(const struct cordon_tools_options *options,
    struct cordon_tools **ret, struct cordon_error *err)
{
	struct cordon_session_options made;
	struct cordon_tools_options known;
	int code = 0;

	CDN_NEED(options, err);
	CDN_NEED(ret, err);
	if (options->size < sizeof(*options))
		return cdn_err(err, CORDON_E_INVALID,
		    "options: set .size to sizeof(options)");
	CDN_NEED(options->session, err);
	known = *options;
	if (options->run != NULL)
		code = cdn_api_run_options(options->run, err);
	if (code == 0 && options->session_options != NULL) {
		code = cdn_api_session_options(options->session_options,
		    &made, err);
		known.session_options = &made;
	}
	return code != 0 ? code : cdn_tools_new(&known, ret, err);
}

void
cordon_tools_free(struct cordon_tools *tools)
{
	cdn_tools_free(tools);
}

int
cordon_tools_call(struct cordon_tools *tools,
    const struct cordon_tool_call *call, struct cordon_tool_result *ret,
    struct cordon_error *err)
{
	CDN_NEED(tools, err);
	CDN_NEED(call, err);
	CDN_NEED(ret, err);
	if (call->size < sizeof(*call))
		return cdn_err(err, CORDON_E_INVALID,
		    "call: set .size to sizeof(call)");
	CDN_NEED(call->name, err);
	CDN_NEED(call->arguments, err);
	return cdn_tools_call(tools, call, ret, err);
}

void
cordon_tool_result_done(struct cordon_tool_result *result)
{
	if (result == NULL)
		return;
	free(result->json);
	result->json = NULL;
	result->json_len = 0;
}
