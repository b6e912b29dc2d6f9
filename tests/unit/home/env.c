/* The environment of a run: what comes in, what stays out, who says so. */
#include "enforce/home/env.h"

#include "enforce/home/env_names.h"
#include "support/tap.h"

#define LIST_MAX 16

/* ----- Layers, written as words ---------------------------------------------- */

struct layer {
	const char *pass; /* words; NULL = no list was written */
	const char *drop;
	const char *set; /* NAME=VALUE words */
	bool trusted;
};

struct written {
	struct cdn_text pass[LIST_MAX], drop[LIST_MAX], names[LIST_MAX],
	    values[LIST_MAX];
	struct cdn_env env;
};

static struct cdn_texts
words(const char *text, struct cdn_text *room)
{
	cdn_str rest = cdn_str_of(text), word;
	struct cdn_texts list = { room, 0 };

	while (text != NULL && cdn_str_next(&rest, ' ', &word))
		if (word.n > 0)
			room[list.n++].text = word;
	return list;
}

static void
write_layer(const struct layer *layer, struct written *w)
{
	cdn_str rest = cdn_str_of(layer->set), word, name;

	*w = (struct written){ 0 };
	w->env.has_pass = layer->pass != NULL;
	w->env.pass = words(layer->pass, w->pass);
	w->env.drop = words(layer->drop, w->drop);
	w->env.set_names.v = w->names;
	w->env.set_values.v = w->values;
	while (layer->set != NULL && cdn_str_next(&rest, ' ', &word)) {
		size_t i = w->env.set_names.n++;

		(void)cdn_str_next(&word, '=', &name);
		w->names[i].text = name;
		w->values[i].text = word;
		w->env.set_values.n++;
	}
}

/* ----- Composing -------------------------------------------------------------- */

struct given {
	const char *caller[LIST_MAX];
	struct layer layers[4];
	size_t layer_count;
	const char *extra[LIST_MAX];
	const char *home, *tmp;
	bool granted;
	bool agent; /* which sets S and wants X_* */
};

static const char *const agent_set[] = { "S=1", NULL };
static const char *const agent_pass[] = { "X_*", "LD_X", NULL };

/* The result as one line, "A=1 B=2"; or the error. */
static const char *
compose(const struct given *g)
{
	static char line[8192];
	struct written written[4];
	struct cdn_env_layer layers[4];
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_error err = { .code = 99 };
	struct cdn_env_spec spec = {
		.layers = layers,
		.layer_count = g->layer_count,
		.home = g->home != NULL ? g->home : "",
		.tmp = g->tmp != NULL ? g->tmp : "",
		.granted = g->granted,
		.agent_set = g->agent ? agent_set : NULL,
		.agent_pass = g->agent ? agent_pass : NULL,
		.extra = g->extra,
	};
	char *caller[LIST_MAX + 1] = { 0 };
	char **list = NULL;
	size_t n = 0;

	for (size_t i = 0; i < LIST_MAX && g->caller[i] != NULL; i++)
		caller[i] = strdup(g->caller[i]);
	spec.caller = caller;
	for (size_t i = 0; i < g->layer_count; i++) {
		write_layer(&g->layers[i], &written[i]);
		layers[i] = (struct cdn_env_layer){ &written[i].env,
			g->layers[i].trusted };
	}
	while (spec.extra_count < LIST_MAX &&
	    g->extra[spec.extra_count] != NULL)
		spec.extra_count++;
	line[0] = '\0';
	if (cdn_env_compose(arena, &spec, &list, &err) != 0)
		n = (size_t)snprintf(line, sizeof(line), "%d %s", err.code,
		    err.text);
	else
		for (size_t i = 0; list[i] != NULL; i++)
			n += (size_t)snprintf(line + n, sizeof(line) - n,
			    "%s%s", i == 0 ? "" : " ", list[i]);
	cdn_arena_free(arena);
	for (size_t i = 0; i < LIST_MAX; i++)
		free(caller[i]);
	return line;
}

static void
is(const struct given *g, const char *want, const char *what)
{
	const char *got = compose(g);

	if (!ok(strcmp(got, want) == 0, what))
		printf("# got  %s\n# want %s\n", got, want);
}

