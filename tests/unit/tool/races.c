/*
 * Somebody swaps a file, its directory, and the one above that, for links that
 * leave, all the time.  Whatever comes of a call: nothing outside is read, shown,
 * made or changed.
 *
 *	unit-tool-races [TRIES]		of each tool, times CORDON_TRIES
 *
 * And a tool that asks first and opens then, as one should not, is caught: so
 * the swapping is fast enough to catch one.
 */
#include "unit/tool/called.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "support/random.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

#define TRIES	      500UL
#define MORE_MAX      100 /* times as many, until both were seen */
#define CONTROL_MAX   10000000UL /* times the wrong one is tried */
#define SHELL_SHARE   100 /* a run takes so much longer */
#define SECRET_DIGEST \
	"0917b13a9091915d54b6336f45909539cce452b3661b21f386418a257883b30a"

static struct cordon_session *session;
static struct cordon_tools *tools;

/* ----- The one in the way ------------------------------------------------------- */

/* Never returns.  The first exchange is made before anybody looks. */
static void
swap_forever(int ready)
{
	static const char *const names[] = { "f", "d", "up/d", "up" };
	int dir = open(tmp_path("w"), O_PATH | O_CLOEXEC);
	volatile unsigned rest = 0;
	bool told = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		for (size_t i = 0; i < CDN_LEN(names); i++) {
			char link[32];

			snprintf(link, sizeof(link), "%s.link", names[i]);
			renameat2(dir, names[i], dir, link, RENAME_EXCHANGE);
			/* sometimes at once, sometimes a whole call later */
			for (rest = 1U << random_below(16); rest > 0; rest--)
				;
		}
		if (!told && write(ready, "x", 1) == 1)
			told = true;
	}
}

static pid_t
start_swapper(void)
{
	int fds[2];
	char byte;
	pid_t pid;

	tmp_need(pipe(fds) == 0, "pipe", "");
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		swap_forever(fds[1]);
	}
	close(fds[1]);
	tmp_need(pid > 0 && read(fds[0], &byte, 1) == 1, "fork", "");
	close(fds[0]);
	return pid;
}

/* ----- What is outside ------------------------------------------------------------ */

