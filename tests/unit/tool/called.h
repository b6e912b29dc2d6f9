/*
 * called - tools over a session in a fresh directory.
 */
#ifndef CDN_TESTS_TOOL_CALLED_H
#define CDN_TESTS_TOOL_CALLED_H

#include "unit/session/made.h"

/* What the options do not say is none; the audit too. */
static inline struct cordon_tools *
called_tools(struct cordon_tools_options options)
{
	static const struct cordon_run_options quiet = {
		.size = sizeof(quiet), .audit = "" };
	struct cordon_tools *tools = NULL;
	struct cordon_error err = { 0 };

	options.size = sizeof(options);
	if (options.run == NULL)
		options.run = &quiet;
	if (cordon_tools_new(&options, &tools, &err) != 0) {
		printf("# %s\n", err.text);
		need(false, "tools");
	}
	return tools;
}

/* The JSON, for free(); *ret_code is what became of it. */
static inline char *
called(struct cordon_tools *tools, const char *name, const char *arguments,
    enum cordon_refusal *ret_code)
{
	struct cordon_tool_call call = { .size = sizeof(call), .name = name,
		.arguments = arguments, .arguments_len = strlen(arguments) };
	struct cordon_tool_result result = { 0 };
	struct cordon_error err = { 0 };

	if (cordon_tools_call(tools, &call, &result, &err) != 0) {
		printf("# %s\n", err.text);
		need(false, name);
	}
	*ret_code = result.code;
	return result.json;
}

#endif
