/*
 * output - everything the command prints.
 *
 * Answers go to standard output, everything else to standard error.  Text
 * that came from outside (paths, rules, documents) passes through
 * cli_put_safe(), so that a file name cannot drive the terminal.  Colour only
 * on a terminal, never with NO_COLOR.  When memory runs out the command says
 * so and ends with CLI_INVALID: it is a program, the library is not.
 */
#ifndef CDN_CLI_OUTPUT_H
#define CDN_CLI_OUTPUT_H

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

/* The exit codes of every command but those that run another program. */
enum cli_exit {
	CLI_YES = 0,
	CLI_FOUND = 1,	 /* a negative finding, never a crash */
	CLI_INVALID = 2, /* usage, invalid input, unusable document */
	CLI_DENIED = 3,
	CLI_ASK = 4
};

/* And of those that do; every other code is the program's own. */
enum cli_run_exit {
	CLI_RUN_TIMEOUT = 124,
	CLI_RUN_FAILED = 125, /* anything of ours */
	CLI_RUN_REFUSED = 126,
	CLI_RUN_NOT_FOUND = 127
};

/* Takes over standard input, output and error; false = do not go on. */
CDN_MUST_USE bool cli_output_init(void);
/* What the command ends with when something of ours fails, from now on. */
void cli_output_failure(int code);
/* --quiet: cli_hint() and cli_note() print nothing from now on. */
void cli_output_quiet(void);
bool cli_output_is_quiet(void); /* need a note be found? */

/* `status`, or the failure code when standard output did not take everything. */
int cli_output_finish(int status);
/* True when writing has failed: there is no point in going on. */
bool cli_output_broken(void);
void cli_output_flush(void);

/* ----- Standard error --------------------------------------------------- */

/* "cordon: TEXT" */
void cli_error(const char *fmt, ...) CDN_PRINTF(1, 2);
/* "  hint: TEXT", below an error */
void cli_hint(const char *fmt, ...) CDN_PRINTF(1, 2);
/* "cordon: TEXT" that --quiet silences */
void cli_note(const char *fmt, ...) CDN_PRINTF(1, 2);

/*
 * Why a call of the library failed: the findings if they hold errors, else
 * err.  Texts become "FILE:LINE:COL: error: TEXT" where there is a position.
 */
void cli_failure(const struct cordon_diags *diags,
    const struct cordon_error *err);
/* Findings as text; returns how many were printed. */
size_t cli_diags(FILE *to, const struct cordon_diags *diags);
/* One finding per line of JSON on standard output. */
void cli_diags_json(const struct cordon_diags *diags);

/* ----- Standard output -------------------------------------------------- */

enum cli_colour { CLI_PLAIN, CLI_GREEN, CLI_RED, CLI_YELLOW, CLI_BOLD };

/* Control characters, bidirectional marks and bad UTF-8 become \xNN. */
void cli_put_safe(FILE *to, cdn_str text);
void cli_put_coloured(FILE *to, enum cli_colour colour, const char *text);
/* A whole text as it is, with a newline at the end if it has none. */
void cli_put_text(const char *text);
/* The same for people: safe, line by line. */
void cli_put_lines(const char *text);

/* One line of JSON: begin, write members through the writer, end. */
struct cli_json {
	struct cdn_buf buf;
	struct cdn_json_writer w;
};
void cli_json_begin(struct cli_json *json); /* `{"schema":1` */
void cli_json_end(struct cli_json *json);   /* `}` and a newline; prints */
void cli_json_member(struct cli_json *json, const char *key,
    const char *value); /* NULL: null */
/* Bytes that may be no UTF-8: then KEY_hex is added.  p NULL: null. */
void cli_json_bytes(struct cli_json *json, const char *key,
    const char *hex_key, cdn_str bytes);
/* 0: null. */
void cli_json_position(struct cli_json *json, unsigned line, unsigned column);

/* ----- Memory ----------------------------------------------------------- */

void *cli_alloc(size_t count, size_t size); /* zeroed, never NULL */
char *cli_copy(cdn_str text);		    /* never NULL */
char *cli_printf(const char *fmt, ...) CDN_PRINTF(1, 2);
_Noreturn void cli_out_of_memory(void);

#endif
