/*
 * Asking the one who decides, about what was found.  What no policy speaks of
 * is said here: cordon's own process, the caller's own entries in /proc, and
 * terminals.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "enforce/broker/folded.h"
#include "enforce/broker/inside.h"
#include "enforce/broker/surveyed.h"

/* ----- /proc --------------------------------------------------------------------- */

/* "/proc/N/REST": N and REST, or "/proc/N/task/M/REST"; 0: of no process. */
static unsigned long
process_of(const char *path, const char **ret_rest)
{
	static const char task[] = "/task/";
	unsigned long n;
	char *end;

	if (strncmp(path, "/proc/", 6) != 0 || path[6] < '0' || path[6] > '9')
		return 0;
	n = strtoul(path + 6, &end, 10);
	if (strncmp(end, task, sizeof(task) - 1) == 0)
		(void)strtoul(end + sizeof(task) - 1, &end, 10);
	*ret_rest = *end == '/' ? end + 1 : end;
	return n;
}

static bool
is_one_of(const char *name, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/*
 * Whoever has our memory: our process, and the one that minds the child.  The
 * kernel would let us look at ourselves, and the caller must not through us.
 */
bool
cdn_call_has_our_memory(const struct cdn_call *call, unsigned long pid)
{
	long r;

	/* In a PID namespace of the run only its first process is of ours. */
	if (call->broker->spec.spaces != NULL)
		return pid == 1;
	r = cdn_raw(SYS_kcmp, getpid(), pid, KCMP_VM, 0, 0);

	/* Who cannot be compared, or on no terms: it might be us. */
	return r <= 0 && r != -ESRCH;
}

/* What everybody may know of a process: the kernel asks nothing for these. */
static const char *const public_names[] = { "", "cgroup", "cmdline", "comm",
	"limits", "loginuid", "mountinfo", "mounts", "oom_score",
	"oom_score_adj", "sessionid", "stat", "statm", "status", "task", NULL };
/* What a process may change of itself; all else in /proc is not written. */
static const char *const own_names[] = { "clear_refs", "comm",
	"coredump_filter", "oom_adj", "oom_score_adj", "timerslack_ns", NULL };

static void
judge_proc(struct cdn_call *call, enum cordon_op op,
    const struct cdn_object *object, struct cordon_verdict *verdict)
{
	const char *rest = "";
	unsigned long n = process_of(object->path, &rest);
	bool his;

	/* A /proc that is mounted elsewhere shows the same. */
	if (strncmp(object->path, "/proc/", 6) != 0 &&
	    strcmp(object->path, "/proc") != 0)
		verdict->allowed = false;
	if (n == 0)
		return;
	if (!cdn_call_counts(call, object->dev) || cdn_call_tgid(call) < 0) {
		verdict->allowed = false;
		return;
	}
	his = cdn_call_is_his(call, n);
	if (op == CORDON_MODIFY && his && is_one_of(rest, own_names))
		verdict->allowed = true;
	if (verdict->allowed && !his && cdn_call_has_our_memory(call, n) &&
	    (op != CORDON_READ || !is_one_of(rest, public_names)))
		verdict->allowed = false;
}

/* ----- The verdict --------------------------------------------------------------- */

/*
 * What the spec points to may be asked: false at the end.  Where other names are
 * sought, or a repository around it, no directory moves meanwhile, or it could
 * be missed.
 */
static bool
begin(const struct cdn_call *call, bool names)
{
	if (names && !call->naming)
		pthread_mutex_lock(&call->broker->family->naming);
	pthread_rwlock_rdlock(&call->broker->judging);
	return !call->broker->closed;
}

static void
end(const struct cdn_call *call, bool names)
{
	pthread_rwlock_unlock(&call->broker->judging);
	if (names && !call->naming)
		pthread_mutex_unlock(&call->broker->family->naming);
}

static bool
has_names(const struct cdn_object *object)
{
	return S_ISREG(object->mode) && object->nlink > 1;
}

static void
judge_links(const struct cdn_broker *broker, const struct cdn_object *object,
    const struct cdn_question *question, struct cordon_verdict *verdict)
{
	if (verdict->allowed && has_names(object) &&
	    broker->spec.other_names != NULL)
		broker->spec.other_names(question, object->dev, object->ino,
		    verdict, broker->spec.other_names_arg);
}

void
cdn_call_last_look(struct cdn_call *call)
{
	const struct cdn_broker_spec *spec = &call->broker->spec;

	if (begin(call, true) && spec->last_look != NULL)
		spec->last_look(spec->other_names_arg);
	end(call, true);
}

static void
tell(struct cdn_call *call, const struct cdn_question *question,
    struct cordon_verdict *verdict, int error)
{
	struct cdn_broker *broker = call->broker;
	struct cdn_denial denial = { call->name, call->tid, question, verdict,
		error, call->routine };

	if (verdict->decision == CORDON_ALLOW) {
		/* None of the layers said so, but what stands above. */
		verdict->decision = CORDON_DENY;
		verdict->layer = CORDON_LAYER_FLOOR;
		verdict->matched_rule = "/proc";
		verdict->source = "<floor>";
	}
	cdn_call_forget(call);
	call->told = true;
	if (broker->spec.denied == NULL)
		return;
	pthread_mutex_lock(&broker->family->telling);
	broker->spec.denied(&denial, broker->spec.denied_arg);
	pthread_mutex_unlock(&broker->family->telling);
}

static void overrule(struct cordon_verdict *verdict, const char *rule);

/*
 * By the path that the object has now, for a directory above it may have been
 * exchanged since it was found.  Nothing is renamed meanwhile.
 */
static const char *
find_configured(const struct cdn_call *call, const struct cdn_object *object)
{
	char path[2 * CDN_PATH_MAX + 2];
	int n = 0;

	if (!cdn_call_could_configure(call, object->path))
		return NULL;
	if (object->fd >= 0)
		n = cdn_object_told(call, object->fd, path);
	else if (object->parent >= 0)
		n = cdn_object_told(call, object->parent, path);
	if (n < 0)
		return "nested-git"; /* or it may be anywhere */
	if (object->fd < 0)
		snprintf(path + n, sizeof(path) - (size_t)n, "%s",
		    n == 0 ? object->path : strrchr(object->path, '/'));
	return cdn_call_configures(call, path);
}

/* A repository that no rule knows by its name is configured by nobody. */
static void
judge_configured(const struct cdn_call *call, const struct cdn_object *object,
    struct cordon_verdict *verdict)
{
	const char *rule = verdict->allowed && !object->on_proc ?
	    find_configured(call, object) : NULL;

	if (rule != NULL)
		overrule(verdict, rule);
}

static int
judge(struct cdn_call *call, enum cordon_op op,
    const struct cdn_object *object)
{
	struct cdn_broker *broker = call->broker;
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(object->path) };
	struct cordon_verdict verdict;

	memset(&verdict, 0, sizeof(verdict));
	cdn_decide(broker->spec.authority, &question, &verdict);
	if (object->on_proc)
		judge_proc(call, op, object, &verdict);
	else if (cdn_pty_is_own(call, object))
		verdict.allowed = true;
	if (!object->on_proc)
		cdn_call_judge_surveyed(call, &question, &verdict);
	cdn_call_judge_folded(call, &question, object, &verdict);
	judge_links(broker, object, &question, &verdict);
	if (op == CORDON_MODIFY)
		judge_configured(call, object, &verdict);
	if (verdict.allowed) {
		cdn_call_note(call, &verdict, question.path);
		return 0;
	}
	tell(call, &question, &verdict, EACCES);
	return -EACCES;
}

