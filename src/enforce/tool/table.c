/*
 * table - the tools there are.
 */
#include "enforce/tool/tool.h"

#define MUST CDN_TOOL_NEEDED
#define MAY  CDN_TOOL_OPTIONAL

#define TEXT(name, flags, text) \
	{ name, CDN_TOOL_TEXT, flags, text, 0, 0, NULL }
#define PATH(flags, text) { "path", CDN_TOOL_PATH, flags, text, 0, 0, NULL }
#define BOOL(name, flags, text) \
	{ name, CDN_TOOL_BOOL, flags, text, 0, 0, NULL }
#define NUMBER(name, flags, min, max, text) \
	{ name, CDN_TOOL_NUMBER, flags, text, min, max, NULL }
#define ROWS(name, row, text) \
	{ name, CDN_TOOL_ROWS, MUST, text, 0, 0, row }
#define END { 0 }

#define A_FILE	  "The file, relative to the workspace or absolute."
#define A_PLACE	  "The directory to begin at; without it all that is open."
#define A_PATTERN "* one name, ** any directories, ? one character, as in policies."
#define AFTER \
	TEXT("after", MAY, "\"next\" of an earlier result: go on behind it.")
#define NEXT \
	TEXT("next", MUST | CDN_TOOL_NULLABLE, \
	    "Give it as \"after\" for the rest; null when there is none.")

/* ----- What they take and give, in the order of their values --------------------- */

static const struct cdn_tool_field read_takes[] = {
	PATH(MUST, A_FILE),
	NUMBER("offset", MAY, 0, INT64_MAX,
	    "Byte to begin at: \"next_offset\" of an earlier result."),
	NUMBER("limit", MAY, 1, CDN_TOOL_TEXT_MAX, "At most so many bytes."),
	END,
};

static const struct cdn_tool_field read_gives[] = {
	TEXT("path", MUST, "The file that was read."),
	TEXT("text", MUST, "Its bytes; those that are not UTF-8 as U+FFFD."),
	NUMBER("size", MUST, 0, 0, "Bytes of the file."),
	NUMBER("next_offset", MUST | CDN_TOOL_NULLABLE, 0, 0,
	    "Where the rest begins; null when there is none."),
	BOOL("lossy", MUST, "Some bytes were not UTF-8."),
	END,
};

static const struct cdn_tool_field write_takes[] = {
	PATH(MUST, A_FILE),
	TEXT("content", MUST, "All that the file is to hold."),
	END,
};

static const struct cdn_tool_field write_gives[] = {
	TEXT("path", MUST, "The file that was written."),
	NUMBER("size", MUST, 0, 0, "Bytes of the file."),
	BOOL("created", MUST, "It was not there before."),
	END,
};

static const struct cdn_tool_field edit_takes[] = {
	PATH(MUST, A_FILE),
	TEXT("old", MUST, "Text in the file, byte for byte; found once."),
	TEXT("new", MUST, "What takes its place."),
	BOOL("all", MAY, "Replace it wherever it is found."),
	END,
};

static const struct cdn_tool_field edit_gives[] = {
	TEXT("path", MUST, "The file that was changed."),
	NUMBER("size", MUST, 0, 0, "Bytes of the file."),
	BOOL("created", MUST, "Always false."),
	NUMBER("replaced", MUST, 0, 0, "How often it was found."),
	END,
};

static const struct cdn_tool_field list_takes[] = {
	PATH(MAY, A_PLACE),
	TEXT("pattern", MAY, "Only what fits, by its name. " A_PATTERN),
	NUMBER("limit", MAY, 1, CDN_TOOL_ROWS_MAX,
	    "At most so many entries; 1000 without it."),
	AFTER,
	END,
};

static const struct cdn_tool_field glob_takes[] = {
	TEXT("pattern", MUST, "Paths below the directory. " A_PATTERN),
	PATH(MAY, A_PLACE),
	NUMBER("limit", MAY, 1, CDN_TOOL_ROWS_MAX,
	    "At most so many entries; 1000 without it."),
	AFTER,
	END,
};

static const struct cdn_tool_field entry_row[] = {
	TEXT("path", MUST, "Relative to the workspace where it lies in it."),
	TEXT("type", MUST, "file, directory, link or other."),
	NUMBER("size", MUST | CDN_TOOL_NULLABLE, 0, 0, "Bytes of a file."),
	END,
};

#define UNREACHED \
	NUMBER("unreached", MAY, 0, 0, \
	    "Entries left out because their paths are too long or too deep.")

static const struct cdn_tool_field list_gives[] = {
	ROWS("entries", entry_row, "What may be read, by name."),
	NEXT,
	UNREACHED,
	END,
};

static const struct cdn_tool_field grep_takes[] = {
	TEXT("text", MUST, "The text to look for, in one line; no pattern."),
	PATH(MAY, A_PLACE),
	TEXT("files", MAY, "Only in files that fit. " A_PATTERN),
	BOOL("ignore_case", MAY, "a is A, of ASCII letters."),
	NUMBER("limit", MAY, 1, CDN_TOOL_ROWS_MAX,
	    "Stop with the file that has the so many-th line; 100 without it."),
	AFTER,
	END,
};

