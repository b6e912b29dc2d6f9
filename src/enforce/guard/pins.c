#include "enforce/guard/pins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/run/redact_words.h"
#include "enforce/store/store.h"
#include "enforce/sys/sys.h"
#include "engine/policy/digest.h"
#include "engine/rpc/tools.h"

#define FOLDER	 "mcp"
#define FILE_MAX (4 * CDN_RPC_LINE_MAX)
#define SUFFIX	 ".json"
#define SCHEMA	 2 /* of the files that are written and loaded */
#define NAME_KIND "\ncordon pins 2"

#define LOCK_WAIT_MS 5000

/* ----- Names ------------------------------------------------------------------ */

int
cdn_pins_name(const struct cdn_pins_server *server, char ret[CDN_PINS_NAME],
    struct cordon_error *err)
{
	const char *const *argv = server->argv;
	char digest[CDN_DIGEST_SIZE];
	struct cdn_buf text;
	bool failed;

	cdn_buf_init(&text, CDN_RPC_LINE_MAX);
	/* The first part keeps it apart from names of schema 1. */
	cdn_buf_add(&text, NAME_KIND, sizeof(NAME_KIND));
	cdn_buf_add(&text, server->workspace, strlen(server->workspace) + 1);
	cdn_buf_add(&text, server->program, strlen(server->program) + 1);
	for (; *argv != NULL; argv++)
		cdn_buf_add(&text, *argv, strlen(*argv) + 1);
	failed = cdn_buf_failed(&text);
	if (!failed)
		cdn_digest((cdn_str){ text.p, text.n }, digest);
	cdn_buf_done(&text);
	if (failed)
		return cdn_err_nomem(err);
	memcpy(ret, digest, CDN_PINS_NAME - 1);
	ret[CDN_PINS_NAME - 1] = '\0';
	return 0;
}

static int
file_of(const char *state, const char *name, char ret[CDN_PATH_MAX + 1],
    struct cordon_error *err)
{
	int n = snprintf(ret, CDN_PATH_MAX + 1, "%s/" FOLDER "/%s" SUFFIX,
	    state, name);

	if (n < 0 || n > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "the state directory '%s' has too long a name", state);
	return 0;
}

/* ----- Reading ---------------------------------------------------------------- */

static int
damaged(const char *file, const char *why, struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_INVALID, "'%s' is damaged: %s (look at "
	    "it, then remove it to accept the server's tools anew)", file,
	    why);
}

struct pins {
	struct cdn_buf text;
	struct cdn_arena *arena;
	struct cdn_json json;
	const struct cdn_json_node *command;
	const struct cdn_json_node *tools;
};

static void
pins_done(struct pins *pins)
{
	cdn_buf_done(&pins->text);
	cdn_arena_free(pins->arena);
}

/* pins_done() in any case. */
static int
pins_read(const char *file, struct pins *pins, struct cordon_error *err)
{
	const struct cdn_json_options options = {
		.max_bytes = FILE_MAX,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	struct cordon_error why = { 0 };
	struct cdn_buf text;
	int code;

	*pins = (struct pins){ .arena = cdn_arena_new() };
	if (pins->arena == NULL)
		return cdn_err_nomem(err);
	code = cdn_store_read(file, FILE_MAX, false, &text, err);
	if (code != 0)
		return code;
	pins->text = text;
	code = cdn_json_parse((cdn_str){ text.p == NULL ? "" : text.p, text.n },
	    &options, pins->arena, &pins->json, &why);
	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(err);
	if (code != 0)
		return damaged(file, why.text, err);
	pins->command = cdn_json_find(&pins->json, &pins->json.nodes[0],
	    "command");
	pins->tools = cdn_json_find(&pins->json, &pins->json.nodes[0],
	    "tools");
	if (pins->command == NULL || pins->tools == NULL ||
	    pins->command->type != CDN_JSON_ARRAY ||
	    pins->tools->type != CDN_JSON_ARRAY)
		return damaged(file, "it holds no tools", err);
	return 0;
}

static bool
is_current(const struct pins *pins)
{
	const struct cdn_json_node *schema = cdn_json_find(&pins->json,
	    &pins->json.nodes[0], "schema");
	int64_t n;

	return schema != NULL && cdn_json_int(&pins->json, schema, &n) &&
	    n == SCHEMA;
}

static int
load_tools(const char *file, const struct pins *pins,
    struct cdn_catalog *catalog, struct cordon_error *err)
{
	const struct cdn_json_node *tool = cdn_json_first(&pins->json,
	    pins->tools);
	int code = 0;

	for (; code == 0 && tool != NULL;
	     tool = cdn_json_next(&pins->json, tool)) {
		const struct cdn_json_node *name = cdn_json_find(&pins->json,
		    tool, "name");
		cdn_str text;

		if (name == NULL || name->type != CDN_JSON_STRING)
			return damaged(file, "a tool has no name", err);
		if (!cdn_json_string(&pins->json, name, pins->arena, &text))
			return cdn_err_nomem(err);
		if (!cdn_rpc_tool_name(text))
			return damaged(file, "a tool has no name", err);
		code = cdn_catalog_add(catalog, &pins->json, tool, text, err);
	}
	return code;
}

int
cdn_pins_load(const char *state, const char *name,
    struct cdn_catalog *catalog, struct cordon_error *err)
{
	char file[CDN_PATH_MAX + 1];
	struct cordon_error why = { 0 };
	struct pins pins;
	int code = file_of(state, name, file, err);

	if (code != 0)
		return code;
	code = pins_read(file, &pins, &why);
	if (code == 0 && !is_current(&pins))
		code = damaged(file, "it is not of this version", &why);
	if (code == 0)
		code = load_tools(file, &pins, catalog, &why);
	pins_done(&pins);
	catalog->grown = false;
	if (code == 0 || code == CORDON_E_NOT_FOUND)
		return 0;
	if (err != NULL)
		*err = why;
	return code;
}

/* ----- Writing ---------------------------------------------------------------- */

/* As the audit shows it: tokens among the words are nobody's business. */
static void
put_command(struct cdn_json_writer *w, const char *const *argv)
{
	struct cdn_redact_words words = { 0 };

	cdn_json_open(w, '[');
	for (; *argv != NULL; argv++) {
		struct cdn_buf shown;

		cdn_buf_init(&shown, CDN_RPC_LINE_MAX);
		cdn_redact_word(&words, cdn_str_of(*argv), &shown);
		if (cdn_buf_failed(&shown))
			w->buf->failed = true;
		else
			cdn_json_put_string(w, (cdn_str){ shown.p, shown.n });
		cdn_buf_done(&shown);
	}
	cdn_json_close(w);
}

static void
put_all(const struct cdn_pins_server *server,
    const struct cdn_catalog *catalog, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "schema");
	cdn_json_put_int(&w, SCHEMA);
	cdn_json_put_member(&w, "workspace", server->workspace);
	cdn_json_put_member(&w, "program", server->program);
	cdn_json_put_key(&w, "command");
	put_command(&w, server->argv);
	cdn_json_put_key(&w, "tools");
	cdn_json_open(&w, '[');
	for (size_t i = 0; i < catalog->n; i++)
		cdn_json_put_raw(&w, catalog->v[i]->json.text);
	cdn_json_close(&w);
	cdn_json_close(&w);
	if (!cdn_json_end(&w))
		out->failed = true;
	cdn_buf_putc(out, '\n');
}

