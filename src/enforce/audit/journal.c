#include "enforce/audit/journal.h"

#include <errno.h>
#include <pthread.h>

#include "enforce/audit/seen.h"

#define STACK_SIZE (256UL * 1024UL)
#define LINGER_NS  20000000L /* for more of them to be written at once */

/* One access in the queue; its path stands behind it. */
struct item {
	struct cdn_access access;
	struct timespec time;
	size_t size; /* with the path, up to the next one */
};

struct queue {
	char *bytes; /* CDN_JOURNAL_QUEUE of them */
	size_t used;
};

struct cdn_journal {
	struct cdn_journal_spec spec;
	pthread_mutex_t mutex; /* for what follows */
	pthread_cond_t changed;
	struct cdn_seen seen;
	size_t reads; /* of those seen */
	struct queue filling;
	struct cdn_journal_sum sum;
	bool started, closing;
	bool dead; /* nobody writes any more */
	pthread_t thread;

	/* The thread's alone. */
	struct queue writing;
	size_t at;    /* what of that comes next */
	size_t taken; /* by a write */
	struct cdn_event_field fields[CDN_VERDICT_FIELDS + 3];
};

/* ----- The thread --------------------------------------------------------------- */

/* cdn_event_next_fn */
static bool
next(void *arg, struct cdn_event *ret)
{
	struct cdn_journal *j = arg;
	const struct item *item;
	const struct cdn_access *a;

	if (j->at == j->writing.used)
		return false;
	item = (const struct item *)(const void *)(j->writing.bytes + j->at);
	a = &item->access;
	j->at += item->size;
	j->taken++;
	cdn_fields_verdict(&a->verdict, a->path, j->fields);
	j->fields[CDN_VERDICT_FIELDS] = cdn_field_text("call", a->call);
	j->fields[CDN_VERDICT_FIELDS + 1] = cdn_field_number("pid", a->pid);
	j->fields[CDN_VERDICT_FIELDS + 2] = a->error < 0 ?
	    cdn_field_text("errno", NULL) :
	    cdn_field_number("errno", a->error);
	*ret = (struct cdn_event){ .kind = CDN_EVENT_FS_RESULT,
		.run = j->spec.run, .fields = j->fields,
		.field_count = CDN_LEN(j->fields), .time = item->time };
	return true;
}

/* What could not be written; where the file was held too long, no more tries. */
static void
fail(struct cdn_journal *j, size_t lost, const struct cordon_error *why)
{
	pthread_mutex_lock(&j->mutex);
	j->sum.unrecorded += lost;
	if (!j->sum.failed)
		j->sum.error = *why;
	j->sum.failed = true;
	j->dead |= why->sys_errno == ETIMEDOUT;
	pthread_mutex_unlock(&j->mutex);
	if (j->spec.failed != NULL)
		j->spec.failed(why, j->spec.failed_arg);
}

static size_t
left(const struct cdn_journal *j)
{
	size_t n = 0;

	for (size_t at = j->at; at < j->writing.used; n++)
		at += ((const struct item *)(const void *)(j->writing.bytes +
			   at))->size;
	return n;
}

static void
write_all(struct cdn_journal *j)
{
	for (j->at = 0; j->at < j->writing.used;) {
		struct cordon_error why = { 0 };
		size_t written;

		j->taken = 0;
		if (cdn_audit_write_many(j->spec.sink, next, j, &written,
			&why) == 0)
			continue;
		/* The rest would most likely fail as well, and later. */
		fail(j, j->taken - written + left(j), &why);
		break;
	}
	j->writing.used = 0;
}

static void
linger(struct cdn_journal *j)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LINGER_NS;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!j->closing && j->filling.used < CDN_JOURNAL_QUEUE / 2)
		if (pthread_cond_timedwait(&j->changed, &j->mutex, &until) !=
		    0)
			break;
}

static void *
journal_main(void *arg)
{
	struct cdn_journal *j = arg;

	pthread_mutex_lock(&j->mutex);
	for (;;) {
		struct queue full;

		while (!j->closing && j->filling.used == 0)
			pthread_cond_wait(&j->changed, &j->mutex);
		if (j->filling.used == 0)
			break;
		linger(j);
		full = j->filling;
		j->filling = j->writing;
		j->writing = full;
		pthread_mutex_unlock(&j->mutex);
		write_all(j);
		pthread_mutex_lock(&j->mutex);
	}
	pthread_mutex_unlock(&j->mutex);
	return NULL;
}