int
cdn_call_judge(struct cdn_call *call, enum cordon_op op,
    const struct cdn_object *object)
{
	bool names = has_names(object) || (op == CORDON_MODIFY &&
	    cdn_call_could_configure(call, object->path));
	int r;

	if (object->unnamed)
		return 0;
	r = begin(call, names) ? judge(call, op, object) : -ENOSYS;
	end(call, names);
	return r;
}

/* Whatever the policy says. */
static void
overrule(struct cordon_verdict *verdict, const char *rule)
{
	verdict->decision = CORDON_DENY;
	verdict->allowed = false;
	verdict->layer = CORDON_LAYER_FLOOR;
	verdict->matched_rule = rule;
	verdict->rule_text = verdict->deny_rule = NULL;
	verdict->source = "<floor>";
	verdict->line = verdict->column = 0;
}

int
cdn_call_refuse(struct cdn_call *call, enum cordon_op op,
    const struct cdn_object *object, const char *rule, int error)
{
	struct cdn_broker *broker = call->broker;
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(object->path) };
	struct cordon_verdict verdict;
	int r = -ENOSYS;

	memset(&verdict, 0, sizeof(verdict));
	if (begin(call, false)) {
		cdn_decide(broker->spec.authority, &question, &verdict);
		overrule(&verdict, rule);
		tell(call, &question, &verdict, error);
		r = -error;
	}
	end(call, false);
	return r;
}

/* Any path will do to learn the name of the profile. */
void
cdn_call_tell_floor(struct cdn_call *call, const char *rule, int error)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_READ, .path = CDN_STR("/") };
	struct cordon_verdict verdict;

	memset(&verdict, 0, sizeof(verdict));
	if (begin(call, false)) {
		cdn_decide(call->broker->spec.authority, &question, &verdict);
		overrule(&verdict, rule);
		question.path = CDN_STR("");
		tell(call, &question, &verdict, error);
	}
	end(call, false);
}

