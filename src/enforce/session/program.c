#include "enforce/session/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/session/placelist.h"

static bool
is_program(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
	    faccessat(AT_FDCWD, file, X_OK, AT_EACCESS) == 0;
}

static bool
resolve(const char *cwd, const char *file, struct cdn_real *ret)
{
	return cdn_path_resolve(cwd, cdn_str_of(file), ret, NULL) == 0 &&
	    ret->exists && !ret->is_directory;
}

bool
cdn_program_search(const char *command, const char *path,
    char out[CDN_PATH_MAX + 1])
{
	cdn_str rest = cdn_str_of(path), dir;

	while (cdn_str_next(&rest, ':', &dir)) {
		int n;

		if (dir.n == 0 || dir.p[0] != '/')
			continue;
		n = snprintf(out, CDN_PATH_MAX + 1, "%.*s/%s",
		    CDN_STR_ARG(dir), command);
		if (n > 0 && n <= CDN_PATH_MAX && is_program(out))
			return true;
	}
	return false;
}

/* Does it, or the directory that names it, lie in the workspace? */
static bool
is_inside(const char *workspace, const char *cwd, const char *command)
{
	cdn_str dir = { command, (size_t)(strrchr(command, '/') - command) };
	struct cdn_real real;

	if (dir.n == 0)
		return false; /* directly in "/" */
	return cdn_path_resolve(cwd, dir, &real, NULL) != 0 ||
	    cdn_placelist_below(real.path, workspace) ||
	    (resolve(cwd, command, &real) &&
		cdn_placelist_below(real.path, workspace));
}

bool
cdn_program_is_inside(const char *command, const char *cwd,
    const char *workspace, const char *path)
{
	char file[CDN_PATH_MAX + 1];

	if (strchr(command, '/') != NULL)
		return is_inside(workspace, cwd, command);
	return cdn_program_search(command, path, file) &&
	    is_inside(workspace, "/", file);
}

/* Behind the first component of that name: 0 when there is none. */
static size_t
behind(const char *path, const char *component)
{
	const char *at = strstr(path, component);

	return at == NULL ? 0 : (size_t)(at - path) + strlen(component);
}

/* The length of the package's path; 0: in none. */
static size_t
package_length(const char *path)
{
	size_t n = behind(path, "/node_modules/");

	if (n > 0)
		return n - 1;
	n = behind(path, "/versions/");
	return n == 0 ? 0 : n + strcspn(path + n, "/");
}

/* Where the command is, absolute; false: nowhere. */
static bool
name_of(const char *command, const char *cwd, const char *path,
    char out[CDN_PATH_MAX + 1])
{
	int n;

	if (strchr(command, '/') == NULL)
		return cdn_program_search(command, path, out);
	n = snprintf(out, CDN_PATH_MAX + 1, "%s%s%s",
	    command[0] == '/' ? "" : cwd, command[0] == '/' ? "" : "/",
	    command);
	return n > 0 && n <= CDN_PATH_MAX;
}

bool
cdn_program_real(const char *command, const char *cwd, const char *path,
    char out[CDN_PATH_MAX + 1])
{
	CDN_UNINITIALIZED struct cdn_real real;

	if (!name_of(command, cwd, path, out) || !resolve(cwd, out, &real))
		return false;
	snprintf(out, CDN_PATH_MAX + 1, "%s", real.path);
	return true;
}

bool
cdn_program_package(struct cdn_lookup *lookup, const char *command,
    const char *cwd, const char *workspace, const char *path,
    struct cdn_real *ret)
{
	bool named = strchr(command, '/') != NULL;
	CDN_UNINITIALIZED char name[CDN_PATH_MAX + 1];
	struct cdn_found found;
	size_t n;

	if (!name_of(command, cwd, path, name) ||
	    cdn_lookup_find(lookup, name, &found, NULL) != 0 ||
	    !found.exists || found.is_directory)
		return false;
	/* Most are in none, and need not be asked whose they are. */
	n = package_length(found.path);
	if (n == 0 || (named && is_inside(workspace, cwd, command)))
		return false;
	memcpy(ret->path, found.path, n);
	ret->path[n] = '\0';
	ret->len = n;
	return true;
}