#define NOTHING "PATH=" CDN_ENV_DEFAULT_PATH
#define GIVEN(...) &(struct given){ __VA_ARGS__ }
#define CALLER(...) .caller = { __VA_ARGS__ }
#define LAYERS(n, ...) .layer_count = (n), .layers = { __VA_ARGS__ }
#define EXTRA(...) .extra = { __VA_ARGS__ }

/* ----- The baseline ------------------------------------------------------------ */

/* name, and whether a caller's variable of that name gets in by itself */
static const struct {
	const char *name;
	bool passes;
	bool executes;
} names[] = {
	{ "PATH", true, false },
	{ "HOME", true, false },
	{ "TERM", true, false },
	{ "LANG", true, false },
	{ "LC_ALL", true, false },
	{ "LC_TIME", true, false },
	{ "USER", true, false },
	{ "NO_COLOR", true, false },
	{ "NVM_DIR", true, false },
	{ "RUSTUP_HOME", true, false },
	{ "PYENV_ROOT", true, false },
	{ "TMPDIR", true, false },
	{ "CARGO_HOME", true, false }, /* with the real home */
	{ "GOPATH", true, false },
	/* secrets and sockets */
	{ "GITHUB_TOKEN", false, false },
	{ "AWS_SECRET_ACCESS_KEY", false, false },
	{ "SSH_AUTH_SOCK", false, false },
	{ "DB_PASSWORD", false, false },
	{ "DBUS_SESSION_BUS_ADDRESS", false, false },
	{ "XDG_RUNTIME_DIR", false, false },
	{ "DOCKER_HOST", false, false },
	{ "http_proxy", false, false },
	{ "LANGX", false, false },
	{ "XLC_ALL", false, false },
	{ "MY_VAR", false, false },
	/* what runs code */
	{ "LD_PRELOAD", false, true },
	{ "LD_LIBRARY_PATH", false, true },
	{ "LD_", false, true },
	{ "DYLD_INSERT_LIBRARIES", false, true },
	{ "NODE_OPTIONS", false, true },
	{ "BASH_ENV", false, true },
	{ "BASH_FUNC_ls", false, true },
	{ "ENV", false, true },
	{ "PYTHONSTARTUP", false, true },
	{ "PYTHONPATH", false, true },
	{ "PERL5OPT", false, true },
	{ "RUBYOPT", false, true },
	{ "GIT_SSH", false, true },
	{ "GIT_SSH_COMMAND", false, true },
	{ "GIT_EXTERNAL_DIFF", false, true },
	{ "GIT_EXEC_PATH", false, true },
	{ "GIT_CONFIG_COUNT", false, true },
	{ "GIT_CONFIG_KEY_0", false, true },
	{ "GIT_PAGER", false, true },
	{ "PAGER", false, true },
	{ "PROMPT_COMMAND", false, true },
	{ "IFS", false, true },
	{ "GCONV_PATH", false, true },
	{ "GLIBC_TUNABLES", false, true },
	{ "MALLOC_CHECK_", false, true },
	{ "JAVA_TOOL_OPTIONS", false, true },
	{ "MAVEN_OPTS", false, true },
	{ "RUSTC_WRAPPER", false, true },
	{ "GIT_AUTHOR_NAME", false, false },
};

/* The line that has the variable and PATH, in order. */
static const char *
with(const char *name, const char *text)
{
	static char line[512];
	int order = strcmp(name, "PATH");

	if (order == 0)
		return text;
	snprintf(line, sizeof(line), "%s %s", order < 0 ? text : NOTHING,
	    order < 0 ? NOTHING : text);
	return line;
}

#define GIT                                                                   \
	"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=rerere.enabled "                 \
	"GIT_CONFIG_VALUE_0=false "

static void
test_names(void)
{
	char text[256];

	for (size_t i = 0; i < CDN_LEN(names); i++) {
		const char *name = names[i].name;

		snprintf(text, sizeof(text), "%s=/v", name);
		is(GIVEN(CALLER(text)),
		    names[i].passes ? with(name, text) : NOTHING, name);
		is(GIVEN(CALLER(text),
		       LAYERS(1, { .pass = "*", .trusted = true })),
		    names[i].executes ? NOTHING : with(name, text),
		    "... and where a trusted document says '*'");
		ok_f(cdn_env_executes(cdn_str_of(name)) == names[i].executes,
		    "'%s' %s", name,
		    names[i].executes ? "executes" : "does not execute");
	}
}

