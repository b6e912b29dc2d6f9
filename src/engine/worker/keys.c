/*
 * keys - the document of a worker, key by key.  The loader and the JSON Schema
 * are made from these tables.
 */
#include "engine/worker/load.h"

#define OBJECT(keys) { (keys), CDN_LEN(keys) }
#define IN_PATH(f)   offsetof(struct cdn_worker_path, f)
#define IN_GRANTS(f) offsetof(struct cdn_worker_grants, f)
#define IN_RULE(f)   offsetof(struct cdn_worker_rule, f)
#define IN_MODULE(f) offsetof(struct cdn_worker_module, f)
#define IN_WORKER(f) offsetof(struct cordon_worker, f)

/* clang-format off */
static const struct cdn_worker_key path_keys[] = {
	{ "root", CDN_TAKES_ROOT, IN_PATH(root),
	    "relative to the workspace, absolute, or ~",
	    "add 'root: ./DIRECTORY'" },
	{ "mode", CDN_TAKES_MODE, IN_PATH(write),
	    "ro (the default) or rw" },
	{ "suffixes", CDN_TAKES_SUFFIXES, IN_PATH(suffixes),
	    "what names of files end in; tools only" },
	{ "max_file_bytes", CDN_TAKES_COUNT, IN_PATH(max_file_bytes),
	    "the largest file; tools only" },
};
static const struct cdn_worker_object path = OBJECT(path_keys);

/* The older form says `path` where `root` is meant. */
static const struct cdn_worker_key old_path_keys[] = {
	{ "path", CDN_TAKES_ROOT, IN_PATH(root), NULL,
	    "add 'path: ./DIRECTORY'" },
	{ "mode", CDN_TAKES_MODE, IN_PATH(write) },
	{ "suffixes", CDN_TAKES_SUFFIXES, IN_PATH(suffixes) },
	{ "max_file_bytes", CDN_TAKES_COUNT, IN_PATH(max_file_bytes) },
};
static const struct cdn_worker_object old_path = OBJECT(old_path_keys);

static const struct cdn_worker_key approval_keys[] = {
	{ "approval_required", CDN_TAKES_BOOLEAN, 0,
	    "somebody is asked first", "add 'approval_required: true'" },
};
static const struct cdn_worker_object approval = OBJECT(approval_keys);

static const struct cdn_worker_key grant_keys[] = {
	{ "network", CDN_TAKES_BOOLEAN, IN_GRANTS(network),
	    "the command has a network" },
	{ "read", CDN_TAKES_TEXTS, IN_GRANTS(read),
	    "more paths to read" },
	{ "write", CDN_TAKES_TEXTS, IN_GRANTS(write),
	    "more paths to read and modify" },
	{ "sockets", CDN_TAKES_TEXTS, IN_GRANTS(sockets),
	    "unix sockets to connect to" },
};
static const struct cdn_worker_object grants = OBJECT(grant_keys);

static const struct cdn_worker_key rule_keys[] = {
	{ "pattern", CDN_TAKES_WORDS, 0,
	    "the words that a simple command begins with",
	    "add 'pattern: \"git push\"'" },
	{ "approval_required", CDN_TAKES_BOOLEAN, IN_RULE(approval_required),
	    "somebody is asked first", "add 'approval_required: true'" },
	{ "grants", CDN_TAKES_OBJECT, IN_RULE(grants),
	    "what an approved command gets besides, for itself alone", NULL,
	    &grants },
};
static const struct cdn_worker_object rule = OBJECT(rule_keys);

static const struct cdn_worker_key constraint_keys[] = {
	{ "unrestricted", CDN_TAKES_BOOLEAN, IN_MODULE(unrestricted),
	    "everything but the floor" },
	{ "allowed_paths", CDN_TAKES_TEXTS, IN_MODULE(allowed_paths),
	    "more roots, open to all modules" },
};
static const struct cdn_worker_object constraints = OBJECT(constraint_keys);

static const struct cdn_worker_key module_keys[] = {
	{ "constraints", CDN_TAKES_OBJECT, 0, "what the module asks for", NULL,
	    &constraints },
};
static const struct cdn_worker_object module = OBJECT(module_keys);

static const struct cdn_worker_key sandbox_keys[] = {
	{ "paths", CDN_TAKES_PATHS, 0,
	    "the only roots, by names that the author chooses", NULL, &path },
	{ "network", CDN_TAKES_BOOLEAN, IN_WORKER(network),
	    "all of it, or none" },
	{ "require_os_sandbox", CDN_TAKES_BOOLEAN,
	    IN_WORKER(require_os_sandbox),
	    "true (the default): enforced in full, or not started" },
};
static const struct cdn_worker_object sandbox = OBJECT(sandbox_keys);

static const struct cdn_worker_key executor_keys[] = {
	{ "sandbox", CDN_TAKES_EXECUTOR, IN_WORKER(executor),
	    "what holds the boundary" },
	{ "allow_fallback", CDN_TAKES_BOOLEAN, IN_WORKER(allow_fallback),
	    "true: start even where not everything can be enforced" },
};
static const struct cdn_worker_object executor = OBJECT(executor_keys);

static const struct cdn_worker_key attachment_keys[] = {
	{ "max_count", CDN_TAKES_COUNT, IN_WORKER(max_count),
	    "how many files" },
	{ "max_total_bytes", CDN_TAKES_COUNT, IN_WORKER(max_total_bytes),
	    "all of them together" },
};
static const struct cdn_worker_object attachments = OBJECT(attachment_keys);

static const struct cdn_worker_key worker_keys[] = {
	{ "name", CDN_TAKES_NAME, IN_WORKER(name), "what it is called" },
	{ "description", CDN_TAKES_TEXT, IN_WORKER(description),
	    "what it is for" },
	{ "fsProfile", CDN_TAKES_TEXT, IN_WORKER(fs_profile),
	    "the profile of the policy; without it unrestricted, within the "
	    "policy" },
	{ "executor", CDN_TAKES_OBJECT, 0, "who enforces it", NULL,
	    &executor },
	{ "sandbox", CDN_TAKES_OBJECT, 0, "roots and network", NULL,
	    &sandbox },
	{ "attachment_policy", CDN_TAKES_OBJECT, 0,
	    "what may be handed to another worker", NULL, &attachments },
	{ "tool_rules", CDN_TAKES_TOOLS, 0, "who approves which tool", NULL,
	    &approval },
	{ "shell_rules", CDN_TAKES_RULES, 0,
	    "commands, the first rule that fits", NULL, &rule },
	{ "shell_default", CDN_TAKES_OBJECT, IN_WORKER(default_approval),
	    "commands that fit no rule; without it they are refused", NULL,
	    &approval },
	{ "programs", CDN_TAKES_TEXTS, IN_WORKER(programs),
	    "the only programs that tools may start" },
	{ "modules", CDN_TAKES_MODULES, 0, "modules of the agent, by name",
	    NULL, &module },
	{ "sandboxes", CDN_TAKES_OLD, 0, NULL, NULL, &old_path }, /* last */
};
/* clang-format on */
const struct cdn_worker_object cdn_worker_document_keys = OBJECT(worker_keys);
