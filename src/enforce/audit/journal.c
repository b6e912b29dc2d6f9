#include "enforce/audit/journal.h"

#include <errno.h>
#include <pthread.h>

#include "enforce/audit/seen.h"

struct cdn_journal {
	struct cdn_journal_spec spec;
	pthread_mutex_t mutex; /* for what follows; never while one waits */
	struct cdn_seen seen;
	size_t reads; /* of those seen */
	struct cdn_journal_sum sum;

	pthread_mutex_t writing; /* one waits for the file, not all in a row */
	bool dead;		 /* nobody writes any more */
};

/* ----- Writing ------------------------------------------------------------------ */

/* As an event of its own, from now on in the file whatever becomes of us. */
static int
write_access(struct cdn_journal *j, const struct cdn_access *a,
    struct cordon_error *err)
{
	struct cdn_event_field fields[CDN_VERDICT_FIELDS + 3];
	const struct cdn_event event = { .kind = CDN_EVENT_FS_RESULT,
		.run = j->spec.run, .fields = fields,
		.field_count = CDN_LEN(fields) };

	cdn_fields_verdict(&a->verdict, a->path, fields);
	fields[CDN_VERDICT_FIELDS] = cdn_field_text("call", a->call);
	fields[CDN_VERDICT_FIELDS + 1] = cdn_field_number("pid", a->pid);
	fields[CDN_VERDICT_FIELDS + 2] = a->error < 0 ?
	    cdn_field_text("errno", NULL) :
	    cdn_field_number("errno", a->error);
	return cdn_audit_write(j->spec.sink, &event, err);
}

/* The error of the first is kept. */
static void
fail(struct cdn_journal *j, const struct cordon_error *why)
{
	pthread_mutex_lock(&j->mutex);
	j->sum.unrecorded++;
	if (!j->sum.failed)
		j->sum.error = *why;
	j->sum.failed = true;
	pthread_mutex_unlock(&j->mutex);
	if (j->spec.failed != NULL)
		j->spec.failed(why, j->spec.failed_arg);
}

/* Where the file was held for too long each further try would wait as long. */
static void
record(struct cdn_journal *j, const struct cdn_access *access)
{
	struct cordon_error why = { .sys_errno = ETIMEDOUT };

	pthread_mutex_lock(&j->writing);
	if (j->dead || write_access(j, access, &why) != 0) {
		j->dead = why.sys_errno == ETIMEDOUT;
		fail(j, &why);
	}
	pthread_mutex_unlock(&j->writing);
}

/* ----- Adding ------------------------------------------------------------------- */

/* Reads are many; they leave room for what was changed. */
static bool
has_room(const struct cdn_journal *j, bool read)
{
	return j->seen.n < CDN_JOURNAL_MAX &&
	    (!read || j->reads < CDN_JOURNAL_READS);
}

/* Is it to be written?  With the mutex. */
static bool
is_told(struct cdn_journal *j, uint64_t hash, bool read)
{
	j->sum.allowed++;
	if (cdn_seen_has(&j->seen, hash))
		return false;
	if (!has_room(j, read)) {
		j->sum.unrecorded++;
		return false;
	}
	j->reads += read;
	/* Without memory it is told again: no harm. */
	(void)!cdn_seen_add(&j->seen, hash);
	return true;
}

void
cdn_journal_add(struct cdn_journal *journal, const struct cdn_access *access)
{
	enum cordon_op op = access->verdict.operation;
	uint64_t hash = cdn_seen_hash(&journal->seen, access->path,
	    (uint64_t)op << 1 | (access->error <= 0));
	bool told;

	pthread_mutex_lock(&journal->mutex);
	told = is_told(journal, hash, op == CORDON_READ);
	pthread_mutex_unlock(&journal->mutex);
	if (told)
		record(journal, access);
}

/* ----- Opening and closing ------------------------------------------------------ */

int
cdn_journal_new(const struct cdn_journal_spec *spec, struct cdn_journal **ret,
    struct cordon_error *err)
{
	struct cdn_journal *j = calloc(1, sizeof(*j));
	int r;

	if (j == NULL)
		return cdn_err_nomem(err);
	r = cdn_seen_init(&j->seen, err);
	if (r != 0) {
		free(j);
		return r;
	}
	j->spec = *spec;
	pthread_mutex_init(&j->mutex, NULL);
	pthread_mutex_init(&j->writing, NULL);
	*ret = j;
	return 0;
}

void
cdn_journal_close(struct cdn_journal *journal, struct cdn_journal_sum *ret)
{
	*ret = (struct cdn_journal_sum){ .allowed = 0 };
	if (journal == NULL)
		return;
	*ret = journal->sum;
	pthread_mutex_destroy(&journal->mutex);
	pthread_mutex_destroy(&journal->writing);
	cdn_seen_done(&journal->seen);
	free(journal);
}