static void
test_callers(void)
{
	is(GIVEN(.home = ""), NOTHING, "a caller with nothing at all");
	is(GIVEN(CALLER("LANG=a", "LANG=b", "LANG")),
	    "LANG=a " NOTHING, "of two with one name the first counts");
	is(GIVEN(CALLER("=x", "", "LANG", "1A=x", "A B=x", "LC_\xc3\xa9=x",
	       "LC_A%%=x", "TERM=")),
	    NOTHING " TERM=", "what is no variable is left out");
	is(GIVEN(CALLER("LANG=a=b c")), "LANG=a=b c " NOTHING,
	    "only the first '=' counts");
	is(GIVEN(CALLER("PATH=:/a::b:./c:/d:.:../e:~/f:")), "PATH=/a:/d",
	    "PATH without empty and relative entries");
	is(GIVEN(CALLER("PATH=")), NOTHING, "an empty PATH");
	is(GIVEN(CALLER("PATH=.:bin")), NOTHING, "a PATH of relative entries");
}

/* ----- Documents --------------------------------------------------------------- */

static void
test_layers(void)
{
	is(GIVEN(CALLER("LANG=a", "MY_VAR=b", "USER=u"),
	       LAYERS(1, { .pass = "MY_VAR", .trusted = true })),
	    "MY_VAR=b " NOTHING, "a trusted list replaces the baseline");
	is(GIVEN(CALLER("LANG=a", "MY_VAR=b", "USER=u"),
	       LAYERS(1, { .pass = "MY_VAR LANG" })),
	    "LANG=a " NOTHING, "one that is not trusted only takes away");
	is(GIVEN(CALLER("LANG=a", "MY_VAR=b"),
	       LAYERS(2, { .pass = "MY_VAR", .trusted = true },
		   { .pass = "*" })),
	    "MY_VAR=b " NOTHING, "both lists have it");
	is(GIVEN(CALLER("A1=a", "A2=b", "A3=c"),
	       LAYERS(2, { .pass = "A1 A2", .trusted = true },
		   { .pass = "A2 A3", .trusted = true })),
	    "A2=b " NOTHING, "two trusted lists: what both have");
	is(GIVEN(CALLER("PATH=/x", "TERM=t", "HOME=/h", "LANG=l"),
	       LAYERS(1, { .pass = "", .trusted = true })),
	    "HOME=/h PATH=/x TERM=t", "an empty list leaves three");
	is(GIVEN(CALLER("PATH=/x", "TERM=t", "HOME=/h", "LANG=l"),
	       LAYERS(1, { .drop = "*" })),
	    NOTHING, "but they can be dropped");
	is(GIVEN(CALLER("A_TOKEN=a", "A=b"),
	       LAYERS(2, { .pass = "A*", .trusted = true },
		   { .drop = "*_TOKEN" })),
	    "A=b " NOTHING, "anybody may drop");
	is(GIVEN(CALLER("LD_PRELOAD=a", "BASH_ENV=b"),
	       LAYERS(1, { .pass = "LD_PRELOAD BASH_EN*", .trusted = true })),
	    "LD_PRELOAD=a " NOTHING, "what executes must be named exactly");
	is(GIVEN(CALLER("BASH_ENV=b"), LAYERS(1, { .pass = "BASH_ENV" })),
	    NOTHING, "by somebody trusted");
	is(GIVEN(CALLER("BASH_ENV=b"),
	       LAYERS(2, { .pass = "*", .trusted = true },
		   { .pass = "BASH_ENV" })),
	    NOTHING, "a wildcard is not made exact by the untrusted");
}

