/*
 * leftover - what a run leaves in repositories that runs at the host's next git.
 *
 * Repositories that were not there at the start; unfinished rebases whose list
 * has commands, whose merge strategy is a program that a path names, or whose
 * numbers are something else (the prompt that git brings for shells expands
 * them); and what else of the kind was made or changed during the run: by the
 * time that the kernel gave it, which a run cannot choose.
 *
 * A sandbox with a broker refuses new repositories: there the directories are
 * looked into again only if a name was made that could be a part of one.
 * Everywhere else they are looked into at both ends.
 */
#include "enforce/launch/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "enforce/session/survey.h"
#include "enforce/store/file.h"

static const char new_repository[] = "new git repository";
static const char commands[] = "unfinished rebase that runs commands";
static const char picks[] = "unfinished cherry-pick that runs commands";
static const char prompts[] = "unfinished rebase that a shell's prompt would run";
static const char stashes[] = "unfinished rebase that applies changes at its end";
static const char rebase[] = "unfinished rebase";
static const char patches[] = "unfinished rebase or am";
static const char pick[] = "unfinished cherry-pick or revert";
static const char merge[] = "unfinished merge";

#define TODO_MAX (1UL << 20) /* bytes; a longer one is told, too */

struct telling {
	struct cordon_process *p;
	struct cdn_buf line; /* for people */
	unsigned told, count;
	const char *last; /* what */
};

/* ----- Telling -------------------------------------------------------------------- */

/* A name must not write lines of its own. */
static void
put_clean(struct cdn_buf *out, const char *path)
{
	for (; *path != '\0'; path++)
		cdn_buf_putc(out, (unsigned char)*path < ' ' || *path == 0x7f ?
			'?' : *path);
}

static void
tell(struct telling *t, const char *path, const char *what)
{
	const struct cdn_event_field fields[] = {
		cdn_field_text("path", path), cdn_field_text("what", what) };
	struct cordon_error why = { 0 };

	if (t->told++ < CDN_LEFTOVER_RECORDED_MAX && t->p->record != NULL &&
	    cdn_record_event(t->p->record, CDN_EVENT_RUN_LEFT, fields,
		CDN_LEN(fields), &why) != 0 && t->p->audit_lost++ == 0)
		t->p->audit_error = why;
	if (t->count++ >= CDN_LEFTOVER_TOLD_MAX)
		return;
	if (what != t->last)
		cdn_buf_printf(&t->line, "%s%s: ",
		    t->last == NULL ? "" : "; ", what);
	else
		cdn_buf_puts(&t->line, ", ");
	t->last = what;
	put_clean(&t->line, path);
}

static void
sum_up(struct telling *t)
{
	const struct cordon_run_options *o = t->p->options;

	if (t->count > CDN_LEFTOVER_TOLD_MAX)
		cdn_buf_printf(&t->line, ", and %u more",
		    t->count - CDN_LEFTOVER_TOLD_MAX);
	cdn_buf_puts(&t->line, " (look at it before you use git there)");
	if (t->count > 0 && o->notice != NULL && !cdn_buf_failed(&t->line))
		o->notice(t->line.p, o->notice_arg);
	cdn_buf_done(&t->line);
}

/* ----- Repositories --------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **
sorted(struct cdn_arena *arena, const char *const *v, size_t n)
{
	const char **copy = cdn_arena_array(arena, n + 1, sizeof(*copy));

	if (copy == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++)
		copy[i] = v[i];
	if (n > 1)
		qsort(copy, n, sizeof(*copy), by_name);
	return copy;
}

/* Those of `now` that are not in `before`; false: no memory. */
static bool
tell_new(struct telling *t, const char *const *before, size_t before_n,
    const char *const *now, size_t n, const char *tail)
{
	const char **known = sorted(t->p->arena, before, before_n);
	const char *path;

	if (known == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (before_n > 0 && bsearch(&now[i], known, before_n,
			sizeof(*known), by_name) != NULL)
			continue;
		path = cdn_arena_printf(t->p->arena, "%s%s%s%s",
		    t->p->session->workspace, now[i][0] == '\0' ? "" : "/",
		    now[i], tail);
		if (path == NULL)
			return false;
		tell(t, path, new_repository);
	}
	return true;
}

static int
tell_repositories(struct telling *t, const struct cdn_repositories *before,
    struct cordon_error *err)
{
	struct cdn_repositories now = { 0 };
	int code = cdn_repositories_all(t->p->arena, t->p->session->workspace,
	    CDN_SURVEY_LOOKS_MAX, NULL, &now, err);

	if (code != 0)
		return code;
	return tell_new(t, before->v, before->n, now.v, now.n, "") &&
	    tell_new(t, before->trees, before->tree_count, now.trees,
		now.tree_count, "/.git") ? 0 : cdn_err_nomem(err);
}

