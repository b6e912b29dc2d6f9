/*
 * The same facts asked of the command: one `cordon check --json` each, its
 * one line of JSON and its exit code.
 */
#include "vector.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define ARGS_MAX 24

struct call {
	const char *argv[ARGS_MAX + 1];
	size_t argc;
	const char *cwd; /* NULL: ours */
	int exit_code; /* -1: no exit */
	char *output;
};

static void
arg(struct call *call, const char *text)
{
	if (call->argc < ARGS_MAX)
		call->argv[call->argc++] = text;
}

static void
option(struct call *call, const char *name, const char *value)
{
	if (value == NULL)
		return;
	arg(call, name);
	arg(call, value);
}

static char *
read_all(int fd)
{
	char *text = NULL;
	size_t room = 0;
	FILE *stream = fdopen(fd, "r");

	if (stream == NULL || getdelim(&text, &room, '\0', stream) < 0) {
		free(text);
		text = strdup("");
	}
	if (stream != NULL)
		fclose(stream);
	return text;
}

/* argv[0] is the command; what it says on standard error is not looked at. */
static void
spawn(struct call *call)
{
	posix_spawn_file_actions_t actions;
	int fds[2], status;
	pid_t pid;

	call->exit_code = -1;
	if (pipe(fds) != 0)
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, fds[0]);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
	    O_WRONLY, 0);
	if (call->cwd != NULL)
		posix_spawn_file_actions_addchdir_np(&actions, call->cwd);
	/* posix_spawn does not write to the strings. */
	status = posix_spawn(&pid, call->argv[0], &actions, NULL,
	    (char *const *)(const void *)call->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	call->output = read_all(fds[0]);
	if (status != 0)
		return;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		call->exit_code = WEXITSTATUS(status);
}

/* ----- What came out ---------------------------------------------------- */

static void
compare_answer(struct vector *v, const struct call *call, const json_t *answer)
{
	const json_t *blocked = json_object_get(v->expect, "blocked");
	const char *error = vector_optional(answer, "error");
	bool allowed = json_is_true(json_object_get(answer, "allowed"));
	int want = error != NULL ? 2 : allowed ? 0 : 3;

	if (error != NULL)
		vector_error(v, error, vector_string(answer, "message"));
	else if (blocked == NULL)
		vector_verdict(v, allowed,
		    vector_string(answer, "matched_rule"));
	else if (json_is_true(blocked) == allowed)
		vector_fail(v, "%s", allowed ? "allowed" : "blocked");
	if (call->exit_code != want)
		vector_fail(v, "exit code %d, wanted %d", call->exit_code,
		    want);
}

static void
ask(struct vector *v, struct call *call)
{
	json_t *answer;

	call->argv[call->argc] = NULL;
	spawn(call);
	answer = json_loads(call->output != NULL ? call->output : "",
	    JSON_REJECT_DUPLICATES, NULL);
	if (answer == NULL)
		vector_fail(v, "exit code %d and no single JSON: %s",
		    call->exit_code, call->output);
	else
		compare_answer(v, call, answer);
	json_decref(answer);
	free(call->output);
}

/* ----- What goes in ----------------------------------------------------- */

static void
ask_policy(struct vector *v, struct call *call, const struct fixture *f,
    const char *as, const char *path_key)
{
	char *path = fixture_path(f, vector_string(v->line, path_key));
	char *policy = fixture_write(f, "/policy.yaml",
	    vector_string(v->line, "policy"));

	option(call, "--as", as);
	option(call, "--policy", policy);
	option(call, "--workspace", f->ws);
	option(call, "--profile", vector_string(v->line, "profile"));
	option(call, "--op", vector_string(v->line, "op"));
	arg(call, "--");
	arg(call, path);
	ask(v, call);
	free(policy);
	free(path);
}

static void
ask_check(struct vector *v, struct call *call, struct fixture *f)
{
	ask_policy(v, call, f, "policy", "path");
}

static void
ask_resolve(struct vector *v, struct call *call, struct fixture *f)
{
	ask_policy(v, call, f, "agent", "request");
}

