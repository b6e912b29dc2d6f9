#include "enforce/home/env_names.h"

#include "enforce/home/env.h"

/* Of a name in the tables: no pointers to them, which a start would set. */
#define NAME_ROOM 20

/*
 * In groups that end with "", the first that has a name decides.  A star stands
 * at the end only.
 */
enum group { ALWAYS, OF_HOME, LOADS, EXECUTES, BASELINE, NONE };

static const unsigned char kinds[] = {
	[ALWAYS] = CDN_ENV_ALWAYS,
	[OF_HOME] = CDN_ENV_OF_HOME,
	[LOADS] = CDN_ENV_EXECUTES,
	[EXECUTES] = CDN_ENV_EXECUTES,
	[BASELINE] = CDN_ENV_BASELINE,
	[NONE] = CDN_ENV_OTHER,
};

static const char names[][NAME_ROOM] = {
	"PATH", "HOME", "TERM",
	"",

	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
	"GRADLE_USER_HOME", "CARGO_HOME", "GOPATH", "PYTHONUSERBASE",
	"",

	/* The loader obeys them, before any program does. */
	"LD_*", "DYLD_*",
	"",

	/* Libraries, start-up files, options and programs that others run. */
	/* libc */
	"GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "HOSTALIASES",
	"LOCALDOMAIN", "LOCPATH", "MALLOC_*", "NLSPATH", "RESOLV_*",
	"RES_OPTIONS", "TZDIR",
	/* shells */
	"BASH_*", "BASHOPTS", "CDPATH", "ENV", "IFS", "PROMPT_COMMAND", "PS0",
	"PS1", "PS2", "PS3", "PS4", "SHELLOPTS", "ZDOTDIR", "FPATH",
	/* interpreters */
	"NODE_OPTIONS", "NODE_PATH", "NODE_REPL_*", "DENO_*", "BUN_*",
	"PYTHON*", "PERL*", "RUBY*", "GEM_*", "BUNDLE_*", "LUA_*", "PHPRC",
	"PHP_*", "R_PROFILE*", "R_ENVIRON*", "R_LIBS*", "JULIA_*", "ERL_*",
	"ELIXIR_*", "GUILE_*", "TCLLIBPATH", "DOTNET_*", "CORECLR_*", "COR_*",
	"JAVA_TOOL_OPTIONS", "JAVA_OPTS", "JDK_*", "_JAVA_OPTIONS", "CLASSPATH",
	"GRADLE_OPTS", "MAVEN_*", "SBT_OPTS", "ANT_*",
	/* builds */
	"MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "RUSTC*",
	"RUSTDOC*", "RUSTFLAGS", "CARGO_*", "GOFLAGS", "GOENV", "GOROOT",
	"GOTOOL*", "CGO_*", "CMAKE_*", "npm_*", "NPM_*", "YARN_*", "PIP_*",
	"COREPACK_*",
	/* git and what it starts; names and dates of authors do no harm */
	"GIT_ALTERNATE_*", "GIT_ASKPASS", "GIT_CEILING_*", "GIT_COMMON_DIR",
	"GIT_CONFIG*", "GIT_DIFF_*", "GIT_DIR", "GIT_EDITOR", "GIT_EXEC_PATH",
	"GIT_EXTERNAL_*", "GIT_INDEX_*", "GIT_OBJECT_*", "GIT_PAGER",
	"GIT_PROXY_*", "GIT_SEQUENCE_*", "GIT_SSH*", "GIT_TEMPLATE_DIR",
	"GIT_TRACE*", "GIT_WORK_TREE",
	/* programs by name */
	"BROWSER", "EDITOR", "HGEDITOR", "LESS*", "MANPAGER", "PAGER",
	"SSH_ASKPASS*", "SUDO_ASKPASS", "SVN_*", "CVS_*", "RSYNC_*",
	"SYSTEMD_PAGER*", "TAR_OPTIONS", "VISUAL",
	/* editors, debuggers, toolkits */
	"EXINIT", "VIM*", "NVIM*", "EMACS*", "GDB*", "GTK_*", "GIO_*", "QT_*",
	"OPENSSL_*",
	"",

	/*
	 * What a program needs to find its tools, to speak the user's language
	 * and to draw on the terminal.  Nothing here is a secret, names a
	 * socket, or names a program.  Secrets (AWS_*, *_TOKEN, SSH_AUTH_SOCK,
	 * ...) need no list: what is not here is not passed.
	 */
	/* who */
	"USER", "LOGNAME", "SHELL",
	/* language and time */
	"LANG", "LANGUAGE", "LC_*", "TZ",
	/* the terminal */
	"COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR",
	"CLICOLOR_FORCE",
	/* whether somebody is there to answer */
	"CI",
	/* where certificates lie; no keys */
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	/* toolchains that stay where they are and are granted read-only */
	"RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "PYENV_ROOT", "NVM_DIR",
	/* the host's, unless there is a private one */
	"TMPDIR", "TMP", "TEMP",
	"",
};

