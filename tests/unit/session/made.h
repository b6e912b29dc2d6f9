/*
 * made - sessions in a fresh directory, with a home of their own, asked as a
 * process of the run would be.
 */
#ifndef CDN_TESTS_SESSION_MADE_H
#define CDN_TESTS_SESSION_MADE_H

#include "enforce/session/session.h"
#include "support/engine.h"
#include "support/tmpdir.h"

/* No variable of the caller has a say. */
static inline void
made_begin(void)
{
	static const char *const unset[] = { "XDG_CONFIG_HOME",
		"XDG_STATE_HOME", "CARGO_HOME", "CODEX_HOME",
		"CLAUDE_CONFIG_DIR", "GROK_HOME", "RUSTUP_HOME", "PYENV_ROOT",
		"NVM_DIR", "ORBIT_ACTIVITY_FS_PROFILE" };

	tmp_begin();
	tmp_dir("home");
	tmp_dir("w");
	for (size_t i = 0; i < CDN_LEN(unset); i++)
		unsetenv(unset[i]);
	setenv("HOME", tmp_path("home"), 1);
	setenv("PATH", "/usr/bin:/bin", 1);
}

/* The workspace is w; size is set here. */
static inline struct cordon_session *
made_session(struct cordon_session_options options)
{
	struct cordon_session *session = NULL;
	struct cordon_error err;

	options.size = sizeof(options);
	if (options.workspace == NULL)
		options.workspace = tmp_path("w");
	if (cordon_session_new(&options, NULL, &session, &err) != 0) {
		printf("# %s\n", err.text);
		need(false, "session");
	}
	return session;
}

static inline bool
made_allows(const struct cordon_session *s, enum cordon_op op,
    const char *path)
{
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_PROCESS, .op = op, .path = path,
		.path_len = strlen(path) };
	struct cordon_verdict verdict = { 0 };

	need(cordon_check(s, &query, &verdict, NULL) == 0, path);
	return verdict.allowed;
}

#endif
