/*
 * Holds run/ to tests/vectors/{exec,env_redaction}.jsonl.
 *
 *	vectors [nobody|userns] FILE...
 *
 * An environment that is not given is our own; <8 MiB> means that many bytes.
 */
#include "enforce/run/redact.h"
#include "runs.h"

#include <jansson.h>

#define MANY (8UL * 1024UL * 1024UL)
#define BUSY 20 /* so many times slower a machine may be at most */

/* What a request needs beside itself; freed with the vector. */
struct words {
	char *list[32];
	size_t count;
};

static char **
add_word(struct words *words, const char *text)
{
	tmp_need(words->count + 1 < CDN_LEN(words->list), "too many", text);
	words->list[words->count] = strdup(text);
	return &words->list[words->count++];
}

static void
free_words(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->list[i]);
}

/* ----- The request -------------------------------------------------------- */

static int
reject(const struct cdn_run_request *request, void *arg,
    struct cordon_error *err)
{
	(void)request;
	(void)arg;
	return cdn_err(err, CORDON_E_INVALID, "from Sandbox.validate");
}

static void
fill_stdin(struct cdn_run_request *request, const json_t *input)
{
	static char many[MANY];
	const json_t *bytes = json_object_get(input, "bytes");

	if (bytes == NULL)
		return; /* "null", as it is anyway */
	tmp_need(strcmp(json_string_value(bytes), "<8 MiB>") == 0, "bytes", "");
	request->stdin_mode = CDN_STDIN_BYTES;
	request->stdin_bytes = (cdn_str){ many, sizeof(many) };
}

static void
fill_arguments(struct words *argv, const json_t *line)
{
	size_t i;
	json_t *word;

	add_word(argv, json_string_value(json_object_get(line, "program")));
	json_array_foreach(json_object_get(line, "args"), i, word)
		add_word(argv, json_string_value(word));
}

static void
fill_environment(struct words *envp, const json_t *pairs)
{
	size_t i;
	json_t *pair;

	json_array_foreach(pairs, i, pair) {
		char text[256];

		snprintf(text, sizeof(text), "%s=%s",
		    json_string_value(json_array_get(pair, 0)),
		    json_string_value(json_array_get(pair, 1)));
		add_word(envp, text);
	}
}

static struct cdn_run_request
exec_request(const json_t *line, bool ends, struct words *argv,
    struct words *envp)
{
	const json_t *set = json_object_get(
	    json_object_get(line, "environment"), "clear_and_set");
	const json_t *timeout = json_object_get(line, "timeout_ms");
	struct cdn_run_request request;

	fill_arguments(argv, line);
	fill_environment(envp, set);
	request = request_of(argv->list);
	request.envp = set != NULL ? envp->list : environ;
	request.cwd = json_string_value(json_object_get(line, "current_dir"));
	if (timeout != NULL)
		request.wall_ms = (uint64_t)json_integer_value(timeout);
	if (timeout != NULL && ends)
		request.wall_ms *= BUSY;
	fill_stdin(&request, json_object_get(line, "stdin"));
	if (json_object_get(line, "sandbox") != NULL)
		request.validate = reject;
	return request;
}

/* ----- The answer --------------------------------------------------------- */

static bool
text_fits(const struct cdn_buf *bytes, const json_t *want)
{
	struct cdn_buf text;
	bool fits;

	if (want == NULL)
		return true;
	cdn_buf_init(&text, 3 * bytes->n + 1);
	cdn_run_text(&text, (cdn_str){ text_of(bytes), bytes->n });
	fits = strcmp(text_of(&text), json_string_value(want)) == 0;
	cdn_buf_done(&text);
	return fits;
}

