#include "enforce/audit/verify.h"

#include "base/diag.h"
#include "enforce/audit/chain.h"
#include "enforce/audit/log.h"

struct verifying {
	struct cdn_log *log;
	struct cdn_log_head head;
	bool needs_head;
	struct cordon_diags *diags;
	struct cordon_audit_verified result;
	struct cdn_link last; /* the line before: its number and its hash */
	bool any;	      /* there was one */
	bool met;	      /* the line that the head speaks of */
	bool doubtful;	      /* the line before was none: nothing to compare */
	const char *file;     /* of the line before */
	uint64_t number;
};

#define AT(file, number) \
	((struct cdn_pos){ (file), (number) > UINT_MAX ? 0 : (unsigned)(number), \
	    (number) > 0 ? 1 : 0 })

#define BROKEN(v, id, pos, ...)                                            \
	do {                                                               \
		(v)->result.findings++;                                    \
		cdn_diag_add((v)->diags, CORDON_ERROR, (id), (pos), NULL,  \
		    __VA_ARGS__);                                          \
	} while (0)
#define NOTE(v, id, pos, ...) \
	cdn_diag_add((v)->diags, CORDON_WARNING, (id), (pos), NULL, __VA_ARGS__)

#define ULL(n) ((unsigned long long)(n))

/* ----- Lines -------------------------------------------------------------- */

/* The first line that is there need not be the first that was written. */
static void
check_first(struct verifying *v, const struct cdn_link *link,
    struct cdn_pos pos)
{
	v->result.first = link->seq;
	if (link->seq == 1) {
		if (strcmp(link->hash, cdn_link_before_first.hash) != 0)
			BROKEN(v, CDN_VERIFY_BROKEN, pos, "the first line says "
			    "that there was one before it");
		return;
	}
	if (v->head.there || v->needs_head)
		BROKEN(v, CDN_VERIFY_MISSING, pos, "lines 1 to %llu are "
		    "missing: they were removed, or moved away",
		    ULL(link->seq - 1));
	else
		NOTE(v, CDN_VERIFY_FROM, pos, "begins with line %llu: what "
		    "came before is not in this copy", ULL(link->seq));
}

static void
check_link(struct verifying *v, const struct cdn_link *link,
    struct cdn_pos pos)
{
	uint64_t want = v->last.seq + 1;

	if (link->seq > want)
		BROKEN(v, CDN_VERIFY_MISSING, pos, "lines %llu to %llu are "
		    "missing", ULL(want), ULL(link->seq - 1));
	else if (link->seq < want)
		BROKEN(v, CDN_VERIFY_ORDER, pos, "this is line %llu, and line "
		    "%llu stands before it: they were put in another order, or "
		    "are there twice", ULL(link->seq), ULL(v->last.seq));
	else if (!v->doubtful && strcmp(link->hash, v->last.hash) != 0)
		BROKEN(v, CDN_VERIFY_BROKEN, pos, "the line before this one is "
		    "not what it was: it was changed, or this one was");
}

static bool
is_head(const struct verifying *v, const struct cdn_link *link)
{
	return link->seq == v->head.link.seq &&
	    strcmp(link->hash, v->head.link.hash) == 0;
}

static void
check_line(struct verifying *v, const struct cdn_log_line *line, bool event,
    const struct cdn_link *link)
{
	struct cdn_pos pos = AT(line->file, line->number);

	v->result.lines++;
	v->file = line->file;
	v->number = line->number;
	if (!event)
		BROKEN(v, CDN_VERIFY_NO_EVENT, pos, "%s", line->too_long ?
		    "this line is too long to be an event" :
		    "this line is no event: it was changed");
	if (link == NULL) { /* it stands for one line, whatever it was */
		v->doubtful = true;
		v->last.seq++;
		return;
	}
	if (!v->any)
		check_first(v, link, pos);
	else
		check_link(v, link, pos);
	v->any = true;
	v->doubtful = false;
	v->last.seq = link->seq;
	cdn_link_hash(line->text, v->last.hash);
	v->met |= is_head(v, &v->last);
}

/* What a writer said who found lines that the head did not know. */
static void
check_adopted(struct verifying *v, const struct cdn_log_line *line,
    const struct cdn_entry *entry)
{
	int64_t lines = cdn_entry_number(entry, "lines", 0);
	int64_t first = cdn_entry_number(entry, "first", 0);

	if (!cdn_str_is(entry->kind, "audit.adopted"))
		return;
	NOTE(v, CDN_VERIFY_ADOPTED, AT(line->file, line->number), "%lld line%s "
	    "from line %lld on: the head did not know %s, and the next writer "
	    "went on behind; a writer was killed, or somebody else added them",
	    (long long)lines, lines == 1 ? "" : "s", (long long)first,
	    lines == 1 ? "it" : "them");
}

