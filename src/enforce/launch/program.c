#include "enforce/launch/launch.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/launch/granted.h"
#include "enforce/session/program.h"

static bool
is_missing(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR);
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

/* With a slash or a dot at its end the kernel wants a directory. */
static bool
ends_plainly(const char *program)
{
	const char *name = strrchr(program, '/');

	return name != NULL && name[1] != '\0' && strcmp(name, "/.") != 0 &&
	    strcmp(name, "/..") != 0;
}

/* What the session found is as new as what it knows of everything else. */
static bool
is_found(const struct cordon_session *session,
    const struct cordon_run_options *options, const char *program,
    struct cdn_real *ret)
{
	return options->sole && session->lookup != NULL &&
	    ends_plainly(program) &&
	    cdn_lookup_recall(session->lookup, program, ret);
}

/* Says which rule, where the kernel could only say no. */
static int
judge(const struct cordon_session *session, const struct cdn_real *real,
    const char *program, struct cordon_error *err)
{
	struct cordon_verdict verdict;
	int code = cdn_session_judge(session, CORDON_AS_PROCESS, CORDON_EXEC,
	    real, &verdict, err);

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
	bool named = strchr(name, '/') != NULL;
	CDN_UNINITIALIZED char found[CDN_PATH_MAX + 1];
	CDN_UNINITIALIZED struct cdn_real real;
	const char *program;
	int code = 0;

	if (!named && !cdn_program_search(name, path, found))
		return cdn_err(err, CORDON_E_NOT_FOUND,
		    "'%s' was not found on PATH", name);
	program = named ? absolute(arena, name, options->cwd) :
			  cdn_arena_dup(arena, found, strlen(found));
	if (program == NULL)
		return cdn_err_nomem(err);
	if (!is_found(session, options, program, &real)) {
		if (is_missing(program))
			return cdn_err(err, CORDON_E_NOT_FOUND,
			    "'%s' was not found", name);
		code = cdn_session_find(session, session->cwd,
		    cdn_str_of(program), &real, err);
	}
	if (code == 0 && !named)
		code = cdn_granted_program(session, &real, program, err);
	if (code == 0)
		code = judge(session, &real, program, err);
	if (code == 0)
		*ret = program;
	return code;
}