/* ----- Rebases -------------------------------------------------------------------- */

static bool
is_command(cdn_str line)
{
	static const char *const words[] = { "exec", "x" };

	while (line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t'))
		line = cdn_str_from(line, 1);
	for (size_t i = 0; i < CDN_LEN(words); i++) {
		size_t n = strlen(words[i]);

		if (line.n > n && memcmp(line.p, words[i], n) == 0 &&
		    (line.p[n] == ' ' || line.p[n] == '\t'))
			return true;
	}
	return false;
}

static bool
has_command(cdn_str text)
{
	cdn_str line;

	while (cdn_str_next(&text, '\n', &line))
		if (is_command(line))
			return true;
	return false;
}

/* git runs git-merge-NAME, and a name with a slash is a path. */
static bool
is_foreign(cdn_str strategy)
{
	return strategy.n > 0 && memchr(strategy.p, '/', strategy.n) != NULL;
}

/* One option a line, as in a configuration. */
static bool
has_foreign(cdn_str text)
{
	cdn_str line;

	while (cdn_str_next(&text, '\n', &line))
		if (memmem(line.p, line.n, "strategy", 8) != NULL &&
		    is_foreign(line))
			return true;
	return false;
}

/* What is not a file that can be read may be anything. */
static bool
says(const char *gitdir, const char *name, bool (*what)(cdn_str text))
{
	char path[CDN_PATH_MAX + 64];
	cdn_cleanup_fd int fd = -1;
	struct cdn_buf text;
	struct stat st;
	bool found;

	snprintf(path, sizeof(path), "%s/%s", gitdir, name);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC);
	if (fd < 0)
		return lstat(path, &st) == 0;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    cdn_file_read(fd, path, TODO_MAX, &text, NULL) != 0)
		return true;
	found = what((cdn_str){ text.p, text.n });
	cdn_buf_done(&text);
	return found;
}

static cdn_str
without_newline(cdn_str text)
{
	if (text.n > 0 && text.p[text.n - 1] == '\n')
		text.n--;
	return text;
}

static bool
is_no_number(cdn_str text)
{
	text = without_newline(text);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			return true;
	return false;
}

/* What a shell would expand. */
static bool
is_no_branch(cdn_str text)
{
	text = without_newline(text);
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' ||
		    strchr("$`\\", text.p[i]) != NULL)
			return true;
	return false;
}

/* Made, changed or renamed since the run began. */
static bool
is_new(const struct telling *t, const char *gitdir, const char *name)
{
	const struct timespec *since = &t->p->since;
	char path[CDN_PATH_MAX + 64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", gitdir, name);
	return lstat(path, &st) == 0 && (st.st_ctim.tv_sec > since->tv_sec ||
	    (st.st_ctim.tv_sec == since->tv_sec &&
		st.st_ctim.tv_nsec >= since->tv_nsec));
}

/* NULL: nothing that has to be told. */
static const char *
merging(const struct telling *t, const char *gitdir)
{
	if (says(gitdir, "rebase-merge/git-rebase-todo", has_command) ||
	    says(gitdir, "rebase-merge/strategy", is_foreign))
		return commands;
	if (says(gitdir, "rebase-merge/msgnum", is_no_number) ||
	    says(gitdir, "rebase-merge/end", is_no_number) ||
	    says(gitdir, "rebase-merge/head-name", is_no_branch))
		return prompts;
	if (is_new(t, gitdir, "rebase-merge/autostash"))
		return stashes;
	return is_new(t, gitdir, "rebase-merge") ||
	    is_new(t, gitdir, "rebase-merge/git-rebase-todo") ? rebase : NULL;
}

static const char *
applying(const struct telling *t, const char *gitdir)
{
	if (says(gitdir, "rebase-apply/next", is_no_number) ||
	    says(gitdir, "rebase-apply/last", is_no_number) ||
	    says(gitdir, "rebase-apply/head-name", is_no_branch))
		return prompts;
	if (is_new(t, gitdir, "rebase-apply/autostash"))
		return stashes;
	return is_new(t, gitdir, "rebase-apply") ? patches : NULL;
}

static const char *
picking(const struct telling *t, const char *gitdir)
{
	if (says(gitdir, "sequencer/opts", has_foreign))
		return picks;
	return is_new(t, gitdir, "sequencer") ||
	    is_new(t, gitdir, "sequencer/opts") ||
	    is_new(t, gitdir, "sequencer/todo") ? pick : NULL;
}

static const char *
uniting(const struct telling *t, const char *gitdir)
{
	return is_new(t, gitdir, "MERGE_HEAD") ? merge : NULL;
}

static void
tell_rebase(struct telling *t, const char *gitdir)
{
	static const struct {
		const char *name;
		const char *(*what)(const struct telling *t,
		    const char *gitdir);
	} states[] = {
		{ "rebase-merge", merging },
		{ "rebase-apply", applying },
		{ "sequencer", picking },
		{ "MERGE_HEAD", uniting },
	};
	char path[CDN_PATH_MAX + 64];

	for (size_t i = 0; i < CDN_LEN(states); i++) {
		const char *what = states[i].what(t, gitdir);

		snprintf(path, sizeof(path), "%s/%s", gitdir, states[i].name);
		if (what != NULL)
			tell(t, path, what);
	}
}

/* Of one git directory, and of its worktrees, wherever these are. */
static void
tell_rebases_in(struct telling *t, const char *gitdir)
{
	char path[CDN_PATH_MAX + 16 + 256];
	const struct dirent *entry;
	DIR *dir;

	tell_rebase(t, gitdir);
	snprintf(path, sizeof(path), "%s/worktrees", gitdir);
	dir = opendir(path);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/worktrees/%s", gitdir,
		    entry->d_name);
		if (strlen(path) <= CDN_PATH_MAX)
			tell_rebase(t, path);
	}
	if (dir != NULL)
		closedir(dir);
}

