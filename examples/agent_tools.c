/*
 * agent_tools - the loop of an agent, without the agent.
 *
 *	cc agent_tools.c $(pkg-config --cflags --libs libcordon) -o agent_tools
 *	./agent_tools [WORKER.yaml] <<'END'
 *	write_text {"path":"notes.md","content":"hello\n"}
 *	shell {"command":"wc -c notes.md"}
 *	END
 *
 * A model would choose the tools; here each line of standard input is a call.
 * Answers are lines of JSON, and go back to the model.  What a worker's rules
 * want approved is asked at the terminal.
 */
#include <cordon/cordon.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
fail(const struct cordon_error *err)
{
	fprintf(stderr, "agent_tools: %s\n", err->text);
	return 2;
}

/* What a model is told about the tools, before anything else. */
static void
introduce(void)
{
	struct cordon_tool_info info;

	for (size_t i = 0; cordon_tool_info(i, &info); i++) {
		char *schema = NULL;

		if (cordon_tool_schema(i, CORDON_TOOL_INPUT, &schema, NULL) ==
		    0)
			fprintf(stderr, "%s: %s %s\n", info.name,
			    info.description, schema);
		free(schema);
	}
}

/* The prompt is safe to show, and says what would be granted. */
static enum cordon_answer
approve(const struct cordon_approval *approval, void *arg)
{
	FILE *terminal = fopen("/dev/tty", "r+");
	char line[16] = "";

	(void)arg;
	if (terminal == NULL)
		return CORDON_ANSWER_NOBODY;
	fprintf(terminal, "May it run: %s? ", approval->prompt);
	fflush(terminal);
	if (fgets(line, sizeof(line), terminal) == NULL)
		line[0] = '\0';
	fclose(terminal);
	return strcmp(line, "yes\n") == 0 ? CORDON_ANSWER_YES :
					    CORDON_ANSWER_NO;
}

/* "NAME JSON" */
static int
call(struct cordon_tools *tools, char *line, struct cordon_error *err)
{
	char *space = strchr(line, ' ');
	struct cordon_tool_call call = { .size = sizeof(call), .name = line,
		.arguments = space != NULL ? space + 1 : "" };
	struct cordon_tool_result result = { 0 };
	int code;

	if (space != NULL)
		*space = '\0';
	call.arguments_len = strlen(call.arguments);
	code = cordon_tools_call(tools, &call, &result, err);
	if (code == 0)
		puts(result.json);
	cordon_tool_result_done(&result);
	return code;
}

int
main(int argc, char **argv)
{
	struct cordon_session_options made = { .size = sizeof(made) };
	struct cordon_tools_options options = { .size = sizeof(options),
		.session_options = &made, .approve = approve };
	struct cordon_worker *worker = NULL;
	const struct cordon_worker *workers[1];
	struct cordon_session *session = NULL;
	struct cordon_tools *tools = NULL;
	struct cordon_error err;
	char *line = NULL;
	size_t room = 0;
	int code = 0;

	if (argc > 1)
		code = cordon_worker_load(argv[1], NULL, &worker, &err);
	workers[0] = worker;
	made.workers = workers;
	made.worker_count = worker != NULL;
	if (code == 0)
		code = cordon_session_new(&made, NULL, &session, &err);
	options.session = session;
	if (code == 0)
		code = cordon_tools_new(&options, &tools, &err);
	if (code == 0)
		introduce();
	while (code == 0 && getline(&line, &room, stdin) > 0)
		code = call(tools, line, &err);
	free(line);
	cordon_tools_free(tools);
	cordon_session_free(session);
	cordon_worker_free(worker);
	return code != 0 ? fail(&err) : 0;
}