static bool
holds(const char *name, const char *text)
{
	char got[32] = "";
	int fd = open(tmp_path(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, got, sizeof(got) - 1);

	close(fd);
	return n >= 0 && strcmp(got, text) == 0;
}

/* f, its name and one below, and nothing else. */
static bool
has_only_its_own(const char *name)
{
	DIR *dir = opendir(tmp_path(name));
	const struct dirent *entry;
	bool good = dir != NULL;

	while (good && (entry = readdir(dir)) != NULL)
		good = entry->d_name[0] == '.' ?
		    strncmp(entry->d_name, ".cordon", 7) != 0 :
		    strcmp(entry->d_name, "f") == 0 ||
			strcmp(entry->d_name, "HIDDEN") == 0 ||
			strcmp(entry->d_name, "d") == 0;
	if (dir != NULL)
		closedir(dir);
	return good;
}

static bool
is_untouched(void)
{
	return holds("out/f", "SECRET") && holds("out/d/f", "SECRET") &&
	    has_only_its_own("out") && has_only_its_own("out/d");
}

/* ----- The calls ---------------------------------------------------------------------- */

/* What must have been seen of each, so that it was a race. */
enum { DONE = 1, REFUSED = 2 };

static const struct {
	const char *tool;
	const char *arguments;
	unsigned seen;
} calls[] = {
	{ "read_text", "{\"path\":\"f\"}", DONE | REFUSED },
	{ "read_text", "{\"path\":\"d/f\"}", DONE | REFUSED },
	{ "read_text", "{\"path\":\"up/d/f\"}", DONE | REFUSED },
	{ "write_text", "{\"path\":\"f\",\"content\":\"mine\"}", DONE | REFUSED },
	{ "write_text", "{\"path\":\"d/f\",\"content\":\"mine\"}", DONE | REFUSED },
	{ "write_text", "{\"path\":\"up/d/new\",\"content\":\"mine\"}", DONE | REFUSED },
	{ "edit_text",
	    "{\"path\":\"d/f\",\"old\":\"mine\",\"new\":\"mine\"}", DONE | REFUSED },
	{ "edit_text", "{\"path\":\"up/d/e\",\"old\":\"S\",\"new\":\"\"}", REFUSED },
	{ "list_files", "{\"path\":\"d\"}", DONE | REFUSED },
	{ "list_files", "{\"path\":\"up/d\"}", DONE | REFUSED },
	{ "glob", "{\"pattern\":\"**\"}", DONE },
	{ "glob", "{\"pattern\":\"**\",\"path\":\"up\"}", DONE | REFUSED },
	{ "grep", "{\"text\":\"SECR\"}", DONE },
	{ "grep", "{\"text\":\"SECR\",\"path\":\"up/d\"}", DONE | REFUSED },
	{ "worker_call",
	    "{\"worker\":\"worker.yaml\",\"attachments\":[\"d/f\"]}", DONE | REFUSED },
	{ "shell", "{\"command\":\"cat f; ls\",\"cwd\":\"d\"}", 0 },
	/* words that nobody can judge before it runs */
	{ "shell",
	    "{\"command\":\"D=d; cat $D/f; ls $D; echo x >$D/new\"}", 0 },
};

/* An answer that could only come from outside. */
static bool
tells(const char *json)
{
	return strstr(json, "SECRET") != NULL ||
	    strstr(json, "HIDDEN") != NULL ||
	    strstr(json, SECRET_DIGEST) != NULL;
}

static void
try_call(size_t i, unsigned long tries)
{
	unsigned long leaks = 0, done = 0, n = 0;
	unsigned seen = 0;

	if (strcmp(calls[i].tool, "shell") == 0)
		tries = tries / SHELL_SHARE + 1;
	for (; n < tries || ((calls[i].seen & ~seen) != 0 &&
	     n < tries * MORE_MAX); n++) {
		enum cordon_refusal code;
		char *json = called(tools, calls[i].tool, calls[i].arguments,
		    &code);

		done += code == CORDON_REFUSAL_NONE;
		seen |= code == CORDON_REFUSAL_NONE ? DONE : REFUSED;
		if (tells(json) && leaks++ == 0)
			printf("# %s\n", json);
		free(json);
	}
	ok_f(leaks == 0 && is_untouched() && (calls[i].seen & ~seen) == 0,
	    "%s %s: %lu calls, %lu done, %lu leaks", calls[i].tool,
	    calls[i].arguments, n, done, leaks);
}

/* ----- The control --------------------------------------------------------------------- */

/* Asks, and opens the name again: what is there then is another thing. */
static bool
wrong_tool(struct cordon_path_policy *policy)
{
	char text[16] = "";
	int fd;

	if (!cordon_path_is_allowed(policy, CORDON_READ, "d/f", 3))
		return false;
	fd = open(tmp_path("w/d/f"), O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return strcmp(text, "SECRET") == 0;
}

static void
check_control(void)
{
	struct cordon_path_policy *policy = NULL;
	unsigned long n = 0;

	tmp_need(cordon_path_policy_new(session, NULL, 0, &policy, NULL) == 0,
	    "policy", "");
	while (n < CONTROL_MAX && !wrong_tool(policy))
		n++;
	ok_f(n < CONTROL_MAX, "a tool that opens by name leaks, after %lu", n);
	cordon_path_policy_free(policy);
}

/* Nobody in the way: then each of them works. */
static void
check_alone(void)
{
	for (size_t i = 0; i < CDN_LEN(calls); i++) {
		enum cordon_refusal code;
		char *json = called(tools, calls[i].tool, calls[i].arguments,
		    &code);

		ok_f(code == CORDON_REFUSAL_NONE ||
			(strcmp(calls[i].tool, "edit_text") == 0 &&
			code == CORDON_REFUSAL_MISSING),
		    "%s %s when nobody is in the way: %s", calls[i].tool,
		    calls[i].arguments, json);
		free(json);
	}
}

static void
make_files(void)
{
	tmp_dir("out");
	tmp_dir("out/d");
	tmp_dir("w/d");
	tmp_dir("w/up");
	tmp_dir("w/up/d");
	tmp_file("out/f", "SECRET");
	tmp_file("out/HIDDEN", "SECRET");
	tmp_file("out/d/f", "SECRET");
	tmp_file("out/d/HIDDEN", "SECRET");
	tmp_file("w/f", "mine");
	tmp_file("w/d/f", "mine");
	tmp_file("w/up/d/f", "mine");
	tmp_file("w/worker.yaml", "name: w\n");
	tmp_link("../out/f", "w/f.link");
	tmp_link("../out", "w/d.link");
	tmp_link("../../out/d", "w/up/d.link");
	tmp_link("../out", "w/up.link");
}

int
main(int argc, char **argv)
{
	unsigned long tries = (argc > 1 ? strtoul(argv[1], NULL, 10) : TRIES) *
	    random_tries();
	struct cordon_session_options made = { .size = sizeof(made) };
	char workspace[CDN_PATH_MAX]; /* longer than tmp_path() keeps one */
	pid_t swapper;

	made_begin();
	make_files();
	snprintf(workspace, sizeof(workspace), "%s", tmp_path("w"));
	made.workspace = workspace;
	session = made_session(made);
	tools = called_tools((struct cordon_tools_options){
	    .session = session, .session_options = &made });
	check_alone();
	swapper = start_swapper();
	check_control();
	for (size_t i = 0; i < CDN_LEN(calls); i++)
		try_call(i, tries);
	kill(swapper, SIGKILL);
	waitpid(swapper, NULL, 0);
	cordon_tools_free(tools);
	cordon_session_free(session);
	tmp_end();
	return done_testing();
}