_Static_assert(CDN_LEN(names) < CDN_ENV_NAMES_MAX, "an index has room");

/* ----- Matching ------------------------------------------------------------- */

bool
cdn_env_match(cdn_str pattern, cdn_str name)
{
	size_t p = 0, n = 0, star = SIZE_MAX, from = 0;

	/* Only the last star is ever moved, so this is quadratic at worst. */
	while (n < name.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = n;
		} else if (p < pattern.n && pattern.p[p] == name.p[n]) {
			p++;
			n++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			n = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

/* A row of the table: without a star, or with one at its end. */
static bool
is_meant(const char *row, cdn_str name)
{
	size_t i = 0;

	while (i < name.n && row[i] != '\0' && row[i] == name.p[i])
		i++;
	return row[i] == '*' || (row[i] == '\0' && i == name.n);
}

static enum group
group_of(cdn_str name)
{
	unsigned group = ALWAYS;

	for (size_t i = 0; i < CDN_LEN(names) && name.n > 0; i++)
		if (names[i][0] == '\0')
			group++;
		else if (is_meant(names[i], name))
			return (enum group)group;
	return NONE;
}

bool
cdn_env_loads(cdn_str name)
{
	return group_of(name) == LOADS;
}

enum cdn_env_kind
cdn_env_kind(cdn_str name)
{
	return (enum cdn_env_kind)kinds[group_of(name)];
}

/* ----- Many names ----------------------------------------------------------- */

/* By the first two letters; no row is shorter, nor has its star there. */
static size_t
letters_of(const char *p)
{
	return ((unsigned char)p[0] * 7U + (unsigned char)p[1]) %
	    CDN_ENV_LETTERS;
}

/* Backwards, so that each list is in the order of the table. */
void
cdn_env_names_init(struct cdn_env_names *index)
{
	unsigned group = NONE;

	memset(index->first, 0, sizeof(index->first));
	for (size_t i = CDN_LEN(names); i > 0; i--) {
		size_t at = letters_of(names[i - 1]);

		if (names[i - 1][0] == '\0') {
			group--;
			continue;
		}
		index->kind[i] = kinds[group];
		index->next[i] = index->first[at];
		index->first[at] = (unsigned char)i;
	}
}

enum cdn_env_kind
cdn_env_names_kind(const struct cdn_env_names *index, cdn_str name)
{
	size_t i;

	if (name.n < 2)
		return CDN_ENV_OTHER;
	i = index->first[letters_of(name.p)];
	while (i > 0 && !is_meant(names[i - 1], name))
		i = index->next[i];
	return i > 0 ? (enum cdn_env_kind)index->kind[i] : CDN_ENV_OTHER;
}

bool
cdn_env_executes(cdn_str name)
{
	return cdn_env_kind(name) == CDN_ENV_EXECUTES;
}

bool
cdn_env_is_name(cdn_str name)
{
	if (name.n == 0 || name.n > CDN_NAME_MAX ||
	    (name.p[0] >= '0' && name.p[0] <= '9'))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
		    !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return true;
}
