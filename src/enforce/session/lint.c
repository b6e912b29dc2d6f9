/*
 * lint - the workspace's part: is what a rule is about there at all?
 *
 * Only denies are looked for.  A grant about a directory that is not there
 * makes itself felt at its first use; a misspelt deny stays silent for good.
 * And only the directory that a rule names without wildcards is looked for,
 * one step after the other: a rule about names that come later, such as
 * every .env, is right to find nothing today, and so is one about .github:
 * names that tools have agreed upon begin with a dot, and are denied as a
 * precaution.  Links are not followed.
 */
#include "enforce/session/lint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/path/path.h"
#include "engine/decide/lint.h"
#include "engine/decide/preset.h"
#include "engine/match/pattern.h"

struct look {
	const struct cordon_policy *policy;
	struct cordon_diags *diags;
	int root;	/* O_PATH descriptor of the workspace */
	size_t looks;	/* names that may still be looked for */
	bool exhausted; /* one more was wanted */
	/* Directories already told of; past the last, findings are not kept. */
	cdn_str told[CDN_DIAGS_MAX];
	size_t told_count;
};

enum outcome { THERE, MISSING, IS_LINK, UNKNOWN };

/* Where the way down ended. */
struct end {
	cdn_str upto;		/* of the anchor, the step that failed included */
	char near[NAME_MAX + 1]; /* a name beside it that is similar, or "" */
};

static bool
spend(struct look *l)
{
	if (l->looks == 0)
		l->exhausted = true;
	else
		l->looks--;
	return !l->exhausted;
}

/* ----- On disk ------------------------------------------------------------------ */

/* The name of that directory that differs least, if there is one at all. */
static void
find_near(struct look *l, int dirfd, cdn_str name, char *out, size_t size)
{
	unsigned best = name.n < 5 ? 2 : 3; /* slips: fewer than that */
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (spend(l) && (entry = readdir(dir)) != NULL) {
		cdn_str other = cdn_str_of(entry->d_name);
		unsigned slips = cdn_str_distance(name, other, best);

		if (slips < best && !cdn_str_is(other, ".") &&
		    !cdn_str_is(other, "..")) {
			best = slips;
			snprintf(out, size, "%s", entry->d_name);
		}
	}
	closedir(dir);
}