/* False: there will be none. */
static bool
start(struct cdn_journal *j)
{
	pthread_attr_t attr;
	bool good = false;

	if (j->started || j->dead)
		return j->started && !j->dead;
	j->filling.bytes = malloc(CDN_JOURNAL_QUEUE);
	j->writing.bytes = malloc(CDN_JOURNAL_QUEUE);
	if (j->filling.bytes != NULL && j->writing.bytes != NULL &&
	    pthread_attr_init(&attr) == 0) {
		pthread_attr_setstacksize(&attr, STACK_SIZE);
		good = pthread_create(&j->thread, &attr, journal_main, j) == 0;
		pthread_attr_destroy(&attr);
	}
	j->started = good;
	j->dead = !good;
	return good;
}

/* ----- Adding ------------------------------------------------------------------- */

/* Reads are many; they leave room for what was changed. */
static bool
has_room(const struct cdn_journal *j, bool read)
{
	return j->seen.n < CDN_JOURNAL_MAX &&
	    (!read || j->reads < CDN_JOURNAL_READS);
}

static bool
enqueue(struct cdn_journal *j, const struct cdn_access *access)
{
	size_t size = sizeof(struct item) + access->path.n;
	size_t used = j->filling.used;
	struct item *item;
	char *path;

	size += -size & (_Alignof(struct item) - 1);
	if (used + size > CDN_JOURNAL_QUEUE)
		return false;
	item = (struct item *)(void *)(j->filling.bytes + used);
	path = (char *)(item + 1);
	*item = (struct item){ .access = *access, .size = size };
	memcpy(path, access->path.p, access->path.n);
	item->access.path.p = path;
	clock_gettime(CLOCK_REALTIME, &item->time);
	j->filling.used += size;
	if (used == 0 || (used < CDN_JOURNAL_QUEUE / 2 &&
		j->filling.used >= CDN_JOURNAL_QUEUE / 2))
		pthread_cond_signal(&j->changed);
	return true;
}

void
cdn_journal_add(struct cdn_journal *journal, const struct cdn_access *access)
{
	enum cordon_op op = access->verdict.operation;
	bool read = op == CORDON_READ;
	uint64_t hash = cdn_seen_hash(&journal->seen, access->path,
	    (uint64_t)op << 1 | (access->error <= 0));

	pthread_mutex_lock(&journal->mutex);
	journal->sum.allowed++;
	if (!cdn_seen_has(&journal->seen, hash)) {
		if (has_room(journal, read) && start(journal) &&
		    enqueue(journal, access)) {
			journal->reads += read;
			/* Without memory it is told again: no harm. */
			(void)!cdn_seen_add(&journal->seen, hash);
		} else {
			journal->sum.unrecorded++;
		}
	}
	pthread_mutex_unlock(&journal->mutex);
}

/* ----- Opening and closing ------------------------------------------------------ */

int
cdn_journal_new(const struct cdn_journal_spec *spec, struct cdn_journal **ret,
    struct cordon_error *err)
{
	struct cdn_journal *j = calloc(1, sizeof(*j));
	pthread_condattr_t attr;
	int r;

	if (j == NULL)
		return cdn_err_nomem(err);
	r = cdn_seen_init(&j->seen, err);
	if (r == 0 && pthread_condattr_init(&attr) != 0)
		r = cdn_err_nomem(err);
	if (r != 0) {
		free(j);
		return r;
	}
	j->spec = *spec;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->changed, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&j->mutex, NULL);
	*ret = j;
	return 0;
}

void
cdn_journal_close(struct cdn_journal *journal, struct cdn_journal_sum *ret)
{
	*ret = (struct cdn_journal_sum){ .allowed = 0 };
	if (journal == NULL)
		return;
	pthread_mutex_lock(&journal->mutex);
	journal->closing = true;
	pthread_cond_signal(&journal->changed);
	pthread_mutex_unlock(&journal->mutex);
	if (journal->started)
		pthread_join(journal->thread, NULL);
	*ret = journal->sum;
	pthread_cond_destroy(&journal->changed);
	pthread_mutex_destroy(&journal->mutex);
	cdn_seen_done(&journal->seen);
	free(journal->filling.bytes);
	free(journal->writing.bytes);
	free(journal);
}