/* Makes it and locks it; held until the descriptor is closed. */
static int
lock_folder(const char *state, struct cordon_error *err)
{
	char folder[CDN_PATH_MAX + 1];
	int fd, error;
	int n = snprintf(folder, sizeof(folder), "%s/" FOLDER, state);

	if (n < 0 || (size_t)n >= sizeof(folder))
		return cdn_err(err, CORDON_E_INVALID,
		    "the state directory '%s' has too long a name", state);
	if (mkdir(state, 0700) != 0 && errno != EEXIST)
		return cdn_err_sys(err, errno, "cannot make '%s'", state);
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return cdn_err_sys(err, errno, "cannot make '%s'", folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	error = fd < 0 ? -errno : cdn_sys_lock(fd, LOCK_WAIT_MS);
	if (error == 0)
		return fd;
	cdn_cleanup_fd_fn(&fd);
	return cdn_err_sys(err, -error, "cannot lock '%s'", folder);
}

/* What others have kept by now. */
static int
merge_kept(const char *state, const char *name, struct cdn_catalog *catalog,
    struct cordon_error *err)
{
	struct cdn_catalog kept = { .n = 0 };
	int code = cdn_pins_load(state, name, &kept, err);

	if (code == 0)
		code = cdn_catalog_merge(catalog, &kept, err);
	cdn_catalog_done(&kept);
	return code;
}

int
cdn_pins_save(const char *state, const char *name,
    const struct cdn_pins_server *server, struct cdn_catalog *catalog,
    bool *ret_merged, struct cordon_error *err)
{
	char file[CDN_PATH_MAX + 1];
	cdn_cleanup_fd int held = -1;
	struct cordon_error why = { 0 };
	struct cdn_buf text;
	int code = file_of(state, name, file, err);

	*ret_merged = false;
	if (code != 0)
		return code;
	held = lock_folder(state, &why);
	/* Without the lock, too: a file is replaced as a whole. */
	code = merge_kept(state, name, catalog, err);
	*ret_merged = code == 0;
	if (code == 0 && held < 0)
		code = cdn_err(err, held, "%s", why.text);
	if (code != 0)
		return code;
	cdn_buf_init(&text, FILE_MAX);
	put_all(server, catalog, &text);
	code = cdn_buf_failed(&text) ? cdn_err_nomem(err) :
	    cdn_store_write(file, (cdn_str){ text.p, text.n }, 0600, err);
	cdn_buf_done(&text);
	if (code == 0)
		catalog->grown = false;
	return code;
}

/* ----- All of them -------------------------------------------------------------- */

static bool
is_name(const char *entry)
{
	size_t digits = strspn(entry, "0123456789abcdef");

	return digits == CDN_PINS_NAME - 1 &&
	    strcmp(entry + digits, SUFFIX) == 0;
}

static int
by_name(const void *a, const void *b)
{
	return memcmp(a, b, CDN_PINS_NAME);
}

/* The names that are there, in the arena; none when there is no folder. */
static int
find_names(const char *state, struct cdn_arena *arena,
    char (**ret)[CDN_PINS_NAME], size_t *ret_n, struct cordon_error *err)
{
	const char *folder = cdn_arena_printf(arena, "%s/" FOLDER, state);
	char (*names)[CDN_PINS_NAME] = NULL;
	const struct dirent *entry;
	size_t room = 0, n = 0;
	DIR *dir;

	*ret_n = 0;
	dir = folder == NULL ? NULL : opendir(folder);
	if (folder == NULL)
		return cdn_err_nomem(err);
	if (dir == NULL)
		return errno == ENOENT ? 0 :
		    cdn_err_sys(err, errno, "cannot read '%s'", folder);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is our own */
	while (n < CDN_STORE_MAX && (entry = readdir(dir)) != NULL) {
		if (!is_name(entry->d_name))
			continue;
		names = cdn_arena_grow(arena, names, n, &room, sizeof(*names));
		if (names == NULL)
			break;
		memcpy(names[n], entry->d_name, CDN_PINS_NAME - 1);
		names[n++][CDN_PINS_NAME - 1] = '\0';
	}
	closedir(dir);
	if (n > 0 && names == NULL)
		return cdn_err_nomem(err);
	if (n > 0)
		qsort(names, n, sizeof(*names), by_name);
	*ret = names;
	*ret_n = n;
	return 0;
}

/* "node server.js": for people.  Files of earlier versions hold all words. */
static char *
command_of(const struct pins *pins)
{
	const struct cdn_json_node *word = cdn_json_first(&pins->json,
	    pins->command);
	struct cdn_redact_words words = { 0 };
	struct cdn_buf text;
	cdn_str part;
	char *line;

	cdn_buf_init(&text, FILE_MAX);
	for (; word != NULL; word = cdn_json_next(&pins->json, word))
		if (cdn_json_string(&pins->json, word, pins->arena, &part)) {
			cdn_buf_puts(&text, text.n > 0 ? " " : "");
			cdn_redact_word(&words, part, &text);
		}
	cdn_buf_puts(&text, "");
	line = cdn_buf_take(&text);
	cdn_buf_done(&text);
	return line;
}

static int
tell_one(const char *state, const char *name,
    void (*each)(const struct cordon_mcp_pin *pin, void *arg), void *arg,
    struct cordon_error *err)
{
	char file[CDN_PATH_MAX + 1];
	struct pins pins;
	int code = file_of(state, name, file, err);

	if (code != 0)
		return code;
	code = pins_read(file, &pins, err);
	if (code == 0) {
		cdn_cleanup_free char *command = command_of(&pins);
		const struct cordon_mcp_pin pin = { .name = name,
			.command = command, .file = file,
			.tools = pins.tools->count };

		if (command == NULL)
			code = cdn_err_nomem(err);
		else
			each(&pin, arg);
	}
	pins_done(&pins);
	return code;
}

int
cdn_pins_list(const char *state,
    void (*each)(const struct cordon_mcp_pin *pin, void *arg), void *arg,
    struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	char (*names)[CDN_PINS_NAME] = NULL;
	size_t n = 0;
	int code = arena == NULL ? cdn_err_nomem(err) :
	    find_names(state, arena, &names, &n, err);

	for (size_t i = 0; code == 0 && i < n; i++)
		code = tell_one(state, names[i], each, arg, err);
	cdn_arena_free(arena);
	return code;
}

static int
find_one(const char *state, const char *beginning, char ret[CDN_PINS_NAME],
    struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	char (*names)[CDN_PINS_NAME] = NULL;
	size_t n = 0, found = 0;
	int code = arena == NULL ? cdn_err_nomem(err) :
	    find_names(state, arena, &names, &n, err);

	for (size_t i = 0; code == 0 && i < n; i++)
		if (strncmp(names[i], beginning, strlen(beginning)) == 0) {
			memcpy(ret, names[i], CDN_PINS_NAME);
			found++;
		}
	cdn_arena_free(arena);
	if (code != 0 || found == 1)
		return code;
	if (found == 0)
		return cdn_err(err, CORDON_E_NOT_FOUND, "no server is called "
		    "'%s' ('cordon mcp pins' lists them)", beginning);
	return cdn_err(err, CORDON_E_INVALID, "%zu servers begin with '%s' "
	    "(write more of it)", found, beginning);
}

int
cdn_pins_forget(const char *state, const char *name, struct cordon_error *err)
{
	char whole[CDN_PINS_NAME];
	char file[CDN_PATH_MAX + 1];
	int code = name[0] == '\0' ?
	    cdn_err(err, CORDON_E_INVALID, "which server?") :
	    find_one(state, name, whole, err);

	if (code == 0)
		code = file_of(state, whole, file, err);
	if (code == 0 && unlink(file) != 0)
		code = cdn_err_sys(err, errno, "cannot remove '%s'", file);
	return code;
}