/* One name in one directory. */
static enum outcome
look_at(struct look *l, int dirfd, cdn_str name, bool *ret_directory)
{
	char text[NAME_MAX + 1];
	struct stat st;

	if (name.n > NAME_MAX)
		return MISSING;
	if (!spend(l))
		return UNKNOWN;
	snprintf(text, sizeof(text), "%.*s", CDN_STR_ARG(name));
	if (fstatat(dirfd, text, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? MISSING : UNKNOWN;
	*ret_directory = S_ISDIR(st.st_mode);
	return S_ISLNK(st.st_mode) ? IS_LINK : THERE;
}

static int
step_down(int dirfd, cdn_str name)
{
	char text[NAME_MAX + 1];

	snprintf(text, sizeof(text), "%.*s", CDN_STR_ARG(name));
	return openat(dirfd, text,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static enum outcome
walk_down(struct look *l, int fd, cdn_str anchor, struct end *end)
{
	cdn_str rest = anchor, name;
	enum outcome outcome = THERE;
	bool directory = true;

	while (outcome == THERE && cdn_str_next(&rest, '/', &name)) {
		cdn_cleanup_fd int above = fd;

		end->upto.n = (size_t)(name.p + name.n - anchor.p);
		fd = -1;
		outcome = directory ?
		    look_at(l, above, name, &directory) : MISSING;
		if (outcome == MISSING && directory)
			find_near(l, above, name, end->near,
			    sizeof(end->near));
		if (outcome == THERE && directory)
			fd = step_down(above, name);
		if (outcome == THERE && directory && fd < 0)
			outcome = UNKNOWN;
	}
	if (fd >= 0)
		close(fd);
	return outcome;
}

/* ----- One rule ------------------------------------------------------------------- */

/* The preset's list is about what may come: that much is known. */
static bool
is_precaution(cdn_str pattern)
{
	const char *executed;

	for (size_t i = 0; (executed = cdn_preset_executed(i)) != NULL; i++)
		if (cdn_str_is(pattern, executed))
			return true;
	return false;
}

/* The directory a rule is about: of an exact one, that which holds it. */
static cdn_str
directory_of(cdn_str pattern)
{
	cdn_str anchor = cdn_lint_anchor(pattern);

	if (!cdn_rule_is_exact(pattern))
		return anchor;
	while (anchor.n > 0 && anchor.p[anchor.n - 1] != '/')
		anchor.n--;
	if (anchor.n > 0)
		anchor.n--;
	return anchor;
}

/* The name of a tool's directory, and nothing there looks like a slip of it. */
static bool
is_dot_name(const struct end *end)
{
	cdn_str rest = end->upto, name = { 0 };

	while (cdn_str_next(&rest, '/', &name))
		;
	return name.n > 0 && name.p[0] == '.' && end->near[0] == '\0';
}

static bool
was_told(struct look *l, cdn_str upto)
{
	for (size_t i = 0; i < l->told_count; i++)
		if (cdn_str_eq(l->told[i], upto))
			return true;
	if (l->told_count < CDN_LEN(l->told))
		l->told[l->told_count++] = upto;
	return false;
}

static void
tell_missing(struct look *l, const struct cdn_rule *rule,
    const struct end *end)
{
	char hint[NAME_MAX + 64];

	snprintf(hint, sizeof(hint), end->near[0] != '\0' ?
	    "did you mean '%s'?" : "right if it is to come later; otherwise "
	    "check its spelling%s", end->near);
	cdn_diag_add(l->diags, CORDON_WARNING, CDN_LINT_ABSENT, rule->pos,
	    hint, "rule '%s' matches nothing here: there is no '%.*s'",
	    rule->text.p, CDN_STR_ARG(end->upto));
}

static void
tell_link(struct look *l, const struct cdn_rule *rule, const struct end *end)
{
	cdn_diag_add(l->diags, CORDON_WARNING, CDN_LINT_LINK, rule->pos,
	    "name the directory that it leads to",
	    "rule '%s' matches nothing below '%.*s', which is a symbolic link: "
	    "rules are asked about real paths", rule->text.p,
	    CDN_STR_ARG(end->upto));
}

static void
look_for(struct look *l, const struct cdn_rule *rule)
{
	cdn_str anchor = directory_of(rule->pattern);
	struct end end = { .upto = anchor };
	enum outcome outcome;

	if (anchor.n == 0 || is_precaution(rule->pattern))
		return;
	outcome = walk_down(l, fcntl(l->root, F_DUPFD_CLOEXEC, 0), anchor,
	    &end);
	if (outcome == MISSING && is_dot_name(&end))
		return;
	if ((outcome != MISSING && outcome != IS_LINK) ||
	    was_told(l, end.upto))
		return;
	if (outcome == MISSING)
		tell_missing(l, rule, &end);
	else
		tell_link(l, rule, &end);
}

/* ----- All of them ------------------------------------------------------------------ */

/* In a profile a deny is negated, in a list of denies an exception is. */
static void
look_for_all(struct look *l, const struct cdn_rules *rules, bool negated)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].negated == negated && !l->exhausted)
			look_for(l, &rules->v[i]);
}

static void
look_around(struct look *l)
{
	const struct cordon_policy *policy = l->policy;

	for (size_t op = 0; op < CDN_RULE_OPS; op++)
		look_for_all(l, &policy->deny[op], false);
	for (size_t i = 0; i < policy->profile_count; i++)
		for (size_t op = 0; op < CDN_RULE_OPS; op++)
			look_for_all(l, &policy->profiles[i].rules[op], true);
	if (l->exhausted)
		cdn_diag_add(l->diags, CORDON_WARNING, CDN_LINT_BOUND,
		    policy->name_pos, NULL, "only the first %lu names were "
		    "looked for in the workspace", CDN_LINT_LOOKS_MAX);
}

static int
lint_workspace(const struct cordon_policy *policy, const char *workspace,
    struct cordon_diags *diags, struct cordon_error *err)
{
	struct look l = { .policy = policy, .diags = diags,
		.looks = CDN_LINT_LOOKS_MAX };
	struct cdn_real real;
	int code = cdn_path_workspace(workspace, &real, err);

	if (code != 0)
		return code;
	l.root = open(real.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (l.root < 0)
		return cdn_err_sys(err, errno, "workspace '%s'", workspace);
	look_around(&l);
	close(l.root);
	return 0;
}

int
cdn_session_lint(const struct cordon_policy *policy, const char *workspace,
    struct cordon_diags *diags, struct cordon_error *err)
{
	int code = cdn_lint_policy(policy, diags, err);

	if (code == 0 && workspace != NULL)
		code = lint_workspace(policy, workspace, diags, err);
	return code;
}