static const struct cdn_tool_field match_row[] = {
	TEXT("path", MUST, "The file."),
	NUMBER("line", MUST, 0, 0, "From 1."),
	TEXT("text", MUST, "The line; of a long one the part around it."),
	BOOL("cut", MUST, "There are more in this file, not shown."),
	END,
};

static const struct cdn_tool_field grep_gives[] = {
	ROWS("matches", match_row, "The lines, file by file."),
	NUMBER("searched", MUST, 0, 0, "Files that were looked through."),
	NUMBER("skipped", MUST, 0, 0,
	    "Files that are too large, no text, or not for this worker."),
	NEXT,
	UNREACHED,
	END,
};

static const struct cdn_tool_field shell_takes[] = {
	TEXT("command", MUST, "As for sh -c."),
	{ "cwd", CDN_TOOL_PATH, MAY,
	    "The directory it starts in; without it the workspace.", 0, 0,
	    NULL },
	NUMBER("timeout_ms", MAY, 1, CDN_TOOL_TIMEOUT_MAX,
	    "Milliseconds that it may take; 30000 without it."),
	END,
};

static const struct cdn_tool_field denial_row[] = {
	TEXT("call", MUST, "The system call."),
	TEXT("operation", MUST, "read, modify, exec, connect or bind."),
	TEXT("path", MUST, "What it was about."),
	TEXT("matched_rule", MUST, "The rule."),
	TEXT("layer", MUST, "Whose rule it is."),
	TEXT("source", MUST | CDN_TOOL_NULLABLE, "Where it stands,"),
	NUMBER("line", MUST | CDN_TOOL_NULLABLE, 0, 0, "in which line."),
	END,
};

static const struct cdn_tool_field shell_gives[] = {
	TEXT("stdout", MUST, "Its output."),
	TEXT("stderr", MUST, "Its messages."),
	NUMBER("exit_code", MUST | CDN_TOOL_NULLABLE, 0, 0,
	    "128+N when signal N ended it; null when it took too long."),
	BOOL("timed_out", MUST, "It took too long and was ended."),
	BOOL("cut", MUST, "It had too much output and was ended."),
	TEXT("run", MUST, "Its id in the audit; empty: it did not start."),
	ROWS("denials", denial_row, "Refusals that cordon saw, the first 100. "
	    "What the kernel refuses by itself is not among them."),
	END,
};

static const struct cdn_tool_field call_takes[] = {
	{ "worker", CDN_TOOL_PATH, MUST, "The document of the worker.", 0, 0,
	    NULL },
	{ "attachments", CDN_TOOL_PATHS, MAY,
	    "Files that may be read here, for the worker.", 0,
	    CDN_TOOL_ATTACHMENTS_MAX, NULL },
	TEXT("tool", MAY, "What the worker is to call; without it nothing."),
	{ "arguments", CDN_TOOL_OBJECT, MAY, "Of that tool.", 0, 0, NULL },
	END,
};

static const struct cdn_tool_field attachment_row[] = {
	TEXT("path", MUST, "The file."),
	NUMBER("size", MUST, 0, 0, "Its bytes."),
	TEXT("sha256", MUST, "Of these bytes, 64 hex digits."),
	END,
};

static const struct cdn_tool_field call_gives[] = {
	TEXT("worker", MUST, "Its name."),
	ROWS("attachments", attachment_row, "The files, each judged."),
	{ "answer", CDN_TOOL_OBJECT, MUST | CDN_TOOL_NULLABLE,
	    "What came of the tool, \"ok\" and all; null without one.", 0, 0,
	    NULL },
	END,
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
	{
		{ "write_text", "Write a text file",
		    "Makes a file, or replaces all of its contents at once; "
		    "its directory must exist.",
		    .destructive = true, .idempotent = true },
		write_takes, write_gives, cdn_tool_write_text, NULL,
	},
	{
		{ "edit_text", "Change a text file",
		    "Replaces a text in a file by another one; the rest stays "
		    "byte for byte.",
		    .destructive = true },
		edit_takes, edit_gives, cdn_tool_edit_text, NULL,
	},
	{
		{ "list_files", "List a directory",
		    "Lists what is in a directory and may be read.",
		    .read_only = true, .idempotent = true },
		list_takes, list_gives, cdn_tool_list_files, NULL,
	},
	{
		{ "glob", "Find files by name",
		    "Finds files and directories by a pattern, in all "
		    "directories below.",
		    .read_only = true, .idempotent = true },
		glob_takes, list_gives, cdn_tool_glob, NULL,
	},
	{
		{ "grep", "Find text in files",
		    "Finds the lines that hold a text, in all files below.",
		    .read_only = true, .idempotent = true },
		grep_takes, grep_gives, cdn_tool_grep, NULL,
	},
	{
		{ "shell", "Run a command",
		    "Runs a command inside the boundary, without input, and "
		    "gives its output.",
		    .destructive = true, .open_world = true },
		shell_takes, shell_gives, cdn_tool_shell, cdn_tool_shell_plan,
	},
	{
		{ "worker_call", "Call another worker",
		    "Calls a tool as another worker, which can have less than "
		    "this one and never more, with files of this one along.",
		    .destructive = true, .open_world = true },
		call_takes, call_gives, cdn_tool_worker_call, NULL,
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