/* ----- Two names ------------------------------------------------------------------ */

/* What a directory gets that would change what is denied below it. */
static const char split_rule[] = "<rules below differ>";

/* The part that was denied; the verdict says which operation. */
static const struct cdn_object *
denied_part(const struct cdn_broker *broker, const struct cdn_object *from,
    const struct cdn_object *to, enum cordon_op op)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(from->path) };
	struct cordon_verdict verdict;

	cdn_decide(broker->spec.authority, &question, &verdict);
	return verdict.allowed ? to : from;
}

/* What stands there already loses its name, as if it were removed. */
static void
judge_pair_links(const struct cdn_broker *broker,
    const struct cdn_object *from, const struct cdn_object *to,
    struct cdn_question *question, struct cordon_verdict *verdict)
{
	question->op = CORDON_READ;
	judge_links(broker, from, question, verdict);
	if (!verdict->allowed)
		return;
	question->op = CORDON_MODIFY;
	judge_links(broker, from, question, verdict);
	if (!verdict->allowed)
		return;
	question->path = cdn_str_of(to->path);
	judge_links(broker, to, question, verdict);
}

static void
judge_pair_configured(const struct cdn_call *call,
    const struct cdn_object *from, const struct cdn_object *to,
    struct cdn_question *question, struct cordon_verdict *verdict)
{
	const struct cdn_object *const both[] = { from, to };

	for (size_t i = 0; i < CDN_LEN(both) && verdict->allowed; i++) {
		judge_configured(call, both[i], verdict);
		if (!verdict->allowed)
			question->path = cdn_str_of(both[i]->path);
	}
}

/* Of a rename both are modified, of a link the first is read. */
static void
note_pair(struct cdn_call *call, enum cdn_compound what,
    const struct cdn_object *from, const struct cdn_object *to)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = what == CDN_LINK ? CORDON_READ : CORDON_MODIFY,
		.path = cdn_str_of(from->path) };
	struct cordon_verdict verdict;

	if (call->notes == NULL)
		return;
	if (what != CDN_SYMLINK) {
		cdn_decide(call->broker->spec.authority, &question, &verdict);
		cdn_call_note(call, &verdict, question.path);
	}
	question.op = CORDON_MODIFY;
	question.path = cdn_str_of(to->path);
	cdn_decide(call->broker->spec.authority, &question, &verdict);
	cdn_call_note(call, &verdict, question.path);
}

static int
judge_pair(struct cdn_call *call, enum cdn_compound what,
    const struct cdn_object *from, const struct cdn_object *to)
{
	struct cdn_broker *broker = call->broker;
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_MODIFY, .path = cdn_str_of(from->path) };
	struct cordon_verdict verdict;
	enum cdn_compound_result r;

	memset(&verdict, 0, sizeof(verdict));
	r = cdn_decide_compound(broker->spec.authority, question.as, what,
	    cdn_str_of(from->path), cdn_str_of(to->path), &verdict);
	if (r == CDN_COMPOUND_ALLOW)
		r = cdn_call_judge_pair_surveyed(call, what, from, to,
		    &verdict);
	if (r == CDN_COMPOUND_ALLOW)
		r = cdn_call_judge_pair_folded(call, what, from, to, &verdict);
	if (r == CDN_COMPOUND_DENY) {
		question.op = verdict.operation;
		question.path = cdn_str_of(denied_part(broker, from, to,
		    question.op)->path);
	} else if (r == CDN_COMPOUND_SPLIT) {
		verdict.decision = CORDON_DENY;
		verdict.allowed = false;
		verdict.matched_rule = split_rule;
	} else if (from->on_proc || to->on_proc) {
		verdict.allowed = false;
	} else {
		if (what != CDN_SYMLINK)
			judge_pair_links(broker, from, to, &question,
			    &verdict);
		judge_pair_configured(call, from, to, &question, &verdict);
	}
	if (verdict.allowed) {
		note_pair(call, what, from, to);
		return 0;
	}
	tell(call, &question, &verdict,
	    r == CDN_COMPOUND_SPLIT ? EXDEV : EACCES);
	return r == CDN_COMPOUND_SPLIT ? -EXDEV : -EACCES;
}

int
cdn_call_judge_pair(struct cdn_call *call, enum cdn_compound what,
    const struct cdn_object *from, const struct cdn_object *to)
{
	bool names = has_names(from) || has_names(to) ||
	    cdn_call_could_configure(call, from->path) ||
	    cdn_call_could_configure(call, to->path);
	int r;

	r = begin(call, names) ? judge_pair(call, what, from, to) : -ENOSYS;
	end(call, names);
	return r;
}

