/*
 * vector - what the runner's parts share: one line, its files, its outcome.
 *
 * A check function compares what came out with `expect` and says in `why`
 * what did not fit; the empty string is success.
 */
#ifndef CDN_TESTS_VECTOR_H
#define CDN_TESTS_VECTOR_H

#include <cordon/cordon.h>

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
	const json_t *line;
	const json_t *expect;
	char why[2048];
};

/* A member that must be there; the program stops when it is not. */
const char *vector_string(const json_t *object, const char *key);
/* NULL when it is absent or null. */
const char *vector_optional(const json_t *object, const char *key);

__attribute__((format(printf, 2, 3))) void vector_fail(struct vector *v,
    const char *fmt, ...);

/* ----- Outcomes --------------------------------------------------------- */

/* True when `expect` asks for an error, which is then compared. */
bool vector_wants_error(const struct vector *v);
/* texts: everything that was said, in any order. */
void vector_error(struct vector *v, const char *name, const char *texts);
/* The same from what the library filled; both may hold the text. */
void vector_failure(struct vector *v, const struct cordon_error *err,
    const struct cordon_diags *diags);
void vector_verdict(struct vector *v, bool allowed, const char *matched_rule);

enum cordon_op vector_op(const char *name);

/* ----- Files (fixture.c) ------------------------------------------------ */

struct fixture {
	char root[PATH_MAX]; /* R, real path */
	char ws[PATH_MAX];
	char out[PATH_MAX];
	char data[PATH_MAX];
	char home[PATH_MAX];
};

/* Makes R and what the line lists; HOME and the XDG directories lie in it. */
void fixture_begin(struct fixture *f, const json_t *list);
void fixture_end(struct fixture *f);
/* More of what a line lists. */
void fixture_add(const struct fixture *f, const json_t *list);
/* A directory and what is missing above it. */
void fixture_dir(const char *dir);
/* $WS and its like replaced, homes moved below R; free() it. */
char *fixture_path(const struct fixture *f, const char *path);
/* A file in R with this text; free() the name. */
char *fixture_write(const struct fixture *f, const char *name,
    const char *text);

/* ----- One kind of its own (mcp.c) -------------------------------------- */

void vector_mcp_guard(struct vector *v);

/* ----- Tools (tools.c) --------------------------------------------------- */

void run_path_policy(struct vector *v);
void run_module_merge(struct vector *v);
void run_shell_walk(struct vector *v);
void run_cwd_check(struct vector *v);
void run_shell_rules(struct vector *v);
void run_proc_gate(struct vector *v);
void run_worker_config(struct vector *v);
void run_composition(struct vector *v);

/* ----- Other backends (backends.c) --------------------------------------- */

void run_bwrap_argv(struct vector *v);
void run_sbpl(struct vector *v);
void run_omega_sbpl(struct vector *v);
void run_omega_command(struct vector *v);
void run_trusted_binary(struct vector *v);

/* ----- The command itself (command.c) ----------------------------------- */

/* What `cordon check --json` can be asked. */
void command_run(struct vector *v, const char *kind, const char *cordon);

#endif
