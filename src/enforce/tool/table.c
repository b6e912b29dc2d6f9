/*
 * table - the tools there are.
 */
#include "enforce/tool/tool.h"

/* ----- What they take, in the order of their values ----------------------------- */

static const struct cdn_tool_field read_takes[] = {
	{ "path", CDN_TOOL_PATH, CDN_TOOL_NEEDED,
	    "The file, relative to the workspace or absolute.", 0, 0, NULL },
	{ "offset", CDN_TOOL_NUMBER, 0,
	    "Byte to begin at; next_offset of an earlier result.", 0,
	    INT64_MAX, NULL },
	{ "limit", CDN_TOOL_NUMBER, 0, "At most so many bytes.", 1,
	    CDN_TOOL_TEXT_MAX, NULL },
	{ 0 },
};

static const struct cdn_tool_field read_gives[] = {
	{ "path", CDN_TOOL_TEXT, CDN_TOOL_NEEDED, "The file that was read.", 0,
	    0, NULL },
	{ "text", CDN_TOOL_TEXT, CDN_TOOL_NEEDED,
	    "Its bytes; those that are not UTF-8 as U+FFFD.", 0, 0, NULL },
	{ "size", CDN_TOOL_NUMBER, CDN_TOOL_NEEDED, "Bytes of the file.", 0, 0,
	    NULL },
	{ "next_offset", CDN_TOOL_NUMBER, CDN_TOOL_NEEDED | CDN_TOOL_NULLABLE,
	    "Where the rest begins; null when there is none.", 0, 0, NULL },
	{ "lossy", CDN_TOOL_BOOL, CDN_TOOL_NEEDED,
	    "Some bytes were not UTF-8.", 0, 0, NULL },
	{ 0 },
};

/* ----- The tools ------------------------------------------------------------------ */

static const struct cdn_tool tools[] = {
	{
		{ "read_text", "Read a text file",
		    "Reads a file of the workspace or of a declared root as "
		    "text, in parts if it is long.",
		    .read_only = true, .idempotent = true },
		read_takes, read_gives, cdn_tool_read_text, NULL,
	},
};

const struct cdn_tool *
cdn_tool_get(size_t i)
{
	return i < CDN_LEN(tools) ? &tools[i] : NULL;
}

/* ----- Names ------------------------------------------------------------------------ */

static const char *
renamed(cdn_str name)
{
	static const struct {
		const char *old, *now;
	} names[] = {
		{ "sandbox_read_text", "read_text" },
		{ "sandbox_write_text", "write_text" },
		{ "sandbox_list", "list_files" },
		{ "sandbox_list_files", "list_files" },
	};

	for (size_t i = 0; i < CDN_LEN(names); i++)
		if (cdn_str_is(name, names[i].old))
			return names[i].now;
	return NULL;
}

static const char *
similar(cdn_str name)
{
	const char *best = NULL;
	unsigned least = 3; /* more is another word */

	for (size_t i = 0; i < CDN_LEN(tools); i++) {
		unsigned far = cdn_str_distance(name,
		    cdn_str_of(tools[i].info.name), least);

		if (far < least) {
			least = far;
			best = tools[i].info.name;
		}
	}
	return best;
}

int
cdn_tool_find(cdn_str name, const struct cdn_tool **ret,
    struct cordon_error *err)
{
	const char *now = renamed(name);

	for (size_t i = 0; i < CDN_LEN(tools); i++)
		if (cdn_str_is(name, tools[i].info.name)) {
			*ret = &tools[i];
			return 0;
		}
	if (now != NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "the tool '%.*s' is called '%s' now", CDN_STR_ARG(name),
		    now);
	now = similar(name);
	return cdn_err(err, CORDON_E_INVALID,
	    "there is no tool '%.*s'%s%s%s", CDN_STR_ARG(name),
	    now != NULL ? " (did you mean '" : "", now != NULL ? now : "",
	    now != NULL ? "'?)" : "");
}