static int
check_lines(struct verifying *v, struct cordon_error *err)
{
	struct cdn_log_line line;
	struct cdn_entry entry;
	struct cdn_link link;
	const char *file = NULL;
	int r;

	while ((r = cdn_log_next(v->log, &line, err)) == 1) {
		struct cdn_arena *arena = cdn_arena_new();
		bool nomem = arena == NULL, event = !nomem && !line.too_long &&
		    cdn_entry_parse(line.text, arena, &entry, &nomem);

		if (event)
			check_adopted(v, &line, &entry);
		cdn_arena_free(arena);
		if (nomem)
			return cdn_err_nomem(err);
		if (line.file != file)
			v->result.files++;
		file = line.file;
		check_line(v, &line, event, !line.too_long &&
		    cdn_line_link(line.text, &link) ? &link : NULL);
	}
	return r;
}

/* ----- The end ------------------------------------------------------------ */

/*
 * More lines than the head knows are there when their writer was killed before
 * he could tell the head: one, or several that were announced.
 */
static void
check_end(struct verifying *v)
{
	const struct cdn_link *head = &v->head.link;
	struct cdn_pos pos = AT(v->file, v->number);
	uint64_t ahead = v->last.seq > head->seq ? v->last.seq - head->seq : 0;

	if (v->last.seq < head->seq)
		BROKEN(v, CDN_VERIFY_CUT, pos, "the end was cut off: lines "
		    "%llu to %llu are missing", ULL(v->last.seq + 1),
		    ULL(head->seq));
	else if (ahead == 0 && (v->doubtful || !v->met))
		BROKEN(v, CDN_VERIFY_END, pos, "the last line is not the one "
		    "that was written: it was changed");
	else if (ahead > 0 && v->met &&
	    ahead <= (v->head.many ? CDN_AUDIT_AHEAD_MAX : 1))
		NOTE(v, CDN_VERIFY_AHEAD, pos, "the head does not know the "
		    "last line%s (%llu): %s writer was killed, or somebody "
		    "else added %s", ahead == 1 ? "" : "s", ULL(ahead),
		    ahead == 1 ? "its" : "their", ahead == 1 ? "it" : "them");
	else if (ahead > 0)
		BROKEN(v, CDN_VERIFY_END, pos, "there are lines behind the "
		    "last one that was written (%llu)", ULL(head->seq));
}

static void
check_head(struct verifying *v, const char *file)
{
	struct cdn_pos pos = { file, 0, 0 };

	if (v->head.damaged)
		BROKEN(v, CDN_VERIFY_HEAD, pos, "its head is damaged");
	else if (v->head.there)
		check_end(v);
	else if (v->needs_head)
		BROKEN(v, CDN_VERIFY_HEAD, pos, "its head is missing, so "
		    "nobody knows whether the end was cut off");
	else
		NOTE(v, CDN_VERIFY_HEAD, pos, "there is no head beside it: "
		    "whether the end was cut off cannot be seen");
}

static void
check_unfinished(struct verifying *v)
{
	size_t n = cdn_log_unfinished(v->log);

	v->result.unfinished = n;
	if (n > CDN_AUDIT_LINE_MAX)
		BROKEN(v, CDN_VERIFY_NO_EVENT, AT(v->file, v->number + 1),
		    "ends in a line that is too long to be an event");
	else if (n > 0)
		NOTE(v, CDN_VERIFY_UNFINISHED, AT(v->file, v->number + 1),
		    "%zu bytes of a line: its writer was killed; the next one "
		    "will tell of it in the log", n);
}

/* ----- All of it ---------------------------------------------------------- */

static int
check_log(struct verifying *v, const char *file, struct cordon_error *err)
{
	int r = cdn_log_freeze(v->log, &v->head, err);

	v->last = cdn_link_before_first;
	v->met = is_head(v, &v->last);
	v->file = file;
	if (r == 0)
		r = check_lines(v, err);
	if (r != 0)
		return r;
	check_unfinished(v);
	check_head(v, file);
	v->result.last = v->last.seq;
	v->result.has_head = v->head.there;
	v->result.intact = v->result.findings == 0;
	return 0;
}

int
cdn_verify(const char *file, bool needs_head, struct cordon_diags *diags,
    struct cordon_audit_verified *ret, struct cordon_error *err)
{
	struct verifying v = { .diags = diags, .needs_head = needs_head };
	int r = cdn_log_open(file, &v.log, err);

	if (r == 0)
		r = check_log(&v, file, err);
	cdn_log_free(v.log);
	if (r == 0)
		*ret = v.result;
	return r;
}