static void
test_set(void)
{
	is(GIVEN(LAYERS(1, { .set = "CI=1 A=2", .trusted = true })),
	    "A=2 CI=1 " NOTHING, "a trusted layer sets");
	is(GIVEN(CALLER("CI=0"), LAYERS(1, { .set = "CI=1 A=2" })),
	    "CI=0 " NOTHING, "one that is not does not");
	is(GIVEN(CALLER("CI=0"), LAYERS(1, { .set = "CI=1", .trusted = true })),
	    "CI=1 " NOTHING, "what is set wins over the caller's");
	is(GIVEN(LAYERS(2, { .set = "A=outer", .trusted = true },
		   { .set = "A=inner B=inner", .trusted = true })),
	    "A=outer B=inner " NOTHING, "the outermost wins");
	is(GIVEN(LAYERS(1, { .set = "A=1 A=2", .trusted = true })),
	    "A=2 " NOTHING, "in one document the later one holds");
	is(GIVEN(LAYERS(1, { .set = "A=1", .drop = "*", .trusted = true })),
	    "A=1 " NOTHING, "its own drop does not concern its set");
	is(GIVEN(LAYERS(2, { .set = "A=1", .trusted = true }, { .drop = "A" })),
	    NOTHING, "that of another does");
	is(GIVEN(CALLER("PATH=/c"),
	       LAYERS(1, { .set = "PATH=/a:b:/c HOME=/evil", .trusted = true }),
	       .home = "/own"),
	    GIT "GRADLE_USER_HOME=/own/.gradle HOME=/own "
	    "MAVEN_OPTS=-Duser.home=/own PATH=/a:/c "
	    "XDG_CACHE_HOME=/own/.cache XDG_CONFIG_HOME=/own/.config "
	    "XDG_DATA_HOME=/own/.local/share XDG_STATE_HOME=/own/.local/state",
	    "HOME is not for documents, PATH is cleaned");
}

/* ----- Home, tmp and --env ------------------------------------------------------ */

#define OWN                                                                   \
	GIT "GRADLE_USER_HOME=/own/.gradle HOME=/own "                            \
	"MAVEN_OPTS=-Duser.home=/own " NOTHING                                \
	" XDG_CACHE_HOME=/own/.cache XDG_CONFIG_HOME=/own/.config "           \
	"XDG_DATA_HOME=/own/.local/share XDG_STATE_HOME=/own/.local/state"

static void
test_home(void)
{
	is(GIVEN(CALLER("HOME=/h", "XDG_CONFIG_HOME=/x", "CARGO_HOME=/c",
		   "GOPATH=/g", "PYTHONUSERBASE=/p", "GRADLE_USER_HOME=/gr",
		   "MAVEN_OPTS=-javaagent:x"),
	       .home = "/own"),
	    OWN, "a home of its own: nothing points to the real one");
	is(GIVEN(CALLER("HOME=/h", "XDG_CONFIG_HOME=/x", "CARGO_HOME=/c")),
	    "CARGO_HOME=/c HOME=/h " NOTHING " XDG_CONFIG_HOME=/x",
	    "the real home: the caller's stay");
	is(GIVEN(CALLER("TMPDIR=/t"), .tmp = "/own"),
	    NOTHING " TEMP=/own TMP=/own TMPDIR=/own "
	    "TMPPREFIX=/own/zsh", "a private tmp");
	is(GIVEN(CALLER("TMPDIR=/t")), NOTHING " TMPDIR=/t", "the host's");
	is(GIVEN(CALLER("WGETRC=/w"), .home = "/own", .tmp = "/t",
	       .granted = true),
	    "CURL_HOME=/t GIT_CONFIG_COUNT=1 "
	    "GIT_CONFIG_GLOBAL=/t/.gitconfig "
	    "GIT_CONFIG_KEY_0=rerere.enabled GIT_CONFIG_VALUE_0=false "
	    "GRADLE_USER_HOME=/own/.gradle HOME=/own "
	    "MAVEN_OPTS=-Duser.home=/own NPM_CONFIG_USERCONFIG=/t/.npmrc "
	    NOTHING " TEMP=/t TMP=/t TMPDIR=/t TMPPREFIX=/t/zsh "
	    "WGETRC=/t/.wgetrc XDG_CACHE_HOME=/own/.cache "
	    "XDG_CONFIG_HOME=/t/.config XDG_DATA_HOME=/own/.local/share "
	    "XDG_STATE_HOME=/own/.local/state",
	    "with a grant nothing is obeyed that others may have written");
	is(GIVEN(CALLER("HOME=/h"), .tmp = "/t", .granted = true),
	    "HOME=/h " NOTHING " TEMP=/t TMP=/t TMPDIR=/t TMPPREFIX=/t/zsh",
	    "in the real home it is the user who wrote it");
}