static void
ask_block(struct vector *v, struct call *call, struct fixture *f)
{
	const char *config = vector_optional(v->line, "config_path");
	char *path = fixture_path(f, vector_string(v->line, "path"));
	char *data = fixture_path(f, vector_string(v->line, "data_dir"));
	char *config_path = fixture_path(f, config != NULL ? config : "");

	option(call, "--as", "block");
	option(call, "--workspace", f->ws);
	option(call, "--data-dir", data);
	option(call, "--config-path", config != NULL ? config_path : NULL);
	option(call, "--op",
	    strstr(vector_string(v->line, "fn"), "write") != NULL ? "modify" :
								    "read");
	arg(call, "--");
	arg(call, path);
	ask(v, call);
	free(config_path);
	free(data);
	free(path);
}

/* ----- As an agent --------------------------------------------------------- */

/* The workdir is where it runs; what constraints open is --write. */
static void
begin_agent(struct vector *v, struct call *call, struct fixture *f)
{
	const json_t *roots = json_object_get(
	    json_object_get(v->line, "constraints"), "allowed_paths");
	char *dir = fixture_path(f, vector_string(v->line, "workdir"));
	char *home = fixture_path(f, "/home/u");

	snprintf(f->ws, sizeof(f->ws), "%s", dir);
	fixture_dir(f->ws);
	setenv("HOME", home, 1);
	call->cwd = f->ws;
	option(call, "--workspace", f->ws);
	for (size_t i = 0; i < json_array_size(roots); i++)
		option(call, "--write",
		    json_string_value(json_array_get(roots, i)));
	free(home);
	free(dir);
}

static void
compare_shell(struct vector *v, const struct call *call)
{
	const json_t *want = json_object_get(v->expect, "allowed");
	const char *token = vector_optional(v->expect, "token");
	json_t *answer = json_loads(call->output, JSON_REJECT_DUPLICATES, NULL);
	bool allowed = json_is_true(json_object_get(answer, "allowed"));
	const char *got = vector_optional(answer, "token");

	if (json_object_size(answer) != 6)
		vector_fail(v, "no answer: %s", call->output);
	if (want != NULL && json_is_true(want) != allowed)
		vector_fail(v, "%s", call->output);
	if (token != NULL && (got == NULL || strcmp(got, token) != 0))
		vector_fail(v, "another token: %s", call->output);
	if (json_is_true(json_object_get(v->expect, "dynamic")) &&
	    !json_is_true(json_object_get(answer, "dynamic")))
		vector_fail(v, "not dynamic: %s", call->output);
	if (call->exit_code != (allowed ? 0 : 3))
		vector_fail(v, "exit code %d", call->exit_code);
	json_decref(answer);
}

static void
ask_shell(struct vector *v, struct call *call, struct fixture *f)
{
	const char *command = vector_string(v->line, "command");
	const char *at = strstr(command, "/home/u/");
	char text[2 * PATH_MAX];

	snprintf(text, sizeof(text), "%.*s%s%s",
	    at != NULL ? (int)(at - command) : 0, command,
	    at != NULL ? f->root : "", at != NULL ? at : command);
	begin_agent(v, call, f);
	option(call, "--shell", text);
	call->argv[call->argc] = NULL;
	spawn(call);
	compare_shell(v, call);
	free(call->output);
}

static void
ask_cwd(struct vector *v, struct call *call, struct fixture *f)
{
	begin_agent(v, call, f);
	option(call, "--as", "agent");
	arg(call, "--");
	arg(call, vector_string(v->line, "cwd"));
	ask(v, call);
}

static const struct {
	const char *kind;
	void (*ask)(struct vector *v, struct call *call, struct fixture *f);
} kinds[] = {
	{ "check", ask_check },
	{ "cwd_check", ask_cwd },
	{ "shell_walk", ask_shell },
	{ "resolve", ask_resolve },
	{ "omega_block", ask_block },
};

void
command_run(struct vector *v, const char *kind, const char *cordon)
{
	struct fixture f;
	struct call call = { .argv = { cordon, "check", "--json", "--quiet" },
		.argc = 4 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].kind, kind) != 0)
			continue;
		fixture_begin(&f, json_object_get(v->line, "fixture"));
		kinds[i].ask(v, &call, &f);
		fixture_end(&f);
		return;
	}
	vector_fail(v, "the command cannot be asked a '%s'", kind);
}