bool
cdn_call_may_configure(struct cdn_call *call, const struct cdn_object *from,
    const struct cdn_object *to)
{
	const struct cdn_broker_spec *spec = &call->broker->spec;
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_MODIFY, .path = cdn_str_of(to->path) };
	const struct cdn_authority *authority = NULL;
	struct cordon_verdict verdict;
	bool may = false;

	if (begin(call, false) && spec->configuring != NULL)
		authority = spec->configuring(spec->configuring_arg);
	if (authority != NULL) {
		memset(&verdict, 0, sizeof(verdict));
		may = cdn_decide_compound(authority, question.as, CDN_RENAME,
			  cdn_str_of(from->path), question.path, &verdict) ==
		    CDN_COMPOUND_ALLOW;
		cdn_decide(authority, &question, &verdict);
		may &= verdict.allowed;
	}
	if (may)
		cdn_call_note(call, &verdict, question.path);
	end(call, false);
	return may;
}

int
cdn_call_judge_link(struct cdn_call *call, const struct cdn_object *at)
{
	return cdn_call_judge_pair(call, CDN_SYMLINK, at, at);
}

bool
cdn_call_is_same(const struct cdn_call *call, const struct cdn_object *from,
    const struct cdn_object *to)
{
	bool same = begin(call, false) &&
	    cdn_decide_same(call->broker->spec.authority, CORDON_AS_PROCESS,
		cdn_str_of(from->path), cdn_str_of(to->path)) &&
	    cdn_call_is_same_surveyed(call, from, to) &&
	    cdn_call_is_same_folded(call, from, to);

	end(call, false);
	return same;
}

/* ----- By the text alone ----------------------------------------------------------- */

static bool
is_native_spot(const struct cdn_broker *broker, const struct cdn_spot *spot)
{
	return cdn_broker_is_native(broker,
		   (cdn_str){ spot->path, spot->in }) &&
	    cdn_broker_is_native(broker, (cdn_str){ spot->path, spot->n });
}

static bool
is_allowed(const struct cdn_broker *broker, enum cordon_op op,
    const struct cdn_spot *spot)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = { spot->path, spot->n } };
	struct cordon_verdict verdict;

	cdn_decide(broker->spec.authority, &question, &verdict);
	return verdict.allowed;
}

bool
cdn_call_passes(const struct cdn_call *call, const struct cdn_spot *spot,
    bool reads)
{
	const struct cdn_broker *broker = call->broker;
	bool passes = begin(call, false) && is_native_spot(broker, spot) &&
	    is_allowed(broker, CORDON_MODIFY, spot) &&
	    (!reads || is_allowed(broker, CORDON_READ, spot));

	end(call, false);
	return passes;
}

bool
cdn_call_passes_pair(const struct cdn_call *call, enum cdn_compound what,
    const struct cdn_spot *from, const struct cdn_spot *to)
{
	const struct cdn_broker *broker = call->broker;
	struct cordon_verdict verdict;
	bool passes = begin(call, false) && is_native_spot(broker, from) &&
	    is_native_spot(broker, to) &&
	    cdn_decide_compound(broker->spec.authority, CORDON_AS_PROCESS,
		what, (cdn_str){ from->path, from->n },
		(cdn_str){ to->path, to->n }, &verdict) == CDN_COMPOUND_ALLOW;

	end(call, false);
	return passes;
}

/* ----- Endpoints and sockets ------------------------------------------------------ */

int
cdn_call_judge_question(struct cdn_call *call,
    const struct cdn_question *question, int error)
{
	struct cdn_broker *broker = call->broker;
	struct cordon_verdict verdict;
	int r = 0;

	memset(&verdict, 0, sizeof(verdict));
	if (!begin(call, false)) {
		r = -ENOSYS;
	} else {
		cdn_decide(broker->spec.authority, question, &verdict);
		if (verdict.allowed) {
			cdn_call_note(call, &verdict, question->path);
		} else {
			tell(call, question, &verdict, error);
			r = -error;
		}
	}
	end(call, false);
	return r;
}

/* Then sockets of the internet are the filter's business and not ours. */
bool
cdn_call_inet_is_judged(const struct cdn_call *call)
{
	bool judged = true;

	if (begin(call, false)) {
		enum cdn_network_mode mode =
		    cdn_decide_network(call->broker->spec.authority);

		judged = mode != CDN_NETWORK_NONE && mode != CDN_NETWORK_FULL;
	}
	end(call, false);
	return judged;
}

bool
cdn_call_network_is_local(const struct cdn_call *call)
{
	bool local = true;

	if (begin(call, false))
		local = cdn_decide_network_is_local(
		    call->broker->spec.authority);
	end(call, false);
	return local;
}