static void
test_agent(void)
{
	is(GIVEN(CALLER("X_KEY=k", "Y_KEY=k", "LD_X=1", "S=2"),
	       .agent = true), NOTHING " S=1 X_KEY=k",
	    "an agent's own, and nothing that executes");
	is(GIVEN(CALLER("X_KEY=k"), .agent = true,
	       LAYERS(1, { .drop = "*_KEY S" })), NOTHING,
	    "not what is dropped");
	is(GIVEN(CALLER("X_KEY=k"), .agent = true,
	       LAYERS(1, { .set = "S=3", .pass = "CI", .trusted = true })),
	    NOTHING " S=3", "documents and their lists win");
	is(GIVEN(CALLER("X_KEY=k", "S=2"), .agent = true, EXTRA("S")),
	    NOTHING " S=2 X_KEY=k", "--env, too");
}

static void
test_extra(void)
{
	is(GIVEN(CALLER("MY=1", "MY=2"), EXTRA("MY")), "MY=1 " NOTHING,
	    "the caller's value");
	is(GIVEN(CALLER("OTHER=1"), EXTRA("MY")), NOTHING,
	    "no value, no variable");
	is(GIVEN(CALLER("MY=1"), EXTRA("MY=2", "MY=3")), "MY=3 " NOTHING,
	    "the last one counts");
	is(GIVEN(EXTRA("MY=")), "MY= " NOTHING, "an empty value");
	is(GIVEN(EXTRA("MY=a=b")), "MY=a=b " NOTHING, "a value with '='");
	is(GIVEN(CALLER("A_TOKEN=t"), EXTRA("A_TOKEN"),
	       LAYERS(1, { .drop = "*", .pass = "" })),
	    "A_TOKEN=t " NOTHING, "it wins over documents");
	is(GIVEN(EXTRA("HOME=/x"), .home = "/own"),
	    GIT "GRADLE_USER_HOME=/own/.gradle HOME=/x "
	    "MAVEN_OPTS=-Duser.home=/own " NOTHING
	    " XDG_CACHE_HOME=/own/.cache XDG_CONFIG_HOME=/own/.config "
	    "XDG_DATA_HOME=/own/.local/share "
	    "XDG_STATE_HOME=/own/.local/state",
	    "and over the home");
	is(GIVEN(EXTRA("NODE_OPTIONS=x")), "NODE_OPTIONS=x " NOTHING,
	    "named exactly, even what executes");
}

static void
test_extra_fails(void)
{
	static const char *const bad[] = { "", "=x", "1A=secret", "A B=secret",
		"A-B", "\xc3\xa9=secret", "LD_PRELOAD=secret", "LD_PRELOAD",
		"LD_=secret", "DYLD_X=secret" };

	for (size_t i = 0; i < CDN_LEN(bad); i++) {
		const char *got = compose(GIVEN(CALLER("LANG=a"),
		    EXTRA("OK=1", bad[i])));
		char code[16];

		snprintf(code, sizeof(code), "%d ", CORDON_E_INVALID);
		if (!ok_f(strncmp(got, code, strlen(code)) == 0 &&
			    strstr(got, "secret") == NULL,
			"--env '%s' is refused, its value not told", bad[i]))
			printf("# %s\n", got);
	}
}

static void
test_limits(void)
{
	char *big = malloc(CDN_ENV_VALUE_MAX + 64);
	char **many = calloc(CDN_ENV_MAX + 2, sizeof(*many));
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_env_spec spec = { .home = "", .tmp = "", .caller = many };
	struct cordon_error err = { 0 };
	char **list;

	memset(big, 'x', CDN_ENV_VALUE_MAX + 64);
	memcpy(big, "LANG=", 5);
	big[5 + CDN_ENV_VALUE_MAX] = '\0';
	many[0] = big;
	ok(cdn_env_compose(arena, &spec, &list, &err) == 0 &&
		strlen(list[0]) == 5 + CDN_ENV_VALUE_MAX,
	    "control: a value as long as may be");
	big[5 + CDN_ENV_VALUE_MAX] = 'x';
	big[6 + CDN_ENV_VALUE_MAX] = '\0';
	ok(cdn_env_compose(arena, &spec, &list, &err) == CORDON_E_INVALID &&
		strstr(err.text, "'LANG'") != NULL,
	    "a longer one is refused");
	memcpy(big, "LING=", 5);
	ok(cdn_env_compose(arena, &spec, &list, &err) == 0,
	    "unless it would not be passed anyway");
	memcpy(big, "LANG=x", 7);
	for (size_t i = 0; i <= CDN_ENV_MAX; i++)
		many[i] = big;
	ok(cdn_env_compose(arena, &spec, &list, &err) == CORDON_E_INVALID &&
		strstr(err.text, "4096") != NULL,
	    "too many variables");
	free(many);
	free(big);
	cdn_arena_free(arena);
}