static bool
result_fits(const struct cdn_run_result *result, const json_t *expect)
{
	const json_t *success = json_object_get(expect, "success");
	const json_t *code = json_object_get(expect, "exit_code");
	const json_t *most = json_object_get(expect, "max_ms");

	return json_object_get(expect, "error") == NULL &&
	    (success == NULL || json_is_true(success) == result->success) &&
	    (code == NULL || (result->has_exit_code &&
		result->exit_code == json_integer_value(code))) &&
	    (most == NULL || result->duration_ms <
		BUSY * (uint64_t)json_integer_value(most)) &&
	    text_fits(&result->out, json_object_get(expect, "stdout")) &&
	    text_fits(&result->err, json_object_get(expect, "stderr"));
}

static bool
error_fits(const struct cordon_error *err, const json_t *expect)
{
	const char *name = json_string_value(json_object_get(expect, "error"));
	const char *part =
	    json_string_value(json_object_get(expect, "contains"));

	if (name == NULL)
		return false;
	if (part == NULL) /* the name is the text itself */
		return strcmp(err->text, name) == 0;
	return strcmp(name, "Execution") == 0 &&
	    strstr(err->text, part) != NULL;
}

static bool
run_exec(const json_t *vector, enum cdn_reaper reaper)
{
	const json_t *expect = json_object_get(vector, "expect");
	struct words argv = { 0 }, envp = { 0 };
	struct cdn_run_request request = exec_request(
	    json_object_get(vector, "request"),
	    json_is_true(json_object_get(expect, "success")), &argv, &envp);
	const json_t *out = json_object_get(expect, "stdout");
	const json_t *said = json_object_get(expect, "stderr");
	struct cdn_run_result result;
	struct cordon_error err;
	bool good;

	request.reaper = reaper;
	if (json_object_get(expect, "error") != NULL) {
		good = cdn_run(&request, &result, &err) < 0 &&
		    error_fits(&err, expect);
	} else {
		result = must_time_out_saying(&request,
		    out != NULL ? json_string_value(out) : "",
		    said != NULL ? json_string_value(said) : "");
		good = result_fits(&result, expect);
		cdn_run_result_done(&result);
	}
	free_words(&argv);
	free_words(&envp);
	return good && no_children(); /* orphans_left 0, spawned false */
}

static bool
run_redaction(const json_t *vector)
{
	const char *name = json_string_value(json_object_get(vector, "name"));
	const char *value = json_string_value(json_object_get(vector, "value"));
	bool want = json_is_true(json_object_get(
	    json_object_get(vector, "expect"), "redacted"));
	cdn_str shown = cdn_redact_value(cdn_str_of(name), cdn_str_of(value));

	return cdn_str_is(shown, want ? CDN_REDACTED : value);
}

static void
run_line(const json_t *vector)
{
	const char *kind = json_string_value(json_object_get(vector, "kind"));
	const char *id = json_string_value(json_object_get(vector, "id"));

	if (strcmp(kind, "env_redaction") == 0)
		ok_f(run_redaction(vector), "%s", id);
	else if (strcmp(kind, "exec") == 0)
		for (int reaper = CDN_REAPER_SHEPHERD;
		    reaper <= CDN_REAPER_SELF; reaper++)
			ok_f(run_exec(vector, (enum cdn_reaper)reaper),
			    "%s, %s", id, reaper_names[reaper]);
	else
		ok_f(false, "%s: unknown kind '%s'", id, kind);
}

static void
run_file(const char *path)
{
	FILE *file = fopen(path, "re");
	json_error_t error;
	json_t *vector;
	int lines = 0;

	tmp_need(file != NULL, "open", path);
	while ((vector = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error)) !=
	    NULL) {
		run_line(vector);
		json_decref(vector);
		lines++;
	}
	ok_f(feof(file) != 0 && lines > 0, "%d lines of %s", lines,
	    strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1);
	fclose(file);
}

int
main(int argc, char **argv)
{
	int first = argc > 1 && strchr(argv[1], '.') == NULL ? 2 : 1;

	if (first == 2 && !become(argv[1]))
		return done_testing();
	for (int i = first; i < argc; i++)
		run_file(argv[i]);
	return done_testing();
}
