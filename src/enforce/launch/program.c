#include "enforce/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

static bool
is_missing(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* The first of the directories that has it; NULL also when memory ran out. */
static const char *
search(struct cdn_arena *arena, const char *name, cdn_str path, bool *ret_oom)
{
	cdn_str dir;

	while (cdn_str_next(&path, ':', &dir)) {
		const char *candidate;

		if (dir.n == 0 || dir.p[0] != '/')
			continue;
		candidate = cdn_arena_printf(arena, "%.*s/%s",
		    CDN_STR_ARG(dir), name);
		if (candidate == NULL) {
			*ret_oom = true;
			return NULL;
		}
		if (is_program(candidate))
			return candidate;
	}
	return NULL;
}

/* A relative path means the same to us as to the child, wherever it runs. */
static const char *
absolute(struct cdn_arena *arena, const char *program, const char *cwd)
{
	char here[CDN_PATH_MAX + 1];

	if (program[0] == '/')
		return cdn_arena_dup(arena, program, strlen(program));
	if (getcwd(here, sizeof(here)) == NULL)
		here[0] = '\0';
	if (cwd == NULL)
		cwd = here;
	return cwd[0] == '/' ?
	    cdn_arena_printf(arena, "%s/%s", cwd, program) :
	    cdn_arena_printf(arena, "%s/%s/%s", here, cwd, program);
}

/* Says which rule, where the kernel could only say no. */
static int
judge(const struct cordon_session *session, const char *program,
    struct cordon_error *err)
{
	struct cordon_query query = {
		.size = sizeof(query),
		.as = CORDON_AS_PROCESS,
		.op = CORDON_EXEC,
		.path = program,
		.path_len = strlen(program),
	};
	struct cordon_verdict verdict;
	int code = cdn_session_check(session, &query, &verdict, err);

	if (code != 0 || verdict.allowed)
		return code;
	return cdn_err_at(err, CORDON_E_EXEC,
	    (struct cdn_pos){ verdict.source, verdict.line, verdict.column },
	    "executing '%s' is denied by '%s' (%s)", program,
	    verdict.rule_text != NULL ? verdict.rule_text :
					verdict.matched_rule,
	    cordon_layer_name(verdict.layer));
}

int
cdn_launch_program(const struct cordon_session *session,
    const struct cordon_run_options *options, const char *path,
    struct cdn_arena *arena, const char **ret, struct cordon_error *err)
{
	const char *name = options->argv[0];
	bool oom = false;
	const char *program = strchr(name, '/') != NULL ?
	    absolute(arena, name, options->cwd) :
	    search(arena, name, cdn_str_of(path), &oom);
	int code;

	if (program == NULL && (oom || strchr(name, '/') != NULL))
		return cdn_err_nomem(err);
	if (program == NULL || is_missing(program))
		return cdn_err(err, CORDON_E_NOT_FOUND,
		    "'%s' was not found%s", name,
		    program == NULL ? " on PATH" : "");
	code = judge(session, program, err);
	if (code == 0)
		*ret = program;
	return code;
}