/* clang-format off */
static const struct {
	const char *name;
	enum cdn_env_kind kind;
} kinds[] = {
	{ "PATH",		CDN_ENV_ALWAYS },
	{ "HOME",		CDN_ENV_ALWAYS },
	{ "TERM",		CDN_ENV_ALWAYS },
	{ "CARGO_HOME",		CDN_ENV_OF_HOME },	/* before CARGO_* */
	{ "PYTHONUSERBASE",	CDN_ENV_OF_HOME },	/* before PYTHON* */
	{ "XDG_STATE_HOME",	CDN_ENV_OF_HOME },
	{ "LD_PRELOAD",		CDN_ENV_EXECUTES },
	{ "LD_",		CDN_ENV_EXECUTES },
	{ "DYLD_X",		CDN_ENV_EXECUTES },
	{ "CARGO_TARGET_DIR",	CDN_ENV_EXECUTES },
	{ "PYTHONPATH",		CDN_ENV_EXECUTES },
	{ "PYTHON",		CDN_ENV_EXECUTES },
	{ "npm_config_x",	CDN_ENV_EXECUTES },
	{ "_JAVA_OPTIONS",	CDN_ENV_EXECUTES },
	{ "OPENSSL_CONF",	CDN_ENV_EXECUTES },
	{ "GCONV_PATH",		CDN_ENV_EXECUTES },
	{ "USER",		CDN_ENV_BASELINE },
	{ "LC_ALL",		CDN_ENV_BASELINE },
	{ "CI",			CDN_ENV_BASELINE },
	{ "TEMP",		CDN_ENV_BASELINE },
	{ "NODE_EXTRA_CA_CERTS", CDN_ENV_BASELINE },
	{ "",			CDN_ENV_OTHER },
	{ "PAT",		CDN_ENV_OTHER },
	{ "PATHS",		CDN_ENV_OTHER },
	{ "path",		CDN_ENV_OTHER },
	{ "LD",			CDN_ENV_OTHER },
	{ "XLD_PRELOAD",	CDN_ENV_OTHER },
	{ "CIX",		CDN_ENV_OTHER },
	{ "AWS_SECRET_KEY",	CDN_ENV_OTHER },
	{ "\303\204",		CDN_ENV_OTHER },
	{ "\320ATH",		CDN_ENV_OTHER },	/* 'P' and the top bit */
	{ "*",			CDN_ENV_OTHER },
	{ "0",			CDN_ENV_OTHER },
};
/* clang-format on */

/* One by one, and by an index. */
static void
test_kinds(void)
{
	struct cdn_env_names index;
	unsigned long differ = 0;

	cdn_env_names_init(&index);
	for (size_t i = 0; i < CDN_LEN(kinds); i++) {
		cdn_str name = cdn_str_of(kinds[i].name);

		ok_f(cdn_env_kind(name) == kinds[i].kind &&
		    cdn_env_names_kind(&index, name) == kinds[i].kind,
		    "the kind of '%s'", kinds[i].name);
		/* Each beginning of it, and each with one letter more. */
		for (size_t n = 0; n <= name.n; n++)
			for (unsigned c = 1; c < 256; c++) {
				char text[32];
				cdn_str other = { text, n + 1 };

				memcpy(text, name.p, n);
				text[n] = (char)c;
				differ += cdn_env_kind(other) !=
				    cdn_env_names_kind(&index, other);
			}
	}
	ok_f(differ == 0, "%lu kinds differ", differ);
}

int
main(void)
{
	test_names();
	test_callers();
	test_layers();
	test_set();
	test_home();
	test_agent();
	test_extra();
	test_extra_fails();
	test_limits();
	test_kinds();
	return done_testing();
}