/* A linked worktree is told of by its repository, if that is in here as well. */
static void
tell_rebases(struct telling *t, const struct cdn_repositories *known)
{
	const char *workspace = t->p->session->workspace;
	char path[CDN_PATH_MAX + sizeof("/.git")];
	struct cdn_real real, common;

	for (size_t i = 0; i < known->n; i++) {
		snprintf(path, sizeof(path), "%s/%s", workspace, known->v[i]);
		tell_rebases_in(t, path);
	}
	for (size_t i = 0; i < known->tree_count; i++) {
		snprintf(path, sizeof(path), "%s/%s", workspace,
		    known->trees[i]);
		if (!cdn_gitfile_target(path, &real)) {
			snprintf(path, sizeof(path), "%s/%s%s.git", workspace,
			    known->trees[i], known->trees[i][0] == '\0' ? "" :
									"/");
			tell_rebases_in(t, path);
		} else if (!cdn_gitdir_common(real.path, &common) ||
		    !cdn_survey_is_inside(t->p->session, common.path)) {
			tell_rebases_in(t, real.path);
		}
	}
}

/* ----- Both ends ------------------------------------------------------------------ */

static bool
concerns(const struct cordon_process *p)
{
	return p->outer == NULL && p->inside == NULL && p->handed_fd < 0 &&
	    p->terms.backend != CORDON_BACKEND_NONE &&
	    cdn_preset_get(p->session->preset)->defaults &&
	    !p->session->unguarded;
}

/* Does nobody keep repositories from coming to be? */
static bool
is_open(const struct cordon_process *p)
{
	return p->session->guarded_count == 0 ||
	    p->terms.backend != CORDON_BACKEND_NATIVE;
}

static const char too_many[] = "the workspace has too many directories: what "
    "repositories are new at the end is not looked for";

int
cdn_leftover_begin(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_repositories *found;
	int code;

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &p->since);
	if (!concerns(p) || !is_open(p))
		return 0;
	if (p->session->guarded_count > 0)
		return cdn_survey_repositories(p->session, &p->before, err);
	found = cdn_arena_alloc(p->arena, sizeof(*found));
	if (found == NULL)
		return cdn_err_nomem(err);
	code = cdn_repositories_all(p->arena, p->session->workspace,
	    CDN_LEFTOVER_LOOKS_MAX, NULL, found, err);
	if (code == 0)
		p->before = found;
	/* It is for the report alone. */
	else if (code == CORDON_E_INVALID && p->options->notice != NULL)
		p->options->notice(too_many, p->options->notice_arg);
	return code == CORDON_E_INVALID ? 0 : code;
}

void
cdn_leftover_tell(struct cordon_process *p, bool made_part)
{
	struct telling t = { .p = p };
	struct cordon_error err = { 0 };
	const struct cdn_repositories *before = p->before;

	if (!concerns(p))
		return;
	cdn_buf_init(&t.line, 65536);
	if (before == NULL && made_part &&
	    cdn_survey_repositories(p->session, &before, &err) != 0)
		before = NULL;
	if (before != NULL)
		(void)!tell_repositories(&t, before, &err);
	tell_rebases(&t, before != NULL ? before :
	    cdn_survey_known(p->session));
	sum_up(&t);
	if (err.code != 0 && p->options->notice != NULL)
		p->options->notice(err.text, p->options->notice_arg);
}
