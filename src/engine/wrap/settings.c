#include "engine/wrap/servers.h"

#include <strings.h>

/*
 * What cordon, and libc in it, obey: they would choose the guard's policies,
 * trust, profile and program, and not the server's.  A star stands at the end.
 */
static const char *const variables[] = {
	"HOME", "PATH", "XDG_*", "CORDON_*", "ORBIT_*",
	/* places that are granted or protected */
	"RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "CLAUDE_CONFIG_DIR",
	"CODEX_HOME", "GEMINI_CLI_HOME", "GROK_HOME",
	/* libc and its loader */
	"LD_*", "GLIBC_TUNABLES", "GCONV_PATH", "GETCONF_DIR", "LOCPATH",
	"MALLOC_*", "NLSPATH", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS",
	"RESOLV_*", "TZDIR",
};

static const char *const directories[] = { "cwd", "dir", "directory",
	"workdir", "workingDir", "workingDirectory", "working_dir",
	"working_directory" };

static const char *const files[] = { "envFile", "env_file", "envFiles",
	"env_files" };

/* As lax with letters as the laxest client. */
static bool
is_one_of(cdn_str key, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (key.n == strlen(list[i]) &&
		    strncasecmp(key.p, list[i], key.n) == 0)
			return true;
	return false;
}

bool
cdn_wrap_is_env(cdn_str key)
{
	static const char *const names[] = { "env", "environment" };

	return is_one_of(key, names, CDN_LEN(names));
}

static bool
is_meant(const char *row, cdn_str name)
{
	size_t n = strlen(row);

	if (row[n - 1] == '*')
		return name.n >= n - 1 && memcmp(name.p, row, n - 1) == 0;
	return cdn_str_is(name, row);
}

static int
tell(struct cdn_wrap_server *server, const char *text,
    struct cordon_error *err)
{
	server->steers = text;
	return text == NULL ? cdn_err_nomem(err) : 0;
}

int
cdn_wrap_variable(struct cdn_wrap_server *server, cdn_str name,
    struct cdn_arena *arena, struct cordon_error *err)
{
	const char *equals = memchr(name.p, '=', name.n);

	/* A client that does not look passes "HOME=/x" as HOME, too. */
	if (equals != NULL)
		name.n = (size_t)(equals - name.p);
	for (size_t i = 0; i < CDN_LEN(variables); i++)
		if (server->steers == NULL && is_meant(variables[i], name))
			return tell(server, cdn_arena_printf(arena,
			    "its variable '%.*s' would be the guard's too, "
			    "and choose for it (write its command as: env "
			    "NAME=VALUE COMMAND)",
			    name.n > CDN_NAME_MAX ? CDN_NAME_MAX : (int)name.n,
			    name.p), err);
	return 0;
}

int
cdn_wrap_setting(struct cdn_wrap_server *server, cdn_str key, bool is_map,
    struct cdn_arena *arena, struct cordon_error *err)
{
	const char *why = NULL;

	if (is_one_of(key, directories, CDN_LEN(directories)))
		why = "would choose the guard's workspace (write its command "
		      "as: env -C DIR COMMAND)";
	else if (is_one_of(key, files, CDN_LEN(files)))
		why = "names variables that would be the guard's too, and "
		      "that cordon cannot see";
	else if (cdn_wrap_is_env(key) && !is_map)
		why = "is not a list of names and values";
	if (why == NULL || server->steers != NULL)
		return 0;
	return tell(server, cdn_arena_printf(arena, "its '%.*s' %s",
	    CDN_STR_ARG(key), why), err);
}
